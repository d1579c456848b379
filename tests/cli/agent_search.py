"""Plays the agent: looks for a secret's bytes wherever its user can look; prints what it saw as JSON.

argv: when the search began (seconds), further folders. The secret comes over stdin, percent-coded
byte by byte, so that the search cannot find itself: it is put together only while comparing.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

CODED = sys.stdin.read().strip()
OVERLAP, CHUNK = 256, 1 << 20


def holds(data: bytes) -> bool:
    return urllib.parse.unquote_to_bytes(CODED) in data


def environments() -> Iterator[tuple[str, bytes]]:
    yield "env", b"\0".join(k + b"=" + v for k, v in os.environb.items())
    for entry in processes():
        for name in (
            "environ",
            "cmdline",
            "auxv",
            "stat",
            "status",
            "wchan",
            "stack",
            "cwd",
            "exe",
        ):
            yield f"/proc/{entry}/{name}", read(f"/proc/{entry}/{name}")
        yield f"/proc/{entry}/fd", links(f"/proc/{entry}/fd")


def processes() -> list[str]:
    return [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def memories() -> Iterator[tuple[str, bytes]]:
    """Every other process whose maps and memory this user may read."""
    for entry in processes():
        if int(entry) == os.getpid():
            continue
        for line in read(f"/proc/{entry}/maps").decode("utf-8", "replace").splitlines():
            bounds, rights, *_ = line.split()
            if rights.startswith("r") and "[v" not in line:
                start, _, end = bounds.partition("-")
                yield f"/proc/{entry}/mem", memory(entry, int(start, 16), int(end, 16))


def memory(entry: str, start: int, end: int) -> bytes:
    try:
        with Path(f"/proc/{entry}/mem").open("rb", buffering=0) as file:
            file.seek(start)
            return file.read(min(end - start, 64 << 20))
    except (OSError, ValueError, OverflowError):
        return b""


def files(roots: list[str], since: float) -> Iterator[tuple[str, bytes]]:
    """What changed since the test began, whoever wrote it: settings, logs, caches, history."""
    left = [(root, 0) for root in roots]
    while left:
        folder, depth = left.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.is_dir(follow_symlinks=False):
                # Others leave bottomless folders about in /tmp.
                left += [(entry.path, depth + 1)] if depth < 16 else []
            elif about.st_mtime >= since and about.st_size < 64 << 20:
                yield entry.path, read(entry.path)


def read(path: str) -> bytes:
    try:
        if not Path(path).is_file():
            return os.fsencode(Path(path).readlink())
        return Path(path).read_bytes()
    except OSError:
        return b""


def links(folder: str) -> bytes:
    try:
        return b"\0".join(os.fsencode(fd.readlink()) for fd in Path(folder).iterdir())
    except OSError:
        return b""


def main() -> None:
    since, *folders = sys.argv[1:]
    roots = ["/tmp", "/run", "/var/tmp", "/dev/shm", os.environ.get("HOME", "/"), *folders]
    looked: dict[str, int] = {}
    found = []
    for kind, places in (
        ("environments", environments()),
        ("memories", memories()),
        ("files", files(roots, float(since))),
    ):
        looked[kind] = 0
        for name, data in places:
            looked[kind] += bool(data)
            if holds(data):
                found.append(name)
    status = Path("/proc/self/status").read_text("ascii")
    rights = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if "Cap" in line}
    print(json.dumps({
        "found": sorted(set(found)), "looked": looked, "uid": os.getuid(),
        "capabilities": rights, "new": "NoNewPrivs:\t1" in status,
        "variables": [k for k in os.environ if k.startswith(("DB_", "DATABASE_URL"))],
    }))  # fmt: skip


if __name__ == "__main__":
    main()
