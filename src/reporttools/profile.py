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
from reporttools.figures import compact, full
from reporttools.histogram import histogram
from reporttools.notices import Notices
from reporttools.pivot import humane
from reporttools.rows import Field, from_json
from reporttools.schema import is_date

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


def blocks(data: object, part: str, title: str, notices: Notices) -> Iterator[Block]:
    """The blocks of one part of the profile: `overview`, `columns`, `charts` or `rows`."""
    profile = read(data, notices)
    if part == "overview":
        yield overview(profile)
    elif part == "columns":
        yield column_table(profile, title)
    elif part == "rows":
        note = "The query's result was cut by a limit." if profile.truncated else ""
        yield replace(profile.table, title=title or "Rows", shown=profile.sample, note=note)
    elif profile.pictures:
        charts = list(pictures(profile))
        if charts and title:
            yield Heading(title)
        yield from charts


def read(data: object, notices: Notices) -> Profile:
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
    items = (
        Kpi("Rows (cut by a limit)" if profile.truncated else "Rows", rows),
        Kpi("Columns", len(profile.facts)),
        Kpi("Missing cells", round(share, 1), format=tables.number_format({"format": "percent"})),
        Kpi("Repeated rows", twice),
    )
    return Kpis(items, "Overview")


def column_table(profile: Profile, title: str) -> Table:
    """One row a column: type, gaps, distinct values, range, the most frequent values."""
    heads = ("Column", "Type", "Missing", "Distinct", "Min", "Median", "Max", "Most frequent")
    right = {"Missing", "Distinct", "Min", "Median", "Max"}
    columns = tuple(
        Column(head, "number" if head in ("Missing", "Distinct") else "text",
               align="right" if head in right else "left")
        for head in heads
    )  # fmt: skip
    rows = [_column_row(facts) for facts in profile.facts]
    return Table(title or "Columns", columns, rows)


def _column_row(facts: Facts) -> list[Cell]:
    low, middle, high = _range(facts)
    top = ""
    if facts.counts and len(facts.counts) < len(facts.filled):
        common = facts.counts.most_common(3)
        top = ", ".join(f"{_short(value)} ({count:,})" for value, count in common)
    return [facts.name, facts.kind, facts.missing, len(facts.counts), low, middle, high, top]


def _range(facts: Facts) -> tuple[str, str, str]:
    numbers = sorted(facts.numbers)
    if numbers:
        plain = tables.names_things(facts.name) and all(isinstance(n, int) for n in numbers)
        how = tables.number_format({})
        how = replace(how, grouped=not plain)
        half = len(numbers) // 2
        middle = numbers[half] if len(numbers) % 2 else _mean(numbers[half - 1], numbers[half])
        return full(numbers[0], how), full(middle, how), full(numbers[-1], how)
    if facts.kind == "date":
        ordered = sorted(label_text(cell).replace("T", " ")[:16] for cell in facts.filled)
        return ordered[0], "", ordered[-1]
    return "", "", ""


def _mean(a: int | float | Decimal, b: int | float | Decimal) -> int | float | Decimal:
    if isinstance(a, float) or isinstance(b, float):
        return (float(a) + float(b)) / 2
    total = Decimal(a) + Decimal(b)
    return total / 2


def _short(value: Cell, limit: int = 24) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return compact(value)
    text = " ".join(label_text(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def pictures(profile: Profile) -> Iterator[Chart]:
    """Charts of the columns whose values repeat or spread; names and keys tell nothing."""
    made = 0
    for facts in profile.facts:
        chart = _picture(facts, profile.top)
        if chart is not None:
            yield chart
            made += 1
            if made == MAX_CHARTS:
                return


def _picture(facts: Facts, top: int) -> Chart | None:
    if len(facts.counts) < 2:
        return None
    title = humane(facts.name)
    if facts.kind == "number" and not tables.names_things(facts.name):
        labels, counts = histogram(facts.numbers)
        return _bars(title, "bar", labels, counts, "rows by value")
    if facts.kind == "date":
        return _by_date(title, facts)
    if facts.kind in ("text", "bool") and top and len(facts.counts) < len(facts.filled):
        common = facts.counts.most_common(top)
        labels = [label_text(value) for value, _ in common]
        rest = len(facts.counts) - len(common)
        note = f"most frequent values, {rest:,} more" if rest else "rows by value"
        return _bars(title, "barh", labels, [count for _, count in common], note)
    return None


def _by_date(title: str, facts: Facts) -> Chart | None:
    """Rows by day, month or year, whichever gives a readable number of points."""
    texts = [label_text(value)[:10] for value in facts.filled]
    for width, note in ((10, "rows by day"), (7, "rows by month"), (4, "rows by year")):
        counts = Counter(text[:width] for text in texts)
        if len(counts) <= 40:
            if len(counts) < 2:
                return None
            labels = sorted(counts)
            return _bars(title, "bar", labels, [counts[label] for label in labels], note)
    return None


def _bars(title: str, kind: Any, labels: Sequence[str], counts: Sequence[int], note: str) -> Chart:
    series = (Series("Rows", tuple(counts)),)
    return Chart(kind, title, tuple(labels), series, subtitle=note, y_title="", span=6)
