# `make` alone lists the targets. Everything lives in .venv; nothing is installed elsewhere but what
# `make test` says it needs (the real database servers, through apt-get).
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "The venv package is missing: sudo apt-get install python3-venv"; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[all,dev]'
	@touch $@

check: $(VENV)/.installed ## Format, lint, strict types and the walls between packages
	@$(PY) -m ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(PY) -m ruff check --quiet .
	@$(PY) -m mypy
	@$(PY) -c 'from importlinter.cli import lint_imports_command as c; c(["--no-cache"])'

format: $(VENV)/.installed ## Format the code and sort the imports
	@-$(PY) -m ruff check --fix --quiet .
	@$(PY) -m ruff format --quiet .

test: $(VENV)/.installed ## All tests, against real servers
	@$(PY) -m pytest
