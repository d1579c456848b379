"""A report without a format: what every template builds and every renderer draws.

Lengths and looks are the renderers' business; here are only words, numbers and their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

# A table cell. Text stays text: a string is never read as a number, a date or a formula.
Cell = str | int | float | Decimal | bool | date | datetime | None
Row = Sequence[Cell]

ChartKind = Literal["bar", "barh", "line", "area", "scatter", "pie", "donut"]
Stacking = Literal["", "sum", "percent"]
FormatKind = Literal["number", "percent", "currency", "duration", "bytes"]
ColumnKind = Literal["text", "number", "date", "bool"]
Align = Literal["left", "right", "center"]
Total = Literal["", "sum", "avg", "min", "max", "count"]


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How numbers read. unit: a currency code, or a word after the number. decimals: fixed count,
    None to follow the data. grouped: thousands separators (not for years and identifiers)."""

    kind: FormatKind = "number"
    unit: str = ""
    decimals: int | None = None
    grouped: bool = True


PLAIN = NumberFormat()


@dataclass(frozen=True, slots=True)
class Kpi:
    """A key figure. change: percent against the period before; good_when: which way is good."""

    metric: str
    value: float | int | Decimal | None
    change: float | int | None = None
    format: NumberFormat = PLAIN
    good_when: Literal["up", "down", "neutral"] = "up"
    change_label: str = ""
    spark: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Kpis:
    """A row of cards."""

    items: tuple[Kpi, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One line or set of bars; `values` go with the chart's labels, None is a gap."""

    name: str
    values: tuple[float | int | None, ...]
    color: str = ""
    kind: Literal["", "bar", "line", "area"] = ""


@dataclass(frozen=True, slots=True)
class Point:
    """A dot of a scatter chart; size is an area, relative to the other dots'."""

    x: float
    y: float
    label: str = ""
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Cloud:
    """The named dots of one series of a scatter chart."""

    name: str
    points: tuple[Point, ...]
    color: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Labels with one or more series, or clouds of points (scatter only).

    span: columns of twelve it takes beside other charts; 0 leaves it to the layout. other: the word
    for what is summed up.
    """

    kind: ChartKind
    title: str
    labels: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    clouds: tuple[Cloud, ...] = ()
    subtitle: str = ""
    stacked: Stacking = ""
    x_title: str = ""
    y_title: str = ""
    format: NumberFormat = PLAIN
    alt: str = ""
    span: int = 0
    path: str = ""
    other: str = "Other"

    def is_other(self, label: str) -> bool:
        """The label stands for what is summed up as the rest."""
        return label.startswith(f"{self.other} (")

    def rest(self, count: int) -> str:
        """The label of so many labels or series that are summed up."""
        return f"{self.other} ({count})"

    @property
    def empty(self) -> bool:
        """Nothing in it can be drawn."""
        if self.kind == "scatter":
            return not any(cloud.points for cloud in self.clouds)
        return not any(value is not None for series in self.series for value in series.values)


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column; kind and format come from the data unless the report says them."""

    title: str
    kind: ColumnKind = "text"
    format: NumberFormat = PLAIN
    align: Align = "left"
    total: Total = ""
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns. shown: how many of them pages and slides show, 0 for all; the data
    formats (XLSX, CSV) always hold every row."""

    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    shown: int = 0
    note: str = ""
    span: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of running text."""

    text: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text. kind: `h1`..`h3`, `p`, `bullet` or `number` (marker holds `1.`)."""

    kind: Literal["h1", "h2", "h3", "p", "bullet", "number"]
    spans: tuple[Span, ...]
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Notes."""

    paragraphs: tuple[Paragraph, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes (PNG or JPEG), pixel size and what it shows. name, path: as the data
    names it, and where."""

    content: bytes = field(repr=False)
    width: int
    height: int
    caption: str = ""
    alt: str = ""
    half: bool = False
    name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class PageBreak:
    """What follows starts a new page or slide."""


Block = Kpis | Chart | Table | Text | Image | Heading | PageBreak


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report. layout: `pages` flows over paper, `board` is one landscape screen.

    size: pixels of the board. locale: how numbers are written (`en`, `de`, ...).
    """

    title: str
    blocks: tuple[Block, ...]
    subtitle: str = ""
    author: str = ""
    lang: str = "en"
    locale: str = "en"
    theme: str = ""
    logo: Image | None = None
    layout: Literal["pages", "board"] = "pages"
    size: tuple[int, int] = (1600, 900)

    def tables(self) -> Iterable[Table]:
        """Its tables, in order."""
        return (block for block in self.blocks if isinstance(block, Table))

    def charts(self) -> Iterable[Chart]:
        """Its charts, in order."""
        return (block for block in self.blocks if isinstance(block, Chart))
