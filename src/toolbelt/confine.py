"""What a child process may do: files, programs, network, users, limits.

    spec = Confinement(read=[*SYSTEM, workspace.root], job=job, memory_bytes=1 << 30, processes=64)
    done = run([program, ...], cwd=job, confinement=spec)   # toolbelt.process
    done.confinement          # {"landlock": 7, "network": "seccomp", "rlimits": True}

`prepare` runs in the parent: it opens and allocates everything, and refuses (MISSING_DEP) when the
mode is `require` and the kernel cannot. `apply` runs in the forked child just before exec and makes
only raw calls; whatever fails there ends the child before the program starts.

The parent is protected too: it is not dumpable while a child runs, so a child of the same user
cannot read its environment or memory even where Landlock is missing (where it is there, no process
outside can be read or signalled).

What tools were seen to need beyond SYSTEM and a job: Python and its packages `python_roots()`;
multiprocessing write=["/dev/shm"]; headless Chromium proc="all", no memory_bytes, and its folder
/etc/chromium.d; LibreOffice unix_sockets=True, bind_sockets=["/tmp"], and the folders libreoffice
in /etc, /var/lib and /var/spool; Node nothing. A stage that may run one program only:
read=[*LIBRARIES, roots], execute=[program], read_as_owner=True.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from toolbelt.settings import one_of

if TYPE_CHECKING:
    from toolbelt.confine_prepare import Prepared

MODES: Final = ("auto", "require", "off")
LOADERS: Final = (
    "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
)  # fmt: skip
# What a dynamically linked program needs to start; no folder of programs among it.
LIBRARIES: Final = (
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec",
    "/usr/local/lib", "/usr/share", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/nsswitch.conf", "/etc/passwd",
    "/etc/group", "/etc/magic", "/etc/mime.types",
)  # fmt: skip
# What a whole tool with helpers, fonts and certificates needs.
SYSTEM: Final = (
    *LIBRARIES, "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt",
    "/etc/alternatives", "/etc/fonts", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates", "/etc/host.conf",
    "/etc/hosts", "/etc/resolv.conf", "/etc/gai.conf", "/etc/protocols", "/etc/services",
    "/var/cache/fontconfig", "/sys/devices/system/cpu", "/sys/fs/cgroup",
)  # fmt: skip
PROC_FILES: Final = (
    "cpuinfo", "meminfo", "stat", "version", "filesystems", "uptime", "loadavg", "sys",
)  # fmt: skip
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class Report(TypedDict):
    """What held a child, as every envelope says it.

    landlock: the ABI used, 0 for none. network: `seccomp` (no sockets), `namespace` (an empty
    network of its own) or `inherited` (ours). rlimits: every limit asked for was set and binds.
    """

    landlock: int
    network: str
    rlimits: bool


def python_roots() -> tuple[str, ...]:
    """The folders of this interpreter and of its packages, for children that run Python."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    ours = str(Path(__file__).resolve().parents[1])
    # Not the folder of the script or the current one, which sys.path may begin with.
    packages = (
        p for p in sys.path if p == ours or p.endswith(("/site-packages", "/dist-packages"))
    )
    return tuple(sorted(prefixes | set(packages)))


@dataclass(frozen=True, slots=True)
class Confinement:
    """A child's rights and limits; what is not granted is denied.

    read: files and folders it may read; programs in them may be run unless `execute` is given.
    write: folders (or files) it may change. job: a private folder of ours it may change; given to
    the child's user when that is another one. execute: the only programs (or folders of them) it
    may run; the loader is added. proc: `none`, `self` (its own entry and the machine's facts) or
    `all` (other processes' command lines too; needed by trees of helpers).
    bind_sockets: folders where it may make and remove unix sockets. network: the internet may be
    reached. unix_sockets: local stream sockets may be made and listened on (without network they
    connect to nobody; with it, to everybody).
    memory_bytes: address space of each process. cpu_seconds, file_bytes, open_files: of each
    process. processes: of the whole tree, threads included. children: it may start processes at
    all; without (where filters work), threads only. memory_files: it may make files in memory,
    which no limit counts. metadata: it may change modes, owners and times, which Landlock allows on
    every file of its user; without, such calls do nothing (a child of another user keeps them).
    drop_user: as root, become an unused user. read_as_owner: then keep root's right to read what
    the rest of this grants; None keeps it where Landlock holds and `read` names a place that other
    users cannot reach (an interpreter in root's home).
    mode: auto | require | off; None takes TOOLBELT_CONFINE.
    """

    read: Sequence[str | os.PathLike[str]] = ()
    write: Sequence[str | os.PathLike[str]] = ()
    job: Path | None = None
    execute: Sequence[str | os.PathLike[str]] | None = None
    proc: str = "self"
    bind_sockets: Sequence[str] = ()
    network: bool = False
    unix_sockets: bool = False
    memory_bytes: int | None = None
    cpu_seconds: int | None = None
    file_bytes: int | None = 1 << 30
    processes: int | None = 256
    children: bool = True
    memory_files: bool = True
    metadata: bool = True
    open_files: int | None = 1024
    drop_user: bool = True
    read_as_owner: bool | None = None
    mode: str | None = None

    def prepare(self) -> Prepared:
        """Open and allocate all that `apply` needs; MISSING_DEP where `require` cannot be met."""
        from toolbelt import confine_prepare

        return confine_prepare.prepare(self, confine_mode(self.mode))


def confine_mode(mode: str | None, env: Mapping[str, str] | None = None) -> str:
    """The mode asked for, else TOOLBELT_CONFINE, else `auto`; BAD_CONFIG for any other word."""
    env = os.environ if env is None else env
    return one_of(mode or env.get("TOOLBELT_CONFINE") or "auto", "TOOLBELT_CONFINE", MODES)
