"""A new file that appears whole or not at all.

The bytes go to a file without a name (O_TMPFILE) in the target's own folder, so that even SIGKILL
leaves nothing behind; where the file system has none, to a private temporary name. Leaving the
`with` block makes it durable and gives it its name in one step: a hard link when nothing may be
replaced (it fails if the name was taken meanwhile), a rename over the old file otherwise.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from toolbelt.beneath import Place, bad_path
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_BUFFER: Final = 256 * 1024
_NO_TMPFILE: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL})
_NO_LINK: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


def output_failed(shown: str, error: OSError) -> ToolError:
    """OUTPUT_FAILED for what the operating system said while a file was written."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    hint = "free some space, or write to another folder" if full else ""
    return ToolError(
        "OUTPUT_FAILED", f"{shown!r} could not be written: {error.strerror}.", hint=hint,
        detail={"reason": "no_space" if full else "write"},
    )  # fmt: skip


class CheckedFile(io.FileIO):
    """The unbuffered file; a failed write is OUTPUT_FAILED at its source."""

    shown = ""
    discard = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self.discard:
            return memoryview(data).nbytes
        try:
            written = super().write(data)
        except OSError as error:
            raise output_failed(self.shown, error) from error
        # A regular file never says "would block"; typeshed allows for it.
        return written or 0


class Output:
    """An output file being written; use it in a `with` block.

    file: binary, buffered, seekable, readable; may be closed early. path: the final absolute path.
    relative: the same below the workspace. bytes: the size, once published. An exception in the
    block (Ctrl-C and SIGTERM too) leaves the old file as it was and no temporary file.
    """

    def __init__(self, place: Place, path: Path, shown: str, *, force: bool) -> None:
        self.path = path
        self.relative = "/".join(place.parts)
        self.bytes = 0
        self._place = place
        self._shown = shown
        self._force = force
        self._temporary = ""
        self._fd = -1
        self._raw: CheckedFile | None = None
        self.file: io.BufferedRandom

    def __enter__(self) -> Output:
        try:
            self._fd = self._create()
            raw = CheckedFile(self._fd, "r+b", closefd=False)
            raw.shown = self._shown
            self.file = io.BufferedRandom(raw, _BUFFER)
            self._raw = raw
        except BaseException:
            self._drop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._publish()
        finally:
            self._drop()

    @property
    def temp_path(self) -> Path:
        """A name by which a library in this process can open the unfinished file."""
        return Path(f"/proc/self/fd/{self._fd}")

    def _create(self) -> int:
        folder = self._place.folder
        try:
            fd = os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666, dir_fd=folder)
        except OSError as error:
            if error.errno not in _NO_TMPFILE:
                raise self._no_folder(error) from error
        else:
            if Path(f"/proc/self/fd/{fd}").exists():
                return fd
            # Without /proc it could never be given a name.
            os.close(fd)
        self._temporary = self._fresh_name()
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._temporary, flags, 0o666, dir_fd=folder)
        except OSError as error:
            raise self._no_folder(error) from error

    def _fresh_name(self) -> str:
        return f".{os.fsencode(self._place.name)[:64].hex()[:32]}.{os.urandom(8).hex()}.tmp"

    def _no_folder(self, error: OSError) -> ToolError:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return bad_path(
                "not_writable",
                f"{self._shown!r}: its folder cannot be written to: {error.strerror}.",
                hint="choose a folder you may write to, such as the workspace's output/",
            )
        return output_failed(self._shown, error)

    def _publish(self) -> None:
        try:
            if not self.file.closed:
                self.file.flush()
            os.fsync(self._fd)
            self.bytes = os.fstat(self._fd).st_size
            if self._force:
                self._replace()
            else:
                self._name_new()
        except OSError as error:
            raise output_failed(self._shown, error) from error
        self._sync_folder()

    def _name_new(self) -> None:
        try:
            self._link(self._place.name)
        except FileExistsError:
            raise exists(self._shown) from None
        except OSError as error:
            if error.errno not in _NO_LINK or not self._temporary:
                raise
            self._claim_and_rename()

    def _claim_and_rename(self) -> None:
        """For file systems without hard links: take the name first, then rename over our own."""
        folder, name = self._place.folder, self._place.name
        try:
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=folder))
        except FileExistsError:
            raise exists(self._shown) from None
        try:
            os.rename(self._temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(name, dir_fd=folder)
            raise

    def _replace(self) -> None:
        folder, name = self._place.folder, self._place.name
        if not self._temporary:
            self._temporary = self._fresh_name()
            self._link(self._temporary)
        try:
            # A rename replaces a symbolic link itself, never the file it points to.
            os.rename(self._temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except (IsADirectoryError, NotADirectoryError):
            raise is_a_folder(self._shown) from None

    def _link(self, name: str) -> None:
        folder = self._place.folder
        if self._temporary and name != self._temporary:
            os.link(self._temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.link(self.temp_path, name, dst_dir_fd=folder, follow_symlinks=True)

    def _sync_folder(self) -> None:
        # The content is safe by now; a folder we may not read just keeps its name a little later.
        with contextlib.suppress(PermissionError):
            fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._place.folder)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)

    def _drop(self) -> None:
        if self._raw is not None:
            # What is still buffered after a failure must not be written. Closed while there is a
            # descriptor: collected later, it would complain of a bad one.
            self._raw.discard = True
            self.file.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._temporary:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._temporary, dir_fd=self._place.folder)
        self._place.close()


def exists(shown: str) -> ToolError:
    """BAD_PATH: the output is there already."""
    return bad_path(
        "exists", f"{shown!r} exists already.", hint="choose another name, or add --force"
    )


def is_a_folder(shown: str) -> ToolError:
    """BAD_PATH: a folder stands where a file should be written."""
    return bad_path("is_a_folder", f"{shown!r} is a folder.", hint="name a file in it")


def check_target(place: Place, shown: str, *, force: bool) -> None:
    """Refuse an output place before any work is done for it."""
    # Hooks and configuration there are run later, by git and with the rights of whoever calls it.
    if any(part.lower() == ".git" for part in place.parts):
        raise bad_path(
            "not_writable", f"{shown!r} lies in a repository's own folder.",
            hint="choose another folder, such as the workspace's output/",
        )  # fmt: skip
    if place.info is None:
        return
    mode = place.info.st_mode
    if stat.S_ISDIR(mode):
        raise is_a_folder(shown)
    if not force:
        raise exists(shown)
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise bad_path("not_a_file", f"{shown!r} is not a regular file.", hint="name a new file")
