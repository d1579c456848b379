"""`test` and `[`: conditions on strings, numbers and files of the workspace."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import Final

from safeshell.paths import HARMLESS, Outside, Roots

_FILE: Final[dict[str, Callable[[str, os.stat_result], bool]]] = {
    "-a": lambda _p, _s: True,
    "-e": lambda _p, _s: True,
    "-f": lambda _p, s: stat.S_ISREG(s.st_mode),
    "-d": lambda _p, s: stat.S_ISDIR(s.st_mode),
    "-s": lambda _p, s: s.st_size > 0,
    "-b": lambda _p, s: stat.S_ISBLK(s.st_mode),
    "-c": lambda _p, s: stat.S_ISCHR(s.st_mode),
    "-p": lambda _p, s: stat.S_ISFIFO(s.st_mode),
    "-S": lambda _p, s: stat.S_ISSOCK(s.st_mode),
    "-u": lambda _p, s: bool(s.st_mode & stat.S_ISUID),
    "-g": lambda _p, s: bool(s.st_mode & stat.S_ISGID),
    "-k": lambda _p, s: bool(s.st_mode & stat.S_ISVTX),
    "-O": lambda _p, s: s.st_uid == os.geteuid(),
    "-G": lambda _p, s: s.st_gid == os.getegid(),
    "-N": lambda _p, s: s.st_mtime > s.st_atime,
    "-r": lambda p, _s: os.access(p, os.R_OK),
    "-w": lambda p, _s: os.access(p, os.W_OK),
    "-x": lambda p, _s: os.access(p, os.X_OK),
}
_LINK: Final = frozenset(("-h", "-L"))
_STRING: Final[dict[str, Callable[[str], bool]]] = {"-z": lambda t: not t, "-n": bool}
_COMPARE: Final[dict[str, Callable[[str, str], bool]]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: os.fsencode(a) < os.fsencode(b),
    ">": lambda a, b: os.fsencode(a) > os.fsencode(b),
}
_NUMBERS: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_FILES: Final = frozenset(("-nt", "-ot", "-ef"))
_MOST_WORDS: Final = 200  # they may nest
UNARY: Final = frozenset((*_FILE, *_LINK, *_STRING, "-t", "-v", "-o", "-R"))
BINARY: Final = frozenset((*_COMPARE, *_NUMBERS, *_FILES))


class BadTest(Exception):
    """An expression that `test` does not understand; the text is the complaint."""


def file_operands(words: Sequence[str]) -> list[int]:
    """Indexes of the words that could be taken for files, whatever the expression means."""
    found = set()
    for at, word in enumerate(words):
        if (word in _FILE or word in _LINK) and at + 1 < len(words):
            found.add(at + 1)
        elif word in _FILES:
            found.update(i for i in (at - 1, at + 1) if 0 <= i < len(words))
    return sorted(found)


def evaluate(words: Sequence[str], cwd: str, roots: Roots) -> bool:
    """The truth of an expression; raises BadTest. Files outside the roots do not exist."""
    if len(words) > _MOST_WORDS:
        raise BadTest("too many arguments")
    return _Test(words, cwd, roots).truth()


class _Test:
    def __init__(self, words: Sequence[str], cwd: str, roots: Roots) -> None:
        self.words, self.cwd, self.roots = list(words), cwd, roots
        self.at = 0

    def truth(self) -> bool:
        """Up to four words: POSIX says by their number what they mean."""
        words = self.words
        rule = {0: lambda: False, 1: lambda: bool(words[0]), 2: self._two, 3: self._three}
        if len(words) in rule:
            return rule[len(words)]()
        if len(words) == 4:
            if words[0] == "!":
                return not evaluate(words[1:], self.cwd, self.roots)
            if words[0] == "(" and words[3] == ")":
                return evaluate(words[1:3], self.cwd, self.roots)
        truth = self.either()
        if self.at != len(words):
            raise BadTest("too many arguments")
        return truth

    def _two(self) -> bool:
        first, second = self.words
        if first == "!":
            return not second
        if first in UNARY:
            return self._unary(first, second)
        raise BadTest(f"{first}: unary operator expected")

    def _three(self) -> bool:
        first, second, third = self.words
        if second in BINARY:
            return self._binary(first, second, third)
        if second in ("-a", "-o"):
            return bool(first and third) if second == "-a" else bool(first or third)
        if first == "!":
            return not evaluate([second, third], self.cwd, self.roots)
        if first == "(" and third == ")":
            return bool(second)
        raise BadTest(f"{second}: binary operator expected")

    def either(self) -> bool:
        truth = self.both()
        while self._peek() == "-o":
            self.at += 1
            truth = self.both() or truth
        return truth

    def both(self) -> bool:
        truth = self.term()
        while self._peek() == "-a":
            self.at += 1
            truth = self.term() and truth
        return truth

    def term(self) -> bool:
        word = self._next()
        following, last = self._peek(), self.at + 1 >= len(self.words)
        if following in BINARY and not last:
            self.at += 1
            return self._binary(word, following, self._next())
        if word == "!":
            return not self.term()
        if word == "(":
            truth = self.either()
            if self._next() != ")":
                raise BadTest("`)' expected")
            return truth
        if word in UNARY and self.at < len(self.words):
            return self._unary(word, self._next())
        return bool(word)

    def _peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _next(self) -> str:
        if self.at >= len(self.words):
            raise BadTest("argument expected")
        self.at += 1
        return self.words[self.at - 1]

    def _unary(self, operator: str, operand: str) -> bool:
        if operator in _STRING:
            return _STRING[operator](operand)
        if operator in _LINK:
            info = self._stat(operand, follow=False)
            return info is not None and stat.S_ISLNK(info.st_mode)
        rule = _FILE.get(operator)
        if rule is None:
            return False  # no terminal, no variables, no shell options here
        info = self._stat(operand, follow=True)
        return info is not None and rule(os.path.join(self.cwd, operand), info)  # noqa: PTH118

    def _binary(self, left: str, operator: str, right: str) -> bool:
        if operator in _COMPARE:
            return _COMPARE[operator](left, right)
        if operator in _NUMBERS:
            return _NUMBERS[operator](_integer(left), _integer(right))
        one, two = self._stat(left, follow=True), self._stat(right, follow=True)
        if operator == "-ef":
            return one is not None and two is not None and os.path.samestat(one, two)
        if operator == "-ot":
            one, two = two, one
        return one is not None and (two is None or one.st_mtime_ns > two.st_mtime_ns)

    def _stat(self, path: str, *, follow: bool) -> os.stat_result | None:
        try:
            if path not in HARMLESS:
                self.roots.resolve(path, self.cwd)
            full = os.path.join(self.cwd, path)  # noqa: PTH118
            return os.stat(full, follow_symlinks=follow) if path else None  # noqa: PTH116
        except (Outside, OSError, ValueError):
            return None


def _integer(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise BadTest(f"{text}: integer expression expected") from None
