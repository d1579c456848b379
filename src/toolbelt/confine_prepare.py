"""Confinement made ready: what the parent prepares and the child applies."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolbelt import confine_landlock as landlock
from toolbelt import confine_seccomp as seccomp
from toolbelt import confine_user as user
from toolbelt import linux
from toolbelt.confine import DEVICES, LOADERS, PROC_FILES, SYSTEM, Confinement, Report
from toolbelt.errors import ToolError

_NAMESPACE_FLAGS: Final = (linux.CLONE_NEWNET, linux.CLONE_NEWUSER | linux.CLONE_NEWNET)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One child's confinement; `close` it in the parent once the child runs.

    limits: (resource, soft, hard). memory: soft and hard address space. ruleset: of Landlock, or
    -1. own_proc: grant the child's own /proc entry, whose name only the child knows.
    namespace: flags to unshare, where no filter can take the network away.
    """

    report: Report
    identity: user.Identity | None
    limits: tuple[tuple[int, int, int], ...]
    memory: tuple[int, int] | None
    ruleset: int
    own_proc: bool
    filter: seccomp.Filter | None
    namespace: int

    def apply(self) -> None:
        """Confine this process for good; only raw calls, OSError on the first that fails."""
        if self.namespace:
            linux.unshare(self.namespace)
        if self.identity is not None:
            self.identity.become()
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        if self.ruleset >= 0:
            if self.own_proc:
                landlock.add(self.ruleset, "/proc/self", landlock.READ, landlock.abi())
            landlock.restrict(self.ruleset)
        for which, soft, hard in self.limits:
            resource.setrlimit(which, (soft, hard))
        if self.filter is not None:
            self.filter.load()
        if self.memory is not None:
            # Last: a parent larger than the limit could allocate nothing any more.
            resource.setrlimit(resource.RLIMIT_AS, self.memory)

    def close(self) -> None:
        if self.ruleset >= 0:
            os.close(self.ruleset)


def prepare(spec: Confinement, mode: str) -> Prepared:
    """See Confinement.prepare."""
    confined = mode != "off"
    identity = _identity(spec) if confined else None
    filtered = confined and seccomp.available()
    namespace = 0 if spec.network or filtered or not confined else _namespace()
    limits, bound = _limits(spec, identity)
    report = Report(
        landlock=landlock.abi() if confined else 0,
        network=_network(spec, filtered=filtered, namespace=namespace),
        rlimits=bound,
    )
    if mode == "require":
        _require(spec, report)
    if spec.job is not None and identity is not None and identity.uid is not None:
        user.hand_over(spec.job, identity.uid)
    return Prepared(
        report=report,
        identity=identity,
        limits=limits,
        memory=None if spec.memory_bytes is None else _clamp(resource.RLIMIT_AS, spec.memory_bytes),
        ruleset=landlock.ruleset(_rules(spec), tcp=spec.network) if report["landlock"] else -1,
        own_proc=spec.proc == "self",
        filter=seccomp.prepare(
            network=spec.network,
            unix_sockets=spec.unix_sockets,
            execute_list=spec.execute is not None,
            children=spec.children,
            memory_files=spec.memory_files,
            # Another user owns nothing but what it made.
            metadata=spec.metadata or (identity is not None and identity.uid is not None),
        )
        if filtered
        else None,
        namespace=namespace,
    )


def _identity(spec: Confinement) -> user.Identity:
    keep_read = spec.read_as_owner
    if keep_read is None and spec.drop_user and landlock.abi() and user.unused_uid() is not None:
        named = (*spec.read, *(spec.execute or ()))
        own = (os.fspath(path) for path in named if path not in SYSTEM)
        keep_read = not all(user.open_to_others(path) for path in own)
    return user.identity(drop=spec.drop_user, read_any=bool(keep_read))


def _network(spec: Confinement, *, filtered: bool, namespace: int) -> str:
    if spec.network:
        return "inherited"
    return "seccomp" if filtered else "namespace" if namespace else "inherited"


def _require(spec: Confinement, report: Report) -> None:
    missing = []
    if not report["landlock"]:
        missing.append("Landlock (Linux 5.13 or newer, enabled)")
    if not spec.network and report["network"] == "inherited":
        missing.append("seccomp filters or network namespaces")
    if not report["rlimits"]:
        missing.append("a user id that process limits bind")
    if missing:
        raise ToolError(
            "MISSING_DEP", f"Confinement is required, but this system lacks {'; '.join(missing)}.",
            hint="start as a user other than root on such a kernel, or set TOOLBELT_CONFINE=auto",
            detail={"reason": "confinement"},
        )  # fmt: skip


def _rules(spec: Confinement) -> Iterator[tuple[str, int]]:
    run = landlock.EXECUTE if spec.execute is None else 0
    for path in spec.read:
        yield os.fspath(path), landlock.READ | run
    for path in (*spec.write, *([spec.job] if spec.job is not None else [])):
        yield os.fspath(path), landlock.WRITE
    for path in (*spec.execute, *LOADERS) if spec.execute is not None else LOADERS:
        yield os.fspath(path), landlock.READ | landlock.EXECUTE
    for path in spec.bind_sockets:
        yield path, landlock.BIND_SOCKETS
    for path in DEVICES:
        yield path, landlock.DEVICE
    if spec.proc == "all":
        yield "/proc", landlock.READ
    elif spec.proc == "self":
        for name in PROC_FILES:
            yield f"/proc/{name}", landlock.READ


def _limits(
    spec: Confinement, identity: user.Identity | None
) -> tuple[tuple[tuple[int, int, int], ...], bool]:
    """The limits to set, and whether all of them bind."""
    processes, bound = spec.processes, True
    if processes is not None and (identity is None or identity.uid is None):
        bound = user.bound_by_process_limits()
        processes += user.processes_of_user() if bound else 0
    wanted = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, spec.file_bytes, 0),
        (resource.RLIMIT_NOFILE, spec.open_files, 0),
        # A second between the signal that can be caught and the one that cannot.
        (resource.RLIMIT_CPU, spec.cpu_seconds, 1),
        (resource.RLIMIT_NPROC, processes, 0),
    ]
    limits = [(which, *_clamp(which, n, more)) for which, n, more in wanted if n is not None]
    return tuple(limits), bound


def _clamp(which: int, soft: int, more: int = 0) -> tuple[int, int]:
    """Soft and hard limit, within what this process may still set."""
    ceiling = resource.getrlimit(which)[1]
    hard = soft + more if ceiling == resource.RLIM_INFINITY else min(soft + more, ceiling)
    return min(soft, hard), hard


def _namespace() -> int:
    """Flags that give a child an empty network; 0 where none are allowed. Tried in a child."""
    for flags in _NAMESPACE_FLAGS:
        child = os.fork()
        if child == 0:
            try:
                linux.unshare(flags)
            except OSError:
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return flags
    return 0


def protect_parent() -> None:
    """Keep children of our own user from reading this process's environment and memory."""
    linux.prctl(linux.PR_SET_DUMPABLE, 0)
