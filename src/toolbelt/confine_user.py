"""Who a confined child is: an unused user when we are root, and no capabilities at all.

Root is bound by neither RLIMIT_NPROC nor file permissions, and shares its /proc entries with all
else of root. So a child of root becomes a user that owns nothing and runs nothing else.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from toolbelt import linux

_CAP_CHOWN, CAP_DAC_READ_SEARCH, _CAP_KILL, _CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP = (
    0, 2, 5, 6, 7, 8,
)  # fmt: skip
_NEEDED: Final = (_CAP_CHOWN, _CAP_KILL, _CAP_SETGID, _CAP_SETUID)
# The range service managers give to short-lived users; all of it exists in rootless containers.
_FIRST, _LAST = 61184, 65519


@dataclass(frozen=True, slots=True)
class Identity:
    """What the child becomes. uid: user and group of that number; None keeps ours.

    read_any: keep CAP_DAC_READ_SEARCH, so that the child reads what root could.
    bounding: capabilities that can be taken from its bounding set.
    """

    uid: int | None
    read_any: bool
    bounding: tuple[int, ...]

    def become(self) -> None:
        """Change this process; only raw calls."""
        if self.read_any:
            if self.bounding:
                # Else access(2), which `sort` and others ask first, would not count what we keep.
                linux.prctl(linux.PR_SET_SECUREBITS, linux.SECBIT_NO_SETUID_FIXUP)
            linux.prctl(linux.PR_SET_KEEPCAPS, 1)
        for capability in self.bounding:
            linux.prctl(linux.PR_CAPBSET_DROP, capability)
        if self.uid is not None:
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        linux.prctl(linux.PR_CAP_AMBIENT, linux.AMBIENT_CLEAR_ALL)
        linux.capset(1 << CAP_DAC_READ_SEARCH if self.read_any else 0)
        if self.read_any:
            linux.prctl(linux.PR_CAP_AMBIENT, linux.AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


def identity(*, drop: bool, read_any: bool) -> Identity:
    """The child's identity; `drop` asks for another user where we may become one."""
    mask = _effective()
    uid = unused_uid() if drop else None
    keep = read_any and uid is not None and bool(mask >> CAP_DAC_READ_SEARCH & 1)
    bounding: tuple[int, ...] = ()
    if mask >> _CAP_SETPCAP & 1:
        # One that is kept must stay in the bounding set to become inheritable.
        kept = CAP_DAC_READ_SEARCH if keep else -1
        bounding = tuple(c for c in range(_last_capability() + 1) if c != kept)
    return Identity(uid, keep, bounding)


@cache
def unused_uid() -> int | None:
    """A user id that no account and no process has; None when we cannot become one.

    One a process of ours: a job folder given to it stays readable for the next step.
    """
    if os.geteuid() != 0 or any(not _effective() >> need & 1 for need in _NEEDED):
        return None
    taken = _accounts() | _owners()
    size = _LAST - _FIRST + 1
    start = os.getpid() % size
    uids, gids = _mapped("uid_map"), _mapped("gid_map")
    for step in range(size):
        uid = _FIRST + (start + step) % size
        inside = any(uid in r for r in uids) and any(uid in r for r in gids)
        if inside and uid not in taken:
            return uid
    return None


def bound_by_process_limits() -> bool:
    """Whether RLIMIT_NPROC binds our own user: it does not bind the machine's root."""
    if os.getuid() != 0:
        return True
    rows = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    return not any(line.split()[:2] == ["0", "0"] for line in rows)


def open_to_others(path: str) -> bool:
    """Whether a user that owns nothing can reach and read a place; one that is missing counts."""
    real = Path(path).resolve()
    try:
        if not real.stat().st_mode & stat.S_IROTH:
            return False
        folders = (real, *real.parents) if real.is_dir() else real.parents
        return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
    except OSError:
        return True


def hand_over(folder: Path, uid: int) -> None:
    """Give a private job folder and all in it to the child's user.

    A file with another hard link is left alone: an earlier step could have linked it in.
    """
    os.chown(folder, uid, uid)
    for _path, folders, files, fd in os.fwalk(folder):
        for name in folders:
            os.chown(name, uid, uid, dir_fd=fd, follow_symlinks=False)
        for name in files:
            if os.stat(name, dir_fd=fd, follow_symlinks=False).st_nlink == 1:
                os.chown(name, uid, uid, dir_fd=fd, follow_symlinks=False)


def processes_of_user() -> int:
    """About how many processes and threads our user has: RLIMIT_NPROC counts them all."""
    # The command and its supervisor are counted by the kernel, yet show as root's in /proc.
    me, count = os.getuid(), 2
    for entry in _processes():
        try:
            info = os.stat(f"/proc/{entry}/task")  # noqa: PTH116 (a Path costs more)
        except OSError:
            continue
        if info.st_uid == me:
            count += max(info.st_nlink - 2, 1)
    return count


def _processes() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208


def _owners() -> set[int]:
    owners = set()
    for entry in _processes():
        try:
            owners.add(os.stat(f"/proc/{entry}").st_uid)  # noqa: PTH116 (a Path costs more)
        except OSError:
            continue
    return owners


def _accounts() -> set[int]:
    try:
        lines = Path("/etc/passwd").read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return set()
    fields = [line.split(":") for line in lines]
    return {int(f[2]) for f in fields if len(f) > 2 and f[2].isdecimal()}


def _mapped(name: str) -> list[range]:
    text = Path(f"/proc/self/{name}").read_text(encoding="ascii")
    rows = [[int(n) for n in line.split()] for line in text.splitlines()]
    return [range(inside, inside + count) for inside, _outside, count in rows]


@cache
def _effective() -> int:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0


def _last_capability() -> int:
    return int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="ascii"))
