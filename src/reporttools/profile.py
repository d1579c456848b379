"""What is in a set of rows: a profile of each column, and pictures of the telling ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from reporttools import tables
from reporttools.chartdata import label_text
from reporttools.document import Block, Cell, Chart, Column, Heading, Kpi, Kpis, Series, Table
from reporttools.figures import Marks, compact, full, number_text
from reporttools.histogram import histogram
from reporttools.notices import Notices
from reporttools.pivot import humane
from reporttools.rows import Field, from_json
from reporttools.schema import is_date
from reporttools.words import Words

MAX_CHARTS: Final = 8
MAX_BARS: Final = 12
SAMPLE: Final = 20


@dataclass(slots=True)
class Facts:
    """One column: its filled cells and how many are missing. kind: `number`, `text`, `date`,
    `bool`, or what it mixes (`number 2, text 1`)."""

    name: str
    kind: str
    filled: list[Cell]
    missing: int
    counts: Counter[Cell]

    @property
    def numbers(self) -> list[int | float | Decimal]:
        """The cells that are numbers."""
        return [
            c for c in self.filled if isinstance(c, int | float | Decimal) and type(c) is not bool
        ]


@dataclass(frozen=True, slots=True)
class Speech:
    """The language of a report, and how its numbers are written."""

    words: Words
    marks: Marks


@dataclass(slots=True)
class Profile:
    """All columns of a result, and the result itself as a table."""

    table: Table
    facts: list[Facts]
    truncated: bool
    top: int
    pictures: bool
    sample: int
    hints: Mapping[str, Mapping[str, Any]]
    speech: Speech


def blocks(
    data: object, part: str, title: str, notices: Notices, speech: Speech
) -> Iterator[Block]:
    """The blocks of one part of the profile: `overview`, `columns`, `charts` or `rows`."""
    profile = read(data, notices, speech)
    if part == "overview":
        yield overview(profile)
    elif part == "columns":
        yield column_table(profile, title)
    elif part == "rows":
        cut = speech.words("The query's result was cut by a limit.")
        note = cut if profile.truncated else ""
        yield replace(
            profile.table, title=title or speech.words("Rows"), shown=profile.sample, note=note
        )
    elif profile.pictures:
        charts = list(pictures(profile))
        if charts and title:
            yield Heading(title)
        yield from charts


def read(data: object, notices: Notices, speech: Speech) -> Profile:
    """The profile of a query result or of rows in any of their shapes."""
    rows = from_json(data)
    options = data if isinstance(data, dict) else {}
    columns = options.get("columns")
    hints = columns if isinstance(columns, dict) else {}
    cells = list(rows)
    named = [hints.get(field.name, {}) for field in rows.fields]
    fields = [
        Field(str(hint.get("title") or field.name), _hinted(hint, field))
        for hint, field in zip(named, rows.fields, strict=True)
    ]
    table = tables.build("Rows", fields, cells, notices, specs=named)  # type: ignore[arg-type]
    facts = [
        _facts(field.name, [row[index] for row in table.rows]) for index, field in enumerate(fields)
    ]
    if rows.truncated:
        notices.add("TRUNCATED", "The query's result was cut by a limit; this is a part of it.")
    return Profile(
        table,
        facts,
        rows.truncated,
        top=int(options.get("topValues", 10)),
        pictures=options.get("histograms", True) is not False,
        sample=int(options.get("sampleRows", SAMPLE)),
        hints=hints,
        speech=speech,
    )


def _hinted(hint: Mapping[str, Any], field: Field) -> str:
    """The type a hint declares in the words of an engine, else the field's own."""
    names = {"number": "numeric", "date": "date", "text": "text", "bool": "boolean"}
    return names.get(str(hint.get("type")), field.type)


def _facts(name: str, cells: Sequence[Cell]) -> Facts:
    filled: list[Cell] = [cell for cell in cells if cell is not None and cell != ""]
    kinds = Counter(_kind(cell) for cell in filled)
    if len(kinds) > 1:
        kind = "mixed: " + ", ".join(f"{name} {count}" for name, count in kinds.most_common())
    else:
        kind = next(iter(kinds), "empty")
    return Facts(name, kind, filled, len(cells) - len(filled), Counter(filled))


def _kind(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "bool"
    if isinstance(cell, int | float | Decimal):
        return "number"
    if isinstance(cell, date) or (isinstance(cell, str) and is_date(cell[:10]) and len(cell) < 36):
        return "date"
    return "text"


def overview(profile: Profile) -> Kpis:
    """Four cards: rows, columns, missing cells, rows given twice."""
    rows = len(profile.table.rows)
    cells = rows * len(profile.facts)
    missing = sum(facts.missing for facts in profile.facts)
    share = 100 * missing / cells if cells else 0
    twice = rows - len({tuple(map(repr, row)) for row in profile.table.rows})
    words = profile.speech.words
    items = (
        Kpi(words("Rows (cut by a limit)" if profile.truncated else "Rows"), rows),
        Kpi(words("Columns"), len(profile.facts)),
        Kpi(
            words("Missing cells"),
            round(share, 1),
            format=tables.number_format({"format": "percent"}),
        ),
        Kpi(words("Repeated rows"), twice),
    )
    return Kpis(items, words("Overview"))


def column_table(profile: Profile, title: str) -> Table:
    """One row a column: type, gaps, distinct values, range, the most frequent values."""
    words = profile.speech.words
    heads = ("Column", "Type", "Missing", "Distinct", "Min", "Median", "Max", "Most frequent")
    right = {"Missing", "Distinct", "Min", "Median", "Max"}
    columns = tuple(
        Column(words(head), "number" if head in ("Missing", "Distinct") else "text",
               align="right" if head in right else "left")
        for head in heads
    )  # fmt: skip
    rows = [_column_row(facts, profile.speech) for facts in profile.facts]
    return Table(title or words("Columns"), columns, rows)


def _column_row(facts: Facts, speech: Speech) -> list[Cell]:
    low, middle, high = _range(facts, speech.marks)
    top = ""
    if facts.counts and len(facts.counts) < len(facts.filled):
        common = facts.counts.most_common(3)
        top = ", ".join(
            f"{_short(value, speech)} ({number_text(count, 0, speech.marks)})"
            for value, count in common
        )
    kind = _said(facts.kind, speech.words)
    return [facts.name, kind, facts.missing, len(facts.counts), low, middle, high, top]


def _said(kind: str, words: Words) -> str:
    """A kind, or a mixture of kinds, in the report's language."""
    head, mixed, tail = kind.partition("mixed: ")
    if not mixed:
        return words(head)
    pairs = (part.split(" ") for part in tail.split(", "))
    return words("mixed: {kinds}", kinds=", ".join(f"{words(name)} {n}" for name, n in pairs))


def _range(facts: Facts, marks: Marks) -> tuple[str, str, str]:
    numbers = sorted(facts.numbers)
    if numbers:
        plain = tables.names_things(facts.name) and all(isinstance(n, int) for n in numbers)
        how = tables.number_format({})
        how = replace(how, grouped=not plain)
        half = len(numbers) // 2
        middle = numbers[half] if len(numbers) % 2 else _mean(numbers[half - 1], numbers[half])
        low, high = numbers[0], numbers[-1]
        return full(low, how, marks), full(middle, how, marks), full(high, how, marks)
    if facts.kind == "date":
        ordered = sorted(label_text(cell).replace("T", " ")[:16] for cell in facts.filled)
        return ordered[0], "", ordered[-1]
    return "", "", ""


def _mean(a: int | float | Decimal, b: int | float | Decimal) -> int | float | Decimal:
    if isinstance(a, float) or isinstance(b, float):
        return (float(a) + float(b)) / 2
    total = Decimal(a) + Decimal(b)
    return total / 2


def _short(value: Cell, speech: Speech, limit: int = 24) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return compact(value, where=speech.marks)
    text = " ".join(label_text(value, speech.words).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def pictures(profile: Profile) -> Iterator[Chart]:
    """Charts of the columns whose values repeat or spread; names and keys tell nothing."""
    made = 0
    for facts in profile.facts:
        chart = _picture(facts, profile.top, profile.speech)
        if chart is not None:
            yield chart
            made += 1
            if made == MAX_CHARTS:
                return


def _picture(facts: Facts, top: int, speech: Speech) -> Chart | None:
    if len(facts.counts) < 2:
        return None
    title, words = humane(facts.name), speech.words
    if facts.kind == "number" and not tables.names_things(facts.name):
        labels, counts = histogram(facts.numbers, speech.marks)
        return _bars(title, "bar", labels, counts, words("rows by value"), words)
    if facts.kind == "date":
        return _by_date(title, facts, words)
    if facts.kind in ("text", "bool") and top and len(facts.counts) < len(facts.filled):
        common = facts.counts.most_common(top)
        labels = [label_text(value, words) for value, _ in common]
        rest = len(facts.counts) - len(common)
        note = words("rows by value")
        if rest:
            more = number_text(rest, 0, speech.marks)
            note = words("most frequent values, {count} more", count=more)
        return _bars(title, "barh", labels, [count for _, count in common], note, words)
    return None


def _by_date(title: str, facts: Facts, words: Words) -> Chart | None:
    """Rows by day, month or year, whichever gives a readable number of points."""
    texts = [label_text(value)[:10] for value in facts.filled]
    for width, note in ((10, "rows by day"), (7, "rows by month"), (4, "rows by year")):
        counts = Counter(text[:width] for text in texts)
        if len(counts) <= 40:
            if len(counts) < 2:
                return None
            labels = sorted(counts)
            values = [counts[label] for label in labels]
            return _bars(title, "bar", labels, values, words(note), words)
    return None


def _bars(
    title: str, kind: Any, labels: Sequence[str], counts: Sequence[int], note: str, words: Words
) -> Chart:
    series = (Series(words("Rows"), tuple(counts)),)
    return Chart(kind, title, tuple(labels), series, subtitle=note, span=6, other=words("Other"))
