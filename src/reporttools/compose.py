"""Template and data to a Document: check everything first, then build block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from reporttools import chartdata, checks, markup, oneline, pivot, profile, tables
from reporttools.clean import Cleaner
from reporttools.derive import POINTER
from reporttools.document import (
    Block,
    Chart,
    Document,
    Heading,
    Kpi,
    Kpis,
    PageBreak,
    Text,
)
from reporttools.figures import marks
from reporttools.notices import Notices
from reporttools.pictures import load_image
from reporttools.rows import Field, Rows, from_json
from reporttools.templates import Template
from reporttools.words import Words, words
from toolbelt.workspace import Workspace

THEMES: Final = ("navy", "teal", "plum", "graphite")


@dataclass(slots=True)
class Composer:
    """One report being built; `data` is clean and fits the template's schema."""

    template: Template
    data: Any
    workspace: Workspace
    notices: Notices
    lang: str = ""

    def _get(self, key: str) -> Any:
        return self.data.get(key) if isinstance(self.data, dict) else None

    @property
    def language(self) -> str:
        """As asked for, else as the data says."""
        return self.lang or str(self._get("lang") or "en")

    @property
    def locale(self) -> str:
        """How numbers are written: as the data says, else as in its language."""
        return str(self._get("locale") or self.language)

    @property
    def words(self) -> Words:
        """The report's own words."""
        return words(self.language)

    def document(self) -> Document:
        """The whole report."""
        template, get = self.template, self._get
        blocks = tuple(block for spec in template.blocks for block in self._blocks(spec))
        for block in blocks:
            if isinstance(block, Chart):
                chartdata.drawable(block, self.notices)
        logo = get("logo")
        size = get("size") or {}
        return Document(
            title=oneline.one_line(self._filled(template.title))
            or self.words(template.default_title),
            subtitle=self._filled(template.subtitle).strip(" –"),
            blocks=blocks,
            author=str(get("author") or ""),
            lang=self.language,
            locale=self.locale,
            theme=self._theme(str(get("theme") or template.theme or "")),
            logo=load_image(self.workspace, {"path": logo}, "/logo") if logo else None,
            layout=template.layout,
            size=(int(size.get("width", 1600)), int(size.get("height", 900))),
        )

    def _theme(self, name: str) -> str:
        if name and name not in THEMES:
            self.notices.add(
                "UNKNOWN_THEME",
                f"There is no theme {name!r}; themes: {', '.join(THEMES)}.",
                "/theme",
            )
            return ""
        return name

    def _filled(self, text: str) -> str:
        """`{/pointer}` replaced by the value there, by nothing when there is none."""

        def value(match: Any) -> str:
            found = checks.resolve(self.data, match.group(1))
            return "" if found is None else chartdata.label_text(found, self.words)

        return POINTER.sub(value, text)

    def _titled(self, spec: Mapping[str, Any], key: str = "title") -> str:
        """A template's title, in the report's language where that has the same words."""
        return self._filled(self.words(spec.get(key, "")))

    def _blocks(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        made = list(_BUILDERS[spec["kind"]](self, spec))
        title = spec.get("title", "")
        if made and title and spec["kind"] in ("charts", "tables", "images"):
            yield Heading(self._titled(spec))
        yield from made

    def _items(self, spec: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The objects of a list with their pointers; a missing list has none."""
        found = checks.resolve(self.data, spec["from"])
        return [(f"{spec['from']}/{i}", item) for i, item in enumerate(found or [])]

    def kpis(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        items = tuple(_kpi(item) for _, item in self._items(spec))
        if items:
            yield Kpis(items, self._titled(spec))

    def charts(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        for path, item in self._items(spec):
            yield chartdata.from_report(item, path, self.notices, self.words)

    def tables(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        for path, item in self._items(spec):
            fields = [Field(title) for title in item["headers"]]
            yield tables.build(
                item["title"], fields, item["rows"], self.notices,
                specs=item.get("columns") or (), path=path, span=int(item.get("span") or 0),
            )  # fmt: skip

    def images(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        for path, item in self._items(spec):
            yield load_image(self.workspace, item, path)

    def text(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        words = spec.get("text")
        words = checks.resolve(self.data, spec["from"]) if words is None else self._filled(words)
        paragraphs = markup.parse(str(words or ""))
        if paragraphs:
            yield Text(paragraphs, self._titled(spec))

    def heading(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        yield Heading(self._titled(spec))

    def pagebreak(self, _spec: Mapping[str, Any]) -> Iterator[Block]:
        yield PageBreak()

    def chart(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        request = pivot.ChartRequest(
            kind=spec["type"], x=spec["x"], y=tuple(spec["y"]), series=spec.get("series", ""),
            agg=spec.get("agg", ""), title=self._titled(spec),
            subtitle=self._filled(spec.get("subtitle", "")), stacked=spec.get("stacked", ""),
            sort=spec.get("sort", "none"), limit=spec.get("limit"),
            format=tables.number_format(spec), x_title=spec.get("x-title", ""),
            y_title=spec.get("y-title", ""), span=spec.get("span", 0), words=self.words,
        )  # fmt: skip
        made = pivot.chart(self._rows(spec), request, self.notices, spec["from"])
        yield replace(made, path=spec["from"])

    def table(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        rows = self._rows(spec)
        wanted = spec.get("columns") or [{"key": field.name} for field in rows.fields]
        places = {field.name: i for i, field in enumerate(rows.fields)}
        missing = [c["key"] for c in wanted if c["key"] not in places]
        if missing and places:
            raise checks.missing_columns(spec["from"], missing, list(places))
        fields = [
            Field(c.get("title", c["key"]), rows.fields[places[c["key"]]].type if places else "")
            for c in wanted
        ]
        cells = [[row[places[c["key"]]] for c in wanted] for row in rows]
        made = tables.build(
            self._titled(spec), fields, cells, self.notices,  # type: ignore[arg-type]
            specs=wanted, path=spec["from"], span=int(spec.get("span") or 0),
        )  # fmt: skip
        yield replace(made, shown=int(spec.get("limit") or 0))

    def _rows(self, spec: Mapping[str, Any]) -> Rows:
        found = checks.resolve(self.data, spec["from"])
        return from_json([] if found is None else found)

    def profile(self, spec: Mapping[str, Any]) -> Iterator[Block]:
        found = checks.resolve(self.data, spec.get("from", ""))
        speech = profile.Speech(self.words, marks(self.locale))
        yield from profile.blocks(found, spec["part"], self._titled(spec), self.notices, speech)


def _kpi(item: Mapping[str, Any]) -> Kpi:
    return Kpi(
        metric=item["metric"],
        value=item["value"],
        change=item.get("change"),
        format=tables.number_format(item),
        good_when=item.get("goodWhen") or "up",
        change_label=str(item.get("changeLabel") or ""),
        spark=tuple(item.get("spark") or ()),
    )


_BUILDERS: Final[dict[str, Callable[[Composer, Mapping[str, Any]], Iterator[Block]]]] = {
    "kpis": Composer.kpis, "charts": Composer.charts, "tables": Composer.tables,
    "images": Composer.images, "text": Composer.text, "heading": Composer.heading,
    "pagebreak": Composer.pagebreak, "chart": Composer.chart, "table": Composer.table,
    "profile": Composer.profile,
}  # fmt: skip


def checked(template: Template, value: object, notices: Notices) -> object:
    """The data cleaned and known to fit the template; BAD_DATA with every problem otherwise."""
    cleaner = Cleaner()
    data = cleaner(checks.wrapped(template, value))
    checks.check(template, data, notices)
    cleaner.report(notices)
    return data


def compose(
    template: Template, value: object, workspace: Workspace, notices: Notices, lang: str = ""
) -> Document:
    """The report that the template makes of the data; lang goes before the data's own."""
    data = checked(template, value, notices)
    return oneline.document(Composer(template, data, workspace, notices, lang).document())
