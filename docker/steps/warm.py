"""Make what report code would make at its first call, where every user of the image finds it.

python warm.py fonts|node ...    matplotlib's list of fonts; Node's packages (needs npm)
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from reporttools import script_cache, script_fonts, script_npm
from toolbelt.job import remove_tree

SHARED = Path(sys.prefix, "share/sandbox-toolbelt/code")


def main(names: list[str]) -> None:
    """Make each in a cache folder of its own, then put it among the shared ones."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        if "fonts" in names:
            script_fonts.put(Path(folder))
        if "node" in names:
            script_npm.modules(script_npm.find(), [])
        SHARED.mkdir(parents=True, exist_ok=True)
        for made in script_cache.root().iterdir():
            if (made / "complete").exists():
                remove_tree(SHARED / made.name)
                shutil.copytree(made, SHARED / made.name, symlinks=True)
                print(SHARED / made.name)


if __name__ == "__main__":
    main(sys.argv[1:])
