"""Compile recipes/conversions.toml into builtin.py: `python -m convert.generate`.

The TOML file is what people read and review; importing tomllib at every start would cost more
than the whole listing, so the command imports the compiled table. A test compares the two.
"""

from __future__ import annotations

import pprint
import tomllib
from pathlib import Path

from toolbelt.data import recipes

HEADER = '''"""recipes/conversions.toml, compiled by `python -m convert.generate`: do not edit."""

from __future__ import annotations

from typing import Final

# fmt: off
MANIFEST: Final[dict[str, object]] = \\
'''


def main() -> None:
    """Write builtin.py."""
    content = tomllib.loads((recipes() / "conversions.toml").read_text(encoding="utf-8"))
    text = pprint.pformat(content, width=96, sort_dicts=False)
    target = Path(__file__).with_name("builtin.py")
    target.write_text(f"{HEADER}{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
