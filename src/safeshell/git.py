"""git, read only: which subcommands and options, and on which repositories.

The words are checked here; what a repository's own configuration could make git run or read is
found and overridden by `repository`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from safeshell.arguments import Parsed, Place, check_count, parse, unknown_flag
from safeshell.policy import Command, Policy
from safeshell.refusal import refuse
from safeshell.words import Arg
from toolbelt.errors import ToolError, nearest

_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*(\..*)?\.[A-Za-z][A-Za-z0-9-]*", re.DOTALL)
_SECRET_KEY: Final = re.compile(
    r"^(credential|http|sendemail|imap)\.|extraheader|token|password|secret", re.IGNORECASE
)
# What may stand before the path in the index's names and in a pathspec.
_MAGIC: Final = re.compile(r":(?:\([^)]*\)|[0-3]:|[/!^]*:?)")
_ALWAYS: Final = ("--no-pager", "--no-optional-locks")
_STASH_LIST: Final = ("log", "--format=%gd: %gs", "-g", "--first-parent")


class Call(NamedTuple):
    """A git call that may run. argv: after `git`, with our options. cwd: where it looks for the
    repository (after -C). needs_repository: false for `git --version`. needs: a file of the
    repository without which there is nothing to say."""

    argv: tuple[str, ...]
    cwd: str
    needs_repository: bool = True
    needs: str = ""


def check(policy: Policy, args: Sequence[Arg], place: Place, *, piped: bool) -> Call:
    """Check the words after `git`; raises BLOCKED. piped: another stage feeds its stdin."""
    head, rest, place = _globals(policy, args, place)
    if rest is None:
        return Call(("--version",), place.cwd, needs_repository=False)
    name, *words = rest
    command = policy.subcommand(name.text)
    if command is None:
        raise _unknown_subcommand(policy, name)
    tail = _verb(policy, command, words, place) if command.verbs else None
    if tail is None:
        parsed = parse(command, words, place)
        _check_shape(command, parsed)
        _check_paths(command, parsed, place)
        tail = _argv(command, parsed, words, piped=piped)
    if (name.text, *tail[:1]) == ("stash", "list"):
        # It would start a second git to do this, and nothing is started here.
        stash = (*_STASH_LIST, *tail[1:], "refs/stash", "--")
        return Call((*_ALWAYS, *head, *stash), place.cwd, needs="logs/refs/stash")
    argv = (*_ALWAYS, *head, name.text, *tail)
    return Call(argv, place.cwd, needs_repository=name.text != "version")


def _globals(
    policy: Policy, args: Sequence[Arg], place: Place
) -> tuple[list[str], list[Arg] | None, Place]:
    """The options before the subcommand, the rest, and the place that -C leads to."""
    known = policy.git_globals.known
    hints = policy.table["git"]["hints"]
    head: list[str] = []
    at = 0
    while at < len(args) and args[at].text.startswith("-") and not args[at].globbed:
        arg = args[at]
        if arg.text == "--version":
            return head, None, place
        if arg.text not in known:
            probe = Command("git", policy.git_globals, hints=hints)
            raise unknown_flag(probe, arg.text.partition("=")[0], arg)
        at += 1
        head.append(arg.text)
        if not known[arg.text].value:
            continue
        if at >= len(args):
            raise refuse(
                "BAD_VALUE", f"{arg.text} of git needs a value.", f"write {arg.text} VALUE",
                token=arg.text, position=arg.position,
            )  # fmt: skip
        head.append(args[at].text)
        place = _global_value(policy, arg.text, args[at], place)
        at += 1
    if at >= len(args):
        raise refuse(
            "SUBCOMMAND_NOT_ALLOWED", "git needs a subcommand.",
            "git status, git log --oneline -5, git diff; see safe-shell --list git", token="git",
            position=args[0].position if args else None,
        )  # fmt: skip
    return head, list(args[at:]), place


def _global_value(policy: Policy, name: str, value: Arg, place: Place) -> Place:
    if name == "-C":
        folder = place.roots.check(value.text, place.cwd, position=value.position)
        return place._replace(cwd=folder)
    key, equals, text = value.text.partition("=")
    allowed: list[str] = policy.table["git"]["config_ok"]
    if key.lower() in allowed or (equals and f"{key.lower()}={text}" in allowed):
        return place
    raise refuse(
        "FLAG_NOT_ALLOWED", f"git may not be given -c {key}.",
        f"allowed after -c: {', '.join(allowed)}", token=value.text, position=value.position,
    )  # fmt: skip


def _unknown_subcommand(policy: Policy, name: Arg) -> ToolError:
    git = policy.table["git"]
    close = nearest(name.text, list(git["sub"]))
    hint = git["advice"].get(name.text) or (
        f"did you mean git {' or '.join(close)}?" if close else f"allowed: {', '.join(git['sub'])}"
    )
    return refuse(
        "SUBCOMMAND_NOT_ALLOWED", f"git {name.text} is not on the list.", hint, token=name.text,
        position=name.position,
    )  # fmt: skip


def _verb(policy: Policy, command: Command, words: Sequence[Arg], place: Place) -> list[str] | None:
    """The words after `stash`, `remote`, `reflog` and the like, or None for no verb at all."""
    first = words[0] if words else None
    verbs = [verb for verb in command.verbs if verb]
    plain = first is None or first.text.startswith("-")
    if first is not None and first.text in verbs:
        built = policy.subcommand(command.name, first.text)
    elif "" in command.verbs and (plain or command.name == "reflog"):
        built = policy.subcommand(command.name, "")
    else:
        built = None
    if built is None or (command.name == "reflog" and first and first.text in _REFLOG_WRITES):
        raise _unknown_verb(command, first)
    verb = first.text if first is not None and first.text in verbs else ""
    rest = words[1:] if verb else words
    parsed = parse(built, rest, place)
    if not verb and command.name != "reflog" and parsed.operands:
        raise _unknown_verb(command, parsed.operands[0])
    _check_paths(built, parsed, place)
    # `git reflog NAME` shows NAME, or is a subcommand of a later git: say which is meant.
    spoken = verb or ("show" if command.name == "reflog" else "")
    summary = command.name == "stash" and spoken == "show" and not parsed.options
    forced = [*command.forced, *(["--stat"] if summary else [])]
    return [*([spoken] if spoken else []), *forced, *(arg.text for arg in rest)]


def _unknown_verb(command: Command, word: Arg | None) -> ToolError:
    text = word.text if word else ""
    return refuse(
        "SUBCOMMAND_NOT_ALLOWED", f"git {command.name} {text} is not on the list.",
        f"allowed: {', '.join(f'git {command.name} {verb}'.strip() for verb in command.verbs)}",
        token=text or command.name, position=word.position if word else None,
    )  # fmt: skip


_REFLOG_WRITES: Final = frozenset(("expire", "delete", "drop", "write", "migrate"))


def _check_shape(command: Command, parsed: Parsed) -> None:
    """Operands only where the subcommand reads them."""
    check_count(command, parsed)
    if command.operands_with and parsed.operands and not parsed.has(*command.operands_with):
        extra = parsed.operands[0]
        raise refuse(
            "SUBCOMMAND_NOT_ALLOWED",
            f"git {command.name} {extra.text} would make or change a {command.name}.",
            f"git {command.name} --list {extra.text}", token=extra.text, position=extra.position,
        )  # fmt: skip
    if command.name == "config":
        for arg in parsed.operands:
            _check_key(arg)
    if command.name == "cat-file" and not parsed.options and len(parsed.operands) != 2:
        raise refuse(
            "BAD_VALUE", "git cat-file needs one of -p, -t, -s, -e, or a type.",
            "git cat-file -p OBJECT", token="cat-file",
        )  # fmt: skip


def _check_key(arg: Arg) -> None:
    if not _KEY.fullmatch(arg.text) or _SECRET_KEY.search(arg.text):
        raise refuse(
            "BAD_VALUE", f"git config --get {arg.text} is not answered.",
            "name one key that holds no secret: git config --get user.name", token=arg.text,
            position=arg.position,
        )  # fmt: skip


def _check_paths(command: Command, parsed: Parsed, place: Place) -> None:
    """Every operand that is a path, or could be taken for one, lies inside."""
    operands = list(parsed.operands)
    if command.name == "grep" and not parsed.has(*command.pattern_flags):
        operands = operands[1:]
    for arg in operands:
        text = arg.text
        if ":" in text:
            # REVISION:PATH names what was committed, wherever it lies.
            place.roots.check_name(_path_of(text), shown=text, position=arg.position)
        if _like_a_path(text, place):
            place.roots.check(text, place.cwd, position=arg.position)


def _path_of(text: str) -> str:
    """The path in REVISION:PATH, in :PATH and :STAGE:PATH of the index, in :(magic)PATH or :/PATH.

    "" where the path is what git leaves out (:!PATH).
    """
    magic = _MAGIC.match(text)
    if magic is None:
        return text.partition(":")[2]
    left_out = any(sign in magic[0] for sign in ("!", "^", "exclude"))
    return "" if left_out else text[magic.end() :]


def _like_a_path(text: str, place: Place) -> bool:
    if text.startswith("/") or ".." in text.split("/"):
        return True
    return os.path.lexists(os.path.join(place.cwd, text))  # noqa: PTH118


def _argv(command: Command, parsed: Parsed, words: Sequence[Arg], *, piped: bool) -> list[str]:
    texts = [arg.text for arg in words]
    if command.name == "shortlog" and not parsed.operands and not piped:
        # Without a revision it would read the log from stdin, which is empty.
        at = texts.index("--") if "--" in texts else len(texts)
        texts.insert(at, "HEAD")
    return [*command.forced, *texts]
