"""Paths: whatever is accepted lies inside, whatever lies inside is accepted."""

# ruff: noqa: PTH110, PTH118, PTH120 (paths as text, `..` and doubled slashes kept)

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from safeshell.lexer import tokens
from safeshell.paths import Outside, Roots
from safeshell.words import Expansion, expand
from toolbelt.errors import ToolError

LIMITS = Expansion(brace_results=256, glob_results=10_000, glob_entries=50_000)
SECRET = [".env", ".env.*", "!.env.example", "*.pem", ".ssh"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace `ws` with links in, out, up, round and broken, beside `out`."""
    base = tmp_path_factory.mktemp("paths").resolve()
    (base / "ws" / "a" / "b").mkdir(parents=True)
    (base / "ws" / "a" / "f").write_text("x")
    (base / "out" / "d").mkdir(parents=True)
    (base / "out" / "secret").write_text("x")
    links = {
        "in": "a", "deep": "a/b", "up": "..", "self": ".", "out": "../out", "outfile": "../out/secret", "round": "round",
        "broken": "nowhere", "brokenout": "../nowhere", "absin": f"{base}/ws/a", "absout": "/etc", "root": "/", "two": "in/b",
        "sneaky": "a/../../out", "back": "../ws/a", "a/b/upup": "../../..", "a/top": "..",
    }  # fmt: skip
    for name, target in links.items():
        (base / "ws" / name).symlink_to(target)
    return base


PART = st.sampled_from(
    "a b f in deep up self out outfile round broken brokenout absin absout root two sneaky back upup top . .. ws nope etc ".split(
        " "
    )
)


@pytest.mark.hypothesis
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=500)
@given(
    parts=st.lists(PART, max_size=6),
    start=st.sampled_from(["", "a", "a/b"]),
    absolute=st.sampled_from(["", "/", "ws"]),
)
def test_what_is_accepted_lies_inside(
    tree: Path, parts: list[str], start: str, absolute: str
) -> None:
    root = str(tree / "ws")
    cwd = os.path.realpath(os.path.join(root, start))
    path = "/".join(parts)
    path = {"": path, "/": f"/{path}", "ws": f"{root}/{path}"}[absolute]
    roots = Roots.at(root, root, [], [])
    try:
        real = roots.resolve(path, cwd)
    except Outside:
        return
    truth = os.path.realpath(os.path.join(cwd, path))
    assert real == root or real.startswith(root + "/")
    if os.path.exists(os.path.join(cwd, path)):
        assert real == truth
        assert truth == root or truth.startswith(root + "/")


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("a/f", True), ("./a//f", True), ("in/f", True), ("absin/f", True), ("two", True), ("deep/../f", True), ("nope/x", True),
        ("broken", True), ("self/self/a", True), ("a/top/a/f", True), ("a/b/../../a", True), ("", True), ("a/f/..", True),
        ("..", False), ("up", False), ("out", False), ("outfile", False), ("absout", False), ("root/etc", False), ("sneaky", False),
        ("brokenout", False), ("round", False), ("back", False), ("a/b/upup", False), ("nope/../..", False), ("/", False),
        ("/etc/passwd", False), ("{ws}/a", True), ("{ws}/../out", False), ("{ws}x", False), ("//{ws}/a", True), ("a/../..", False),
    ],
)  # fmt: skip
def test_where_a_path_leads(tree: Path, path: str, inside: bool) -> None:
    root = str(tree / "ws")
    roots = Roots.at(root, root, [], [])
    path = path.replace("{ws}", root).replace("///", "//")
    if inside:
        roots.resolve(path, root)
    else:
        with pytest.raises(Outside):
            roots.resolve(path, root)


def test_several_roots_and_another_name_for_one(tree: Path) -> None:
    (tree / "alias").symlink_to("ws")
    roots = Roots.at(str(tree / "ws"), str(tree / "alias"), [str(tree / "out")], [])
    (tree / "ws" / "more").symlink_to(tree / "out" / "d")
    for path in (f"{tree}/alias/a/f", f"{tree}/out/secret", f"{tree}/out/d/../secret", "more"):
        roots.resolve(path, str(tree / "ws"))
    (tree / "ws" / "more").unlink()
    # A relative link from one root to another leaves on the way.
    for path in ("..", "up", f"{tree}/other", "absout", "out/secret", f"{tree}/out/.."):
        with pytest.raises(Outside):
            roots.resolve(path, str(tree / "ws"))


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        (".env", True), ("a/.env", True), (".env.local", True), (".env.example", False), ("x.pem", True), ("X.PEM", True),
        (".ssh/config", True), ("environment", False), ("a/.envrc", False), ("-", False), ("/dev/null", False), ("./.env", True),
    ],
)  # fmt: skip
def test_names_of_secrets(tree: Path, path: str, secret: bool) -> None:
    root = str(tree / "ws")
    roots = Roots.at(root, root, [], SECRET)
    if secret:
        with pytest.raises(ToolError) as caught:
            roots.check(path, root)
        assert caught.value.detail["reason"] == "SECRET_FILE"
    else:
        roots.check(path, root)


def test_a_link_to_a_secret_is_one(tree: Path) -> None:
    root = tree / "ws"
    (root / ".env").write_text("x")
    (root / "innocent").symlink_to(".env")
    with pytest.raises(ToolError) as caught:
        Roots.at(str(root), str(root), [], SECRET).check("innocent", str(root))
    assert caught.value.detail["reason"] == "SECRET_FILE"
    (root / "innocent").unlink()
    (root / ".env").unlink()


@pytest.mark.hypothesis
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from("a b f in out root up self * ? ** [a-z]* .. . / / / {a,..} {in,out} .* */ back upup".split()),
        min_size=1, max_size=6,
    )
)  # fmt: skip
def test_a_pattern_finds_nothing_in_folders_outside(tree: Path, pieces: list[str]) -> None:
    root = str(tree / "ws")
    roots = Roots.at(root, root, [], [])
    for token in tokens("echo " + "".join(pieces)):
        if token.word is None:
            continue
        try:
            args = expand(token.word, root, roots, LIMITS)
        except ToolError:
            continue
        for arg in args:
            if arg.globbed:
                folder = os.path.dirname(os.path.join(root, arg.text.rstrip("/")))
                real = os.path.realpath(folder)
                assert real == root or real.startswith(root + "/"), arg.text
