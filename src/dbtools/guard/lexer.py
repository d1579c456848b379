"""The lexical gate: text -> tokens and the text that may be sent, or a refusal.

Whatever is not certain is refused. Comments are blanked and the result is scanned again: it must
give the same tokens, because `--/**/x` would otherwise become a new comment.
"""

from __future__ import annotations

import re

from dbtools.guard.lexis import BITS, ESCAPED, PLAIN, Lexis, lexis
from dbtools.guard.model import Refused

# Compiled where first used: most statements need none of them, and compiling is dear.
_UNSENDABLE = "[\x00\ud800-\udfff]"  # a NUL cuts the text at the driver, a surrogate has no bytes
_NESTING = r"/\*|\*/"
_WORD_REST = r"[\w$]+"
_SPACE = " \t\n\r"
# MySQL optimizer hints that may stay in the text; everything else is blanked as a comment.
_HINT = r"/\*\+[\w\s(),@`.%=+-]*\*/"
# PostgreSQL joins strings over a line break, and the next part keeps the first one's escapes.
_JOINED = r"(?:[ \t]++|--[^\n\r]*+)*+[\n\r](?:[ \t\n\r]++|--[^\n\r]*+[\n\r])*+'"
_JOINED_BODY = {"e": ESCAPED, "E": ESCAPED, "b": BITS, "B": BITS, "x": BITS, "X": BITS}
_SPELLED = r"(?<!\\)(?:\\\\)*+\\[^\\'\"`]"
_UNICODE_ESCAPE = {"+": 6, "": 4}


class Tokens:
    """The tokens of one statement, as parallel lists.

    kinds: see lexis. keys: a word in lower case, anything else as written. starts: offsets in
    `text`, the caller's statement. clean: the text that may be sent.
    """

    __slots__ = ("clean", "keys", "kinds", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.clean = text
        self.kinds: list[str] = []
        self.keys: list[str] = []
        self.starts: list[int] = []

    def key(self, i: int) -> str:
        """The key of token i, "" outside the statement."""
        return self.keys[i] if 0 <= i < len(self.keys) else ""

    def kind(self, i: int) -> str:
        """The kind of token i, "" outside the statement."""
        return self.kinds[i] if 0 <= i < len(self.kinds) else ""

    def written(self, i: int) -> str:
        """Token i as the caller wrote it, shortened to 60 characters."""
        key = self.key(i)
        start = self.starts[i] if key else 0
        return self.text[start : start + min(len(key), 60)]

    def name(self, i: int) -> str:
        """Token i as the most lenient engine compares names: unquoted, in lower case, folded.

        For deny lists. An allow list takes `exact`.
        """
        name = self.exact(i)
        return name if name.isascii() else fold(name)

    def exact(self, i: int) -> str:
        """Token i unquoted and in lower case."""
        key, kind = self.keys[i], self.kinds[i]
        if kind == "U":
            key = _decode_unicode(key, self.starts[i]).lower()
        elif kind in "QS":
            quote = key[-1]
            key = key[1:-1].replace(quote * 2, quote).lower()
        return key

    def cut(self, first: int, last: int) -> None:
        """Keep the tokens first..last-1."""
        self.kinds = self.kinds[first:last]
        self.keys = self.keys[first:last]
        self.starts = self.starts[first:last]


def fold(name: str) -> str:
    """Fold full-width and accented letters, as case-insensitive collations do."""
    from unicodedata import combining, normalize

    return "".join(c for c in normalize("NFKD", name).casefold() if not combining(c))


def _decode_unicode(raw: str, start: int) -> str:
    """The name that `U&"..." [UESCAPE 'c']` means."""
    body, _, tail = raw[3:].rpartition('"')
    escape = tail.strip(_SPACE)[-2:-1] or "\\"
    parts = body.replace('""', '"').split(escape)
    out = [parts[0]]
    skip = False
    for part in parts[1:]:
        if skip:  # the second of two escape characters: the character itself
            out.append(escape + part)
            skip = False
            continue
        if not part:
            skip = True
            continue
        offset = 1 if part[0] == "+" else 0
        digits = part[offset : offset + _UNICODE_ESCAPE["+" if offset else ""]]
        try:
            out.append(chr(int(digits, 16)) + part[offset + len(digits) :])
        except (ValueError, OverflowError):
            raise Refused("unicode escape", start, shown=raw[:40]) from None
    return "".join(out)


class _Scanner:
    """One pass over a text: fills Tokens and notes what to cut out."""

    def __init__(self, text: str, dialect: str, rules: Lexis, hints: tuple[str, ...]) -> None:
        self.text = text
        self.dialect = dialect
        self.rules = rules
        self.hints = hints
        self.tokens = Tokens(text)
        self.cuts: list[tuple[int, int]] = []

    def run(self) -> Tokens:
        """All tokens of the text."""
        pos = 0
        while pos >= 0:
            pos = self._pass(pos)
        return self.tokens

    def _pass(self, pos: int) -> int:
        """Read on from `pos`, up to a token that ends elsewhere than its pattern; -1 at the end."""
        tokens, names = self.tokens, self.rules.kinds
        add_kind, add_key, add_start = (
            tokens.kinds.append, tokens.keys.append, tokens.starts.append,
        )  # fmt: skip
        plain = self.text.isascii()
        for found in self.rules.matches(self.text, pos):
            group = found.lastindex or 0
            kind, key = names[group], found[group]
            start = found.start(group)
            end = -1
            if kind == "W":
                key = key.lower() if plain else self._word(start, found.end())
            elif kind == "E":
                return -1
            elif kind != "P":
                kind, end = self._special(kind, start, found.end())
                key = self._word(start, end) if kind == "W" else self.text[start:end]
            if kind:
                add_kind(kind)
                add_key(key)
                add_start(start)
            if end >= 0 and end != found.end():
                return end
        raise AssertionError("the pattern ends every text")

    def _word(self, start: int, end: int) -> str:
        """A word's key: lower case, but left alone with letters that fold in other ways."""
        raw = self.text[start:end]
        if raw.isascii():
            return raw.lower()
        if "\ufeff" in raw:  # a byte order mark that an editor left behind
            raise Refused("character '\\ufeff'", start)
        if self.dialect == "tsql":
            import unicodedata

            plain = unicodedata.normalize("NFKC", raw)
            if plain.isascii() and len(plain) == len(raw):  # full-width letters are letters to it
                return plain.lower()
        if self.rules.ascii_words:
            raise Refused("letter outside ASCII must be quoted", start, shown=raw)
        return raw

    def _unreadable(self, at: int) -> Refused:
        char = self.text[at]
        what = "unterminated quote" if char in "'\"`[$" else "character"
        return Refused(f"{what} {char!a}", at, shown=char)

    def _special(self, kind: str, start: int, end: int) -> tuple[str, int]:
        """(kind, end) of a token that needs more than its pattern; kind "" for a comment."""
        if kind == "?":
            raise self._unreadable(start)
        if kind == "N":
            return self._number(start, end)
        if kind == "S":
            return "S", self._string(start, end)
        if kind in "CB":
            return "", self._comment(kind, start, end)
        if kind == "D":
            tag = self.text[start:end]
            close = self.text.find(tag, end)
            if close < 0:
                raise Refused("unterminated dollar quote", start, shown=tag)
            return "S", close + len(tag)
        if kind == "X":
            reason = "two dots" if self.dialect == "postgres" else "variable with a suffix"
            raise Refused(reason, start, shown=self.text[start:end])
        if kind == "Q" and self.dialect in ("clickhouse", "bigquery"):
            raw = self.text[start:end]
            if "\\" in raw and re.search(_SPELLED, raw):  # `\x66ile` is file
                raise Refused("escape inside a quoted name", start, shown=raw[:40])
        return kind, end

    def _comment(self, kind: str, start: int, end: int) -> int:
        """The end of a comment; it is noted for blanking unless it is a hint that may stay."""
        text = self.text
        if kind == "B":
            end = self._block_end(start)
            if self.dialect == "mysql":
                if text[start + 2 : start + 3] == "!" or text[start + 2 : start + 4] == "M!":
                    raise Refused("executable comment", start, shown=text[start : start + 12])
                if re.compile(_HINT).fullmatch(text, start, end) and not self._blanked_hint(
                    start, end
                ):
                    return end
        elif "\r" in text[start : end - 1] or (
            text[end - 1] == "\r" and end < len(text) and text[end] != "\n"
        ):
            raise Refused("carriage return inside a comment", start)
        self.cuts.append((start, end))
        return end

    def _blanked_hint(self, start: int, end: int) -> bool:
        hint = self.text[start:end].lower()
        return any(word in hint for word in self.hints)

    def _block_end(self, start: int) -> int:
        nested, depth, pos = self.rules.nested, 1, start + 2
        find = re.compile(_NESTING).search
        while depth:
            found = find(self.text, pos)
            if found is None:
                raise Refused("unterminated comment", start, shown="/*")
            if found.group() == "*/":
                depth -= 1
                pos = found.end()
            elif nested is None:
                raise Refused("comment inside a comment", found.start(), shown="/*")
            else:
                depth += nested
                pos = found.end() if nested else found.start() + 1
        return pos

    def _string(self, start: int, end: int) -> int:
        if self.rules.adjacent:
            return end
        text = self.text
        body = re.compile(_JOINED_BODY.get(text[start], PLAIN))
        follows = re.compile(_JOINED).match
        while joined := follows(text, end):
            more = body.match(text, joined.end() - 1)
            if more is None:
                raise Refused("unterminated quote", joined.end() - 1, shown="'")
            end = more.end()
        if self.tokens.kinds and self.tokens.kinds[-1] == "S":
            raise Refused("two strings side by side", start)
        return end

    def _number(self, start: int, end: int) -> tuple[str, int]:
        """A number; where a word starts with a digit, that word."""
        text, rule = self.text, self.rules.digit_words
        if end == len(text) or not (
            text[end].isalnum() or text[end] in "_$" or text[end] >= "\x80"
        ):
            return "N", end
        joined = start > 1 and text[start - 1] in "-." and text[start - 2] not in _SPACE
        if rule == "no" or (rule == "dash" and not joined):
            raise Refused("number runs into a word", start, shown=text[start : end + 1])
        if "." in text[start:end]:
            return "N", end
        word = re.compile(_WORD_REST).match(text, start)
        return "W", word.end() if word else end


def _blank(text: str, cuts: list[tuple[int, int]]) -> str:
    """The text with every cut replaced by one space, and no space around it."""
    out: list[str] = []
    done = 0
    for start, stop in sorted(cuts):
        out += (text[done:start], " ")
        done = stop
    return ("".join(out) + text[done:]).strip(_SPACE)


def scan(text: str, dialect: str, hints: tuple[str, ...] = (), mode: str = "") -> Tokens:
    """The tokens of a statement and its gated text, without comments and empty statements.

    hints: MySQL optimizer hints to blank. mode: another reading of the dialect (see lexis.RULES).
    Raises Refused.
    """
    plain = text.isascii() and "\0" not in text
    unsendable = None if plain else re.search(_UNSENDABLE, text)
    if unsendable:
        raise Refused(f"character {unsendable.group()!a}", unsendable.start())
    rules = lexis(mode or dialect)
    scanner = _Scanner(text, dialect, rules, hints)
    if text[:1] == "\ufeff":  # an editor's byte order mark
        scanner.cuts.append((0, 1))
        scanner.text = " " + text[1:]
    tokens = scanner.run()
    keys, count = tokens.keys, len(tokens.keys)
    first = next((i for i in range(count) if keys[i] != ";"), count)
    last = next((i for i in range(count, first, -1) if keys[i - 1] != ";"), first)
    scanner.cuts += [(tokens.starts[i], tokens.starts[i] + 1) for i in range(first)]
    scanner.cuts += [(tokens.starts[i], tokens.starts[i] + 1) for i in range(last, count)]
    tokens.cut(first, last)
    tokens.clean = _blank(text, scanner.cuts)
    if scanner.cuts:
        again = _Scanner(tokens.clean, dialect, rules, hints)
        second = again.run()
        if again.cuts or second.kinds != tokens.kinds or second.keys != tokens.keys:
            raise Refused("reads differently without its comments", scanner.cuts[0][0])
    return tokens
