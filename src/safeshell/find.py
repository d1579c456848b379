"""find's own language: start paths, then an expression made of the listed tests and actions."""

from __future__ import annotations

from collections.abc import Sequence

from safeshell.arguments import Place, check_value, unknown_flag
from safeshell.policy import Command
from safeshell.refusal import refuse
from safeshell.words import Arg

_LEADING = ("-P", "-O0", "-O1", "-O2", "-O3")


def check(command: Command, args: Sequence[Arg], place: Place) -> list[str]:
    """The words to run after `find`; raises BLOCKED."""
    if [arg.text for arg in args] in (["--help"], ["--version"], ["-help"], ["-version"]):
        return [arg.text for arg in args]
    at = 0
    while at < len(args) and args[at].text in _LEADING and not args[at].globbed:
        at += 1
    while at < len(args) and (
        args[at].globbed or args[at].text[:1] not in "-(!," or not args[at].text
    ):
        place.roots.check(args[at].text, place.cwd, position=args[at].position)
        at += 1
    while at < len(args):
        at = _primary(command, args, at, place)
    return [arg.text for arg in args]


def _primary(command: Command, args: Sequence[Arg], at: int, place: Place) -> int:
    """Check one test or action with its value; the index after it."""
    arg = args[at]
    flag = command.flags.known.get(arg.text)
    if flag is None or arg.globbed:
        if arg.text.startswith("-") and not arg.globbed:
            raise unknown_flag(command, arg.text, arg)
        raise refuse(
            "SYNTAX", f"find: {arg.text!r} stands where a test should.",
            "name the folders first, and quote patterns: find . -name '*.py'",
            token=arg.text, position=arg.position,
        )  # fmt: skip
    if not flag.value:
        return at + 1
    if at + 1 >= len(args):
        raise refuse(
            "BAD_VALUE", f"{arg.text} of find needs a value.", f"write {arg.text} VALUE",
            token=arg.text, position=arg.position,
        )  # fmt: skip
    check_value(command, arg.text, flag.value, flag, args[at + 1], place)
    return at + 2
