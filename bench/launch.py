"""Runs one command and prints what it cost as JSON: `python -I -S launch.py ARGV...`.

A process of its own, because a child's peak memory can never read lower than its parent's.
"""

import json
import os
import sys
import time


def main() -> None:
    """stdin is empty and stdout goes to /dev/null; stderr is kept for the report of a failure."""
    null = os.open(os.devnull, os.O_RDWR)
    began = time.perf_counter()
    child = os.posix_spawnp(
        sys.argv[1],
        sys.argv[1:],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)],
    )
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - began
    cost = {
        "code": os.waitstatus_to_exitcode(status),
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "rss": usage.ru_maxrss * 1024,
    }
    print(json.dumps(cost))


if __name__ == "__main__":
    main()
