"""What a confined child cannot do, tried for real, as root and as an ordinary user."""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from confined import USERS, Told, attack, attacks, finish

from toolbelt import confine_landlock, confine_seccomp, confine_user, linux
from toolbelt.confine import confine_mode, python_roots
from toolbelt.errors import ToolError

every_user = pytest.mark.parametrize("user", USERS)

SOCKET = "import socket; s = socket.socket(socket.{}); print('PWNED')"
CALL = (
    "import ctypes, os; l = ctypes.CDLL(None, use_errno=True); r = l.syscall({});"
    "print('PWNED' if r >= 0 else os.strerror(ctypes.get_errno()))"
)

# (name, what the child tries, further confinement, what its stderr or stdout must say)
ATTACKS = [
    ("write outside", "open('/tmp/pwned', 'w'); print('PWNED')", "{}", "PermissionError"),
    ("write beside the job", "open('../pwned', 'w'); print('PWNED')", "{}", "PermissionError"),
    ("read the accounts", "print('PWNED', open('/etc/shadow').read())", "{}", "PermissionError"),
    ("list a home", "import os; print('PWNED', os.listdir('/root'))", "{}", "PermissionError"),
    ("read by a link", "import os; os.symlink('/etc/shadow', 'x'); print('PWNED', open('x').read())",
     "{}", "PermissionError"),
    ("read by /proc/self/root", "print('PWNED', open('/proc/self/root/etc/shadow').read())", "{}",
     "PermissionError"),
    ("link a file in", "import os; os.link('/etc/passwd', 'x'); print('PWNED')", "{}", "Error"),
    ("truncate outside", "import os; os.truncate('/etc/passwd', 0); print('PWNED')", "{}",
     "PermissionError"),
    ("run a program of the job",
     "import os, shutil; shutil.copy('/bin/true', 'x'); os.execv('./x', ['x'])", "{}",
     "PermissionError"),
    ("parent's environment", "import os; print(open(f'/proc/{os.getppid()}/environ').read())",
     "{}", "PermissionError"),
    ("parent's environment, /proc open",
     "import os; print(open(f'/proc/{os.getppid()}/environ').read())", "{'proc': 'all'}",
     "PermissionError"),
    ("parent's memory", "import os; open(f'/proc/{os.getppid()}/mem', 'rb'); print('PWNED')",
     "{'proc': 'all'}", "PermissionError"),
    ("parent's descriptors", "import os; print('PWNED', os.readlink(f'/proc/{os.getppid()}/fd/0'))",
     "{'proc': 'all'}", "PermissionError"),
    ("kill the supervisor", "import os; os.kill(os.getppid(), 9); print('PWNED')", "{}",
     "PermissionError"),
    ("internet socket", SOCKET.format("AF_INET"), "{}", "PermissionError"),
    ("internet v6 socket", SOCKET.format("AF_INET6"), "{}", "PermissionError"),
    ("datagram socket", "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
     "print('PWNED')", "{}", "PermissionError"),
    ("netlink socket", "import socket; socket.socket(16, 3); print('PWNED')", "{}",
     "PermissionError"),
    ("unix socket", SOCKET.format("AF_UNIX"), "{}", "PermissionError"),
    ("unix datagram", "import socket; socket.socket(1, socket.SOCK_DGRAM); print('PWNED')",
     "{'unix_sockets': True}", "PermissionError"),
    ("unix raw", "import socket; socket.socket(1, socket.SOCK_RAW); print('PWNED')",
     "{'unix_sockets': True}", "PermissionError"),
    ("internet beside unix", SOCKET.format("AF_INET"), "{'unix_sockets': True}",
     "PermissionError"),
    ("user namespace", "import ctypes; l = ctypes.CDLL(None, use_errno=True); "
     "print('PWNED' if l.unshare(0x10000000) == 0 else 'no')", "{}", "no"),
    ("clone into a namespace", CALL.format("56, 0x10000011, 0, 0, 0, 0"), "{}", "not permitted"),
    ("clone3", CALL.format("435, 0, 0"), "{}", "not implemented"),
    ("io_uring", CALL.format("425, 1, 0"), "{}", "not permitted"),
    ("ptrace", CALL.format("101, 0, 0, 0, 0"), "{}", "not permitted"),
    ("bpf", CALL.format("321, 0, 0, 0"), "{}", "not permitted"),
    ("keyring", CALL.format("250, 0, 0, 0"), "{}", "not permitted"),
    ("x32 numbers", CALL.format("0x40000000 + 39"), "{}", "not implemented"),
    ("limits of the supervisor",
     "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (1, 1)); "
     "print('PWNED')", "{}", "PermissionError"),
    ("shared memory that stays", CALL.format("29, 77, 4096, 0o1666"), "{}", "not permitted"),
    ("raise a limit", "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1)); "
     "print('PWNED')", "{}", "ValueError"),
    ("another program than listed", "import subprocess; subprocess.run(['/bin/sh', '-c', 'id'])",
     "{'execute': [PYTHON, os.path.realpath(PYTHON)]}", "PermissionError"),
    ("a program from memory, past a list",
     "import os; os.memfd_create('x'); print('PWNED')",
     "{'execute': [PYTHON, os.path.realpath(PYTHON)]}", "PermissionError"),
    ("start a process", "import os; os.fork(); print('PWNED')", "{'children': False}",
     "PermissionError"),
    ("spawn a program", "import os; os.posix_spawn('/bin/echo', ['echo', 'PWNED'], {})",
     "{'children': False}", "PermissionError"),
    ("become root again", "import os; os.setuid(0); print('PWNED' if os.getppid() and "
     "open('/proc/self/status').read().find('CapEff:\\t0000000000000000') < 0 else 'none')",
     "{}", "none|PermissionError"),
]  # fmt: skip
# (name, what the child does, further confinement, what it prints)
HONEST = [
    ("its own files", "open('x', 'w').write('1'); import os; os.rename('x', 'y'); "
     "os.mkdir('d'); os.rename('y', 'd/y'); print(open('d/y').read())", "{}", "1"),
    ("its own process entry", "print(open('/proc/self/status').read()[:4])", "{}", "Name"),
    ("threads", "import threading as t; x = t.Thread(target=print, args=('on',)); x.start(); "
     "x.join()", "{}", "on"),
    ("threads alone", "import threading as t; x = t.Thread(target=print, args=('on',)); x.start(); "
     "x.join()", "{'children': False}", "on"),
    ("a program", "import subprocess as s; print(s.check_output(['echo', 'hi'], text=True))",
     "{}", "hi"),
    ("asyncio", "import asyncio; asyncio.run(asyncio.sleep(0)); print('on')", "{}", "on"),
    ("processes", "import multiprocessing as m; print(m.Pool(2).map(abs, [-1]))",
     "{'write': ['/dev/shm']}", "[1]"),
    ("a socket pair", "import socket; a, b = socket.socketpair(); a.send(b'on'); "
     "print(b.recv(2).decode())", "{}", "on"),
    ("a local server", "import socket; s = socket.socket(1); s.bind('s'); s.listen(); print('on')",
     "{'unix_sockets': True}", "on"),
    ("a program on the list", "import subprocess as s; print(s.check_output(['/bin/echo', 'hi'], "
     "text=True))", "{'execute': [PYTHON, os.path.realpath(PYTHON), '/bin/echo']}", "hi"),
]  # fmt: skip
X86_ONLY = {
    "clone into a namespace",
    "clone3",
    "io_uring",
    "ptrace",
    "bpf",
    "keyring",
    "x32 numbers",
}


@cache
def all_of(user: str) -> dict[str, Told]:
    here = [a for a in (*ATTACKS, *HONEST) if a[0] not in X86_ONLY or linux.machine() == "x86_64"]
    return attacks(user, here)


@every_user
@pytest.mark.parametrize(("name", "says"), [(a[0], a[3]) for a in ATTACKS])
def test_attack_fails(user: str, name: str, says: str) -> None:
    if name in X86_ONLY and linux.machine() != "x86_64":
        pytest.skip("written in numbers of x86_64; the filter's table is tested for both")
    done = all_of(user)[name]
    text = done.stdout + done.stderr
    assert "PWNED" not in text
    assert "hunter2" not in text
    assert any(word in text for word in says.split("|")), text
    assert done.confinement == {
        "landlock": confine_landlock.abi(),
        "network": "seccomp",
        "rlimits": True,
    }


@every_user
@pytest.mark.parametrize(("name", "says"), [(a[0], a[3]) for a in HONEST])
def test_honest_work_goes_on(user: str, name: str, says: str) -> None:
    done = all_of(user)[name]
    assert done.exit_code == 0, done.stderr
    assert says in done.stdout


class Listener:
    """Ears on a loopback port, a unix path and an abstract name; `hits` counts who came."""

    def __init__(self, folder: Path) -> None:
        self.path, self.name = str(folder / "s"), f"toolbelt-{os.getpid()}"
        tcp = socket.create_server(("127.0.0.1", 0))
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        self.port, self.udp_port = tcp.getsockname()[1], udp.getsockname()[1]
        self.sockets = [tcp, udp]
        for address in (self.path, "\0" + self.name):
            local = socket.socket(socket.AF_UNIX)
            local.bind(address)
            local.listen()
            self.sockets.append(local)
        Path(self.path).chmod(0o777)

    def hits(self) -> int:
        return len(select.select(self.sockets, [], [], 0)[0])

    def close(self) -> None:
        for server in self.sockets:
            server.close()


@pytest.fixture
def listener(open_folder: Path) -> Iterator[Listener]:
    made = Listener(open_folder)
    yield made
    made.close()


KNOCK = """
import socket
for family, kind, address in {targets!r}:
    try:
        s = socket.socket(family, kind)
        s.settimeout(2)
        s.connect(address)
        s.send(b"x")
        print("PWNED", address)
    except OSError as error:
        print(type(error).__name__)
"""


@every_user
@pytest.mark.parametrize("unix", [False, True])
def test_nobody_is_reached_without_network(user: str, unix: bool, listener: Listener) -> None:
    code = KNOCK.format(
        targets=[
            (2, 1, ("127.0.0.1", listener.port)),
            (2, 2, ("127.0.0.1", listener.udp_port)),
            (1, 1, listener.path),
            (1, 1, "\0" + listener.name),
        ]
    )
    done = attack(user, code, f"{{'unix_sockets': {unix}}}")
    assert "PWNED" not in done.stdout
    assert len(done.stdout.splitlines()) == 4
    assert listener.hits() == 0


@every_user
def test_network_is_there_when_asked_for_but_not_abstract_sockets(
    user: str, listener: Listener
) -> None:
    targets = [(2, 1, ("127.0.0.1", listener.port)), (1, 1, "\0" + listener.name)]
    code = KNOCK.format(targets=[*targets, (1, 1, listener.path)])
    done = attack(user, code, "{'network': True}")
    assert done.stdout.splitlines()[1:] == ["PermissionError", "PermissionError"]
    done = attack(user, KNOCK.format(targets=targets), "{'network': True, 'unix_sockets': True}")
    assert done.confinement["network"] == "inherited"
    first, second = done.stdout.splitlines()
    assert first.startswith("PWNED")
    assert second == ("PermissionError" if confine_landlock.abi() >= 6 else second)


@every_user
def test_without_landlock_the_parent_is_still_closed(user: str) -> None:
    before = "import toolbelt.confine_landlock as l; l.abi = lambda: 0"
    code = "import os; print(open(f'/proc/{os.getppid()}/environ').read())"
    done = attack(user, code, before=before)
    assert done.confinement == {"landlock": 0, "network": "seccomp", "rlimits": True}
    assert "PermissionError" in done.stderr
    assert "hunter2" not in done.stdout


@every_user
def test_without_filters_an_empty_network_is_tried(user: str, listener: Listener) -> None:
    before = "import toolbelt.confine_seccomp as s; s.available = lambda: False"
    targets = [(2, 2, ("127.0.0.1", listener.udp_port))]
    done = attack(user, KNOCK.format(targets=targets), before=before)
    if done.confinement["network"] == "namespace":
        assert "PWNED" not in done.stdout
        assert listener.hits() == 0
    else:
        # Honest where this system allows no namespaces either.
        assert done.confinement["network"] == "inherited"


@every_user
def test_required_confinement_is_refused_where_it_cannot_be_had(user: str) -> None:
    body = """
import toolbelt.confine_landlock as l; l.abi = lambda: 0
try:
    child("print('ran')", {"mode": "require"})
except ToolError as error:
    print(json.dumps([error.code, error.exit_code, error.message]))
"""
    code, exit_code, message = finish(user, body)
    assert (code, exit_code) == ("MISSING_DEP", 5)
    assert "Landlock" in message


@every_user
@pytest.mark.parametrize("mode", ["auto", "require", "off"])
def test_the_mode_comes_from_the_environment(user: str, mode: str) -> None:
    told = finish(user, "print(json.dumps(told(child('print(1)'))))", TOOLBELT_CONFINE=mode)
    assert told["stdout"] == "1\n"
    assert (told["confinement"]["landlock"] > 0) == (mode != "off")
    assert told["confinement"]["network"] == ("inherited" if mode == "off" else "seccomp")


def test_an_unknown_mode_is_bad_configuration() -> None:
    with pytest.raises(ToolError) as error:
        confine_mode(None, {"TOOLBELT_CONFINE": "strict"})
    assert error.value.code == "BAD_CONFIG"
    assert confine_mode("off", {"TOOLBELT_CONFINE": "require"}) == "off"


@every_user
def test_killing_everybody_kills_nobody(user: str) -> None:
    if user != "root" and confine_landlock.abi() < 6:
        pytest.skip("this kernel cannot keep signals in (Landlock ABI 6)")
    body = """
other = os.fork() or os.execv("/bin/sleep", ["sleep", "60"])
done = child("import os; os.kill(-1, 9)")
print(json.dumps([done.exit_code, os.waitpid(other, os.WNOHANG)]))
os.kill(other, 9)
os.waitpid(other, 0)
"""
    assert finish(user, body) == [0, [0, 0]]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user's rights to drop")
def test_a_child_of_root_is_nobody_else() -> None:
    code = "import os; print(os.getresuid(), os.getresgid(), os.getgroups())"
    done = attack("root", code)
    uid = int(done.stdout[1:].split(",")[0])
    assert done.stdout == f"({uid}, {uid}, {uid}) ({uid}, {uid}, {uid}) []\n"
    assert 61184 <= uid <= 65519


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user's rights to drop")
def test_reading_as_root_is_kept_only_within_what_is_granted(open_folder: Path) -> None:
    (open_folder / "private").write_text("mine")
    (open_folder / "private").chmod(0o600)
    read = f"print(open({str(open_folder / 'private')!r}).read())"
    granted = f"'read': [*SYSTEM, *python_roots(), {str(open_folder)!r}]"
    assert (
        "PermissionError" in attack("root", read, f"{{{granted}, 'read_as_owner': False}}").stderr
    )
    kept = f"{{{granted}, 'read_as_owner': True}}"
    assert attack("root", read, kept).stdout == "mine\n"
    asked = f"import os; print(os.access({str(open_folder / 'private')!r}, os.R_OK))"
    assert attack("root", asked, kept).stdout == "True\n"
    assert "PermissionError" in attack("root", "open('/etc/shadow')", kept).stderr
    environ = "import os; print(open(f'/proc/{os.getppid()}/environ').read())"
    assert "PermissionError" in attack("root", environ, kept).stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user's rights to drop")
def test_root_without_capabilities_is_confined_as_far_as_it_goes() -> None:
    bare = "import toolbelt.linux as x; x.capset(0)"
    environ = "import os; print(open(f'/proc/{os.getppid()}/environ').read())"
    spec = "{'proc': 'all', 'read': ['/']}"
    done = attack("root", environ, spec, before=bare)
    # No other user can be become, and RLIMIT_NPROC does not bind root: said, not hidden.
    assert done.confinement["rlimits"] is False
    assert "PermissionError" in done.stderr
    without = f"{bare}; import toolbelt.confine_landlock as l; l.abi = lambda: 0"
    assert "PermissionError" in attack("root", environ, spec, before=without).stderr


@every_user
def test_outputs_can_be_published_after_a_run(user: str) -> None:
    body = """
from toolbelt.workspace import Workspace
with job_folder() as job:
    run([which("true")], cwd=job)
    with Workspace.at(job).output("x") as out:
        out.file.write(b"1")
    print(json.dumps((job / "x").read_text()))
"""
    assert finish(user, body) == "1"


def test_a_file_linked_into_a_job_is_not_handed_over(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "precious").write_text("x")
    os.link(tmp_path / "precious", tmp_path / "job" / "linked")
    (tmp_path / "job" / "own").write_text("x")
    (tmp_path / "job" / "link").symlink_to(tmp_path / "precious")
    uid = 61200 if os.geteuid() == 0 else os.geteuid()
    confine_user.hand_over(tmp_path / "job", uid)
    assert (tmp_path / "job" / "own").stat().st_uid == uid
    assert (tmp_path / "precious").stat().st_uid == os.geteuid()


def test_pythons_own_folders_do_not_include_the_scripts(tmp_path: Path) -> None:
    assert not any(Path.cwd() == Path(root) for root in python_roots())
    assert "/tmp" not in python_roots()


def test_prepare_leaves_no_descriptor_behind() -> None:
    body = """
Confinement(read=["/usr"]).prepare().close()
before = os.listdir("/proc/self/fd")
Confinement(read=["/usr", "/nowhere"], execute=["/bin/true"]).prepare().close()
print(json.dumps(os.listdir("/proc/self/fd") == before))
"""
    assert finish("self", body) is True


# The filter, run by a small machine of our own, so that aarch64 is tested here too.


def verdict(program: bytes, arch: int, number: int, *arguments: int) -> int:
    packed = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *packed)
    at, accumulator = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif code == 0x54:
            accumulator &= value
        elif code == 0x06:
            return int(value)
        else:
            tests = {0x15: accumulator == value, 0x35: accumulator >= value,
                     0x45: bool(accumulator & value)}  # fmt: skip
            at += yes if tests[code] else no


ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
REFUSED = 0x50000 | errno.ECONNREFUSED
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


@pytest.mark.parametrize("machine", list(MACHINES))
def test_the_filter_says_the_same_on_both_machines(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux, "machine", lambda: machine)
    column, arch = MACHINES[machine]
    build = confine_seccomp.program
    plain = build(network=False, unix_sockets=False, execute_list=True)
    local = build(network=False, unix_sockets=True, execute_list=False)
    online = build(network=True, unix_sockets=True, execute_list=False)
    internet_only = build(network=True, unix_sockets=False, execute_list=False)
    for program in (plain, local, online, internet_only):
        for numbers in confine_seccomp.DENIED.values():
            if (number := numbers[column]) is not None:
                assert verdict(program, arch, number) == EPERM
        assert verdict(program, 0x40000003, 1) == KILL
        assert verdict(program, arch, (435, 435)[column]) == ENOSYS
        clone, prlimit, ioctl = (56, 220)[column], (302, 261)[column], (16, 29)[column]
        assert verdict(program, arch, clone, 0x10000011) == EPERM
        assert verdict(program, arch, clone, 0x3D0F00) == ALLOW
        assert verdict(program, arch, prlimit, 0) == ALLOW
        assert verdict(program, arch, prlimit, 77) == EPERM
        assert verdict(program, arch, ioctl, 1, 0x5412) == EPERM
        assert verdict(program, arch, ioctl, 1, 0x5401) == ALLOW
        assert verdict(program, arch, 0) == ALLOW
    alone = build(network=False, unix_sockets=False, execute_list=True, children=False)
    assert verdict(alone, arch, clone, 0x3D0F00) == ALLOW
    for flags in (0x11, 0x4111, 0x1200011, 0x10000011, 0x10010000 | 0x10000000):
        assert verdict(alone, arch, clone, flags) == EPERM
    if column == 0:
        assert verdict(alone, arch, 57) == verdict(alone, arch, 58) == EPERM
        assert verdict(plain, arch, 57) == verdict(plain, arch, 58) == ALLOW
    socket_, pair, connect = (41, 198)[column], (53, 199)[column], (42, 203)[column]
    table = [(1, 1, EPERM, ALLOW), (1, 2, EPERM, EPERM), (1, 3, EPERM, EPERM),
             (1, 5 | 0o2000000, EPERM, ALLOW), (2, 1, EPERM, EPERM), (10, 2, EPERM, EPERM),
             (16, 3, EPERM, EPERM), (17, 3, EPERM, EPERM), (40, 1, EPERM, EPERM)]  # fmt: skip
    for family, kind, when_off, when_local in table:
        assert verdict(plain, arch, socket_, family, kind) == when_off
        assert verdict(local, arch, socket_, family, kind) == when_local
        assert verdict(plain, arch, pair, family, kind) == when_local
        internet = ALLOW if family in (1, 2, 10, 16) else EPERM
        assert verdict(online, arch, socket_, family, kind) == internet
        internet = internet if family != 1 else EPERM
        assert verdict(internet_only, arch, socket_, family, kind) == internet
    assert verdict(plain, arch, connect) == verdict(local, arch, connect) == REFUSED
    assert verdict(online, arch, connect) == ALLOW
    for numbers in confine_seccomp.DENIED_WITH_EXECUTE_LIST.values():
        assert verdict(plain, arch, numbers[column]) == EPERM
        assert verdict(local, arch, numbers[column]) == ALLOW


def test_an_unknown_machine_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    confine_seccomp.available.cache_clear()
    monkeypatch.setattr(linux, "machine", lambda: "riscv64")
    assert not confine_seccomp.available()
    confine_seccomp.available.cache_clear()


@pytest.mark.parametrize(("level", "bits"), [(1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (9, 16)])
def test_rights_are_graded_by_abi(level: int, bits: int) -> None:
    assert confine_landlock.handled(level) == (1 << bits) - 1


@pytest.mark.parametrize("level", range(1, confine_landlock.abi() + 1))
def test_rulesets_of_every_older_abi_are_accepted(
    level: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(confine_landlock, "abi", lambda: level)
    rules = [(str(tmp_path), confine_landlock.WRITE), ("/dev/null", confine_landlock.DEVICE)]
    os.close(confine_landlock.ruleset(rules, tcp=False))
