"""The commands inside safe-shell say what bash's own say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safeshell import builtins
from safeshell.arguments import Place
from safeshell.builtins import Context, check_builtin
from safeshell.paths import Roots
from safeshell.policy import Policy
from safeshell.table import TABLE
from safeshell.words import Arg
from toolbelt.errors import ToolError

POLICY = Policy(TABLE)
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
CALLS = [
    ["echo"], ["echo", "-n", "a"], ["echo", "-e", "a\\tb\\n"], ["echo", "-nE", "a\\t"],
    ["echo", "-e", "x\\cy", "z"], ["echo", "-x", "a"], ["echo", "--", "a"], ["echo", "-"],
    ["echo", "-e", "\\x41\\0101\\101\\u00e9\\q\\\\"], ["echo", "-neE", "\\t"], ["echo", "-n", "-e", "\\t"],
    ["echo", "a  b", "c"], ["echo", "-e", "\\e[0m\\a"], ["echo", "-e", "\\x"], ["echo", "-e", "\\"],
    ["printf", "%s\\n", "a", "b"], ["printf", "%d\\n", "3"], ["printf", "%5d|%-5d|%05d\\n", "3", "4", "5"],
    ["printf", "%x %X %o %u\\n", "255", "255", "8", "7"], ["printf", "%s"], ["printf", "no values\\n"],
    ["printf", "%%\\n"], ["printf", "%c%c\\n", "abc", "d"], ["printf", "%b|", "a\\tb", "c\\0101"],
    ["printf", "%s %s\\n", "1", "2", "3"], ["printf", "%.2f\\n", "3.14159"], ["printf", "%e\\n", "12345.678"],
    ["printf", "%10s|%-10s|\\n", "a", "b"], ["printf", "%.3s\\n", "abcdef"], ["printf", "%*d\\n", "6", "42"],
    ["printf", "%-*d|\\n", "6", "42"], ["printf", "%+d % d\\n", "3", "4"], ["printf", "%#x\\n", "255"],
    ["printf", "\\x41\\101\\u00e9\\n"], ["printf", "%d\\n", "0x1f"], ["printf", "%d\\n", "017"],
    ["printf", "%d\\n", "'A"], ["printf", "%d\\n", "abc"], ["printf", "%d\\n", "12abc"], ["printf", "%d\\n", ""],
    ["printf", "--", "%s\\n", "a"], ["printf", "a\\cb"], ["printf", "%b", "a\\cb", "z"], ["printf", "%i\\n", "-5"],
    ["printf", "%g\\n", "0.0001"], ["printf", "%u\\n", "-1"], ["printf", "%s\\n", "é", "ü"],
    ["printf", "%-5s|\\n", "é"], ["printf", "%d %s\\n", "1", "a", "2"], ["printf", "\\\\n"], ["printf", "\"\\'"],
    ["basename", "/a/b/c.py"], ["basename", "a/b.py", ".py"], ["basename", "-a", "a/b", "c/d"],
    ["basename", "-s", ".py", "a/b.py", "c.py"], ["basename", "--suffix=.py", "x.py"], ["basename", "/"],
    ["basename", "a/"], ["basename", ".py", ".py"], ["basename", "-z", "a/b"], ["basename", "a//b//"],
    ["dirname", "/a/b/c"], ["dirname", "a"], ["dirname", "/"], ["dirname", "a/b/"], ["dirname", "/a"],
    ["dirname", "a//b"], ["dirname", "-z", "a/b"], ["dirname", "a/b", "c/d"], ["dirname", "//a"], ["dirname", ""],
    ["true"], ["false"], ["true", "x"],
]  # fmt: skip
TESTS = [
    "", "a", "-f file", "-d dir", "-e missing", "-f dir", "-s file", "-s empty", "-L link", "-h link", "-e link",
    "-r file", "-z a", "-n a", "-z", "-n", "a = a", "a = b", "a == a", "a != b", "1 -eq 1", "1 -lt 2", "2 -le 1",
    "3 -gt 2", "3 -ge 3", "1 -ne 1", "! -f file", "! a = a", "-f file -a -d dir", "-f x -o -d dir", "( a = a )",
    "( a )", "( -f file )", "! ( a = b )", "a -eq 1", "-f file -a ! -d file", "file -nt old", "old -ot file",
    "file -ef file", "file -ef dir", "-x file", "-p file", "-w file", "a -a b", "-a file", "! a", "! -z",
    "= = =", "-f = -f", "! = !", "( = (", "a = a -a b = b", "a = b -o b = b", "-t 9", "1 -eq 01", " 1 -eq 1",
    "-f file -a -f file -a -f file", "-q x", "a b", "a b c", "-f", "!", "(", ")", "! !", "-e", "- = -",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("builtins").resolve()
    (root / "old").write_text("x")
    (root / "file").write_text("x")
    (root / "empty").touch()
    (root / "dir").mkdir()
    (root / "link").symlink_to("file")
    subprocess.run(["touch", "-d", "2001-01-01", str(root / "old")], check=True)
    return root


def ours(words: list[str], folder: Path) -> tuple[bytes, int]:
    place = Place(str(folder), Roots.at(str(folder), str(folder), [], []))
    moves_to = check_builtin(words[0], [Arg(word) for word in words[1:]], place)
    said = builtins.run(words, moves_to, Context(POLICY, place, lambda _name: None))
    assert bool(said.stderr) <= bool(said.code)
    return said.stdout, said.code


def bash(words: list[str], folder: Path) -> tuple[bytes, int]:
    done = subprocess.run(
        ["bash", "--norc", "-c", '"$@"', "x", *words],
        cwd=folder, env=ENV, capture_output=True, check=False,
    )  # fmt: skip
    return done.stdout, done.returncode


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_as_bash(words: list[str], folder: Path) -> None:
    assert ours(words, folder) == bash(words, folder)


@pytest.mark.parametrize("text", TESTS)
@pytest.mark.parametrize("bracket", [False, True])
def test_conditions_as_bash(text: str, bracket: bool, folder: Path) -> None:
    words = ["[", *text.split(), "]"] if bracket else ["test", *text.split()]
    assert ours(words, folder) == bash(words, folder)


WORDS = st.sampled_from(
    "a b file dir empty link ! ( ) -a -o = != -f -d -z -n -s -e 1 2 -eq -lt -nt".split()
)


@pytest.mark.hypothesis
@given(st.lists(WORDS, max_size=6))
def test_any_condition_as_bash(words: list[str]) -> None:
    root = Path("/usr/share/doc").resolve()
    mine, theirs = ours(["test", *words], root), bash(["test", *words], root)
    # Five words and more mean what a shell likes; where bash sees an error we may see an answer.
    if len(words) <= 4:
        assert mine == theirs
    assert mine[1] in (0, 1, 2)


@pytest.mark.hypothesis
@given(st.lists(st.text("ab\\0123%sdxcn-5.é *\t", max_size=8), min_size=1, max_size=4))
def test_any_printf_ends_and_stays_small(words: list[str]) -> None:
    root = Path("/usr/share/doc").resolve()
    if words[0].startswith("-"):
        return
    stdout, code = ours(["printf", *words], root)
    assert len(stdout) < 1 << 22
    assert code in (0, 1, 2)


@pytest.mark.hypothesis
@given(st.lists(st.text("ab\\0123xnte -éE", max_size=8), max_size=4))
def test_any_echo_as_bash(words: list[str]) -> None:
    root = Path("/usr/share/doc").resolve()
    assert ours(["echo", *words], root) == bash(["echo", *words], root)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["cd", "-"], "EXPANSION"),
        (["cd", ".."], "PATH_OUTSIDE"),
        (["cd", "/"], "PATH_OUTSIDE"),
        (["test", "-f", "/etc/passwd"], "PATH_OUTSIDE"),
        (["[", "../x", "-nt", "file", "]"], "PATH_OUTSIDE"),
        (["test", "-f", ".env"], "SECRET_FILE"),
        (["printf", "-v", "x", "a"], "FLAG_NOT_ALLOWED"),
        (["command", "ls"], "COMMAND_NOT_ALLOWED"),
        (["command"], "COMMAND_NOT_ALLOWED"),
    ],
)
def test_what_builtins_refuse(words: list[str], reason: str, folder: Path) -> None:
    roots = Roots.at(str(folder), str(folder), [], [".env"])
    with pytest.raises(ToolError) as caught:
        check_builtin(words[0], [Arg(word) for word in words[1:]], Place(str(folder), roots))
    assert caught.value.detail["reason"] == reason
    assert caught.value.hint


def test_which_knows_only_what_is_allowed(folder: Path) -> None:
    place = Place(str(folder), Roots.at(str(folder), str(folder), [], []))
    context = Context(POLICY, place, lambda name: f"/usr/bin/{name}" if name == "rg" else None)
    run = lambda *words: builtins.run(words, None, context)  # noqa: E731
    assert run("which", "rg").stdout == b"/usr/bin/rg\n"
    assert run("which", "python3").code == 1
    assert run("which", "rg", "jq") == (b"/usr/bin/rg\n", b"", 1)
    assert run("command", "-v", "rg").stdout == b"/usr/bin/rg\n"
    assert run("command", "-v", "echo").stdout == b"echo\n"
    assert run("command", "-v", "sh").code == 1
