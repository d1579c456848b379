"""Titles and names of a document on one line each: no line breaks, no tabs, nothing invisible."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any, Final

from reporttools import clean
from reporttools.document import Block, Chart, Document, Heading, Image, Kpi, Kpis, Table, Text

# Spaces, separators, format and control characters leave no ink.
_INKLESS: Final = frozenset(("Zs", "Zl", "Zp", "Cf", "Cc"))


def one_line(text: str) -> str:
    """The text on one line; empty when nothing of it would be seen."""
    if not text.isprintable():
        text = clean.text(text)
        if all(unicodedata.category(char) in _INKLESS for char in text):
            return ""
        parts = (part.strip() for part in text.replace("\t", " ").splitlines())
        text = " ".join(part for part in parts if part)
    return text.strip()


def _lined(value: Any, *names: str) -> dict[str, str]:
    return {name: one_line(getattr(value, name)) for name in names}


def chart(made: Chart) -> Chart:
    """A chart whose titles and series' names are one line each; labels stay as they are."""
    return replace(
        made,
        **_lined(made, "title", "subtitle", "x_title", "y_title", "alt"),  # type: ignore[arg-type]
        series=tuple(replace(series, name=one_line(series.name)) for series in made.series),
        clouds=tuple(replace(cloud, name=one_line(cloud.name)) for cloud in made.clouds),
        format=replace(made.format, unit=one_line(made.format.unit)),
    )


def _kpi(item: Kpi) -> Kpi:
    how = replace(item.format, unit=one_line(item.format.unit))
    return replace(item, format=how, **_lined(item, "metric", "change_label"))  # type: ignore[arg-type]


def table(made: Table) -> Table:
    """A table whose title and units are one line each; cells and column titles stay."""
    columns = tuple(
        replace(column, format=replace(column.format, unit=one_line(column.format.unit)))
        for column in made.columns
    )
    return replace(made, columns=columns, **_lined(made, "title", "note"))  # type: ignore[arg-type]


def _block(block: Block) -> Block:
    match block:
        case Chart():
            return chart(block)
        case Table():
            return table(block)
        case Kpis():
            return Kpis(tuple(map(_kpi, block.items)), one_line(block.title))
        case Text():
            return replace(block, title=one_line(block.title))
        case Image():
            return replace(block, caption=one_line(block.caption), alt=one_line(block.alt))
        case Heading():
            return Heading(one_line(block.text))
        case _:
            return block


def document(made: Document) -> Document:
    """A document whose titles, names and units are one line each."""
    return replace(
        made,
        blocks=tuple(map(_block, made.blocks)),
        **_lined(made, "title", "subtitle", "author", "lang"),  # type: ignore[arg-type]
    )
