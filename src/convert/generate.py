"""Compile recipes/conversions.toml into Python tables: `python -m convert.generate`.

The TOML file is what people read and review; importing tomllib at every start would cost more
than the whole listing, so the command imports the compiled table. A test compares the two.
"""

from __future__ import annotations

import pprint
import tomllib
from pathlib import Path

from convert.lines import line
from convert.load import table
from toolbelt.data import recipes

HEADER = '''"""recipes/conversions.toml, compiled by `python -m convert.generate`: do not edit."""

from __future__ import annotations

from typing import Final

# fmt: off
MANIFEST: Final[dict[str, object]] = \\
'''


LINES = '''"""What `list` tells of the built-in rows, compiled by `python -m convert.generate`."""

from __future__ import annotations

from typing import Final

from convert.listing import Line

# fmt: off
LINES: Final[list[Line]] = \
'''


def compiled() -> dict[str, str]:
    """The texts of the compiled modules, by file name."""
    content = tomllib.loads((recipes() / "conversions.toml").read_text(encoding="utf-8"))
    rows = table(content, Path(), "").rows.values()
    # The launchers of our own rows come with us: there is nothing to look for.
    lines = [(*line(row)[:4], (), *line(row)[5:]) for row in rows]
    texts = {"builtin.py": (HEADER, content), "builtin_lines.py": (LINES, lines)}
    return {
        name: head + pprint.pformat(value, width=96, sort_dicts=False) + "\n"
        for name, (head, value) in texts.items()
    }


def main() -> None:
    """Write them."""
    for name, text in compiled().items():
        Path(__file__).with_name(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
