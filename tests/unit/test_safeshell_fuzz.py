"""bash is the oracle: whatever we accept means the same words and the same list to bash."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from safeshell import grammar
from safeshell.paths import Roots
from safeshell.words import Expansion, expand, plain_text
from toolbelt.errors import ToolError

LIMITS = Expansion(brace_results=256, glob_results=10_000, glob_entries=100_000)
# t succeeds, f fails; both say how they were called.
ORACLE = r"""
exec 9>&1 1>/dev/null 2>/dev/null
# One write a call: bash flushes at a newline, and the stages of a pipe run side by side.
say() { local IFS=$'\1'; local all="$*"; printf '%s\0' "${all//$'\n'/$'\2'}" >&9; }
t() { say t "$@"; return 0; }
f() { say f "$@"; return 1; }
while IFS= read -r -d '' line <&8; do
  eval "$line"
  wait
  say END
done
"""
FILES = (
    "a b ab abc a.py b.py .hid x-y 'q' [z] {c} a=b sp ace é src/app.py src/b.py src/.h/x -n --out=x"
).split(" ")
ATOMS = (
    "a b c ab 0 1 2 9 x y z . .. / - -- = , : @ % + ^ ! ~ * ? [ ] { } .. ** [a-c] [!a] [^b] {a,b} "
    "{1..3} {a..c} {,} {a,} *.py ?? ./ src/ src/* .* \\ ' \" '' \"\" 'a b' \"a b\" \\' \\\" \\\\ \\  "
    "$ \"$\" '$' $a ` ( ) < > >> & && | || ; # \n \t t f if done in é 2>&1 >/dev/null 2>/dev/null "
    "&>/dev/null </dev/null >&2 \\\n |& [[:alpha:]] a=~ {~,a} a=b HEAD@{1} ^{tree} {} {a} {1..} "
    '{01..03} {3..1..2} \\* \'*\' "*" [ab]* *[!.]* [] []a] [a-] // =( !x \\\n\\\n \'\\\' "\\a" "\\$"'
    " 2> 1>&2 &>/dev/null 2>&1>/dev/null {x}>/dev/null $/ $. $, $+ $% $= #x a# {a,b}{c,d} {a..c..2} {-2..2} [a\\]b] "
    "[[:digit:]] [[:upper:]a] ?(a) @(a) +(a) -1 ../fuzz / ~a a~ a:~ x=~ </dev/null<a [a-] [!] [^] {a..Z} {a,b {1..b} "
    "{,a,} {a,,b} {{a,b}} {a{b,c}d} a{b}c *{a,b} {*,?} {src,x}/*.py src/{a,b}.py s?c/a* */* */*/ /*/ ./* .//* src//* \\{a,b} "
    "{a\\,b} {\"a,b\",c} '{a,b}' {a,'b {x..{a,b}} {x{1..2}y} {{1..2}} {1..{2} ..} {.. {a.. ..b} {1'..'3} {1..'3'} {a,b}..{c} "
    '"\\\na" !! !a ^a^b %1 [0-9]* *[!a-z]*'
).split(" ")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of awkward names."""
    root = tmp_path_factory.mktemp("fuzz")
    for name in FILES:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return root


def line(rng: random.Random) -> str:
    """A random line: mostly words and operators that could be right."""
    parts = []
    for _ in range(rng.randint(1, 4)):
        parts.append(rng.choice("tttf"))
        for _ in range(rng.randint(0, 4)):
            parts.append(rng.choice([" ", " ", " ", "", "\t", "  "]))
            parts.extend(rng.choice(ATOMS) for _ in range(rng.randint(1, 4)))
        parts.append(rng.choice([" | ", "&&", "||", ";", "\n", " |& ", " && ", " || ", "; ", "|"]))
    if rng.random() < 0.9:
        parts.pop()
    return "".join(parts)


def bare(word: str) -> str:
    """A file name that looks like an option gets a ./ from us, and none from bash."""
    return word[2:] if word.startswith("./-") else word


def ours(text: str, roots: Roots) -> list[list[str]] | None:
    """The calls that we would make, or None when the line is refused."""
    try:
        pipelines = grammar.parse(text, max_stages=64, max_words=2048)
        calls: list[list[str]] = []
        code = 0
        for pipeline in pipelines:
            made = []
            for stage in pipeline.stages:
                for redirect in stage.redirects:
                    if redirect.file is not None and plain_text(redirect.file, "") != "/dev/null":
                        return None
                if stage.environment:
                    return None
                args = [
                    a for w in stage.words for a in expand(w, str(roots.workspace), roots, LIMITS)
                ]
                made.append([bare(arg.text) for arg in args])
            if any(call[0] not in ("t", "f") for call in made):
                return None
            if (pipeline.joiner == "&&" and code) or (pipeline.joiner == "||" and not code):
                continue
            code = int(made[-1][0] == "f")
            calls += made
    except ToolError as error:
        assert error.code == "BLOCKED", error
        assert error.hint
        return None
    return sorted(calls)


def bash(lines: list[str], cwd: Path) -> list[list[list[str]]]:
    """The calls that bash makes, of each line."""
    data = b"".join(text.encode() + b"\0" for text in lines)
    source = cwd.parent / "lines.bin"
    source.write_bytes(data)
    with source.open("rb") as feed:
        done = subprocess.run(
            ["bash", "--norc", "-c", f"exec 8<&0 0</dev/null\n{ORACLE}"],
            stdin=feed, capture_output=True, cwd=cwd, check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/home/nobody"},
        )  # fmt: skip
    answers: list[list[list[str]]] = []
    calls: list[list[str]] = []
    for call in done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        if call == "END":
            answers.append(sorted(calls))
            calls = []
        else:
            name, *args = call.replace("\2", "\n").split("\1")
            calls.append([name, *map(bare, args)])
    return answers


def word(rng: random.Random) -> str:
    """One command with a dense word: every character of it could mean something."""
    letters = rng.choice(
        [
            "{},.a1",
            "{},.ab'\"\\",
            "[]-!^*?ab.",
            "{},*?[]a.",
            "$\"'\\`a {",
            "<>&|12 a",
            "~=:a{,}",
            "\\\n a'\"#",
        ]
    )
    text = "".join(rng.choice(letters) for _ in range(rng.randint(1, 10)))
    return rng.choice(["t ", "t x", "f -- ", "t a "]) + text


def check(
    folder: Path, make: Callable[[random.Random], str], wanted: int, seed: int | None
) -> None:
    """Make lines until so many are accepted; bash must read them all as we do."""
    rng = random.Random(seed)  # noqa: S311
    roots = Roots.at(str(folder), str(folder), [], [])
    accepted: dict[str, list[list[str]]] = {}
    tried = 0
    while len(accepted) < wanted and tried < 40 * wanted:
        text = make(rng)
        tried += 1
        calls = ours(text, roots)
        if calls is not None:
            accepted[text] = calls
    lines = list(accepted)
    answers = bash(lines, folder)
    assert len(answers) == len(lines)
    different = [
        (text, accepted[text], answer)
        for text, answer in zip(lines, answers, strict=True)
        if answer != accepted[text]
    ]
    assert different == []
    assert len(accepted) > wanted // 2


@pytest.mark.hypothesis
@pytest.mark.parametrize("make", [line, word], ids=["lines", "words"])
def test_whatever_we_accept_means_the_same_to_bash(
    folder: Path, make: Callable[[random.Random], str]
) -> None:
    long = settings().max_examples > 1000
    check(folder, make, 50_000 if long else 1_000, None if long else 20)
