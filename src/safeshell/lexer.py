"""Splits a line into words, operators and redirects the way bash does, or refuses it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from safeshell.refusal import refuse
from toolbelt.errors import ToolError

_BREAKS: Final = frozenset(" \t\n;|&<>()")
_ORDINARY: Final = re.compile(r"[ -~\t\n]*")
_REDIRECT: Final = re.compile(r"(&>>|&>|([0-9]*)(<<<|<<-|<<|<\(|>\(|<>|<&|>>|>\||>&|<|>))")
_BAD_CATEGORIES: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"))
# Unquoted runs and the insides of double quotes up to the next character that means something.
_PLAIN: Final = re.compile(r"[^ \t\n;|&<>()\\'\"`$]+")
_VARIABLE: Final = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
_KNOWN_VALUES: Final = {"$PWD": ". is the current folder; ", "$?": "exitCode is in the answer; "}
_QUOTED: Final = re.compile(r"[^\"\\`$]+")


class Word(NamedTuple):
    """parts: (text, quoted) in order; a quoted part may be empty. position: index in the line."""

    parts: tuple[tuple[str, bool], ...]
    position: int

    @property
    def text(self) -> str:
        """The word after quote removal."""
        return "".join(text for text, _ in self.parts)

    @property
    def unquoted(self) -> str:
        """The text with every quoted part replaced by one NUL, so that it matches no keyword."""
        return "".join("\0" if quoted else text for text, quoted in self.parts)


class Token(NamedTuple):
    """kind: `word`, `operator` (text: | |& && || ; or newline) or `redirect` (text, fd, word)."""

    kind: str
    text: str
    position: int
    word: Word | None = None
    fd: int | None = None


def check_characters(line: str) -> None:
    """Refuse control, format, surrogate, unassigned and space-like characters, wherever they are.

    Raises BAD_CHARACTER. ASCII, tab and newline are fine, and so are letters of every script.
    """
    start = _ORDINARY.match(line)
    for index in range(start.end() if start else 0, len(line)):
        char = line[index]
        bad = char == "\ufffd" or unicodedata.category(char) in _BAD_CATEGORIES
        if bad and char not in " \t\n":
            name = unicodedata.name(char, "a control character")
            raise refuse(
                "BAD_CHARACTER", f"U+{ord(char):04X} ({name}) at {index} is not accepted.",
                "type plain spaces and printable characters; in a pattern write \\x{...}",
                token=f"U+{ord(char):04X}", position=index,
            )  # fmt: skip


def tokens(line: str) -> Iterator[Token]:
    """The tokens of a line, in order; raises BLOCKED at the first thing outside the grammar."""
    check_characters(line)
    at, size = 0, len(line)
    while at < size:
        char = line[at]
        if char in " \t":
            at += 1
        elif char == "\\" and line.startswith("\n", at + 1):
            _check_continuation(line, at)
            at += 2
        elif char == "#":
            end = line.find("\n", at)
            at = size if end < 0 else end
        elif char in "()":
            raise refuse(
                "SYNTAX", f"{char!r} opens or closes a subshell or a function.",
                "quote a parenthesis that is text: '('", token=char, position=at,
            )  # fmt: skip
        elif char in "\n;|":
            token = _operator(line, at)
            yield token
            at += len(token.text)
        elif match := _REDIRECT.match(line, at):
            at, token = _redirect(line, at, match)
            yield token
        elif char == "&":
            token = _operator(line, at)
            yield token
            at += 2
        else:
            start = at
            at, word = _word(line, at)
            _check_variable_redirect(line, at, word)
            yield Token("word", word.text, start, word)


def _operator(line: str, at: int) -> Token:
    two = line[at : at + 2]
    if two in ("&&", "||", "|&"):
        return Token("operator", two, at)
    if line[at] == "&":
        raise refuse(
            "BACKGROUND", "'&' would leave a program running.",
            "run it in the foreground; quote an & that is text: '&'", token="&", position=at,
        )  # fmt: skip
    if two in (";;", ";&"):
        raise refuse(
            "SYNTAX", f"{two!r} belongs to `case`, which is not run here.",
            "separate commands with one ;", token=two, position=at,
        )  # fmt: skip
    return Token("operator", line[at], at)


def _redirect(line: str, at: int, match: re.Match[str]) -> tuple[int, Token]:
    operator, digits = match[3] or match[1], match[2] or ""
    if operator in ("<(", ">("):
        raise _substitution(f"{operator}...)", at, "run the inner command first")
    if operator.startswith("<<"):
        raise refuse(
            "HEREDOC", f"{operator!r} is not run here.", "use: printf '%s\\n' TEXT | COMMAND",
            token=operator, position=at,
        )  # fmt: skip
    start = match.end()
    while line.startswith((" ", "\t"), start):
        start += 1
    end, word = (start, None) if line.startswith("#", start) else _word(line, start)
    if word is None or end == start:
        raise refuse(
            "SYNTAX", f"{digits}{operator} names no file.", "use >/dev/null, 2>&1 or < FILE",
            token=operator, position=at,
        )  # fmt: skip
    _check_variable_redirect(line, end, word)
    fd = int(digits) if digits else None
    return end, Token("redirect", operator, at, word, fd)


def _check_variable_redirect(line: str, end: int, word: Word) -> None:
    """`{name}>file` gives bash a descriptor to number; to us it would be a word."""
    if word.unquoted.endswith("}") and line.startswith(("<", ">"), end):
        raise refuse(
            "REDIRECT", f"{word.text!r} touches a redirection.", "put a blank between them",
            token=word.text, position=word.position,
        )  # fmt: skip


def _check_continuation(line: str, at: int) -> None:
    """bash joins lines before it looks for operators, so only a break between words is clear, or
    one between an operator and a word."""
    before, after = line[at - 1] if at else "\n", line[at + 2 : at + 3]
    if before not in " \t\n" and not (before in "|&;" and (after.isalnum() or after in " \t")):
        raise _broken(at)


def _broken(at: int) -> ToolError:
    return refuse(
        "SYNTAX", "A line break in the middle of a word or operator is not accepted.",
        "put a blank before the backslash", token="\\", position=at,
    )  # fmt: skip


def _word(line: str, at: int) -> tuple[int, Word]:
    """The word that starts here, and where it ends."""
    start, parts = at, []
    while at < len(line) and line[at] not in _BREAKS:
        char = line[at]
        if char == "\\":
            at, text = _escape(line, at)
            parts.append((text, True))
        elif char == "'":
            end = line.find("'", at + 1)
            if end < 0:
                raise _unclosed("'", at)
            parts.append((line[at + 1 : end], True))
            at = end + 1
        elif char == '"':
            at, text = _double_quoted(line, at)
            parts.append((text, True))
        elif char == "`":
            raise _substitution("`...`", at, "run the inner command first; or '`' for a backtick")
        elif char == "$":
            _check_dollar(line, at)
            parts.append(("$", True))
            at += 1
        else:
            run = _PLAIN.match(line, at)
            text = run[0] if run else char
            parts.append((text, False))
            at += len(text)
    return at, Word(tuple(parts), start)


def _escape(line: str, at: int) -> tuple[int, str]:
    if at + 1 >= len(line):
        raise refuse(
            "SYNTAX", "The line ends in a backslash.", "drop it, or double it", token="\\",
            position=at,
        )  # fmt: skip
    if line[at + 1] == "\n":
        raise _broken(at)
    return at + 2, line[at + 1]


def _double_quoted(line: str, at: int) -> tuple[int, str]:
    start, text = at, list[str]()
    at += 1
    while at < len(line):
        char = line[at]
        if char == '"':
            return at + 1, "".join(text)
        if char == "`":
            raise _substitution("`...`", at, "single-quote a backtick that is text: '`'")
        if char == "$":
            if not line.startswith('"', at + 1):
                _check_dollar(line, at)
            text.append("$")
            at += 1
        elif char == "\\":
            after = line[at + 1 : at + 2]
            text.append("" if after == "\n" else after if after in '$`"\\' else "\\" + after)
            at += 2
        else:
            run = _QUOTED.match(line, at)
            piece = run[0] if run else char
            text.append(piece)
            at += len(piece)
    raise _unclosed('"', start)


def _check_dollar(line: str, at: int) -> None:
    """A `$` that bash would keep as text, or a refusal."""
    after = line[at + 1 : at + 2]
    if after == "(":
        raise _substitution("$(...)", at, "run the inner command first, then use its output")
    if after and (after.isalnum() or after in "_{?!$#@*-'\"[\\`" or not after.isascii()):
        found = _VARIABLE.match(line, at)
        shown = found[0] if found else f"${after}"
        raise refuse(
            "EXPANSION", f"{shown} would be expanded by a shell; nothing is expanded here.",
            f"{_KNOWN_VALUES.get(shown, '')}write the value itself, or single-quote a $ that is "
            "text: '$'", token=shown, position=at,
        )  # fmt: skip


def _substitution(token: str, at: int, hint: str) -> ToolError:
    return refuse(
        "SUBSTITUTION", f"{token} would run a command inside the line.", hint, token=token,
        position=at,
    )  # fmt: skip


def _unclosed(quote: str, at: int) -> ToolError:
    return refuse(
        "SYNTAX", f"The quote {quote} at {at} is never closed.",
        f"close it, or escape it: \\{quote}", token=quote, position=at,
    )  # fmt: skip
