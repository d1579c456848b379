"""PostgreSQL's literals of values within values: arrays, rows and hstore."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Reader = Callable[[str], object]


def array(text: str, delimiter: str, element: Reader | None) -> list[object]:
    """`{1,NULL,"a b"}` and `[0:1]={{…},{…}}` as a list, or lists of lists."""
    if text.startswith("["):
        text = text[text.index("=") + 1 :]
    if text.count("{") == 1 and '"' not in text and "\\" not in text:
        inner = text[1:-1]
        return [_item(item, element) for item in inner.split(delimiter)] if inner else []
    return _nested(text, delimiter, element)


def _item(text: str, element: Reader | None) -> object:
    if text == "NULL":
        return None
    return element(text) if element else text


def _nested(text: str, delimiter: str, element: Reader | None) -> list[object]:
    top: list[object] = []
    open_lists = [top]
    at = 0
    while at < len(text):
        character = text[at]
        if character == "{":
            inner: list[object] = []
            open_lists[-1].append(inner)
            open_lists.append(inner)
            at += 1
        elif character == "}":
            open_lists.pop()
            at += 1
        elif character == delimiter:
            at += 1
        elif character == '"':
            item, at = quoted(text, at)
            open_lists[-1].append(element(item) if element else item)
        else:
            end = _bare_end(text, at, delimiter + "}")
            open_lists[-1].append(_item(text[at:end], element))
            at = end
    (found,) = top
    return found if isinstance(found, list) else [found]


def quoted(text: str, at: int) -> tuple[str, int]:
    """The string whose opening quote stands at `at`, and the place behind its closing quote.

    A backslash or a doubled quote keeps the character that follows.
    """
    pieces = []
    start = at = at + 1
    while True:
        character = text[at]
        if character == "\\" or text.startswith('""', at):
            pieces += [text[start:at], text[at + 1]]
            start = at = at + 2
        elif character == '"':
            pieces.append(text[start:at])
            return "".join(pieces), at + 1
        else:
            at += 1


def _bare_end(text: str, at: int, stops: str) -> int:
    while text[at] not in stops:
        at += 1
    return at


def record(
    text: str,
    readers: Sequence[tuple[str, Reader | None]] | None,
    other: Reader | None = None,
) -> object:
    """A row literal `(1,"a b",)` as an object by its field names.

    readers: the row type's fields; None for an anonymous row, whose cells are a list of texts,
    each through `other` if there is one.
    """
    cells = _cells(text)
    if readers is None:
        return [other(cell) if other and cell is not None else cell for cell in cells]
    found: dict[str, object] = {}
    for cell, (name, reader) in zip(cells, readers, strict=bool(readers)):
        found[name] = reader(cell) if reader and cell is not None else cell
    return found


def _cells(text: str) -> list[str | None]:
    """The cells of a row literal; an empty one is NULL, an empty string is written `""`.

    `()` is read as the row of one NULL: a row without any fields is written the same.
    """
    cells: list[str | None] = []
    at = 1
    while True:
        pieces: list[str] = []
        start = at
        while text[at] not in ",)":
            if text[at] == '"':
                piece, at = quoted(text, at)
            else:
                end = _bare_end(text, at, ',)"')
                piece, at = text[at:end], end
            pieces.append(piece)
        cells.append("".join(pieces) if at > start else None)
        if text[at] == ")":
            return cells
        at += 1


def hstore(text: str) -> dict[str, str | None]:
    """`"a"=>"1", "b"=>NULL` as an object."""
    found: dict[str, str | None] = {}
    at = 0
    while at < len(text):
        key, at = quoted(text, at)
        at += len("=>")
        if text[at] == '"':
            found[key], at = quoted(text, at)
        else:
            found[key], at = None, at + len("NULL")
        at += len(", ")
    return found


def single_quoted(text: str, at: int) -> tuple[str, int]:
    """The SQL string that opens at `at` (quotes doubled inside), and the place behind it."""
    pieces = []
    at += 1
    while True:
        end = text.index("'", at)
        pieces.append(text[at:end])
        if not text.startswith("''", end):
            return "'".join(pieces), end + 1
        at = end + 2
