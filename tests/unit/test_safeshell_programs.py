"""sed scripts, jq programs, find expressions: what they could do is known before they run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safeshell import jq
from safeshell.paths import Roots
from safeshell.plan import plan_argv
from safeshell.policy import Policy
from safeshell.table import TABLE
from safeshell.words import Arg
from toolbelt.errors import ToolError

POLICY = Policy(TABLE)


def reason(words: list[str], root: Path = Path("/usr/share/doc")) -> str:
    """Why a command is refused; empty when it may run."""
    place = str(root.resolve())
    try:
        plan_argv(
            words, POLICY, Roots.at(place, place, [], TABLE["workspace"]["secret_names"]), place
        )
    except ToolError as error:
        assert error.hint
        return str(error.detail["reason"])
    return ""


SED_GOOD = [
    "1,50p", "$p", "$!N", "/foo/p", "/foo/,/bar/p", "s/a/b/", "s/a/b/g", "s|a|b|2g", "s#a#b#gI", "s/a\\/b/c/", "s/w/e/",
    "y/abc/def/", "1d", "/^$/d", "2q", "10Q", "=", "n;d", "1~2p", "0~3d", "2,+3p", "/x/I,~4p", ":a;N;$!ba;s/\\n/ /g",
    "1{p;q}", "/a/{s/x/y/;p}", "a\\\ntext", "i hello w e r", "c new text; e", "s/[/]/x/", "\\,x,p", "s/a/b/;s/c/d/p",
    "# comment e w", "p # w", "5!d", "/a/!s/x/y/", "l 20", "G;h", "x", "s/a/\\\n/", "/e w r/p", "s/e/w/gp", "F",
    "s/\\(.*\\)/\\1/", "  s/a/b/ ; p ", "1,3 p", "/a/ , /b/ p", "t end;s/a/b/;:end",
]  # fmt: skip
SED_BAD = [
    "e", "1e ls", "w out", "/x/w out", "r /etc/passwd", "R x", "W x", "s/a/b/e", "s/a/b/w out", "s/a/b/ge", "s/a/b/gw x",
    "s/a/b/pw/dev/stdout", "1{e ls\n}", "p;w x", "p\nw x", "s/x/y/;e", "$!{w x\n}", "s/a/b", "s/a", "/x", "1,", "z e", "k",
    "s/a/b/ x", "p p", "1 2p", "y/a", "0r x", "s|a|b|w x", "s/a/b/Iew", "v 4.2", "\\,x", "{p;w x\n}", ":a;w x", "b a\nw x",
    "s/a\\/b/c/w x", "/a\\/e/w x", "s,\\,,x,w y", "a\\\ntext\nw x", "i x\nw y", "# c\nw x", "s/a/\\\n/w x",
]  # fmt: skip


@pytest.mark.parametrize("script", SED_GOOD)
def test_sed_scripts_that_print(script: str) -> None:
    assert reason(["sed", "-n", script]) == ""
    done = subprocess.run(
        ["sed", "--sandbox", "-n", script], input="a\n", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", SED_BAD)
def test_sed_scripts_that_do_more(script: str) -> None:
    assert reason(["sed", script]) == "PROGRAM"
    assert reason(["sed", "-n", "-e", "p", "-e", script, "copyright"]) == "PROGRAM"


@pytest.mark.parametrize(
    "words",
    [
        ["sed", "-i", "s/a/b/", "x"], ["sed", "-n", "-i.bak", "p", "x"], ["sed", "--in-place", "p", "x"], ["sed", "-f", "x"],
        ["sed", "--file=x", "y"], ["sed", "-ni", "p"], ["sed", "--expr=e", "x"], ["sed", "-Ei", "p", "x"], ["sed", "--debug", "p"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_sed_options_that_do_more(words: list[str]) -> None:
    assert reason(words) == "FLAG_NOT_ALLOWED"


@pytest.mark.hypothesis
@given(st.text("sewrWR/|,;{}ap!\\\n x1$y#:bq~+ 'g", max_size=14))
def test_a_script_that_we_take_runs_nothing_in_gnu_sed(script: str) -> None:
    """--sandbox refuses e, r and w when it reads a script: ours must have refused them before."""
    if reason(["sed", "-n", script]):
        return
    done = subprocess.run(
        ["sed", "--sandbox", "-n", script],
        input="",
        capture_output=True,
        text=True,
        check=False,
        timeout=10,
    )
    assert "sandbox" not in done.stderr


JQ_GOOD = [
    ".", ".items[]", ".env", ".a.env", "{env}", "{env: 1}", "{a, env}", "{env, a: .b}", '.["env"]', '."env"', '"env"', '"$ENV"',
    '"\\(.env)"', '"a \\("b \\(.c) env") $ENV"', "# env\n.", ". # $ENV", "map(select(.a == 1))", "$env", "$env.x", ".. | strings",
    "to_entries[] | .key", "reduce .[] as $x (0; . + $x)", ".a as {env: $x} | $x", "{(.k): 1}", "[range(0; 10)]", "infinite > 1",
    "[limit(3; range(1; 5))]", "input", "[inputs]", ".import", ".include", '{"import": 1}', '@base64 "x\\(.a)"', "def f: .a; f",
    "if .a then .b else .c end", ".a // \"env\"", "try error(\"x\") catch .", "environment", "myenv", ".[0:2]", "limit(1; .[])",
]  # fmt: skip
JQ_BAD = [
    "env", "env.PATH", "[env]", "{a: env}", "{(env): 1}", ".a | env", "$ENV", "$ENV.PATH", "$ ENV", "$\nENV", "$#c\nENV", "{$ENV}",
    '"\\(env)"', '"\\($ENV)"', '"a \\("b \\(env)")"', 'import "x" as $s; .', 'include "x"; .', 'import "x" as x; x::y', ".a, env",
    "# c\nenv", "# \\\nenv", "[range(0;infinite)]", "range(infinite)", "range(0; infinite; 1)", "range((infinite))", "def env: 1; env",
    "input_filename", "modulemeta", "map(env)", "env as $e | $e", "(env)", "[.[] | env]", "$__prog_args", "get_search_list", "x::env",
    '"x" | env', '{"a": env}', "{a: {b: env}}", "@sh \"\\(env)\"", "..|env", ".[env]",
]  # fmt: skip


@pytest.mark.parametrize("program", JQ_GOOD)
def test_jq_programs_that_see_their_input(program: str) -> None:
    assert reason(["jq", program]) == ""


@pytest.mark.parametrize("program", JQ_BAD)
def test_jq_programs_that_see_more(program: str) -> None:
    assert reason(["jq", "-n", program]) == "PROGRAM"


@pytest.mark.hypothesis
@given(st.text('env$ENV.(){}[]"\\:,|# \nab', max_size=16))
def test_a_program_that_we_take_shows_no_environment(program: str) -> None:
    try:
        jq.check_program(Arg(program))
    except ToolError:
        return
    done = subprocess.run(
        ["jq", "-n", program], env={"CANARY": "hunter2", "PATH": "/usr/bin"}, capture_output=True, text=True,
        check=False, timeout=10,
    )  # fmt: skip
    assert "hunter2" not in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["jq", "-f", "x", "."], "FLAG_NOT_ALLOWED"), (["jq", "-L", "x", "."], "FLAG_NOT_ALLOWED"),
        (["jq", "--from-file", "x"], "FLAG_NOT_ALLOWED"), (["jq", "-rf", "x"], "FLAG_NOT_ALLOWED"), (["jq", "-Lx", "."], "FLAG_NOT_ALLOWED"),
        (["jq", "--rawfile", "a", "/etc/passwd", "$a"], "PATH_OUTSIDE"), (["jq", "--slurpfile", "a", "../x", "$a"], "PATH_OUTSIDE"),
        (["jq", "--arg", "a", "/etc/passwd", "$a"], ""), (["jq", "--arg", "a"], "BAD_VALUE"), (["jq", ".", "/etc/passwd"], "PATH_OUTSIDE"),
        (["jq", "--arg=a", "b", "."], "BAD_VALUE"), (["jq", "--indent", "x", "."], "BAD_VALUE"),
        (["find", ".", "-name", "*.py"], ""), (["find", "-name", "x"], ""), (["find", "(", "-name", "a", "-o", "-name", "b", ")"], ""),
        (["find", ".", "-exec", "ls", ";"], "FLAG_NOT_ALLOWED"), (["find", ".", "-delete"], "FLAG_NOT_ALLOWED"), (["find", "-L", "."], "FLAG_NOT_ALLOWED"),
        (["find", ".", "-newer", "/etc/passwd"], "PATH_OUTSIDE"), (["find", ".", "x", "-name", "a"], ""), (["find", ".", "-name", "a", "/etc"], "SYNTAX"),
        (["find", "/etc"], "PATH_OUTSIDE"), (["find", ".", "-maxdepth", "x"], "BAD_VALUE"), (["find", ".", "-name"], "BAD_VALUE"),
        (["find", "-files0-from", "x"], "FLAG_NOT_ALLOWED"), (["find", ".", "-fprint", "x"], "FLAG_NOT_ALLOWED"), (["find", "-H", "x"], "FLAG_NOT_ALLOWED"),
        (["find", "."], ""), (["find", ".", "-samefile", "../x"], "PATH_OUTSIDE"), (["find", ".", "!", "-name", "a", ",", "-print"], ""),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else v,
)  # fmt: skip
def test_find_and_jq_words(words: list[str], why: str) -> None:
    assert reason(words) == why
