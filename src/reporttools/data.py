"""Where the data comes from: a file of the workspace or a pipe, as JSON, NDJSON or CSV.

with open_source("-", workspace) as source:
    value = document(source)  # for a template: one JSON value
    rows = table(source)  # for chart and table: columns and an iterator of rows
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Final

from reporttools import clean, jsontext
from reporttools.packed import packed
from reporttools.rows import Field, Rows, from_json
from toolbelt.errors import EXIT_CODES, ToolError
from toolbelt.workspace import Workspace

MAX_BYTES: Final = 256 * 1024 * 1024
_SPOOL: Final = 8 * 1024 * 1024
_PEEK: Final = 64 * 1024
FORMATS: Final = ("json", "ndjson", "csv", "tsv")


@dataclass(slots=True)
class Source:
    """An opened input. name: as the caller wrote it. format: one of FORMATS. file: seekable."""

    name: str
    format: str
    file: IO[bytes]

    def text(self) -> str:
        """The whole content; BAD_DATA above MAX_BYTES."""
        self.file.seek(0)
        raw = self.file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ToolError(
                "BAD_DATA",
                f"{self.name} is larger than {MAX_BYTES // 2**20} MiB.",
                hint="send NDJSON or CSV, which are read row by row",
                detail={"reason": "too_large"},
            )
        return jsontext.decode(raw, self.name)


@contextmanager
def open_source(option: str, workspace: Workspace, form: str = "") -> Iterator[Source]:
    """The source that `--data` names; `-` is stdin. form: its format, empty to look at it."""
    if option != "-":
        with workspace.resolve_input(option) as given:
            yield _source(option, given.file, form)
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise ToolError(
            "USAGE", "There is no data: stdin is a terminal.",
            hint="pipe JSON in, or name a file with --data FILE",
        )  # fmt: skip
    import tempfile

    with tempfile.SpooledTemporaryFile(max_size=_SPOOL) as spool:
        while chunk := sys.stdin.buffer.read(1 << 20):
            spool.write(chunk)
        yield _source("stdin", spool, form)


def _source(name: str, file: IO[bytes], form: str) -> Source:
    file.seek(0)
    head = file.read(_PEEK)
    form = form or _sniff(head, name)
    file.seek(0)
    return Source(name, form, file)


def _sniff(head: bytes, name: str) -> str:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        start = head.decode("utf-16", "replace").lstrip().encode()
    if name.endswith((".ndjson", ".jsonl")):
        return "ndjson"
    if start[:1] == b"{" and _one_document_a_line(start):
        return "ndjson"
    if start[:1] in (b"{", b"[") or not start or name.endswith(".json"):
        return "json"
    if not _looks_tabular(start):
        return "json"
    first = start.split(b"\n", 1)[0]
    return "tsv" if first.count(b"\t") > first.count(b",") else "csv"


def _looks_tabular(start: bytes) -> bool:
    """A first line of column names; a lone JSON word or broken JSON is left to the JSON reader."""
    first = start.split(b"\n", 1)[0].strip()
    return not first.startswith((b'"', b"'")) or b"," in first or b"\n" in start


def _one_document_a_line(start: bytes) -> bool:
    """The first line is a whole object and something follows."""
    first, _, rest = start.partition(b"\n")
    if not rest.strip():
        return False
    try:
        jsontext.STRICT.decode(first.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def document(source: Source) -> object:
    """The data of a report: a JSON value; NDJSON and CSV become `{"rows": [...]}`."""
    if source.format == "json":
        return passed_on(jsontext.parse(source.text(), source.name))
    if source.format == "ndjson":
        return {"rows": list(_ndjson(source))}
    reader = _csv_rows(source)
    return {"headers": next(reader, []), "rows": list(reader)}


def table(source: Source) -> Rows:
    """Columns and rows; NDJSON and CSV are read as they are asked for."""
    if source.format == "json":
        return from_json(passed_on(jsontext.parse(source.text(), source.name)))
    if source.format == "ndjson":
        return _ndjson_table(source)
    reader = _csv_rows(source)
    fields = [Field(name) for name in next(reader, [])]
    width = len(fields)
    return Rows(fields, _same_width(reader, width, source.name), typed=False)


def passed_on(value: object) -> object:
    """The value, unless it is the failure of the command before: that is raised again as it was."""
    if not isinstance(value, dict) or value.get("ok") is not False:
        return value
    error = value.get("error")
    if not isinstance(error, dict):
        return value
    code = str(error.get("code", ""))
    kept = {k: v for k, v in error.items() if k not in ("code", "message", "hint")}
    detail = {**kept, "passedOn": True}
    if code not in EXIT_CODES:
        detail["originalCode"], code = code, "BAD_DATA"
    message = str(error.get("message") or "The command before failed.")
    raise ToolError(code, message, hint=str(error.get("hint") or ""), detail=detail)


def _lines(source: Source) -> Iterable[str]:
    source.file.seek(0)
    head = source.file.read(2)
    source.file.seek(0)
    encoding = "utf-16" if head in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    wrapper = io.TextIOWrapper(source.file, encoding=encoding, newline="")
    try:
        # Not `yield from`: an abandoned generator would close the file with it.
        for line in wrapper:  # noqa: UP028
            yield line
    except UnicodeDecodeError as error:
        raise ToolError(
            "BAD_DATA", f"{source.name} is not UTF-8 text: {error.reason}.", hint="save it as UTF-8"
        ) from error
    finally:
        wrapper.detach()


def _ndjson(source: Source) -> Iterator[object]:
    for number, line in enumerate(_lines(source), 1):
        if not line.isspace():
            value = jsontext.parse(line, f"{source.name}, line {number}", number)
            yield passed_on(value) if number == 1 else value


def _ndjson_table(source: Source) -> Rows:
    """Read once, to its end: a key may first appear in the last line."""
    rows = packed(_objects(source))
    return Rows([Field(name) for name in rows.names], rows, clean=True)


def _objects(source: Source) -> Iterator[dict[str, object]]:
    for number, value in enumerate(_ndjson(source), 1):
        if not isinstance(value, dict):
            raise ToolError(
                "BAD_DATA", f"{source.name}, document {number}: an object a line is expected.",
                hint='one object a line: {"x": 1}', detail={"path": f"/{number - 1}"},
            )  # fmt: skip
        yield value


def _csv_rows(source: Source) -> Iterator[list[str]]:
    delimiter = "\t" if source.format == "tsv" else _delimiter(source)
    reader = csv.reader(map(_clean, _lines(source)), delimiter=delimiter, strict=True)
    csv.field_size_limit(16 * 1024 * 1024)
    try:
        for row in reader:
            if row:
                yield row
    except csv.Error as error:
        raise ToolError(
            "BAD_DATA", f"{source.name}, line {reader.line_num}: not valid CSV: {error}.",
            hint="quote fields that hold quotes, commas or line breaks", detail={"path": ""},
        ) from error  # fmt: skip


def _clean(line: str) -> str:
    """A line without control characters, its end as it was."""
    return line if line.rstrip("\r\n").isprintable() else clean.text(line)


def _delimiter(source: Source) -> str:
    """A semicolon when the first line has more of them than commas (Excel in many countries)."""
    first = next(iter(_lines(source)), "")
    return ";" if first.count(";") > first.count(",") else ","


def _same_width(reader: Iterator[list[str]], width: int, name: str) -> Iterator[list[object]]:
    for number, row in enumerate(reader, 1):
        if len(row) != width:
            raise ToolError(
                "BAD_DATA", f"{name}, row {number}: {len(row)} fields, but {width} column names.",
                hint="every row needs one field a column", detail={"path": f"/{number - 1}"},
            )  # fmt: skip
        yield list(row)
