"""The process that stands between a command and the programs it runs.

It is forked by `process`, becomes the reaper of every descendant (PR_SET_CHILD_SUBREAPER), starts
the programs, and never ends before the last of them: daemons, double forks and setsid children all
come back to it and are stopped. It watches a pipe from the command; when that closes, be it by
SIGKILL, all is killed. If it dies itself, PR_SET_PDEATHSIG ends the programs.

Lines to the command: `E index errno step` a program did not start; `S index status ms cpu_ms kib`
one ended; `M` memory, `D` disk limit reached; `L count` processes that could not be killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import select
import signal
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from toolbelt import linux
from toolbelt.confine_prepare import Prepared
from toolbelt.job import remove_tree

KILL, TERMINATE = b"K", b"T"
LINGER: Final = 0.2
GIVE_UP: Final = 30.0
_WATCH_EVERY: Final = 0.25
_BLOCK: Final = 4096
_IGNORED = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGPIPE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Child:
    """One program to start. stdin: a descriptor, or -1 for the pipe from the child before.

    stdout, stderr: `out`, `err` or `null`, where `out` is `pipe` (to the next child), `capture`
    or `nobody` (a pipe without a reader) and `err` is the descriptor `error`.
    """

    program: linux.Exec
    prepared: Prepared | None
    stdin: int
    out: str
    stdout: str
    stderr: str
    error: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All the supervisor needs. grace: seconds between SIGTERM and SIGKILL.

    memory_bytes: of the whole tree. folders, folder_bytes: folders that together must not outgrow
    a size.
    orphaned: a folder to remove when the command itself was killed.
    """

    children: tuple[Child, ...]
    cwd: str | int
    capture: int
    control: int
    status: int
    grace: float
    memory_bytes: int | None
    folders: tuple[Path, ...]
    folder_bytes: int | None
    orphaned: Path | None


class Supervisor:
    """Runs in its own process; see the module."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.started: dict[int, tuple[int, float]] = {}
        self.me = os.getpid()
        self.nice = os.getpriority(os.PRIO_PROCESS, 0)
        self.childless = False
        self.wake = -1
        self.watch_at = 0.0

    def main(self) -> NoReturn:
        """Run the plan and end the process; nothing of ours is left when it ends."""
        code, command_died = 0, False
        try:
            self._settle()
            self._start()
            command_died = self._wait()
        except BaseException as error:
            self._say(f"X {type(error).__name__}: {error}")
            code = 70
        try:
            self._kill_all()
            if command_died and self.plan.orphaned is not None:
                remove_tree(self.plan.orphaned)
        finally:
            os._exit(code)

    def _settle(self) -> None:
        gc.disable()
        os.setsid()
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        _hurry()
        self.wake, bell = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(bell, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        # Whoever reads the command's output must not wait for us.
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)

    def _start(self) -> None:
        plan, before = self.plan, -1
        for index, child in enumerate(plan.children):
            after, out = -1, plan.capture
            if child.out != "capture":
                after, out = os.pipe()
                if child.out == "nobody":
                    os.close(after)
                    after = -1
            stdin = child.stdin if child.stdin >= 0 else before
            pid = os.fork()
            if pid == 0:
                self._become(index, child, (stdin, out))
            self.started[pid] = (index, time.monotonic())
            for fd in {stdin, child.error, *({out} if child.out != "capture" else ())}:
                os.close(fd)
            before = after
        os.close(plan.capture)

    def _become(self, index: int, child: Child, ends: tuple[int, int]) -> NoReturn:
        """In the new process: streams, confinement, program. Takes no lock, returns never."""
        step = "start"
        try:
            signal.set_wakeup_fd(-1)
            for number in range(1, signal.SIGRTMIN):
                if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
                    signal.signal(number, signal.SIG_DFL)
            os.setpriority(os.PRIO_PROCESS, 0, self.nice)
            # The scheduler shares out a machine by sessions. The stages of a pipe belong together,
            # in the supervisor's; a program alone gets one, lest its children starve who ends them.
            if len(self.plan.children) == 1:
                os.setsid()
            else:
                os.setpgid(0, 0)
            _streams(child, *ends)
            linux.close_on_exec_from(3)
            step = "cwd"
            os.chdir(self.plan.cwd)
            os.umask(0o022)
            _offer_to_oom_killer()
            step = "confinement"
            if child.prepared is not None:
                child.prepared.apply()
            else:
                linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
            linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != self.me:
                os._exit(127)
            step = "exec"
            child.program()
        except BaseException as error:
            self._say(f"E {index} {getattr(error, 'errno', None) or 0} {step}")
        finally:
            os._exit(127)

    def _wait(self) -> bool:
        """Until all is over or must end; whether the command died meanwhile."""
        poll = select.poll()
        poll.register(self.plan.control, select.POLLIN)
        poll.register(self.wake, select.POLLIN)
        deadline: float | None = None
        while not self.childless:
            ready = [fd for fd, _ in poll.poll(self._pause(deadline))]
            self._reap()
            if self.plan.control in ready:
                order = os.read(self.plan.control, 1)
                if order != TERMINATE:
                    return order != KILL
                self._signal_all(signal.SIGTERM)
                deadline = time.monotonic() + self.plan.grace
            if deadline is None and not self.started:
                # The programs ended; what they left behind gets a moment to end too.
                deadline = time.monotonic() + LINGER
            if deadline is None and (over := self._over_limits()):
                self._say(over)
                return False
            if deadline is not None and time.monotonic() >= deadline:
                return False
        return False

    def _pause(self, deadline: float | None) -> int | None:
        """Milliseconds to sleep at most."""
        if deadline is not None:
            return max(int((deadline - time.monotonic()) * 1000) + 1, 0)
        if self.plan.memory_bytes is None and self.plan.folder_bytes is None:
            return None
        return max(int((self.watch_at - time.monotonic()) * 1000) + 1, 0)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self.wake, 4096)
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                self.childless = True
                return
            if pid == 0:
                return
            if pid in self.started:
                index, since = self.started.pop(pid)
                took = int((time.monotonic() - since) * 1000)
                cpu = int((usage.ru_utime + usage.ru_stime) * 1000)
                self._say(f"S {index} {status} {took} {cpu} {usage.ru_maxrss}")

    def _kill_all(self) -> None:
        """Stop every descendant until no new one appears, then kill them all."""
        end = time.monotonic() + GIVE_UP
        self._reap()
        stopped: set[int] = set()
        while not self.childless and time.monotonic() < end:
            found = set(descendants(self.me)) - stopped
            if not found:
                break
            _send(found, signal.SIGSTOP)
            _slow(found)
            stopped |= found
        while not self.childless and time.monotonic() < end:
            self._signal_all(signal.SIGKILL)
            select.select([self.wake], [], [], 0.02)
            self._reap()
        if not self.childless:
            self._say(f"L {len(descendants(self.me))}")

    def _signal_all(self, number: signal.Signals) -> None:
        _send(descendants(self.me), number)

    def _over_limits(self) -> str:
        plan, now = self.plan, time.monotonic()
        if now < self.watch_at:
            return ""
        over = ""
        if plan.memory_bytes is not None and memory(self.me) > plan.memory_bytes:
            over = "M"
        elif plan.folder_bytes is not None:
            enough = plan.folder_bytes
            held = unlinked(self.me) + sum(disk(str(f), enough) for f in plan.folders)
            over = "D" if held > enough else ""
        # Looking must stay cheap, however much there is to look at.
        self.watch_at = time.monotonic() + max(_WATCH_EVERY, 4 * (time.monotonic() - now))
        return over

    def _say(self, line: str) -> None:
        # The command may be gone; then nobody needs to know.
        with contextlib.suppress(BrokenPipeError):
            os.write(self.plan.status, line.encode("utf-8", "replace")[:500] + b"\n")


def _hurry() -> None:
    """Go before the programs, where we may: a fork bomb must not outrun who stops it."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)


def _streams(child: Child, stdin: int, out: int) -> None:
    """Put a child's three streams in place."""
    null = os.open(os.devnull, os.O_RDWR)
    ends = {"out": out, "err": child.error, "null": null}
    wanted = (stdin if stdin >= 0 else null, ends[child.stdout], ends[child.stderr])
    # Out of the way first: the ends may have any numbers, 0 to 2 among them.
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in wanted]
    for number, fd in enumerate(moved):
        os.dup2(fd, number)


def _offer_to_oom_killer() -> None:
    """Be chosen before the supervisor when memory runs out; where /proc is missing, as it comes."""
    with contextlib.suppress(OSError):
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(fd, b"500")
        os.close(fd)


def _slow(pids: set[int]) -> None:
    """Let them, and what they fork before they stop, run last."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpriority(os.PRIO_PROCESS, pid, 19)


def _send(pids: set[int] | list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def descendants(root: int) -> list[int]:
    """Every process below `root`, as /proc shows them now."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 (the names alone are wanted)
        if name.isdecimal():
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{name}/stat").read_bytes()
                # The name of a program may hold anything; the fields follow its last bracket.
                parent = int(line[line.rindex(b")") + 2 :].split()[1])
                children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    todo = [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def memory(root: int) -> int:
    """Bytes of memory held by all processes below `root`, shared pages counted in parts."""
    total = 0
    for pid in descendants(root):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
                if line.startswith(b"Pss:"):
                    total += int(line.split()[1]) * 1024
    return total


def unlinked(root: int) -> int:
    """Bytes on disk of files without a name that processes below `root` hold open."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in descendants(root):
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    info = entry.stat()
                    if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                        sizes[info.st_dev, info.st_ino] = info.st_blocks * 512
    return sum(sizes.values())


def disk(folder: str, enough: int) -> int:
    """Bytes on disk of a folder and all below it, counted until there are more than `enough`.

    Every entry counts a block at least, so a flood of empty files is a full disk too; what cannot
    be read counts nothing.
    """
    total, todo = 0, [folder]
    while todo and total <= enough:
        with contextlib.suppress(OSError), os.scandir(todo.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    total += max(entry.stat(follow_symlinks=False).st_blocks * 512, _BLOCK)
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
    return total
