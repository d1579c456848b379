"""jq programs that see their input only: no environment, no modules, no endless range."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from safeshell.arguments import Place, check_operands, forced, parse
from safeshell.policy import Command
from safeshell.refusal import refuse
from safeshell.words import Arg

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
      | (?P<field>\.[A-Za-z_][A-Za-z0-9_]*)
      | (?P<rec>\.\.)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_NAMES: Final = {
    "env": "reads the environment",
    "import": "loads a file",
    "include": "loads a file",
    "modulemeta": "loads a file",
    "input_filename": "names files",
    "get_search_list": "names folders",
    "getenv": "reads the environment",
}
_VARIABLES: Final = {"ENV": "reads the environment", "__prog_args": "reads the arguments"}
_DEEPEST: Final = 50  # strings in strings
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


def check(command: Command, args: Sequence[Arg], place: Place) -> list[str]:
    """The words to run after `jq`; raises BLOCKED."""
    parsed = parse(command, args, place)
    check_operands(command, parsed, place)
    if parsed.operands:
        check_program(parsed.operands[0])
    return [*forced(command, parsed, place), *(arg.text for arg in args)]


def check_program(arg: Arg) -> None:
    """Raise BLOCKED when a program names the environment, a module or an endless range."""
    reader = _Reader(arg)
    for kind, text in reader.tokens():
        if kind == "variable" and text in _VARIABLES:
            raise _refuse(arg, f"${text} {_VARIABLES[text]}", f"${text}")
        if kind == "name" and text.rpartition("::")[2] in _NAMES:
            raise _refuse(arg, f"{text} {_NAMES[text.rpartition('::')[2]]}", text)
        if kind == "name" and text == "infinite" and "range(" in reader.open:
            raise _refuse(arg, "range(infinite) never ends", "infinite")


class _Reader:
    """Reads a program as jq's own lexer does; `open` is the stack of brackets around a token."""

    def __init__(self, arg: Arg) -> None:
        self.arg = arg
        self.text = arg.text
        self.at = 0
        self.open: list[str] = []
        self.depth = 0

    def tokens(self, inside: int = -1) -> Iterator[tuple[str, str]]:
        """(kind, text) of the names and variables that jq would look up, in order.

        inside: stop when no more than so many brackets are open (the end of an interpolation).
        """
        before = ""
        while self.at < len(self.text):
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                raise AssertionError("the last branch takes any character")
            kind, text = match.lastgroup or "", match[0]
            self.at = match.end()
            if kind == "space":
                continue
            if before == "$" and kind == "name":
                yield "variable", text
            elif kind == "name" and not self._is_key(before):
                yield "name", text
            if text == '"':
                yield from self._string()
            self._bracket(text, before)
            if len(self.open) <= inside:
                return
            before = text

    def _is_key(self, before: str) -> bool:
        """Whether the name just read is a key: in `{name}`, `{name: ...}`, not in `{a: name}`."""
        after = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*").match(self.text, self.at)
        following = self.text[after.end() if after else self.at :][:1]
        return self.open[-1:] == ["{"] and before in ("{", ",") and following in (",", "}", ":")

    def _bracket(self, text: str, before: str) -> None:
        if text in _CLOSING:
            self.open.append("range(" if text == "(" and before == "range" else text)
        elif text in _CLOSING.values() and self.open:
            self.open.pop()

    def _string(self) -> Iterator[tuple[str, str]]:
        """The rest of a string; what stands in \\( ) is code again."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return
            if self.text.startswith("\\(", self.at):
                self.at += 2
                if self.depth >= _DEEPEST:
                    raise _refuse(self.arg, "strings are nested too deep", "\\(")
                self.depth += 1
                self.open.append("(")
                yield from self.tokens(len(self.open) - 1)
                self.depth -= 1
            else:
                self.at += 2 if char == "\\" else 1


def _refuse(arg: Arg, why: str, token: str) -> Exception:
    return refuse(
        "PROGRAM", f"The jq program is not accepted: {why}.",
        "use what is in the input: .items[], select(...), map(...), --arg NAME VALUE",
        token=token, position=arg.position,
    )  # fmt: skip
