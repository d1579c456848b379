"""The folder every path of a caller must lie beneath: inputs, outputs, data, code.

    workspace = Workspace.find(option)  # or TOOLBELT_WORKSPACE, /workspace, the current folder
    with workspace.resolve_input("data/sales.csv") as source:
        source.path, source.size, source.file.read()  # opened, cannot be swapped any more
    with workspace.output("out/sales.pdf", force=False) as out:
        out.file.write(b"...")  # appears whole, or not at all
    folder = workspace.folder("out", create=True)  # a folder beneath, for several outputs

A relative path starts at the current folder when that lies in the workspace, else at the
workspace. Every refusal is BAD_PATH with a `reason` and a hint; nothing is created by a refusal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from toolbelt.beneath import Place, bad_path, near, resolve, split
from toolbelt.errors import ToolError
from toolbelt.publish import Output, check_target

DEFAULT: Final = "/workspace"
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


@dataclass(slots=True)
class Input:
    """A regular file beneath the workspace, opened for reading; use it in a `with` block.

    path: absolute, links resolved. relative: the same below the workspace. size: bytes.
    identity: device and inode. file: binary and buffered; wrap it for text.
    """

    path: Path
    relative: str
    size: int
    identity: tuple[int, int]
    file: IO[bytes]

    def __enter__(self) -> Input:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        self.file.close()

    def copy_to(self, target: Path, mode: int = 0o600) -> None:
        """Copy the bytes to a new file (in a private job folder)."""
        self.file.seek(0)
        fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(fd, "wb") as copy:
            while chunk := self.file.read(1 << 20):
                copy.write(chunk)


@dataclass(frozen=True, slots=True)
class Workspace:
    """root: absolute, links resolved. given: the absolute name it was asked for by."""

    root: Path
    given: Path

    @classmethod
    def find(cls, option: str | None = None) -> Workspace:
        """The workspace: option, TOOLBELT_WORKSPACE, /workspace if it exists, current folder."""
        named = option if option is not None else os.environ.get("TOOLBELT_WORKSPACE") or None
        source = "--workspace" if option is not None else "TOOLBELT_WORKSPACE"
        if named is None:
            return cls.at(DEFAULT if Path(DEFAULT).is_dir() else ".")
        if not named or "\0" in named or not Path(named).is_dir():
            raise ToolError(
                "USAGE" if option is not None else "BAD_CONFIG",
                f"{source} names {named!r}, which is not a folder.",
                hint=f"mkdir -p {named}" if named and "\0" not in named else "name a folder",
            )
        return cls.at(named)

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> Workspace:
        """The workspace at an existing folder (a job folder, to read its results safely)."""
        try:
            given = Path(os.path.abspath(folder))  # noqa: PTH100 (Path.absolute keeps `..`)
        except FileNotFoundError as error:
            raise ToolError(
                "BAD_CONFIG", "The current folder no longer exists.", hint="cd to one that does"
            ) from error
        return cls(given.resolve(), given)

    def resolve_input(self, path: str | os.PathLike[str]) -> Input:
        """Open a regular file beneath the workspace for reading."""
        shown = os.fspath(path)
        with self._place(shown, follow=True) as place:
            if place.info is None:
                hint = near(place.folder, place.name) or f"ls {Path(shown).parent}"
                raise bad_path("not_found", f"{shown!r} does not exist.", hint=hint)
            if place.is_folder or shown.endswith("/"):
                raise bad_path("is_a_folder", f"{shown!r} is a folder.", hint="name a file in it")
            if not stat.S_ISREG(place.info.st_mode):
                raise _not_a_file(shown)
            return self._open(place, shown)

    def read_bytes(self, path: str | os.PathLike[str], limit: int | None = None) -> bytes:
        """The whole content of an input file; BAD_PATH with reason `too_large` above the limit."""
        with self.resolve_input(path) as source:
            content = source.file.read() if limit is None else source.file.read(limit + 1)
        if limit is not None and len(content) > limit:
            raise bad_path("too_large", f"{os.fspath(path)!r} is larger than {limit} bytes.")
        return content

    def output(
        self,
        path: str | os.PathLike[str],
        force: bool = False,
        *,
        name: str | None = None,
        inputs: Iterable[Input] = (),
    ) -> Output:
        """A new file beneath the workspace, published when its `with` block ends well.

        force: an existing regular file (or symbolic link) may be replaced. name: the file's name
        when `path` is an existing folder or ends in `/`. inputs: files the output must not be.
        """
        shown = os.fspath(path)
        try:
            place = self._place(shown, follow=False)
        except ToolError as error:
            if error.detail.get("reason") == "not_found":
                error.hint = error.hint or f"mkdir -p {Path(shown).parent}"
            raise
        try:
            if name is not None and (place.is_folder or shown.endswith("/")):
                place.close()
                shown = f"{shown.rstrip('/') or '/'}/{name}"
                place = self._place(shown, follow=False)
            elif shown.endswith("/") and place.info is None:
                raise bad_path("is_a_folder", f"{shown!r} names a folder.", hint="name a file")
            check_target(place, shown, force=force)
            here = place.info and (place.info.st_dev, place.info.st_ino)
            if any(source.identity == here for source in inputs):
                raise bad_path("is_the_input", f"{shown!r} is the input itself.")
            return Output(place, self.root.joinpath(*place.parts), shown, force=force)
        except BaseException:
            place.close()
            raise

    def folder(self, path: str | os.PathLike[str], *, create: bool = False) -> Path:
        """The absolute path of a folder beneath the workspace; made, parents too, on request."""
        shown = os.fspath(path)
        parts = self._parts(shown)
        for count in range(1, len(parts) + 1) if create else ():
            with self._walk(parts[:count], shown, follow=True) as place:
                if place.info is None:
                    _make(place, shown)
        with self._walk(parts, shown, follow=True) as place:
            if place.info is None:
                hint = near(place.folder, place.name) or f"mkdir -p {shown}"
                raise bad_path("not_found", f"{shown!r} does not exist.", hint=hint)
            if not place.is_folder:
                raise bad_path("not_a_folder", f"{shown!r} is not a folder.")
            return self.root.joinpath(*place.parts)

    def relative(self, path: Path) -> str:
        """A path of ours as text below the workspace, for reports."""
        return path.relative_to(self.root).as_posix()

    def _open(self, place: Place, shown: str) -> Input:
        try:
            fd = os.open(place.name, _READ, dir_fd=place.folder)
        except OSError as error:
            raise bad_path(
                "not_readable", f"{shown!r} cannot be read: {error.strerror}.",
                hint="check its permissions",
            ) from error  # fmt: skip
        info = os.fstat(fd)
        seen = place.info
        if not stat.S_ISREG(info.st_mode) or seen is None or not os.path.samestat(info, seen):
            os.close(fd)
            raise _not_a_file(shown, "changed while it was opened")
        os.set_blocking(fd, True)
        return Input(
            path=self.root.joinpath(*place.parts),
            relative="/".join(place.parts),
            size=info.st_size,
            identity=(info.st_dev, info.st_ino),
            file=os.fdopen(fd, "rb"),
        )

    def _place(self, shown: str, *, follow: bool) -> Place:
        return self._walk(self._parts(shown), shown, follow=follow)

    def _walk(self, parts: list[str], shown: str, *, follow: bool) -> Place:
        try:
            root = os.open(self.root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ToolError(
                "BAD_CONFIG",
                f"The workspace {str(self.given)!r} cannot be entered: {error.strerror}.",
                hint="name another with --workspace",
            ) from error  # fmt: skip
        try:
            return resolve(root, self._prefixes(), parts, shown, follow=follow)
        finally:
            os.close(root)

    def _prefixes(self) -> list[list[str]]:
        return [split(str(self.given)), split(str(self.root))]

    def _parts(self, shown: str) -> list[str]:
        """Components from the root; an absolute path must begin with the workspace's own."""
        if not shown:
            raise bad_path("empty", "The path is empty.", hint=f"a path below {self.given}")
        if "\0" in shown:
            raise bad_path("nul", f"{shown!r} holds a NUL byte.")
        if not shown.startswith("/"):
            return self._start() + split(shown)
        parts = split(shown)
        for prefix in self._prefixes():
            if parts[: len(prefix)] == prefix:
                return parts[len(prefix) :]
        raise bad_path(
            "outside", f"{shown!r} lies outside the workspace.",
            hint=f"use a path below the workspace, {self.given}",
        )  # fmt: skip

    def _start(self) -> list[str]:
        try:
            here = Path.cwd()
        except FileNotFoundError:
            return []
        return list(here.relative_to(self.root).parts) if here.is_relative_to(self.root) else []


def _make(place: Place, shown: str) -> None:
    try:
        os.mkdir(place.name, dir_fd=place.folder)
    except FileExistsError:
        return
    except OSError as error:
        raise bad_path(
            "not_writable", f"{shown!r} cannot be made: {error.strerror}.",
            hint="choose a folder you may write to",
        ) from error  # fmt: skip


def _not_a_file(shown: str, why: str = "is not a regular file") -> ToolError:
    return bad_path("not_a_file", f"{shown!r} {why}.", hint="name a regular file")
