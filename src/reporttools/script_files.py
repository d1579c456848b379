"""Which files a script made or changed, what they are, and whether they are whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from reporttools.script_tree import walk
from toolbelt.beneath import bad_path
from toolbelt.data import recipes

MOST_LISTED: Final = 1000
MOST_WATCHED: Final = 20_000
MOST_WARNED: Final = 20
UNKNOWN: Final = "application/octet-stream"
_TAIL: Final = 1 << 16
# Media type -> how such a file begins, and what its last bytes hold when it is whole.
_MARKS: Final[Mapping[str, tuple[tuple[bytes, ...], bytes]]] = {
    "image/png": ((b"\x89PNG\r\n\x1a\n",), b"IEND\xaeB`\x82"),
    "image/jpeg": ((b"\xff\xd8\xff",), b"\xff\xd9"),
    "image/gif": ((b"GIF87a", b"GIF89a"), b"\x3b"),
    "image/webp": ((b"RIFF",), b""),
    "image/svg+xml": ((b"<", b"\xef\xbb\xbf<"), b">"),
    "application/pdf": ((b"%PDF-",), b"%%EOF"),
    "application/zip": ((b"PK\x03\x04", b"PK\x05\x06"), b"PK\x05\x06"),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A regular file as it was: what changes when it is written to."""

    modified_ns: int
    changed_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """files: by path below the folder. others: links, special files and folders too deep,
    never looked into.
    """

    files: Mapping[str, Seen]
    others: frozenset[str]


@dataclass(frozen=True, slots=True)
class Changes:
    """files: objects for the envelope. removed: paths. warnings: objects for the envelope."""

    files: list[dict[str, object]]
    removed: list[str]
    warnings: list[dict[str, object]]


def snapshot(folder: Path, most: int | None = None) -> Snapshot:
    """All below a folder, following no link; BAD_PATH when there are more than `most` files."""
    files: dict[str, Seen] = {}
    others: set[str] = set()
    for entry in walk(folder):
        info = entry.info
        if stat.S_ISREG(info.st_mode):
            files[entry.path] = Seen(info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)
        elif not entry.is_folder or entry.too_deep:
            others.add(entry.path)
        if most is not None and len(files) + len(others) > most:
            raise bad_path(
                "too_many_files", f"{str(folder)!r} holds more than {most} files.",
                hint="name a folder for results only with --output",
            )  # fmt: skip
    return Snapshot(files, frozenset(others))


def changes(folder: Path, before: Snapshot) -> Changes:
    """What is new or changed since, the newest snapshot being taken now."""
    after = snapshot(folder)
    found: list[dict[str, object]] = []
    bad: list[dict[str, object]] = []
    touched = sorted(path for path, seen in after.files.items() if before.files.get(path) != seen)
    types = media_types()
    for path in touched[:MOST_LISTED]:
        status = "modified" if path in before.files else "new"
        mime, problem = _look(folder, path, types)
        entry: dict[str, object] = {"path": str(folder / path), "bytes": after.files[path].size}
        found.append(entry | {"mime": mime, "status": status})
        if problem:
            bad.append(_warning("BAD_FILE", path, problem))
    warnings = bad[:MOST_WARNED]
    if len(bad) > MOST_WARNED:
        more = f"{len(bad) - MOST_WARNED} more files are empty or not whole"
        warnings.append(_warning("BAD_FILE", "", more))
    if len(touched) > MOST_LISTED:
        left = len(touched) - MOST_LISTED
        warnings.append(_warning("FILES_LEFT_OUT", "", f"{left} more files are not listed"))
    warnings += [
        _warning("SKIPPED", path, "a link, special file or too deep a folder: not looked into")
        for path in sorted(after.others - before.others)[:MOST_WARNED]
    ]
    removed = sorted(path for path in before.files if path not in after.files)
    return Changes(found, [str(folder / path) for path in removed[:MOST_LISTED]], warnings)


def media_types() -> dict[str, str]:
    """Ending -> media type."""
    lines = (recipes() / "code" / "media-types.tsv").read_text(encoding="ascii").splitlines()
    pairs = (line.split("\t", 1) for line in lines if not line.startswith("#"))
    return dict(pairs)


def _look(folder: Path, path: str, types: Mapping[str, str]) -> tuple[str, str]:
    """A file's media type, and what is wrong with it."""
    ending = Path(path).suffix.lower().lstrip(".")
    mime = types.get(ending, "")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(folder / path, flags), "rb") as file:
            head, tail = _ends(file)
    except OSError as error:
        return mime or UNKNOWN, f"cannot be read: {error.strerror}"
    if not head:
        return mime or UNKNOWN, "is empty"
    if not mime:
        return next(
            (m for m, (starts, _) in _MARKS.items() if _begins(head, starts, m)), UNKNOWN
        ), ""
    container = "application/zip" if mime.startswith(("application/vnd.o",)) else mime
    starts, end = _MARKS.get(container, ((b"",), b""))
    if not head.lstrip().startswith(starts) and not head.startswith(starts):
        return mime, f"does not begin as a .{ending} file does"
    return mime, "" if end in tail else "is not complete: its end is missing"


def _begins(head: bytes, starts: tuple[bytes, ...], mime: str) -> bool:
    return mime != "image/svg+xml" and head.startswith(starts)


def _ends(file: IO[bytes]) -> tuple[bytes, bytes]:
    head = file.read(64)
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _TAIL, 0))
    return head, file.read(_TAIL)


def _warning(code: str, path: str, message: str) -> dict[str, object]:
    return {"code": code, "path": path, "message": f"{path}: {message}" if path else message}
