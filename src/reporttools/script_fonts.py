"""matplotlib's list of fonts, made once: a script that had to make its own would wait seconds."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from reporttools import script_cache as cache
from toolbelt.errors import ToolError
from toolbelt.process import Limits, run

_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts")


def put(config: Path) -> None:
    """Copy the list into a script's MPLCONFIGDIR; without matplotlib there is none."""
    from importlib import metadata

    try:
        version = metadata.version("matplotlib")
    except metadata.PackageNotFoundError:
        return
    key = cache.digest(version, sys.prefix, *_state())
    folder, _ = cache.kept(f"fonts-{key}", _make)
    for file in folder.glob("fontlist-*.json"):
        shutil.copyfile(file, config / file.name)


def _state() -> list[str]:
    """Changes with every font that is installed or removed: such a folder's time does."""
    home = Path.home()
    places = [*_FOLDERS, str(home / ".fonts"), str(home / ".local/share/fonts")]
    return [
        f"{path} {os.stat(path).st_mtime_ns}"  # noqa: PTH116 (a Path costs more)
        for place in places
        for path, _names, _files in os.walk(place)
    ]


def _make(folder: Path) -> None:
    env = cache.installer_env() | {"MPLCONFIGDIR": str(folder), "MPLBACKEND": "Agg"}
    argv = [sys.executable, "-c", "import matplotlib.font_manager"]
    done = run(argv, cwd=folder, env=env, limits=Limits(timeout=120))
    if not done.ok:
        raise ToolError(
            "MISSING_DEP", "matplotlib is installed, but does not work.",
            hint="pip install --force-reinstall matplotlib",
            detail={"reason": "broken", "stderrTail": done.stderr.text()[-1500:]},
        )  # fmt: skip
