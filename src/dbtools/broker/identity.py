"""Becoming another user for good: groups, capabilities, no way back."""

from __future__ import annotations

import errno
import grp
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from toolbelt import linux
from toolbelt.errors import ToolError

_LAST_CAPABILITY = Path("/proc/sys/kernel/cap_last_cap")


@dataclass(frozen=True, slots=True)
class User:
    """uid, gid and further groups; name and home are empty where the number has no account."""

    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    name: str = ""
    home: str = ""


def find(text: str) -> User:
    """A user by `name`, `uid` or `uid:gid`; BAD_CONFIG for an unknown name and for root."""
    number, _, group = text.partition(":")
    try:
        account = pwd.getpwuid(int(number)) if number.isdigit() else pwd.getpwnam(number)
    except KeyError:
        if not number.isdigit():
            raise ToolError(
                "BAD_CONFIG", f"There is no user called {number!r}.", hint="name one, or a uid:gid"
            ) from None
        return _not_root(User(int(number), int(group or number)))
    if group:
        gid = int(group) if group.isdigit() else grp.getgrnam(group).gr_gid
        return _not_root(User(account.pw_uid, gid, (), account.pw_name, account.pw_dir))
    groups = tuple(os.getgrouplist(account.pw_name, account.pw_gid))
    gid, name, home = account.pw_gid, account.pw_name, account.pw_dir
    return _not_root(User(account.pw_uid, gid, groups, name, home))


def _not_root(user: User) -> User:
    if user.uid == 0 or user.gid == 0:
        raise ToolError(
            "BAD_CONFIG", "Neither the broker nor its client may run as root or in root's group.",
            hint="name unprivileged users",
        )  # fmt: skip
    return user


def become(user: User) -> None:
    """Be this user from now on, without capabilities, unable to gain any through a program.

    BAD_CONFIG where this process may not become another user.
    """
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    for capability in range(int(_LAST_CAPABILITY.read_text("ascii")) + 1):
        try:
            linux.prctl(linux.PR_CAPBSET_DROP, capability)
        except OSError as error:
            # Without CAP_SETPCAP the set stays; with no_new_privs nothing can draw on it.
            if error.errno != errno.EPERM:
                raise
            break
    linux.prctl(linux.PR_CAP_AMBIENT, linux.AMBIENT_CLEAR_ALL)
    try:
        os.setgroups(list(user.groups))
        os.setresgid(user.gid, user.gid, user.gid)
        os.setresuid(user.uid, user.uid, user.uid)
    except PermissionError as error:
        raise ToolError(
            "BAD_CONFIG", f"Root may not become uid {user.uid} here.",
            hint="--cap-add SETUID --cap-add SETGID, or start as an unprivileged user",
        ) from error  # fmt: skip
    linux.capset(0)
