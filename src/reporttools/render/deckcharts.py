"""Native charts of a slide: people can open their data and change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reporttools.chartdata import ROUND, drawable, shares_of, total_of
from reporttools.document import PLAIN, Chart
from reporttools.figures import (
    Marks,
    compact,
    excel_code,
    excel_unit_code,
    significant_decimals,
)
from reporttools.render import deckxml
from reporttools.render.axis import date_texts, dates_of
from reporttools.render.bars import MAX_LABELLED
from reporttools.render.chart import NO_DATA
from reporttools.render.style import AXIS, GRID, INK, MUTED, SURFACE, WHITE

if TYPE_CHECKING:
    from reporttools.render.deck import Deck
    from reporttools.render.surface import Look

EMU: Final = 12_700
RING_TALL: Final = 0.94
SMALLEST_LABEL: Final = 0.045


def add(
    deck: Deck, slide: Any, chart: Chart, x: float, y: float, w: float, h: float, alt: str,
    size: float = 12.0,
) -> None:  # fmt: skip
    """The chart in a box of the slide; a note when there is nothing to draw."""
    if chart.empty:
        deck.box(slide, x, y, w, h, SURFACE, GRID, rounded=True)
        deck.text(slide, x, y, w, h, deck.look.words(NO_DATA), 16, MUTED, align="center")
        return
    chart = drawable(chart)
    if chart.kind in ROUND:
        x, w = _ring_box(deck, chart, x, w, h, size)
    kind, data = _kind(chart), _data(chart, deck.look)
    frame = slide.shapes.add_chart(
        kind, int(x * EMU), int(y * EMU), int(w * EMU), int(h * EMU), data
    )
    frame.name = f"Chart: {chart.title}"[:200]
    frame._element.nvGraphicFramePr.cNvPr.set("descr", alt)
    made = frame.chart
    made.has_title = False
    made.font.size = int(size * EMU)
    made.font.color.rgb = deck.rgb(MUTED)
    if chart.kind in ROUND:
        _ring(deck, slide, made, chart, (x, y, w, h), size)
        return
    _legend(deck, made, len(chart.clouds or chart.series), size)
    _axes(deck, made, chart, size)
    if chart.kind == "scatter":
        _dots(deck, made, chart)
    else:
        _series(deck, made, chart)
        _labels(deck, made, chart)
        deckxml.lines_over(made, chart)


def _kind(chart: Chart) -> Any:
    from pptx.enum.chart import XL_CHART_TYPE as KIND

    stack = {"": "CLUSTERED", "sum": "STACKED", "percent": "STACKED_100"}[chart.stacked]
    if chart.kind == "bar":
        return getattr(KIND, f"COLUMN_{stack}")
    if chart.kind == "barh":
        return getattr(KIND, f"BAR_{stack}")
    if chart.kind == "area":
        return getattr(KIND, "AREA" if not chart.stacked else f"AREA_{stack}")
    if chart.kind == "scatter":
        return KIND.XY_SCATTER
    if chart.kind in ROUND:
        return KIND.DOUGHNUT
    return KIND.LINE


def _data(chart: Chart, look: Look) -> Any:
    from pptx.chart.data import CategoryChartData, XyChartData

    if chart.kind == "scatter":
        points = XyChartData(number_format="General")
        for cloud in chart.clouds:
            series = points.add_series(cloud.name or look.words("Points"))
            for point in cloud.points:
                series.add_data_point(point.x, point.y)
        return points
    data = CategoryChartData(number_format=_code(chart, look.marks))
    days = dates_of(chart.labels) if chart.kind in ("line", "area") else None
    if days and len(set(days)) == len(days) and len(days) > 2:
        data.categories = days
    else:
        known = dates_of(chart.labels)
        texts = date_texts(known, look.words) if known else chart.labels
        data.categories = [text or " " for text in texts]
    for item in chart.series:
        data.add_series(item.name or look.words("Values"), item.values)
    return data


def _code(chart: Chart, where: Marks) -> str:
    values = [v for s in chart.series for v in s.values if v is not None]
    how = chart.format
    if how.kind in ("duration", "bytes"):
        return "#,##0"
    places = how.decimals
    if places is None:
        places = 2 if how.kind == "currency" else max(map(significant_decimals, values), default=0)
    return excel_code(how, min(places, 4), where)


def _axis_code(chart: Chart, where: Marks, *, ticks: bool = True) -> str:
    if chart.stacked == "percent":
        return "0%"
    values = [v for s in chart.series for v in s.values if v is not None]
    return excel_unit_code(values, chart.format, where, ticks=ticks) or _code(chart, where)


def _legend(deck: Deck, made: Any, count: int, size: float) -> None:
    from pptx.enum.chart import XL_LEGEND_POSITION

    made.has_legend = count > 1
    if count > 1:
        made.legend.position = XL_LEGEND_POSITION.TOP
        made.legend.include_in_layout = False
        made.legend.font.size = int(size * EMU)
        made.legend.font.color.rgb = deck.rgb(INK)


def _axes(deck: Deck, made: Any, chart: Chart, size: float) -> None:
    from pptx.enum.chart import XL_TICK_LABEL_POSITION, XL_TICK_MARK

    values, across = made.value_axis, made.category_axis
    values.has_major_gridlines = True
    values.major_gridlines.format.line.color.rgb = deck.rgb(GRID)
    values.format.line.fill.background()
    values.major_tick_mark = across.major_tick_mark = XL_TICK_MARK.NONE
    across.format.line.color.rgb = deck.rgb(AXIS)
    across.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    if chart.kind != "scatter":
        across.has_major_gridlines = False
        values.tick_labels.number_format = _axis_code(chart, deck.look.marks)
        values.tick_labels.number_format_is_linked = False
        if chart.kind != "line":
            # Areas and bars are lengths: their axis begins at zero.
            known = [v for s in chart.series for v in s.values if v is not None]
            if min(known, default=0) >= 0:
                values.minimum_scale = 0
    else:
        _scatter_codes(deck, chart, across, values)
    if chart.kind == "barh":
        across.reverse_order = True
        values.tick_label_position = XL_TICK_LABEL_POSITION.HIGH
    days = dates_of(chart.labels) if chart.kind in ("line", "area") else None
    if days:
        monthly = all(day.day == 1 for day in days)
        code = "mmm yyyy" if monthly else "d mmm"
        across.tick_labels.number_format = deck.look.words.date_code + code
        across.tick_labels.number_format_is_linked = False
    if chart.kind != "scatter":
        deckxml.fewer_labels(across, days, len(chart.labels))
    for axis, title in ((across, chart.x_title), (values, chart.y_title)):
        axis.has_title = bool(title)
        if title:
            paragraph = axis.axis_title.text_frame.paragraphs[0]
            deck.run(paragraph, title, size, MUTED, align="")


def _scatter_codes(deck: Deck, chart: Chart, across: Any, up: Any) -> None:
    points = [point for cloud in chart.clouds for point in cloud.points]
    for axis, ends in ((across, [p.x for p in points]), (up, [p.y for p in points])):
        code = excel_unit_code(ends, PLAIN, deck.look.marks, ticks=True)
        axis.tick_labels.number_format = code or "General"
        axis.tick_labels.number_format_is_linked = False


def _series(deck: Deck, made: Any, chart: Chart) -> None:
    plot = made.plots[0]
    if chart.kind in ("bar", "barh"):
        plot.gap_width = 60
        if chart.stacked:
            plot.overlap = 100
    for place, (series, source) in enumerate(zip(plot.series, chart.series, strict=True)):
        color = deck.rgb(deck.look.theme.color(place, source.color))
        if chart.kind == "line":
            _line(series, color, few=sum(v is not None for v in source.values) <= 2)
            continue
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = color
        if chart.kind in ("bar", "barh"):
            series.invert_if_negative = False


def _line(series: Any, color: Any, *, few: bool) -> None:
    from pptx.enum.chart import XL_MARKER_STYLE

    series.smooth = False
    series.format.line.color.rgb = color
    series.format.line.width = int(2.5 * EMU)
    if few:
        series.marker.style = XL_MARKER_STYLE.CIRCLE
        series.marker.size = 8
        series.marker.format.fill.solid()
        series.marker.format.fill.fore_color.rgb = color
    else:
        series.marker.style = XL_MARKER_STYLE.NONE


def _dots(deck: Deck, made: Any, chart: Chart) -> None:
    from pptx.enum.chart import XL_MARKER_STYLE

    for place, (series, cloud) in enumerate(zip(made.plots[0].series, chart.clouds, strict=True)):
        series.format.line.fill.background()
        series.marker.style = XL_MARKER_STYLE.CIRCLE
        series.marker.size = 8
        series.marker.format.fill.solid()
        series.marker.format.fill.fore_color.rgb = deck.rgb(
            deck.look.theme.color(place, cloud.color)
        )
        series.marker.format.line.fill.background()


def _labels(deck: Deck, made: Any, chart: Chart) -> None:
    """Values on bars when there are few enough to be read."""
    from pptx.enum.chart import XL_LABEL_POSITION

    count = len(chart.labels) * len(chart.series)
    if chart.kind not in ("bar", "barh") or chart.stacked or count > MAX_LABELLED:
        return
    plot = made.plots[0]
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.number_format = _axis_code(chart, deck.look.marks, ticks=False)
    labels.number_format_is_linked = False
    labels.position = XL_LABEL_POSITION.OUTSIDE_END
    labels.font.color.rgb = deck.rgb(INK)


def _ring_box(
    deck: Deck, chart: Chart, x: float, w: float, h: float, size: float
) -> tuple[float, float]:
    """Left edge and width of a ring with its legend close by, in the middle of the room."""
    widest = max(deck.look.fonts.width(label, _legend_size(size)) for label in chart.labels)
    wide = min(w, h * RING_TALL + min(widest, w * 0.4) + 4 * size)
    return x + (w - wide) / 2, wide


def _legend_size(size: float) -> float:
    return size + (2 if size > 10 else 0)


def _ring(
    deck: Deck, slide: Any, made: Any, chart: Chart, box: tuple[float, float, float, float],
    size: float,
) -> None:  # fmt: skip
    """Slices in our colours, shares on the large ones, legend at the right, total in the hole."""
    from pptx.enum.chart import XL_LEGEND_POSITION

    made.has_legend = True
    made.legend.position = XL_LEGEND_POSITION.RIGHT
    made.legend.include_in_layout = False
    made.legend.font.size = int(_legend_size(size) * EMU)
    made.legend.font.color.rgb = deck.rgb(INK)
    plot = made.plots[0]
    values = [float(v or 0) for v in chart.series[0].values]
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.show_percentage, labels.show_value = True, False
    labels.number_format, labels.number_format_is_linked = "0.0%", False
    labels.font.color.rgb, labels.font.bold = deck.rgb(WHITE), True
    for place, (label, share) in enumerate(zip(chart.labels, shares_of(values), strict=True)):
        point = plot.series[0].points[place]
        point.format.fill.solid()
        color = "#9AA1AC" if chart.is_other(label) else deck.look.theme.color(place)
        point.format.fill.fore_color.rgb = deck.rgb(color)
        point.format.line.color.rgb = deck.rgb(WHITE)
        point.format.line.width = int(1.5 * EMU)
        if share < SMALLEST_LABEL * (1 if size > 10 else 2):
            deckxml.no_label(plot.series[0], place)
    x, y, w, h = box
    side = min(h * RING_TALL, w * 0.62)
    deckxml.ring(made, side / w, side / h)
    _ring_total(deck, slide, chart, x + side / 2, y + h / 2, side)


def _ring_total(deck: Deck, slide: Any, chart: Chart, x: float, y: float, side: float) -> None:
    """The sum in the hole, as large as it fits."""
    fonts = deck.look.fonts
    exact = total_of(chart.series[0].values)
    text = fonts.drawn(compact(exact, chart.format, deck.look.marks))
    large = min(side * 0.12, 34.0)
    while large > 6 and fonts.width(text, large, True) > side * 0.5:
        large -= 0.5
    left, wide, small = x - side * 0.29, side * 0.58, max(6.0, large * 0.45)
    deck.text(slide, left, y - large * 0.95, wide, large * 1.2, text, large, INK, bold=True,
              align="center")  # fmt: skip
    said = deck.look.words("total")
    deck.text(slide, left, y + large * 0.3, wide, small * 1.4, said, small, MUTED, align="center")
