"""Paths beneath the workspace, and outputs that appear whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from confined import finish
from hypothesis import given
from hypothesis import strategies as st

from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("SECRET")
    return folder


@pytest.fixture
def workspace(tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    root = tmp_path / "ws"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("# a")
    (root / "sub" / "b.md").write_text("# b")
    (root / "link-in").symlink_to("sub/b.md")
    (root / "link-abs").symlink_to(root / "a.md")
    (root / "link-folder").symlink_to("sub")
    (root / "link-out").symlink_to("../outside/secret")
    (root / "link-out-abs").symlink_to(outside / "secret")
    (root / "folder-out").symlink_to(outside)
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("nowhere")
    (root / "cwd").symlink_to("/proc/self/cwd")
    (root / "fd").symlink_to("/proc/self/fd/0")
    os.mkfifo(root / "fifo")
    os.link(outside / "secret", root / "hard")
    monkeypatch.chdir(root)
    return Workspace.at(root)


def reason(error: pytest.ExceptionInfo[ToolError]) -> object:
    assert error.value.code == "BAD_PATH"
    assert error.value.exit_code == 1
    return error.value.detail["reason"]


ALLOWED = [
    ("a.md", "a.md"),
    ("./a.md", "a.md"),
    ("sub/../a.md", "a.md"),
    ("sub//b.md", "sub/b.md"),
    ("link-in", "sub/b.md"),
    ("link-abs", "a.md"),
    ("link-folder/b.md", "sub/b.md"),
    ("link-folder/../a.md", "a.md"),
    ("hard", "hard"),
]


@pytest.mark.parametrize(("path", "real"), ALLOWED)
def test_what_lies_beneath_opens(workspace: Workspace, path: str, real: str) -> None:
    with workspace.resolve_input(path) as source:
        assert source.relative == real
        assert source.path == workspace.root / real
        assert source.file.read() == (workspace.root / real).read_bytes()
    with workspace.resolve_input(f"{workspace.root}/{path}") as source:
        assert source.relative == real


REFUSED = [
    ("", "empty"),
    ("a\0b", "nul"),
    ("..", "outside"),
    ("../outside/secret", "outside"),
    ("sub/../../outside/secret", "outside"),
    ("/etc/passwd", "outside"),
    ("/proc/self/cwd/a.md", "outside"),
    ("/proc/self/root/etc/passwd", "outside"),
    ("link-out", "symlink"),
    ("link-out-abs", "symlink"),
    ("folder-out/secret", "symlink"),
    ("loop", "symlink"),
    ("cwd/a.md", "symlink"),
    ("fd", "symlink"),
    ("dangling", "not_found"),
    ("missing.md", "not_found"),
    ("missing/a.md", "not_found"),
    ("a.md/x", "not_a_folder"),
    ("sub", "is_a_folder"),
    (".", "is_a_folder"),
    ("a.md/", "is_a_folder"),
    ("fifo", "not_a_file"),
    ("x" * 256, "too_long"),
]


@pytest.mark.parametrize(("path", "why"), REFUSED)
def test_what_leads_elsewhere_is_refused(workspace: Workspace, path: str, why: str) -> None:
    with pytest.raises(ToolError) as error:
        workspace.resolve_input(path)
    assert reason(error) == why


def test_a_neighbour_with_the_same_beginning_is_outside(workspace: Workspace) -> None:
    twin = Path(f"{workspace.root}-evil")
    twin.mkdir()
    (twin / "a.md").write_text("evil")
    with pytest.raises(ToolError) as error:
        workspace.resolve_input(twin / "a.md")
    assert reason(error) == "outside"


def test_proc_inside_the_workspace_stays_shut() -> None:
    for path in ("/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/cwd"):
        with pytest.raises(ToolError) as error:
            Workspace.at("/").resolve_input(path)
        assert reason(error) == "proc"


def test_devices_are_refused() -> None:
    with pytest.raises(ToolError) as error:
        Workspace.at("/dev").resolve_input("zero")
    assert reason(error) == "not_a_file"


def test_a_mistyped_name_gets_a_suggestion(workspace: Workspace) -> None:
    with pytest.raises(ToolError) as error:
        workspace.resolve_input("sub/bb.md")
    assert "'b.md'" in error.value.hint


def test_relative_paths_start_at_a_current_folder_inside(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, outside: Path
) -> None:
    monkeypatch.chdir(workspace.root / "sub")
    assert workspace.read_bytes("b.md") == b"# b"
    assert workspace.read_bytes("../a.md") == b"# a"
    monkeypatch.chdir(outside)
    assert workspace.read_bytes("sub/b.md") == b"# b"


def test_a_workspace_reached_by_a_link_takes_both_names(
    tmp_path: Path, workspace: Workspace
) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(workspace.root)
    through = Workspace.at(alias)
    assert through.read_bytes(alias / "a.md") == b"# a"
    assert through.read_bytes(workspace.root / "a.md") == b"# a"


def test_find_takes_option_then_environment_then_current_folder(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLBELT_WORKSPACE", str(tmp_path / "outside"))
    assert Workspace.find(str(workspace.root)).root == workspace.root
    assert Workspace.find(None).root == tmp_path / "outside"
    monkeypatch.setenv("TOOLBELT_WORKSPACE", "")
    monkeypatch.setattr("toolbelt.workspace.DEFAULT", str(tmp_path / "none"))
    assert Workspace.find(None).root == workspace.root
    monkeypatch.setattr("toolbelt.workspace.DEFAULT", str(tmp_path / "outside"))
    assert Workspace.find(None).root == tmp_path / "outside"
    with pytest.raises(ToolError, match="not a folder") as error:
        Workspace.find(str(tmp_path / "none"))
    assert error.value.code == "USAGE"
    monkeypatch.setenv("TOOLBELT_WORKSPACE", str(tmp_path / "none"))
    with pytest.raises(ToolError, match="TOOLBELT_WORKSPACE") as error:
        Workspace.find(None)
    assert error.value.code == "BAD_CONFIG"


def test_a_current_folder_that_is_gone(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert workspace.read_bytes("a.md") == b"# a"
    monkeypatch.setattr("toolbelt.workspace.DEFAULT", str(tmp_path / "none"))
    monkeypatch.delenv("TOOLBELT_WORKSPACE", raising=False)
    with pytest.raises(ToolError) as error:
        Workspace.find(None)
    assert error.value.code == "BAD_CONFIG"
    monkeypatch.chdir("/")


def test_a_workspace_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    gone = Workspace.at(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(ToolError) as error:
        gone.resolve_input("a.md")
    assert error.value.code == "BAD_CONFIG"


def test_a_missing_output_folder_says_how_to_make_it(workspace: Workspace) -> None:
    with pytest.raises(ToolError) as error:
        workspace.output("reports/2026/x.pdf")
    assert error.value.hint == "mkdir -p reports/2026"


def test_a_swapped_link_never_shows_the_outside(workspace: Workspace, outside: Path) -> None:
    (outside / "b.md").write_text("SECRET")
    stop = threading.Event()

    def swap() -> None:
        inner, good, bad = workspace.root / "swap", workspace.root / "good", workspace.root / "bad"
        while not stop.is_set():
            for target in ("sub", str(outside)):
                good.symlink_to(target)
                good.rename(inner)
            bad.symlink_to("sub")
            bad.rename(inner)

    thread = threading.Thread(target=swap, daemon=True)
    thread.start()
    try:
        opened = 0
        for _ in range(3000):
            try:
                opened += workspace.read_bytes("swap/b.md") == b"# b"
            except ToolError as error:
                assert error.detail["reason"] in ("symlink", "not_found")
        assert opened
    finally:
        stop.set()
        thread.join()


def test_a_file_swapped_for_a_fifo_is_refused_at_once(workspace: Workspace) -> None:
    real_open = os.open

    def swap_then_open(path: str, flags: int, *args: object, **kwargs: object) -> int:
        if path == "a.md" and not flags & os.O_PATH:
            (workspace.root / "a.md").unlink()
            os.mkfifo(workspace.root / "a.md")
        return real_open(path, flags, *args, **kwargs)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.open", swap_then_open)
        with pytest.raises(ToolError, match="changed while"):
            workspace.resolve_input("a.md")


PART = st.sampled_from(
    ["..", ".", "", "sub", "a.md", "b.md", "link-in", "link-folder", "link-out", "folder-out",
     "loop", "cwd", "fifo", "hard", "nowhere", "secret", "outside", "ws", "etc", "é\n"]
)  # fmt: skip


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.mktemp("still")
    (base / "ws" / "sub").mkdir(parents=True)
    (base / "outside").mkdir()
    (base / "outside" / "secret").write_text("SECRET")
    for name in ("a.md", "sub/b.md", "sub/secret"):
        (base / "ws" / name).write_text("ok")
    for name, target in (
        ("link-in", "sub/b.md"), ("link-folder", "sub"), ("link-out", "../outside/secret"),
        ("folder-out", "../outside"), ("loop", "loop"), ("cwd", "/proc/self/cwd"),
        ("sub/up", ".."), ("sub/out", "../../outside"),
    ):  # fmt: skip
        (base / "ws" / name).symlink_to(target)
    yield base / "ws"


@given(parts=st.lists(PART, min_size=1, max_size=8), absolute=st.booleans())
def test_no_path_opens_anything_outside(still: Path, parts: list[str], absolute: bool) -> None:
    text = "/".join(parts)
    try:
        with Workspace.at(still).resolve_input(f"{still}/{text}" if absolute else text) as source:
            assert source.path.resolve() == source.path
            assert source.path.is_relative_to(still)
            assert source.file.read() == b"ok"
    except ToolError as error:
        assert error.code == "BAD_PATH"


def listing(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_an_output_appears_whole_with_ordinary_permissions(workspace: Workspace) -> None:
    before = os.umask(0o027)
    try:
        with workspace.output("sub/new.bin") as out:
            out.file.write(b"x" * 1_000_000)
            assert not (workspace.root / "sub/new.bin").exists()
    finally:
        os.umask(before)
    assert (out.relative, out.bytes) == ("sub/new.bin", 1_000_000)
    assert out.path.stat().st_size == 1_000_000
    assert out.path.stat().st_mode & 0o777 == 0o640
    assert listing(workspace.root / "sub") == ["b.md", "new.bin"]


def test_a_library_may_open_and_close_the_file_itself(workspace: Workspace) -> None:
    with workspace.output("one") as out:
        out.file.write(b"1")
        out.file.close()
    with workspace.output("two") as out:
        out.temp_path.write_bytes(b"2")
    assert workspace.read_bytes("one") + workspace.read_bytes("two") == b"12"


def test_an_existing_file_needs_force(workspace: Workspace) -> None:
    with pytest.raises(ToolError) as error:
        workspace.output("a.md")
    assert reason(error) == "exists"
    assert "--force" in error.value.hint
    with workspace.output("a.md", force=True) as out:
        out.file.write(b"new")
    assert workspace.read_bytes("a.md") == b"new"


def test_force_replaces_a_link_and_not_its_target(workspace: Workspace, outside: Path) -> None:
    with workspace.output("link-out", force=True) as out:
        out.file.write(b"new")
    assert (outside / "secret").read_text() == "SECRET"
    assert not (workspace.root / "link-out").is_symlink()


@pytest.mark.parametrize("named", [False, True], ids=["unnamed", "named"])
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch,
    named: bool, force: bool, stop: type[BaseException],
) -> None:  # fmt: skip
    if named:
        without_unnamed_files(monkeypatch)
    before = listing(workspace.root)
    name = "a.md" if force else "new"
    with pytest.raises(stop), workspace.output(name, force=force) as out:
        out.file.write(b"half")
        raise stop
    assert listing(workspace.root) == before
    assert workspace.read_bytes("a.md") == b"# a"
    # Later it could only be closed without its descriptor, which newer Pythons complain of.
    assert out.file.closed


def without_unnamed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a file system without O_TMPFILE."""
    monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY | os.O_CREAT)


@pytest.mark.parametrize("force", [False, True])
def test_named_temporaries_publish_too(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    without_unnamed_files(monkeypatch)
    with workspace.output("new", force=force) as out:
        out.file.write(b"new")
        assert any(name.endswith(".tmp") for name in listing(workspace.root))
    assert workspace.read_bytes("new") == b"new" and out.file.closed
    assert not any(name.endswith(".tmp") for name in listing(workspace.root))


@pytest.mark.parametrize("taken", [False, True])
def test_without_hard_links_the_name_is_claimed_first(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, taken: bool
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    without_unnamed_files(monkeypatch)
    monkeypatch.setattr(os, "link", refuse)
    out = workspace.output("new")
    if taken:
        with pytest.raises(ToolError) as error, out:
            (workspace.root / "new").write_text("theirs")
        assert reason(error) == "exists"
        assert workspace.read_bytes("new") == b"theirs"
    else:
        with out:
            out.file.write(b"ours")
        assert workspace.read_bytes("new") == b"ours"
    assert not any(name.endswith(".tmp") for name in listing(workspace.root))


@pytest.mark.parametrize("named", [False, True], ids=["unnamed", "named"])
def test_a_name_taken_meanwhile_is_not_overwritten(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    if named:
        without_unnamed_files(monkeypatch)
    with pytest.raises(ToolError) as error, workspace.output("new") as out:
        out.file.write(b"ours")
        (workspace.root / "new").write_text("theirs")
    assert reason(error) == "exists"
    assert workspace.read_bytes("new") == b"theirs"


BAD_OUTPUTS = [
    ("../x", "outside"),
    ("/tmp/x", "outside"),
    ("folder-out/x", "symlink"),
    ("missing/x", "not_found"),
    ("sub", "is_a_folder"),
    ("new/", "is_a_folder"),
    ("fifo", "not_a_file"),
    ("cwd/x", "symlink"),
    ("", "empty"),
]


@pytest.mark.parametrize(("path", "why"), BAD_OUTPUTS)
def test_bad_output_paths(workspace: Workspace, outside: Path, path: str, why: str) -> None:
    before = listing(workspace.root)
    with pytest.raises(ToolError) as error, workspace.output(path, force=True):
        pass
    assert reason(error) == why
    assert listing(workspace.root) == before
    assert listing(outside) == ["secret"]


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".GIT/config", ".git"])
def test_nothing_is_written_into_a_repositorys_own_folder(workspace: Workspace, path: str) -> None:
    (workspace.root / ".git" / "hooks").mkdir(parents=True)
    (workspace.root / ".GIT").mkdir()
    with pytest.raises(ToolError, match=r"own folder") as error, workspace.output(path):
        pass
    assert error.value.detail["reason"] == "not_writable"


def test_an_output_into_a_folder_takes_the_name_given(workspace: Workspace) -> None:
    for folder in ("sub", "sub/"):
        with workspace.output(folder, force=True, name="r.pdf") as out:
            out.file.write(b"r")
        assert out.relative == "sub/r.pdf"
    with pytest.raises(ToolError):
        workspace.output("none/", name="r.pdf")


def test_an_output_must_not_be_its_own_input(workspace: Workspace) -> None:
    with workspace.resolve_input("a.md") as source, pytest.raises(ToolError) as error:
        workspace.output("sub/../a.md", force=True, inputs=[source])
    assert reason(error) == "is_the_input"


def test_folders_are_made_beneath_only(workspace: Workspace, outside: Path) -> None:
    assert workspace.folder("x/y/../z", create=True) == workspace.root / "x/z"
    assert (workspace.root / "x/z").is_dir()
    assert workspace.folder("link-folder") == workspace.root / "sub"
    for path, why in (
        ("folder-out/n", "symlink"), ("../n", "outside"), ("a.md/n", "not_a_folder"),
        ("a.md", "not_a_folder"),
    ):  # fmt: skip
        with pytest.raises(ToolError) as error:
            workspace.folder(path, create=True)
        assert reason(error) == why
    with pytest.raises(ToolError) as error:
        workspace.folder("n")
    assert reason(error) == "not_found"
    assert listing(outside) == ["secret"]


def child(workspace: Workspace, body: str) -> subprocess.Popen[bytes]:
    code = (
        "import sys\nfrom toolbelt.workspace import Workspace\n"
        f"with Workspace.at({str(workspace.root)!r}).output('big') as out:\n{body}"
    )
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe)


def test_a_full_disk_is_output_failed(workspace: Workspace) -> None:
    body = (
        "    import resource, signal\n"
        "    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "    out.file.write(b'x' * 1_000_000)\n"
    )
    before = listing(workspace.root)
    process = child(workspace, body)
    _, errors = process.communicate(timeout=30)
    assert b"ToolError: 'big' could not be written: File too large." in errors
    assert b"Exception ignored" not in errors
    assert listing(workspace.root) == before


def test_sigkill_in_mid_write_leaves_nothing(workspace: Workspace) -> None:
    body = (
        "    out.file.write(b'x' * 1_000_000)\n    print('on', flush=True)\n    sys.stdin.read()\n"
    )
    before = listing(workspace.root)
    process = child(workspace, body)
    assert process.stdout is not None
    assert process.stdout.readline() == b"on\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert listing(workspace.root) == before


def test_every_descriptor_is_closed_again(workspace: Workspace) -> None:
    # In a process of its own: this one may have servers and their descriptors come and go.
    paths = [path for path, _ in (*ALLOWED, *REFUSED)]
    body = f"""
from toolbelt.workspace import Workspace
workspace = Workspace.at({str(workspace.root)!r})
before = os.listdir("/proc/self/fd")
for path in {paths!r}:
    try:
        workspace.resolve_input(path).file.close()
    except ToolError:
        pass
    try:
        with workspace.output(path, force=True):
            raise KeyError
    except (ToolError, KeyError):
        pass
print(json.dumps(os.listdir("/proc/self/fd") == before))
"""
    assert finish("self", body) is True


UNPRIVILEGED = """
import os, sys
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace
os.chdir(sys.argv[1])
os.setgroups([]); os.setgid(65534); os.setuid(65534)
workspace = Workspace.at(sys.argv[1])
for path in ("shut/new", "open/new"):
    try:
        with workspace.output(path) as out:
            out.file.write(b"x")
        print("written")
    except ToolError as error:
        print(error.code, error.detail["reason"])
try:
    workspace.resolve_input("private")
except ToolError as error:
    print(error.code, error.detail["reason"])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_permissions_of_another_user(open_folder: Path) -> None:
    root = open_folder
    for folder, mode in (("shut", 0o755), ("open", 0o777)):
        (root / folder).mkdir()
        (root / folder).chmod(mode)
    (root / "private").write_text("x")
    (root / "private").chmod(0o600)
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(root)], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        "BAD_PATH not_writable", "written", "BAD_PATH not_readable",
    ]  # fmt: skip
