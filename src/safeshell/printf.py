"""printf and the backslash escapes of printf and echo -e, as bash's builtins have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SIMPLE: Final = {
    "a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92,
}  # fmt: skip
_DIRECTIVE: Final = re.compile(r"%([-+ #0']*)(\*|[0-9]{1,9})?(?:(\.)(\*|[0-9]{0,9}))?([a-zA-Z%])?")
_WIDEST: Final = 10_000
_LONGEST: Final = 1 << 20


class Stop(Exception):
    """`\\c`: nothing more is printed."""


class BadFormat(Exception):
    """A format that this printf does not have; the text is the complaint."""


def unescape(text: str, *, octal_needs_zero: bool, stops: bool) -> tuple[bytes, bool]:
    """The bytes that backslash escapes stand for, and whether `\\c` ended them.

    octal_needs_zero: octal is \\0NNN (echo -e and %b); else \\NNN (a format).
    """
    out = bytearray()
    at = 0
    while at < len(text):
        char = text[at]
        if char != "\\" or at + 1 >= len(text):
            out += _bytes(char)
            at += 1
            continue
        after = text[at + 1]
        if after == "c" and stops:
            return bytes(out), True
        size, value = _escape(text, at + 1, octal_needs_zero=octal_needs_zero)
        out += value if size else b"\\"
        at += 1 + size
    return bytes(out), False


def _escape(text: str, at: int, *, octal_needs_zero: bool) -> tuple[int, bytes]:
    """(length after the backslash, bytes); length 0 when it is no escape."""
    char = text[at]
    if char in _SIMPLE:
        return 1, bytes([_SIMPLE[char]])
    if not octal_needs_zero and char in "\"'?":
        return 1, char.encode()
    if char == "x":
        return _number(text, at, r"x([0-9A-Fa-f]{1,2})", 16, wide=False)
    if char == "u":
        return _number(text, at, r"u([0-9A-Fa-f]{1,4})", 16, wide=True)
    if char == "U":
        return _number(text, at, r"U([0-9A-Fa-f]{1,8})", 16, wide=True)
    if octal_needs_zero:
        return _number(text, at, r"(0[0-7]{0,3})", 8, wide=False)
    return _number(text, at, r"([0-7]{1,3})", 8, wide=False)


def _number(text: str, at: int, pattern: str, base: int, *, wide: bool) -> tuple[int, bytes]:
    match = re.compile(pattern).match(text, at)
    if match is None:
        return 0, b""
    value = int(match[1], base)
    if not wide:
        return len(match[0]), bytes([value & 0xFF])
    if value > 0x10FFFF:
        return len(match[0]), b""
    return len(match[0]), chr(value).encode("utf-8", "surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def printf(form: str, values: Sequence[str]) -> tuple[bytes, list[str]]:
    """What `printf FORM VALUES` prints, and its complaints about values; raises BadFormat.

    The format is used again until all values are used up, as in every shell.
    """
    printer = _Printer(form, list(values))
    try:
        while printer.once() and printer.values:
            pass
    except Stop:
        pass
    return bytes(printer.out), printer.errors


class _Printer:
    def __init__(self, form: str, values: list[str]) -> None:
        self.form = form
        self.values = values
        self.out = bytearray()
        self.errors: list[str] = []

    def once(self) -> bool:
        """Print the format once; whether it took any value."""
        at, took = 0, len(self.values)
        while at < len(self.form):
            percent = self.form.find("%", at)
            end = len(self.form) if percent < 0 else percent
            self.out += unescape(self.form[at:end], octal_needs_zero=False, stops=False)[0]
            at = end
            if percent >= 0:
                match = _DIRECTIVE.match(self.form, percent)
                if match is None or not match[5]:
                    raise BadFormat(
                        f"'{self.form[percent : percent + 2]}': missing format character"
                    )
                self._directive(match)
                at = match.end()
        return len(self.values) < took

    def _directive(self, match: re.Match[str]) -> None:
        flags, kind = match[1], match[5]
        if len(self.out) > _LONGEST:
            raise BadFormat("the result is too long")
        if kind == "%":
            self.out += b"%"
            return
        width = self._size(match[2])
        precision = self._size(match[4]) if match[3] else None
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        if max(width or 0, precision or 0) > _WIDEST:
            raise BadFormat(f"'{match[0]}': too wide")
        value = self.values.pop(0) if self.values else ""
        self.out += self._format(kind, flags, width or 0, precision, value)

    def _size(self, text: str | None) -> int | None:
        if text is None:
            return None
        if text == "*":
            return self._integer(self.values.pop(0) if self.values else "0")
        return int(text or "0")

    def _format(
        self, kind: str, flags: str, width: int, precision: int | None, value: str
    ) -> bytes:
        if kind in "sbc":
            if kind == "b":
                data, stopped = unescape(value, octal_needs_zero=True, stops=True)
            else:
                data, stopped = _bytes(value[:1] if kind == "c" else value), False
            data = data if precision is None or kind == "c" else data[:precision]
            self.out += data.ljust(width) if "-" in flags else data.rjust(width)
            if stopped:
                raise Stop
            return b""
        spec = f"%{flags.replace(chr(39), '')}{width or ''}"
        if kind in "diouxX":
            number = self._integer(value)
            if kind in "ouxX" and number < 0:
                number += 1 << 64
            exact = "" if precision is None else f".{precision}"
            return (f"{spec}{exact}{'d' if kind in 'iu' else kind}" % number).encode()
        if kind in "eEfFgG":
            exact = "" if precision is None else f".{precision}"
            return (f"{spec}{exact}{kind}" % self._float(value)).encode()
        raise BadFormat(f"'%{kind}': invalid directive")

    def _integer(self, text: str) -> int:
        if text[:1] in ("'", '"') and len(text) > 1:
            return ord(text[1])
        match = re.match(r"\s*([+-]?)(0[xX][0-9A-Fa-f]+|[0-9]+)", text)
        if match is None or match.end() != len(text):
            if text:
                self.errors.append(f"{text}: invalid number")
            if match is None:
                return 0
        digits = match[2]
        try:
            base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
            number = int(digits, base)
        except ValueError:
            self.errors.append(f"{text}: invalid octal number")
            return 0
        number = -number if match[1] == "-" else number
        return max(min(number, (1 << 63) - 1), -(1 << 63))

    def _float(self, text: str) -> float:
        try:
            return float(text or "0")
        except ValueError:
            self.errors.append(f"{text}: invalid number")
            return 0.0
