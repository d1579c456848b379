"""CSV by COPY: the server writes the very bytes that our own writer would print."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from toolbelt.jsonvalue import Encoder

# Types whose COPY text is our JSON value's text, by catalog name. Others change on the way (a
# document's spaces; a float, whose shortest digits the two ends do not always agree on) or have
# no proof yet, and go row by row.
_SAME = frozenset((
    "int2", "int4", "int8", "oid", "text", "varchar", "bpchar", "name", "uuid", "date", "time",
    "interval", "numeric", "money", "inet", "cidr", "macaddr", "macaddr8",
))  # fmt: skip
_CAST = {
    "bool": "{}::pg_catalog.text",
    # to_json writes ISO 8601 with T and a full offset.
    "timestamp": "pg_catalog.to_json({}) OPERATOR(pg_catalog.#>>) '{{}}'",
    "timestamptz": "pg_catalog.to_json({}) OPERATOR(pg_catalog.#>>) '{{}}'",
    "bytea": "'base64:' OPERATOR(pg_catalog.||) "
    "pg_catalog.translate(pg_catalog.encode({}, 'base64'), E'\\n', '')",
}
_KINDS = ("SELECT", "WITH", "VALUES", "TABLE")
_BLOCK_BYTES: Final = 1 << 16
_SPECIAL = (b"NaN", b"Infinity")
_PREFIX_END: Final = " FROM ("


def statement(text: str, kind: str, type_names: Sequence[str]) -> tuple[str, int] | None:
    """COPY around an approved query, and the length of what stands before its text.

    None when COPY could differ from our own writer or the text could not stand in parentheses.
    """
    body = text.rstrip(" \t\r\n;")
    # One column alone: COPY quotes a lone `\\.`, and writes an empty line for NULL.
    if kind.upper() not in _KINDS or ";" in body or len(type_names) < 2:
        return None
    if not all(name in _SAME or name in _CAST for name in type_names):
        return None
    columns = [f"c{number}" for number in range(1, len(type_names) + 1)]
    made = [
        _CAST[name].format(column) if name in _CAST else column
        for column, name in zip(columns, type_names, strict=True)
    ]
    head = f"COPY (SELECT {', '.join(made)}{_PREFIX_END}"
    tail = f"\n) AS q({', '.join(columns)})) TO STDOUT (FORMAT csv)"
    return head + body + tail, len(head)


def write(
    rows: Iterable[memoryview],
    sink: Callable[[bytes], object],
    type_names: Sequence[str],
    encoder: Encoder,
) -> int:
    """Pass COPY's rows on in blocks; NaN and infinite numbers become empty, with a warning."""
    numeric = [index for index, name in enumerate(type_names) if name == "numeric"]
    count = size = 0
    block: list[memoryview] = []
    for row in rows:
        block.append(row)
        size += len(row)
        count += 1
        if size > _BLOCK_BYTES:
            sink(_finite(b"".join(block), numeric, encoder))
            block.clear()
            size = 0
    if block:
        sink(_finite(b"".join(block), numeric, encoder))
    return count


def _finite(block: bytes, numeric: Sequence[int], encoder: Encoder) -> bytes:
    if not numeric or not any(word in block for word in _SPECIAL):
        return block
    lines = io.StringIO(block.decode(), newline="")
    return "".join(_repaired(line, numeric, encoder) for line in _records(lines)).encode()


def _records(lines: io.StringIO) -> Iterable[str]:
    """Whole CSV records: a line goes on while its quotes are odd in number."""
    record = ""
    for line in lines:
        record += line
        if record.count('"') % 2 == 0:
            yield record
            record = ""


def _repaired(record: str, numeric: Sequence[int], encoder: Encoder) -> str:
    """A record with its non-finite numbers taken out, every other byte as it was."""
    cells = list(_raw_cells(record.removesuffix("\n")))
    wrong = [index for index in numeric if cells[index] in ("NaN", "Infinity", "-Infinity")]
    for index in wrong:
        encoder.not_finite()
        cells[index] = ""
    return ",".join(cells) + "\n"


def _raw_cells(record: str) -> Iterable[str]:
    """The cells of a record with their quotes."""
    cell = ""
    for piece in record.split(","):
        cell += piece
        if cell.count('"') % 2 == 0:
            yield cell
            cell = ""
        else:
            cell += ","
