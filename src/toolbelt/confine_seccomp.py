"""seccomp-BPF: system calls that no report, converter or shell stage needs, and the network.

One filter, built as bytes by the parent and loaded by the child. Refused calls fail with EPERM
(clone3 with ENOSYS, so that the C library falls back to clone, whose flags a filter can read).
"""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from toolbelt import linux

if TYPE_CHECKING:
    import ctypes

# name: (x86_64, aarch64); None where the architecture has no such call.
DENIED: Final[dict[str, tuple[int, int | None]]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "bpf": (321, 280), "userfaultfd": (323, 282), "perf_event_open": (298, 241),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "fanotify_init": (300, 262),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    # Objects that outlive every process.
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "syslog": (103, 116), "vhangup": (153, 58), "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42), "iopl": (172, None), "ioperm": (173, None), "uselib": (134, None),
    "modify_ldt": (154, None),
}  # fmt: skip
# Running code that has no path would go round a list of the programs allowed.
DENIED_WITH_EXECUTE_LIST: Final = {"memfd_create": (319, 279), "execveat": (322, 281)}
# Memory that no limit of address space and no folder's size counts.
MEMORY_FILES: Final = {"memfd_create": (319, 279), "memfd_secret": (447, 447)}
# Landlock does not hold these: any file of the user's may be changed so, wherever it lies.
METADATA: Final[dict[str, tuple[int | None, int | None]]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
ATTRIBUTES: Final[dict[str, tuple[int, int]]] = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466), "file_setattr": (469, 469),
}  # fmt: skip
_SOCKET, _SOCKETPAIR, _CONNECT = (41, 198), (53, 199), (42, 203)
_FORK, _VFORK = (57, None), (58, None)
_CLONE, _CLONE3, _PRLIMIT, _IOCTL = (56, 220), (435, 435), (302, 261), (16, 29)
_AUDIT_ARCH: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# Every CLONE_NEW* that clone(2) takes.
_NAMESPACES: Final = 0x7E020000
_CLONE_THREAD: Final = 0x10000
_TIOCSTI: Final = 0x5412  # types into the terminal
_INTERNET: Final = (2, 10, 16)  # IPv4, IPv6, netlink
_X32: Final = 0x40000000
_AF_UNIX, _SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPE = 1, 1, 5, 0xF

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH = 0, 4


def _argument(index: int) -> int:
    """Where the low half of a system call's argument lies (both machines are little-endian)."""
    return 16 + 8 * index


class Op(NamedTuple):
    """One BPF instruction; yes, no: instructions to skip."""

    code: int
    yes: int
    no: int
    value: int


def _refuse(number: int = errno.EPERM) -> Op:
    return Op(_RETURN, 0, 0, _ERRNO | number)


def _on(number: int, body: list[Op]) -> list[Op]:
    """Run `body` for one system call; it must end the filter or reload the number."""
    return [Op(_JUMP_EQUAL, 0, len(body), number), *body]


def _test(index: int, jump: int, value: int, *, refuse_if: bool) -> list[Op]:
    """Load an argument, refuse on the test's outcome, allow otherwise."""
    yes, no = (0, 1) if refuse_if else (1, 0)
    return [
        Op(_LOAD, 0, 0, _argument(index)), Op(jump, yes, no, value), _refuse(),
        Op(_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip


@cache
def available() -> bool:
    """Whether this kernel takes filters and we know this architecture's numbers."""
    if linux.machine() not in _AUDIT_ARCH:
        return False
    try:
        # A null filter is a bad address where filters exist, an invalid argument elsewhere.
        linux.prctl(linux.PR_SET_SECCOMP, linux.SECCOMP_MODE_FILTER, 0)
    except OSError as error:
        return error.errno == errno.EFAULT
    return False


def program(
    *, network: bool, unix_sockets: bool, execute_list: bool, children: bool = True,
    memory_files: bool = True, metadata: bool = True,
) -> bytes:  # fmt: skip
    """The filter as an array of struct sock_filter for this machine; see Confinement."""
    column, audit = _AUDIT_ARCH[linux.machine()]
    ops = [Op(_LOAD, 0, 0, _ARCH), Op(_JUMP_EQUAL, 1, 0, audit), Op(_RETURN, 0, 0, _KILL)]
    ops.append(Op(_LOAD, 0, 0, _NUMBER))
    if column == 0:
        ops += [Op(_JUMP_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    ops += _sockets(column, network=network, unix_sockets=unix_sockets)
    ops += _on(_CLONE[column], _clone(children=children))
    ops += _on(_CLONE3[column], [_refuse(errno.ENOSYS)])
    # Limits of other processes of the same user are not this one's to set.
    ops += _on(_PRLIMIT[column], _test(0, _JUMP_EQUAL, 0, refuse_if=False))
    ops += _on(_IOCTL[column], _test(1, _JUMP_EQUAL, _TIOCSTI, refuse_if=True))
    denied = [numbers[column] for numbers in DENIED.values()]
    if not children:
        denied += [_FORK[column], _VFORK[column]]
    if execute_list:
        denied += [numbers[column] for numbers in DENIED_WITH_EXECUTE_LIST.values()]
    if not memory_files:
        denied += [numbers[column] for numbers in MEMORY_FILES.values()]
    for number in denied:
        if number is not None:
            ops += _on(number, [_refuse()])
    if not metadata:
        ops += _unchanged(column)
    ops.append(Op(_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *op) for op in ops)


def _unchanged(column: int) -> list[Op]:
    """Calls that copy a file's mode and times along succeed and change nothing."""
    ops = []
    for numbers in METADATA.values():
        if (number := numbers[column]) is not None:
            ops += _on(number, [_refuse(0)])
    for attribute in ATTRIBUTES.values():
        ops += _on(attribute[column], [_refuse(errno.ENOTSUP)])
    return ops


def _clone(*, children: bool) -> list[Op]:
    """No namespace of its own and, without children, a new thread or nothing."""
    if children:
        return _test(0, _JUMP_SET, _NAMESPACES, refuse_if=True)
    return [
        Op(_LOAD, 0, 0, _argument(0)), Op(_JUMP_SET, 1, 0, _NAMESPACES),
        Op(_JUMP_SET, 1, 0, _CLONE_THREAD), _refuse(), Op(_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip


def _sockets(column: int, *, network: bool, unix_sockets: bool) -> list[Op]:
    """Which sockets can be made, and whether they can be connected.

    Without network: none, or local ones that can be listened on but not connected. With network:
    the internet and its netlink questions; local ones (a broker's, a container engine's) only when
    asked for, as a filter cannot see whom they connect to. A pair reaches nobody and stays.
    """
    pair = _on(_SOCKETPAIR[column], _local())
    if network:
        families = (*_INTERNET, *([_AF_UNIX] if unix_sockets else []))
        return [*_on(_SOCKET[column], _one_of(families)), *pair]
    connect = _on(_CONNECT[column], [_refuse(errno.ECONNREFUSED)])
    socket = _on(_SOCKET[column], _local() if unix_sockets else [_refuse()])
    return [*socket, *pair, *connect]


def _one_of(families: tuple[int, ...]) -> list[Op]:
    """Sockets of these families, refused otherwise."""
    tests = [
        Op(_JUMP_EQUAL, len(families) - place, 0, family) for place, family in enumerate(families)
    ]
    return [Op(_LOAD, 0, 0, _argument(0)), *tests, _refuse(), Op(_RETURN, 0, 0, _ALLOW)]


def _local() -> list[Op]:
    """AF_UNIX streams only: a datagram socket can be sent from without being connected."""
    return [
        Op(_LOAD, 0, 0, _argument(0)), Op(_JUMP_EQUAL, 1, 0, _AF_UNIX), _refuse(),
        Op(_LOAD, 0, 0, _argument(1)), Op(_AND, 0, 0, _SOCK_TYPE),
        Op(_JUMP_EQUAL, 2, 0, _SOCK_STREAM), Op(_JUMP_EQUAL, 1, 0, _SOCK_SEQPACKET),
        _refuse(), Op(_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter in memory, ready to be loaded: the buffers stay alive with this object."""

    instructions: ctypes.Array[ctypes.c_char]
    header: ctypes.Structure

    def load(self) -> None:
        """Put the filter on this process for good (no_new_privs must be set)."""
        import ctypes

        mode = linux.SECCOMP_MODE_FILTER
        linux.check(linux.libc().prctl(linux.PR_SET_SECCOMP, mode, ctypes.byref(self.header)))


def prepare(
    *, network: bool, unix_sockets: bool, execute_list: bool, children: bool = True,
    memory_files: bool = True, metadata: bool = True,
) -> Filter:  # fmt: skip
    """The filter for this machine, laid out as the kernel wants it."""
    import ctypes

    code = program(
        network=network, unix_sockets=unix_sockets, execute_list=execute_list, children=children,
        memory_files=memory_files, metadata=metadata,
    )  # fmt: skip
    instructions = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    header = Program(len(code) // 8, ctypes.addressof(instructions))
    return Filter(instructions, header)
