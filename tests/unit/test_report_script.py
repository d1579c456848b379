"""What execute-code takes for a package, sees of files, and says of failures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporttools import script_cache, script_files
from reporttools.script_deps import javascript, parse, python
from reporttools.script_files import changes, snapshot
from reporttools.script_tree import DEEPEST, walk
from toolbelt.errors import ToolError

PYTHON = [
    ("seaborn", "seaborn"), ("openpyxl==3.1.5", "openpyxl==3.1.5"), ("a.b_c-d", "a.b_c-d"),
    ("pandas>=2.2", "pandas>=2.2"), ("x==1.0.post1+local", "x==1.0.post1+local"), ("Q", "Q"),
    ("numpy~=2.1", "numpy~=2.1"), ("z==1!2.0rc1", "z==1!2.0rc1"),
]  # fmt: skip
JAVASCRIPT = [
    ("d3", "d3", ""), ("@scope/a-b", "@scope/a-b", ""), ("lodash@4.17.21", "lodash", "4.17.21"),
    ("lodash==4.17.21", "lodash", "4.17.21"), ("x@^1.2", "x", "^1.2"), ("x@latest", "x", ""),
    ("@s/p@~1.2.3-beta.1", "@s/p", "~1.2.3-beta.1"), ("chart.js", "chart.js", ""),
]  # fmt: skip
REFUSED = [
    "", " ", "-r/etc/passwd", "--index-url=http://evil", "-e .", ".", "..", "./x", "/etc/passwd",
    "git+https://example.org/x.git", "https://example.org/x.whl", "x @ https://example.org/x.whl",
    "file:///x", "x;python_version>'3'", "x[extra]", "x y", "x\ny", "x==", "x==$(id)", "x==1;id",
    "x`id`", "../../x", "~/x", "x==1 --pre", "é", "npm:evil@1", "user/repo", "github:user/repo",
    "x@npm:y@1", "x@file:y", "x@http://e/x.tgz", "x@", "a" * 200, "x\0y",
]  # fmt: skip


@pytest.mark.parametrize(("text", "requirement"), PYTHON)
def test_python_packages(text: str, requirement: str) -> None:
    assert python(text).requirement == requirement


@pytest.mark.parametrize(("text", "name", "version"), JAVASCRIPT)
def test_npm_packages(text: str, name: str, version: str) -> None:
    found = javascript(text)
    assert (found.name, found.version) == (name, version)


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("read", [python, javascript])
def test_nothing_but_names_and_versions(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(ToolError) as caught:
        read(text)
    assert caught.value.code == "USAGE"


@given(st.text(max_size=30))
def test_what_is_taken_is_harmless_as_an_argument(text: str) -> None:
    for read in (python, javascript):
        try:
            found = read(text)
        except ToolError:
            continue
        assert not found.name.startswith("-")
        assert not set(found.requirement) & set(" \t\r\n;:|&$`'\"\\()[]{}*?#%\0")
        assert ".." not in found.name.split("/")


def test_one_package_in_two_versions_is_an_error() -> None:
    with pytest.raises(ToolError):
        parse("python", ["Foo.Bar==1", "foo-bar==2"])
    assert len(parse("python", ["foo_bar", "Foo-Bar"])) == 1
    with pytest.raises(ToolError):
        parse("python", [f"p{n}" for n in range(51)])


def test_an_installer_is_told_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DB_PASS", "GITHUB_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"):
        monkeypatch.setenv(name, "hunter2-secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    env = script_cache.installer_env()
    assert env["HTTPS_PROXY"] == "http://proxy.example:3128"
    assert "hunter2-secret" not in env.values()


def test_a_failed_installation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def breaks(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise ToolError("DEP_FAILED", "no")

    with pytest.raises(ToolError):
        script_cache.kept("x", breaks)
    assert script_cache.finished("x") is None
    assert not (script_cache.root() / "x").exists()
    assert script_cache.kept("x", lambda folder: None) == (script_cache.root() / "x", False)
    assert script_cache.kept("x", breaks) == (script_cache.root() / "x", True)


def told(folder: Path, before: script_files.Snapshot) -> dict[str, tuple[object, object]]:
    entries = changes(folder, before).files
    return {Path(str(e["path"])).name: (e["mime"], e["status"]) for e in entries}


def test_new_and_modified_files(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("a\n")
    (tmp_path / "same.csv").write_text("a\n")
    (tmp_path / "gone.csv").write_text("a\n")
    before = snapshot(tmp_path)
    # The same size and time again: only the change time tells.
    info = (tmp_path / "old.csv").stat()
    (tmp_path / "old.csv").write_text("b\n")
    os.utime(tmp_path / "old.csv", ns=(info.st_atime_ns, info.st_mtime_ns))
    (tmp_path / "gone.csv").unlink()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x.json").write_text("{}")
    (tmp_path / "unknown.bin").write_bytes(b"\x01\x02")
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert told(tmp_path, before) == {
        "old.csv": ("text/csv", "modified"),
        "x.json": ("application/json", "new"),
        "unknown.bin": ("application/octet-stream", "new"),
        "picture": ("image/png", "new"),
    }
    assert changes(tmp_path, before).removed == [str(tmp_path / "gone.csv")]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.png", b"", "is empty"),
        ("a.png", b"hello", "does not begin"),
        ("a.png", b"\x89PNG\r\n\x1a\n123", "not complete"),
        ("a.pdf", b"%PDF-1.7\n1 0 obj", "not complete"),
        ("a.xlsx", b"PK\x03\x04abc", "not complete"),
        ("a.svg", b"<svg", "not complete"),
        ("a.jpg", b"GIF89a", "does not begin"),
    ],
)
def test_broken_files_are_flagged(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    (tmp_path / name).write_bytes(content)
    warning = changes(tmp_path, before).warnings[0]
    assert warning["code"] == "BAD_FILE"
    assert says in str(warning["message"])


def test_links_are_not_followed(tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    found = changes(tmp_path, before)
    assert found.files == []
    assert {w["path"] for w in found.warnings} == {"link.txt", "folder", "pipe"}


def test_a_tree_of_any_depth_is_walked_to_a_depth(tmp_path: Path) -> None:
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(here)
    entries = list(walk(tmp_path))
    assert len(entries) == DEEPEST + 1
    assert entries[-1].too_deep
    from toolbelt.job import remove_tree

    remove_tree(tmp_path / "d")


def test_many_empty_files_are_warned_about_together(tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    for number in range(30):
        (tmp_path / f"{number}.txt").touch()
    found = changes(tmp_path, before)
    assert [w["code"] for w in found.warnings] == ["BAD_FILE"] * (script_files.MOST_WARNED + 1)
    assert str(found.warnings[-1]["message"]).startswith("10 more files")


def test_many_files_are_cut_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_files, "MOST_LISTED", 3)
    before = snapshot(tmp_path)
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("x")
    found = changes(tmp_path, before)
    assert len(found.files) == 3
    assert found.warnings[0]["code"] == "FILES_LEFT_OUT"
    with pytest.raises(ToolError):
        snapshot(tmp_path, most=4)
