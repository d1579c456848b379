"""Run our own interpreter and packages as other users, even where they lie in a closed home."""

from __future__ import annotations

import atexit
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path

from toolbelt.confine_user import open_to_others

# $1: a folder to mount in. Then closed folders up to `--`, each replaced by an open, empty one;
# then folders up to `--` that are to stay visible in them; then the program to become.
_OPENED = """
place=$1 number=0; shift; closed=; kept=
while [ "$1" != -- ]; do closed="$closed $1"; shift; done; shift
while [ "$1" != -- ]; do
  number=$((number + 1)); mkdir -p "$place/$number"; mount --bind "$1" "$place/$number"
  kept="$kept $1"; shift
done; shift
for folder in $closed; do mount -t tmpfs -o mode=0755 none "$folder"; done
number=0
for folder in $kept; do
  number=$((number + 1)); mkdir -p "$folder"; mount --move "$place/$number" "$folder"
done
exec "$@"
"""


def opened(*argv: str) -> list[str]:
    """The command line, run where every user can reach `sys.executable` and what it imports.

    Where that is not so already it takes root and a mount namespace of its own.
    """
    roots = {
        sys.base_prefix,
        sys.prefix,
        *(p for p in sys.path if p.endswith(("/src", "-packages"))),
    }
    shut = [root for root in sorted(roots) if not open_to_others(root)]
    if not shut:
        return list(argv)
    closed = {str(_closed(Path(root))) for root in shut}
    return [
        "unshare", "--mount", "--propagation", "private", "sh", "-ec", _OPENED, "sh",
        _place(), *closed, "--", *shut, "--", *argv,
    ]  # fmt: skip


def _closed(path: Path) -> Path:
    """The highest folder on the way that others cannot pass through."""
    way = [*reversed(path.resolve().parents), path.resolve()]
    return next(folder for folder in way if not folder.stat().st_mode & stat.S_IXOTH)


@cache
def _place() -> str:
    """A folder to mount in; what is mounted there is seen by the started programs only."""
    place = tempfile.mkdtemp(prefix="toolbelt-open-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place
