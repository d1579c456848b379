"""Compile recipes/shell.toml into table.py: `python -m safeshell.generate`.

The TOML file is what people read and review; reading TOML at every start would cost more than the
rest of the command, so safe-shell imports the compiled table. A test compares the two.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from pprint import pformat

from toolbelt.data import recipes

TARGET = Path(__file__).with_name("table.py")
HEAD = '''"""Compiled from recipes/shell.toml by safeshell.generate."""

from __future__ import annotations

from typing import Any, Final

'''


def compiled() -> str:
    """The Python text of the table; flags and other long texts lose their line breaks."""
    source = tomllib.loads((recipes() / "shell.toml").read_text(encoding="utf-8"))
    return f"{HEAD}TABLE: Final[dict[str, Any]] = {pformat(_flat(source), sort_dicts=False)}\n"


def _flat(value: object) -> object:
    if isinstance(value, dict):
        return {key: _flat(item) for key, item in value.items()}
    return " ".join(value.split()) if isinstance(value, str) and "\n" in value else value


def main() -> None:
    TARGET.write_text(compiled(), encoding="utf-8")


if __name__ == "__main__":
    main()
