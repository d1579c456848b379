"""Every option that a tool's own help names is refused unless our list has it, and is then read
with the value that the help gives it. Shortened spellings are refused too."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from safeshell.arguments import Place, parse
from safeshell.paths import Roots
from safeshell.policy import Command, Policy
from safeshell.table import TABLE
from safeshell.words import Arg
from toolbelt.errors import ToolError

POLICY = Policy(TABLE)
TOOLS = list(TABLE["command"])
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "COLUMNS": "200"}
# How help texts write an option: -x, --long, --long=ARG, --long[=ARG], --long <arg>, -x ARG.
LONG = re.compile(
    r"(?<![\w-])(--[A-Za-z0-9][A-Za-z0-9-]*)(\[?=\[?[^\s,|\])]+|\[=[^\]]*\]| <[^>]+>)?"
)
SHORT = re.compile(r"(?<![\w-])(-[A-Za-z0-9])(?![\w-])")
# Words of help texts that are examples, not options of the tool.
PROSE = {"rg": {"--foo", "--bar"}}
# Where a tool reads a value although its help does not show one beside the option, or the reverse.
HELP_IS_VAGUE = {
    "git show-ref": {"--hash"}, "git log": {"--decorate"}, "git show": {"--decorate"}, "git grep": {"--open-files-in-pager"},
    "rg": {"--context-separator", "--threads"}, "tree": {"--sort"}, "df": {"--output"}, "ls": {"--sort", "--time", "--format", "--color"},
    "grep": {"--binary-files", "--directories", "--devices"}, "du": {"--time"}, "sort": {"--sort"}, "diff": {"--label"}, "git diff": {"--diff-filter"}, "git diff-tree": {"--diff-filter"},
    "git diff-index": {"--diff-filter"}, "git diff-files": {"--diff-filter"},
}  # fmt: skip


@cache
def help_text(words: tuple[str, ...]) -> str:
    done = subprocess.run(
        list(words), env=ENV, capture_output=True, text=True, check=False, cwd="/"
    )
    return done.stdout + done.stderr


def tool_help(name: str) -> str:
    return help_text((name, "-h" if name == "xxd" else "--help"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    root = str(tmp_path_factory.mktemp("flags").resolve())
    return Place(root, Roots.at(root, root, [], []))


def accepted(command: Command, place: Place, *words: str) -> bool:
    try:
        parse(command, [Arg(word) for word in words], place)
    except ToolError as error:
        assert error.detail["reason"] in ("FLAG_NOT_ALLOWED", "BAD_VALUE")
        return error.detail["reason"] == "BAD_VALUE"
    return True


def check(command: Command, text: str, place: Place, name: str) -> None:
    """Every option of a help text, and every shortened form of it."""
    options: dict[str, str] = {}
    for match in LONG.finditer(text):
        # A text may name an option again without its value.
        options[match[1]] = options.get(match[1], "") or match[2] or ""
    assert options or name in ("git rev-parse",), text
    known = command.flags.known
    for option, value in options.items():
        if option in PROSE.get(name, ()):
            continue
        assert accepted(command, place, option, "1") == (option in known), option
        assert option in known or not accepted(command, place, f"{option}=1"), option
        for end in range(3, len(option)):
            short = option[:end]
            if short not in known:
                assert not accepted(command, place, short), short
                assert not accepted(command, place, f"{short}=1"), short
        if option in known and option not in HELP_IS_VAGUE.get(name, ()):
            ours = known[option]
            optional = value.startswith("[")
            # The dangerous mistake: a word that we take for a value and the tool for a file.
            if ours.value and not ours.optional:
                assert value and not optional, (option, value)
            elif not ours.value:
                assert not value or optional, (option, value)
    for match in SHORT.finditer(text):
        option = match[1]
        if option not in known and not (command.flags.numeric and option[1].isdigit()):
            assert not accepted(command, place, option), option


@pytest.mark.parametrize(
    "name", [name for name in TOOLS if name not in ("find", "expr", "jq", "file", "tree")]
)
def test_options_of_a_tool(name: str, place: Place) -> None:
    command = POLICY.command(name)
    assert command is not None
    if name == "xxd":
        for option in ("-r", "-revert", "-R", "-version", "-ur", "-rp"):
            assert not accepted(command, place, option)
        return
    check(command, tool_help(name), place, name)


@pytest.mark.parametrize("name", ["jq", "file", "tree"])
def test_options_of_tools_that_write_their_values_apart(name: str, place: Place) -> None:
    command = POLICY.command(name)
    assert command is not None
    for match in LONG.finditer(tool_help(name)):
        option = match[1]
        assert accepted(command, place, option, "1", "1") == (option in command.flags.known), option
        for end in range(3, len(option)):
            if option[:end] not in command.flags.known:
                assert not accepted(command, place, option[:end], "1"), option[:end]


def test_tests_and_actions_of_find() -> None:
    command = POLICY.command("find")
    assert command is not None
    words = set(re.findall(r"(?<![\w-])-[a-z][a-zA-Z0-9]+", tool_help("find")))
    refused = words - set(command.flags.known)
    assert {
        "-delete",
        "-exec",
        "-execdir",
        "-fls",
        "-fprint",
        "-fprintf",
        "-ok",
        "-okdir",
        "-follow",
    } <= refused
    assert not {w for w in refused if w not in FIND_REFUSED}, (
        "look at these and list or refuse them"
    )


FIND_REFUSED = set(
    "-ignore -noignore -delete -exec -execdir -fls -fprint -fprint0 -fprintf -ok -okdir -follow -files0-from -files0 -from -help "
    "-version -context -newerXY".split()
)


@pytest.mark.parametrize("name", list(TABLE["git"]["sub"]))
def test_options_of_a_git_subcommand(name: str, place: Place) -> None:
    text = help_text(("git", name, "-h"))
    if not LONG.search(text):
        return  # it describes itself in a manual only
    verbs = TABLE["git"]["sub"][name].get("verbs", {"": None})
    for verb in verbs:
        command = (
            POLICY.subcommand(name, verb)
            if verb or "verbs" in TABLE["git"]["sub"][name]
            else POLICY.subcommand(name)
        )
        assert command is not None
        usage = "\n".join(line for line in text.splitlines() if line.startswith("    -"))
        if not usage or name in ("stash", "reflog", "worktree", "config", "remote"):
            continue
        check(command, usage, place, f"git {name}")


WRITERS = re.compile(
    r"writ|creat|execut|run |runs|program|output file|FILE instead|delete|remove", re.IGNORECASE
)
# Each was looked at: such a word stands in its description, but nothing is written or run.
HARMLESS = {
    ("sort", "--parallel"), ("tr", "--delete"), ("tr", "-d"), ("file", "--apple"), ("du", "-a"), ("du", "--all"),
    ("sha256sum", "--tag"), ("sha1sum", "--tag"), ("sha512sum", "--tag"), ("md5sum", "--tag"), ("column", "--table"),
    ("column", "-t"),
}  # fmt: skip


def test_no_allowed_option_is_described_as_writing_or_running() -> None:
    """When Debian's tools grow such an option, this asks somebody to look."""
    found = set()
    for name in TOOLS:
        command = POLICY.command(name)
        assert command is not None
        for line in tool_help(name).splitlines():
            if not line.lstrip().startswith("-") or not WRITERS.search(line):
                continue
            options = {m[1] for m in LONG.finditer(line[:40])} | {
                m[1] for m in SHORT.finditer(line[:12])
            }
            found |= {(name, option) for option in options if option in command.flags.known}
    assert found <= HARMLESS, found - HARMLESS


def test_the_table_is_compiled_from_the_recipe() -> None:
    from safeshell import generate

    assert generate.TARGET.read_text(encoding="utf-8") == generate.compiled(), (
        "python -m safeshell.generate"
    )
    assert Path(generate.TARGET).name == "table.py"


def test_every_table_can_be_built() -> None:
    for name in TOOLS:
        assert POLICY.command(name) is not None
    for name, entry in TABLE["git"]["sub"].items():
        for verb in (None, *entry.get("verbs", {})):
            assert POLICY.subcommand(name, verb) is not None


def test_every_refused_flag_has_a_hint(place: Place) -> None:
    for name in TOOLS:
        command = POLICY.command(name)
        assert command is not None
        if not command.options:
            continue
        with pytest.raises(ToolError) as caught:
            parse(command, [Arg("--no-such-option")], place)
        assert caught.value.hint


SAMPLE = {"int": "2", "text": "a", "number": "1", "path": "f"}
# Where the sample means nothing to the option: a value that does.
BETTER = {
    ("date", "-d"): "2026-01-01", ("od", "-A"): "x", ("od", "-t"): "x1", ("nl", "-n"): "ln", ("grep", "-d"): "skip",
    ("grep", "-D"): "skip", ("sed", "-e"): "p", ("rg", "-t"): "py", ("rg", "-T"): "py", ("rg", "-E"): "utf8", ("cut", "-b"): "1",
    ("cut", "-c"): "1", ("cut", "-f"): "1", ("head", "-n"): "1", ("head", "-c"): "1", ("tail", "-n"): "1", ("tail", "-c"): "1",
    ("sort", "-k"): "1", ("file", "-P"): "bytes=9", ("cmp", "-i"): "1", ("join", "-o"): "0", ("column", "-l"): "2", ("tr", "-d"): "a",
    ("expand", "-t"): "2", ("seq", "-f"): "%g", ("file", "-e"): "ascii", ("column", "-N"): "x,y", ("column", "-R"): "1", ("join", "-a"): "1",
    ("join", "-v"): "1", ("column", "-O"): "1", ("column", "-H"): "1", ("column", "-T"): "1", ("column", "-W"): "1", ("column", "-E"): "1",
}  # fmt: skip
OPERANDS = {"date": ["+%Y"], "tr": ["b"], "seq": ["3"], "cmp": ["f", "g"], "diff": ["f", "g"], "join": ["f", "f"], "comm": ["f", "g"],
            "grep": ["a", "f"], "rg": ["a", "f"], "sed": ["p", "f"], "du": ["."], "df": ["."], "tree": ["."], "ls": ["."]}  # fmt: skip


def _valued() -> list[tuple[str, str]]:
    found = []
    for name in TOOLS:
        command = POLICY.command(name)
        assert command is not None
        for option, flag in command.flags.known.items():
            if (
                len(option) == 2
                and flag.value
                and "+" not in flag.value
                and not flag.optional
                and command.grammar != "find"
            ):
                found.append((name, option))
    return found


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    (folder / "f").write_text("a b\nb c\nc d\n")
    (folder / "g").write_text("a b\nb x\nc d\n")
    (folder / "a").write_text("a\n")
    return folder


@pytest.mark.parametrize(("name", "option"), _valued(), ids=lambda v: v)
def test_a_value_that_we_take_as_attached_is_attached(
    name: str, option: str, sample: Path, place: Place
) -> None:
    """The dangerous mistake: letters that we take for a value and the tool for more options, as in
    `tree -Io x made`, which would write a file."""
    command = POLICY.command(name)
    assert command is not None
    flag = command.flags.known[option]
    value = BETTER.get((name, option)) or SAMPLE.get(flag.value) or flag.choices[0]
    try:
        parse(command, [Arg(f"{option}{value}")], place)
    except ToolError as error:
        assert error.detail["reason"] == "BAD_VALUE"
        assert not command.attached
        return
    assert command.attached
    words = OPERANDS.get(name, ["f"])
    if option in command.pattern_flags:
        words = words[1:]
    apart, joined = (
        subprocess.run(
            [name, *given, *words],
            cwd=sample,
            env=ENV,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        for given in ([option, value], [f"{option}{value}"])
    )
    if name == "df":  # its numbers change from one call to the next
        assert (apart.returncode, apart.stdout[:20]) == (joined.returncode, joined.stdout[:20])
    else:
        assert (apart.returncode, apart.stdout) == (joined.returncode, joined.stdout)
    # ripgrep 13 has no -d yet.
    assert apart.returncode in (0, 1) or name == "column" or (name, option) == ("rg", "-d"), (
        apart.stderr
    )
