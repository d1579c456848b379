"""mongosh-like text, `db.orders.find({...}).limit(5)`, as data: no JavaScript is evaluated.

A reader for the literals and the method chains people paste; anything else is refused. Values come
out as plain data with extended JSON for the types JSON lacks.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dbtools.guard.model import Refused

MAX_DEPTH = 100
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?![\w$])")
_LONGEST_NUMBER = (
    400  # Python reads no integer of more than 4,300 digits, and the server none of 20
)
_REGEX = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_CONSTANTS = {"true": True, "false": False, "null": None}


class Call(NamedTuple):
    """One link of the chain: `.name(arguments)`."""

    name: str
    arguments: list[object]
    start: int


class Chain(NamedTuple):
    """`db[.collection].call().call()`; collection "" for `db.call()`."""

    collection: str
    calls: list[Call]


class Reader:
    """Reads one chain or one literal from a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.depth = 0
        self._space()

    def refuse(self, reason: str, start: int | None = None) -> Refused:
        """A refusal at `start`, or here."""
        at = self.pos if start is None else start
        return Refused(
            reason, at, shown=self.text[at : at + 20].split("\n")[0], message=_SHAPE, hint=_HINT
        )

    def _space(self) -> None:
        found = _SPACE.match(self.text, self.pos)
        self.pos = found.end() if found else self.pos

    def take(self, mark: str) -> bool:
        """Step over `mark` and the space after it, if it comes next."""
        if not self.text.startswith(mark, self.pos):
            return False
        self.pos += len(mark)
        self._space()
        return True

    def need(self, mark: str) -> None:
        """Step over `mark`."""
        if not self.take(mark):
            raise self.refuse(f"{mark} expected")

    def name(self) -> str:
        """A bare name."""
        found = _NAME.match(self.text, self.pos)
        if found is None:
            raise self.refuse("a name expected")
        self.pos = found.end()
        self._space()
        return found.group()

    def end(self) -> None:
        """Nothing may follow but one `;`."""
        self.take(";")
        if self.pos < len(self.text):
            raise self.refuse("text after the end")

    def chain(self) -> Chain:
        """`db.name.call(...)...`; the names before the first call are the collection's."""
        if self.name() != "db":
            raise self.refuse("db expected", 0)
        parts: list[str] = []
        calls: list[Call] = []
        while self.pos < len(self.text) and self.text[self.pos] != ";":
            start = self.pos
            if self.take("["):
                part = self.value()
                if not isinstance(part, str) or calls:
                    raise self.refuse("a collection's name expected", start)
                self.need("]")
                parts.append(part)
                continue
            self.need(".")
            start = self.pos
            word = self.name()
            if not self.take("("):
                if calls:
                    raise self.refuse("a call expected", start)
                parts.append(word)
                continue
            arguments = self._arguments()
            if word in ("getCollection", "collection") and not parts and not calls:
                if len(arguments) != 1 or not isinstance(arguments[0], str):
                    raise self.refuse("a collection's name expected", start)
                parts.append(arguments[0])
                continue
            calls.append(Call(word, arguments, start))
        self.end()
        return Chain(".".join(parts), calls)

    def _arguments(self) -> list[object]:
        found: list[object] = []
        while not self.take(")"):
            found.append(self.value())
            if not self.take(","):
                self.need(")")
                break
        return found

    def value(self) -> object:
        """One literal."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse("nesting too deep")
        char = self.text[self.pos : self.pos + 1]
        if char == "{":
            result: object = self._document()
        elif char == "[":
            result = self._array()
        elif char in ("'", '"'):
            result = self._string()
        elif char == "/":
            result = self._regex()
        elif char and (char.isdigit() or char in "+-."):
            result = self._number()
        else:
            result = self._word()
        self.depth -= 1
        return result

    def _document(self) -> dict[str, object]:
        self.need("{")
        out: dict[str, object] = {}
        while not self.take("}"):
            start = self.pos
            char = self.text[self.pos : self.pos + 1]
            if char in ("'", '"'):
                key = self._string()
            elif char.isdigit():
                key = str(self._number())
            else:
                key = self.name()
            if key in out:
                raise duplicate(key, start)
            self.need(":")
            out[key] = self.value()
            if not self.take(","):
                self.need("}")
                break
        return out

    def _array(self) -> list[object]:
        self.need("[")
        out: list[object] = []
        while not self.take("]"):
            out.append(self.value())
            if not self.take(","):
                self.need("]")
                break
        return out

    def _string(self) -> str:
        text, quote, start = self.text, self.text[self.pos], self.pos
        out: list[str] = []
        i = start + 1
        while True:
            char = text[i : i + 1]
            if char in ("", "\n"):
                raise self.refuse("unterminated quote", start)
            if char == quote:
                break
            if char == "\\":
                piece, i = self._escape(i + 1)
                out.append(piece)
                continue
            out.append(char)
            i += 1
        self.pos = i + 1
        self._space()
        return "".join(out)

    def _escape(self, i: int) -> tuple[str, int]:
        char = self.text[i : i + 1]
        width = {"x": 2, "u": 4}.get(char)
        if width is None:
            return _ESCAPES.get(char, char), i + 1
        digits = self.text[i + 1 : i + 1 + width]
        if len(digits) != width or not all(c in "0123456789abcdefABCDEF" for c in digits):
            raise self.refuse("unicode escape", i - 1)
        return chr(int(digits, 16)), i + 1 + width

    def _regex(self) -> dict[str, object]:
        found = _REGEX.match(self.text, self.pos)
        if found is None:
            raise self.refuse("a value expected")
        self.pos = found.end()
        self._space()
        pattern, options = found.group(1).replace("\\/", "/"), "".join(sorted(found.group(2)))
        return {"$regularExpression": {"pattern": pattern, "options": options}}

    def _number(self) -> int | float:
        found = _NUMBER.match(self.text, self.pos)
        if found is None or found.end() - found.start() > _LONGEST_NUMBER:
            raise self.refuse("a number expected")
        self.pos = found.end()
        self._space()
        word = found.group()
        return float(word) if any(c in word for c in ".eE") else int(word)

    def _word(self) -> object:
        start = self.pos
        word = self.name()
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word == "new":
            word = self.name()
        if not self.take("("):
            if word in ("MinKey", "MaxKey"):
                return {f"${word[0].lower()}{word[1:]}": 1}
            raise self.refuse("a value expected", start)
        return self._constructed(word, self._arguments(), start)

    def _constructed(self, word: str, arguments: list[object], start: int) -> object:
        """`ObjectId("...")` and its like as extended JSON."""
        if word in ("MinKey", "MaxKey") and not arguments:
            return {f"${word[0].lower()}{word[1:]}": 1}
        if word in _ONE_ARGUMENT and len(arguments) == 1:
            value = arguments[0]
            if isinstance(value, (str, int)) and not isinstance(value, bool):
                return {_ONE_ARGUMENT[word]: str(value)}
        if word in ("ISODate", "Date") and len(arguments) == 1:
            value = arguments[0]
            if isinstance(value, str):
                return {"$date": value}
            if isinstance(value, int) and not isinstance(value, bool):
                return {"$date": {"$numberLong": str(value)}}
        if word == "Timestamp" and len(arguments) == 2:
            return {"$timestamp": {"t": arguments[0], "i": arguments[1]}}
        if word == "BinData" and len(arguments) == 2 and isinstance(arguments[0], int):
            return {"$binary": {"base64": arguments[1], "subType": f"{arguments[0]:02x}"}}
        if word == "RegExp" and arguments and all(isinstance(a, str) for a in arguments):
            options = str(arguments[1]) if len(arguments) > 1 else ""
            return {"$regularExpression": {"pattern": arguments[0], "options": options}}
        raise self.refuse(f"{word}() is not a literal", start)


_ONE_ARGUMENT = {
    "ObjectId": "$oid",
    "ObjectID": "$oid",
    "NumberLong": "$numberLong",
    "Long": "$numberLong",
    "NumberInt": "$numberInt",
    "Int32": "$numberInt",
    "NumberDecimal": "$numberDecimal",
    "Decimal128": "$numberDecimal",
    "UUID": "$uuid",
}
_SHAPE = "the text is neither a JSON command nor a plain mongosh call"
_HINT = (
    '{"collection": "events", "pipeline": [{"$match": {"level": "error"}}]}'
    ' or db.events.find({"level": "error"}).limit(5); literals only, no JavaScript'
)


def duplicate(key: str, start: int = -1) -> Refused:
    """The refusal of a document that has the same key twice."""
    return Refused(
        "duplicate key",
        start,
        shown=key,
        message=f"the key {key!r} stands twice in one document",
        hint="write each key once; the server and this check might read different ones",
    )
