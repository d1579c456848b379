"""Landlock: which files a process may read, write and run, whatever its user may.

The rights are graded by the kernel's ABI: 1 files, 2 renames between folders, 3 truncation, 4 TCP,
5 device ioctls, 6 signals and abstract unix sockets, 7 audit. A ruleset is made by the parent (all
that can fail or allocate) and put on by the child.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from functools import cache
from typing import Final

from toolbelt import linux

EXECUTE: Final = 1 << 0
WRITE_FILE: Final = 1 << 1
READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
REMOVE_DIR: Final = 1 << 4
REMOVE_FILE: Final = 1 << 5
MAKE_DIR: Final = 1 << 7
MAKE_REG: Final = 1 << 8
MAKE_SOCK: Final = 1 << 9
MAKE_FIFO: Final = 1 << 10
MAKE_SYM: Final = 1 << 12
REFER: Final = 1 << 13
TRUNCATE: Final = 1 << 14
IOCTL_DEV: Final = 1 << 15

READ: Final = READ_FILE | READ_DIR
WRITE: Final = (
    READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG
    | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | REFER
)  # fmt: skip
BIND_SOCKETS: Final = MAKE_SOCK | REMOVE_FILE
DEVICE: Final = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV
_FILE: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_FILE_BITS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_FILE_BITS: Final = 16
_TCP: Final = 3  # bind, connect
_SCOPE: Final = 3  # abstract unix sockets, signals
_RULE_PATH_BENEATH: Final = 1
_VERSION_FLAG: Final = 1


@cache
def abi() -> int:
    """The kernel's Landlock ABI; 0 when it has none or it is switched off."""
    import ctypes

    found = linux.libc().syscall(
        linux.NR_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG
    )
    return max(int(found), 0)


def handled(level: int) -> int:
    """The file rights that a kernel of this ABI can restrict."""
    return int((1 << _FILE_BITS.get(level, _ALL_FILE_BITS)) - 1)


def ruleset(rules: Iterable[tuple[str, int]], *, tcp: bool) -> int:
    """A descriptor of a new ruleset: (path, rights) pairs; a missing path grants nothing.

    Everything not granted is denied, as are TCP (unless `tcp`), signals to and abstract sockets of
    processes outside, as far as the ABI goes.
    """
    import ctypes
    import struct

    level = abi()
    net = 0 if tcp or level < 4 else _TCP
    scope = _SCOPE if level >= 6 else 0
    size = 8 if level < 4 else 16 if level < 6 else 24
    attributes = struct.pack("=QQQ", handled(level), net, scope)[:size]
    fd = linux.syscall(
        linux.NR_LANDLOCK_CREATE_RULESET,
        ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0,
    )  # fmt: skip
    try:
        for path, rights in rules:
            add(fd, path, rights, level)
    except BaseException:
        os.close(fd)
        raise
    os.set_inheritable(fd, False)
    return fd


def add(fd: int, path: str, rights: int, level: int) -> None:
    """Grant rights on one file, or on a folder and all below it."""
    import ctypes
    import struct

    try:
        anchor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        # Nothing there, or not for us: then there is nothing to grant either.
        return
    try:
        rights &= handled(level)
        if not stat.S_ISDIR(os.fstat(anchor).st_mode):
            rights &= _FILE
        if rights:
            rule = struct.pack("=Qi", rights, anchor)
            linux.syscall(
                linux.NR_LANDLOCK_ADD_RULE, fd, _RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0
            )
    finally:
        os.close(anchor)


def restrict(fd: int) -> None:
    """Put the ruleset on this process for good (no_new_privs must be set)."""
    linux.syscall(linux.NR_LANDLOCK_RESTRICT_SELF, fd, 0)
