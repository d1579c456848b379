"""The few Linux calls Python has no name for, by ctypes (imported on first use: 3 ms)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import ctypes

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_KEEPCAPS: Final = 8
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_SECUREBITS: Final = 28
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAP_AMBIENT: Final = 47
AMBIENT_RAISE: Final = 2
AMBIENT_CLEAR_ALL: Final = 4
SECBIT_NO_SETUID_FIXUP: Final = 1 << 2
SECCOMP_MODE_FILTER: Final = 2
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWNET: Final = 0x40000000
CLOSE_RANGE_CLOEXEC: Final = 4
CAP_V3: Final = 0x20080522

# System calls whose numbers are the same on every architecture (added after they were unified).
NR_CLOSE_RANGE: Final = 436
NR_LANDLOCK_CREATE_RULESET: Final = 444
NR_LANDLOCK_ADD_RULE: Final = 445
NR_LANDLOCK_RESTRICT_SELF: Final = 446


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process, keeping errno apart."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


@cache
def machine() -> str:
    """The processor architecture, as uname says it."""
    return os.uname().machine


def check(result: int) -> int:
    """A system call's result, or its OSError."""
    if result < 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def syscall(number: int, *arguments: object) -> int:
    """One system call by number; integers must already be ctypes where they exceed an int."""
    return check(libc().syscall(number, *arguments))


def prctl(option: int, *arguments: int) -> int:
    """prctl(2) with up to four unsigned long arguments."""
    import ctypes

    padded = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    return check(libc().prctl(option, *padded))


def unshare(flags: int) -> None:
    """unshare(2)."""
    check(libc().unshare(flags))


def capset(mask: int) -> None:
    """Set the permitted, effective and inheritable capabilities of this process to one mask."""
    import ctypes
    import struct

    header = struct.pack("=Ii", CAP_V3, 0)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    data = struct.pack("=6I", low, low, low, high, high, high)
    check(libc().capset(ctypes.c_char_p(header), ctypes.c_char_p(data)))


def close_on_exec_from(first: int) -> None:
    """Mark every descriptor from `first` up to be closed by exec."""
    import ctypes

    last = ctypes.c_uint(0xFFFFFFFF)
    if libc().syscall(NR_CLOSE_RANGE, first, last, CLOSE_RANGE_CLOEXEC) == 0:
        return
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 (the names alone are wanted)
        if int(name) >= first:
            # The listing's own descriptor is in the list and closed by now.
            with contextlib.suppress(OSError):
                os.set_inheritable(int(name), False)


class Exec:
    """An execve(2) laid out in memory beforehand, so that the call itself allocates nothing."""

    def __init__(self, program: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
        import ctypes

        words = [os.fsencode(word) for word in argv]
        pairs = [os.fsencode(f"{key}={value}") for key, value in env.items()]
        if any(b"\0" in text for text in (*words, *pairs, os.fsencode(program))):
            raise ValueError("a NUL byte in a program's arguments or environment")
        self._program = os.fsencode(program)
        self._argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
        self._env = (ctypes.c_char_p * (len(pairs) + 1))(*pairs, None)
        self._call = libc().execve

    def __call__(self) -> None:
        """Become the program; returns only as OSError."""
        check(self._call(self._program, self._argv, self._env))
