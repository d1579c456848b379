"""sed scripts that only print: addresses and the commands that read no file and run nothing.

GNU sed gets --sandbox besides, which refuses e, r and w itself; this is for the answer before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from safeshell.arguments import Parsed, Place, check_operands, forced, parse
from safeshell.policy import Command
from safeshell.refusal import refuse
from safeshell.words import Arg

_SIMPLE: Final = frozenset("=dDgGhHnNpPxzF")
_WITH_NUMBER: Final = frozenset("qQlL")
_NUMBER_ADDRESS: Final = re.compile(r"[0-9]+(~[0-9]+)?|\$|[+~][0-9]+")
_LABEL: Final = re.compile(r"[ \t]*[^;\n{}]*")
_REGEX_FLAGS: Final = re.compile(r"[IM]*")
_SUBSTITUTE_FLAGS: Final = re.compile(r"[gpiIMm0-9]*")
_BLANKS: Final = re.compile(r"[ \t]*")
_NEVER: Final = {
    "e": "runs a program", "w": "writes a file", "W": "writes a file", "r": "reads another file",
    "R": "reads another file",
}  # fmt: skip


def check(command: Command, args: Sequence[Arg], place: Place) -> list[str]:
    """The words to run after `sed`; raises BLOCKED."""
    parsed = parse(command, args, place)
    check_operands(command, parsed, place)
    scripts = _scripts(command, parsed)
    if scripts:
        _Script("\n".join(arg.text for arg in scripts), scripts[0]).check()
    return [*forced(command, parsed), *(arg.text for arg in args)]


def _scripts(command: Command, parsed: Parsed) -> list[Arg]:
    given = parsed.values(*command.pattern_flags)
    return given or parsed.operands[:1]


class _Script:
    def __init__(self, text: str, arg: Arg) -> None:
        self.text = text
        self.arg = arg
        self.at = 0

    def check(self) -> None:
        """Walk the script from command to command."""
        while True:
            self._skip(re.compile(r"[ \t\n;]*"))
            if self.at >= len(self.text):
                return
            if self._address():
                self._skip(_BLANKS)
                if self._peek() == ",":
                    self.at += 1
                    self._skip(_BLANKS)
                    if not self._address():
                        raise self._refuse("an address is missing after ','")
            self._skip(re.compile(r"[ \t!]*"))
            self._command()

    def _command(self) -> None:
        char = self._peek()
        self.at += 1
        if char in _SIMPLE or char in "{}":
            return
        if char in _WITH_NUMBER:
            self._skip(re.compile(r"[ \t]*[0-9]*"))
        elif char in ("a", "i", "c"):
            self._text()
        elif char in (":", "b", "t", "T"):
            self._skip(_LABEL)
        elif char == "#":
            self._skip(re.compile(r"[^\n]*"))
        elif char == "s":
            self._pair()
            self._skip(_SUBSTITUTE_FLAGS)
            if self._peek() in _NEVER:
                raise self._never(self._peek())
        elif char == "y":
            self._pair()
        elif char in _NEVER:
            raise self._never(char)
        else:
            raise self._refuse(f"{char!r} is not a command that is known here")
        self._end(char)

    def _end(self, char: str) -> None:
        """After a command only a separator may stand."""
        if char in ("#", ":", "a", "i", "c"):
            return
        self._skip(_BLANKS)
        if self._peek() not in ("", ";", "\n", "}", "#"):
            raise self._refuse(f"{self._peek()!r} follows the command {char!r}")

    def _address(self) -> bool:
        char = self._peek()
        if char == "/" or char == "\\":
            self.at += 1 if char == "/" else 2
            self._until("/" if char == "/" else self.text[self.at - 1 : self.at])
            self._skip(_REGEX_FLAGS)
            return True
        match = _NUMBER_ADDRESS.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match is not None

    def _pair(self) -> None:
        delimiter = self._peek()
        if delimiter in ("", "\n", "\\"):
            raise self._refuse("the delimiter is missing")
        self.at += 1
        self._until(delimiter)
        self._until(delimiter)

    def _until(self, delimiter: str) -> None:
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 2 if char == "\\" else 1
            if char == delimiter and char != "\\":
                return
        raise self._refuse(f"{delimiter!r} is not closed")

    def _text(self) -> None:
        while self.at < len(self.text) and self._peek() != "\n":
            self.at += 2 if self._peek() == "\\" else 1

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()

    def _never(self, char: str) -> Exception:
        return self._refuse(f"{char!r} {_NEVER[char]}")

    def _refuse(self, why: str) -> Exception:
        return refuse(
            "PROGRAM", f"The sed script {self.arg.text!r} is not accepted: {why}.",
            "sed -n '1,20p' FILE, sed 's/a/b/g' FILE and the like print only", token=self.arg.text,
            position=self.arg.position,
        )  # fmt: skip
