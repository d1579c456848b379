"""Names below a folder that is held open, resolved so that nothing can lead outside.

The walk opens one component at a time with O_PATH | O_NOFOLLOW from the descriptor of the folder
before it and keeps the whole chain open. A symbolic link is read from its own descriptor and its
text is walked by the same rules; `..` goes back to a descriptor already held. A folder or link that
is swapped while we walk is therefore either seen or not seen, never followed half-way. It is what
openat2 does with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS, without needing a kernel or a seccomp
profile that allows openat2, and it can say which rule a path broke.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from toolbelt.errors import ToolError

MAX_LINKS = 40
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def bad_path(reason: str, message: str, hint: str = "") -> ToolError:
    """BAD_PATH with its finer cause in `reason`."""
    return ToolError("BAD_PATH", message, hint=hint, detail={"reason": reason})


def split(path: str) -> list[str]:
    """The components of a path; empty ones and `.` name nothing and are left out."""
    return [part for part in path.split("/") if part not in ("", ".")]


@dataclass(slots=True)
class Place:
    """A name in a folder that is held open.

    folder: O_PATH descriptor of the folder. name: the last component, `.` for the folder itself.
    parts: components from the root, links resolved. info: what stands there (not followed), or
    None when nothing does.
    """

    folder: int
    name: str
    parts: tuple[str, ...]
    info: os.stat_result | None

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    @property
    def is_folder(self) -> bool:
        return self.info is not None and stat.S_ISDIR(self.info.st_mode)


class Walk:
    """One resolution; see `resolve`."""

    def __init__(self, root: int, prefixes: Sequence[Sequence[str]], shown: str) -> None:
        self.prefixes = prefixes
        self.shown = shown
        self.chain = [os.dup(root)]
        self.names: list[str] = []
        self.links = 0

    def close(self) -> None:
        for fd in self.chain:
            os.close(fd)
        self.chain.clear()

    def run(self, parts: Sequence[str], *, follow: bool) -> Place:
        todo = list(reversed(parts))
        while todo:
            part = todo.pop()
            if part == "..":
                self._up()
                continue
            fd, info = self._look(part, last=not todo)
            if info is None:
                return self._place(part, None)
            if stat.S_ISLNK(info.st_mode):
                if not todo and not follow:
                    os.close(fd)
                    return self._place(part, info)
                todo.extend(reversed(self._link(fd, info)))
            elif stat.S_ISDIR(info.st_mode):
                self.chain.append(fd)
                self.names.append(part)
            else:
                os.close(fd)
                if todo:
                    raise bad_path("not_a_folder", f"{part!r} in {self.shown!r} is not a folder.")
                return self._place(part, info)
        return self._place(".", os.fstat(self.chain[-1]))

    def _place(self, name: str, info: os.stat_result | None) -> Place:
        parts = tuple(self.names) if name == "." else (*self.names, name)
        return Place(self.chain.pop(), name, parts, info)

    def _up(self) -> None:
        if not self.names:
            raise self._outside("leads out of the workspace through '..'")
        os.close(self.chain.pop())
        self.names.pop()

    def _look(self, part: str, *, last: bool) -> tuple[int, os.stat_result | None]:
        try:
            fd = os.open(part, _LOOK, dir_fd=self.chain[-1])
        except FileNotFoundError:
            if last:
                return -1, None
            raise bad_path(
                "not_found",
                f"{self.shown!r}: there is no folder {'/'.join([*self.names, part])!r}.",
                hint=near(self.chain[-1], part),
            ) from None
        except OSError as error:
            reason = "too_long" if error.errno == errno.ENAMETOOLONG else "no_access"
            raise bad_path(
                reason, f"{self.shown!r} cannot be reached: {error.strerror}."
            ) from error
        info = os.fstat(fd)
        if info.st_dev == _proc_device():
            os.close(fd)
            raise self._outside("lies in /proc", "proc")
        return fd, info

    def _link(self, fd: int, info: os.stat_result) -> list[str]:
        try:
            target = os.readlink("", dir_fd=fd)
        finally:
            os.close(fd)
        self.links += 1
        if self.links > MAX_LINKS:
            raise bad_path("symlink", f"{self.shown!r} goes through too many symbolic links.")
        if not target.startswith("/"):
            return split(target)
        inner = self.strip(split(target))
        if inner is None:
            raise self._outside("goes through a symbolic link out of the workspace", "symlink")
        while self.names:
            self._up()
        return inner

    def strip(self, parts: Sequence[str]) -> list[str] | None:
        """An absolute path's components below the root, or None when it starts elsewhere."""
        for prefix in self.prefixes:
            if list(parts[: len(prefix)]) == list(prefix):
                return list(parts[len(prefix) :])
        return None

    def _outside(self, why: str, reason: str = "outside") -> ToolError:
        root = "/" + "/".join(self.prefixes[0])
        if self.links and reason == "outside":
            reason, why = "symlink", "goes through a symbolic link out of the workspace"
        return bad_path(
            reason, f"{self.shown!r} {why}.", hint=f"use a path below the workspace, {root}"
        )


def resolve(
    root: int, prefixes: Sequence[Sequence[str]], path: Sequence[str], shown: str, *, follow: bool
) -> Place:
    """Walk components from the folder `root`; the caller closes the Place.

    prefixes: the components of the root's own absolute names, so that an absolute link back into it
    is not an escape. shown: the path for messages. follow: also follow a link in the last place.
    Raises BAD_PATH for whatever leads outside, and for a missing folder on the way.
    """
    walk = Walk(root, prefixes, shown)
    try:
        return walk.run(path, follow=follow)
    finally:
        walk.close()


def near(folder: int, name: str) -> str:
    """A hint naming the entries of an open folder most like a mistyped one; empty for none."""
    from toolbelt.errors import nearest

    try:
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return ""
    try:
        with os.scandir(fd) as entries:
            known = [entry.name for entry, _ in zip(entries, range(2000), strict=False)]
    finally:
        os.close(fd)
    found = nearest(name, known)
    return f"did you mean {', '.join(repr(f) for f in found)}?" if found else ""


def _proc_device() -> int | None:
    """The device number of /proc, whose files are windows on processes; None when not mounted."""
    try:
        return os.lstat("/proc/self").st_dev
    except FileNotFoundError:
        return None
