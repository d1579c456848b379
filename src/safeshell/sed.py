"""sed scripts that only print: addresses and the commands that read no file and run nothing.

GNU sed gets --sandbox besides, which refuses e, r and w itself; this is for the answer before.
"""

from __future__ import annotations

import contextlib
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
_LABEL: Final = re.compile(r"[ \t]*[^;\s]*")
_REGEX_FLAGS: Final = re.compile(r"[IM]*")
_SUBSTITUTE_FLAGS: Final = re.compile(r"[gpiIMm0-9]*")
_BLANKS: Final = re.compile(r"[ \t]*")
_BRACKET: Final = re.compile(r"\[\^?\]?(?:\[:[a-z]+:\]|[^\]\n])*\]")
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
        _check_script("\n".join(arg.text for arg in scripts), scripts[0])
    return [*forced(command, parsed, place), *(arg.text for arg in args)]


def _scripts(command: Command, parsed: Parsed) -> list[Arg]:
    given = parsed.values(*command.pattern_flags)
    return given or parsed.operands[:1]


class _Never(Exception):
    """A command that reads, writes or runs."""


class _Unclear(Exception):
    """Not a script as far as we can read."""


def _check_script(text: str, arg: Arg) -> None:
    """Raise BLOCKED unless the script only prints, with a `/` in brackets read as text, as GNU sed
    does, and has nothing worse in it if another sed reads that `/` as the end."""
    try:
        _Script(text, brackets=True).check()
        with contextlib.suppress(_Unclear):
            _Script(text, brackets=False).check()
    except (_Never, _Unclear) as error:
        raise refuse(
            "PROGRAM", f"The sed script {arg.text!r} is not accepted: {error}.",
            "sed -n '1,20p' FILE, sed 's/a/b/g' FILE and the like print only", token=arg.text,
            position=arg.position,
        ) from None  # fmt: skip


class _Script:
    def __init__(self, text: str, *, brackets: bool) -> None:
        self.text = text
        self.brackets = brackets
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
                        raise _Unclear("an address is missing after ','")
            self._skip(re.compile(r"[ \t!]*"))
            self._command()

    def _command(self) -> None:
        char = self._peek()
        self.at += 1
        if char == "{":
            return
        if char in _SIMPLE or char == "}":
            pass
        elif char in _WITH_NUMBER:
            self._skip(re.compile(r"[ \t]*[0-9]*"))
        elif char in ("a", "i", "c"):
            self._text()
        elif char in (":", "b", "t", "T"):
            self._skip(_LABEL)
        elif char == "#":
            self._skip(re.compile(r"[^\n]*"))
        elif char == "s":
            self._pair(regex=True)
            self._skip(_SUBSTITUTE_FLAGS)
            if self._peek() in _NEVER:
                raise _Never(f"{self._peek()!r} {_NEVER[self._peek()]}")
        elif char == "y":
            self._pair(regex=False)
        elif char in _NEVER:
            raise _Never(f"{char!r} {_NEVER[char]}")
        else:
            raise _Unclear(f"{char!r} is not a command that is known here")
        self._end(char)

    def _end(self, char: str) -> None:
        """After a command only a separator may stand."""
        if char in "#:btTaic":
            return  # what follows a label may be the next command
        self._skip(_BLANKS)
        if self._peek() not in ("", ";", "\n", "}", "#"):
            raise _Unclear(f"{self._peek()!r} follows the command {char!r}")

    def _address(self) -> bool:
        char = self._peek()
        if char == "/" or char == "\\":
            self.at += 1 if char == "/" else 2
            self._until("/" if char == "/" else self.text[self.at - 1 : self.at], regex=True)
            self._skip(_REGEX_FLAGS)
            return True
        match = _NUMBER_ADDRESS.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match is not None

    def _pair(self, *, regex: bool) -> None:
        delimiter = self._peek()
        if delimiter in ("", "\n", "\\"):
            raise _Unclear("the delimiter is missing")
        self.at += 1
        self._until(delimiter, regex=regex)
        self._until(delimiter, regex=False)

    def _until(self, delimiter: str, *, regex: bool) -> None:
        while self.at < len(self.text):
            char = self.text[self.at]
            bracket = _BRACKET.match(self.text, self.at) if regex and self.brackets else None
            if bracket and char != delimiter:
                self.at = bracket.end()
                continue
            self.at += 2 if char == "\\" else 1
            if char == delimiter and char != "\\":
                return
        raise _Unclear(f"{delimiter!r} is not closed")

    def _text(self) -> None:
        while self.at < len(self.text) and self._peek() != "\n":
            self.at += 2 if self._peek() == "\\" else 1

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
