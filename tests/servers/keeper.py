"""Ends servers whose tests were killed: when standard input closes, kill what was not taken back.

Lines read: `group PGID`, `ended PGID`, `folder PATH`, `gone PATH`.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys


def main() -> None:
    """Remember until the end of input, then clean up."""
    groups: dict[int, None] = {}
    folders: dict[str, None] = {}
    for line in sys.stdin:
        word, _, value = line.rstrip("\n").partition(" ")
        if word == "group":
            groups[int(value)] = None
        elif word == "ended":
            groups.pop(int(value), None)
        elif word == "folder":
            folders[value] = None
        elif word == "gone":
            folders.pop(value, None)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            continue
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
