"""Native charts of a workbook, each beside the values it is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from reporttools.chartdata import ROUND, drawable
from reporttools.document import PLAIN, Cell, Chart, Series
from reporttools.figures import Marks, column_decimals, excel_code, excel_unit_code
from reporttools.render import excel
from reporttools.render.axis import dates_of
from reporttools.render.bars import MAX_LABELLED
from reporttools.render.csvfile import chart_rows
from reporttools.render.style import AXIS, GRID, MUTED, PALETTE
from reporttools.words import Words

if TYPE_CHECKING:
    from reporttools.render.sheet import Workbook

TALL: Final = 17  # rows under a chart
LEFT: Final = 1
PAGE: Final = 66  # rows on a printed page


def write(sheet: Any, charts: Sequence[Chart], made: Workbook) -> None:
    """All charts below each other: values on the left, the picture on the right."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.pagebreak import Break

    plain = [(_heads(chart, made), chart_rows(chart)[1]) for chart in charts]
    wide = max((len(names) for names, _ in plain), default=2)
    sheet.column_dimensions["A"].width = 26
    for place in range(2, wide + 1):
        sheet.column_dimensions[get_column_letter(place)].width = 14
    row, page = 1, 1
    for chart, (names, rows) in zip(charts, plain, strict=True):
        tall = max(TALL + 2, len(rows) + 4)
        if row > page and row + tall - page > PAGE:
            # A chart is never cut by the edge of a printed page.
            sheet.row_breaks.append(Break(id=row - 1))
            page = row
        made.put(sheet, row, LEFT, chart.title, bold=True, size=13, color=made.theme.band)
        drawn = drawable(chart)
        if _timed(chart):
            rows = [(date.fromisoformat(str(cells[0])), *cells[1:]) for cells in rows]
        first = _values(sheet, made, row + 1, LEFT, names, rows, chart)
        last = first + len(rows) - 1
        column = LEFT
        if not chart.empty and drawn.labels != chart.labels:
            # What is drawn differs from what is told: it gets its own values, beside the picture.
            column = wide + 11
            made.put(sheet, row, column, made.words("As drawn"), color=MUTED)
            drawn_names, drawn_rows = _heads(drawn, made), chart_rows(drawn)[1]
            first = _values(sheet, made, row + 1, column, drawn_names, drawn_rows, drawn)
            last = first + len(drawn_rows) - 1
        if chart.empty:
            made.put(sheet, row + 2, LEFT, made.words("No data"), color=MUTED)
        else:
            picture = _picture(sheet, made, drawn, column, first, last)
            sheet.add_chart(picture, f"{get_column_letter(wide + 2)}{row + 1}")
        row += tall


def _heads(chart: Chart, made: Workbook) -> list[str]:
    """Titles of the columns: our own ones in the report's language, names of series as they are."""
    names = chart_rows(chart)[0]
    ours = names if chart.kind == "scatter" or len(chart.series) == 1 else names[:1]
    return [made.words(n.capitalize()) if n in ours and len(n) > 1 else n for n in names]


def _values(
    sheet: Any, made: Workbook, row: int, column: int, names: Sequence[str],
    rows: Sequence[Sequence[Cell]], chart: Chart,
) -> int:  # fmt: skip
    """The values under their names; the number of the first row."""
    code = _code(chart, made.marks)
    notices = made.settings.notices
    for place, name in enumerate(names):
        made.put(sheet, row, column + place, excel.value(name, name, notices, escape=True),
                 bold=True, color="#FFFFFF", fill=made.theme.band,
                 align="right" if place else "left")  # fmt: skip
    for number, cells in enumerate(rows, row + 1):
        for place, cell in enumerate(cells):
            if cell is None:
                continue
            value = excel.value(cell, names[place], notices, escape=True)
            day = isinstance(cell, date)
            text = isinstance(value, str)
            made.put(sheet, number, column + place, value, line=True,
                     code="" if text else "yyyy-mm-dd" if day else code,
                     align="left" if text or day else "right")  # fmt: skip
    return row + 1


def _timed(chart: Chart) -> bool:
    """A line over days: its labels become real dates on an axis of time."""
    if chart.kind not in ("line", "area") or any(len(label) != 10 for label in chart.labels):
        return False
    days = dates_of(chart.labels)
    return days is not None and len(days) > 2 and len(set(days)) == len(days)


def _code(chart: Chart, where: Marks) -> str:
    values = [v for s in chart.series for v in s.values if v is not None]
    places = chart.format.decimals
    if places is None:
        places = column_decimals(values) if chart.format.kind != "currency" else 2
    if chart.format.kind in ("duration", "bytes"):
        return "#,##0"
    return excel_code(chart.format, places, where)


def _picture(sheet: Any, made: Workbook, chart: Chart, column: int, first: int, last: int) -> Any:
    from openpyxl.chart import Reference

    if chart.kind == "scatter":
        picture = _scatter(sheet, made, chart, first)
    elif chart.kind in ROUND:
        picture = _ring(made, chart)
    else:
        picture = _axes_chart(made, chart)
    if chart.kind != "scatter":
        count = len(chart.series)
        values = Reference(sheet, min_col=column + 1, max_col=column + count, min_row=first - 1,
                           max_row=last)  # fmt: skip
        picture.add_data(values, titles_from_data=True)
        picture.set_categories(Reference(sheet, min_col=column, min_row=first, max_row=last))
    _dress(picture, made, chart)
    return picture


def _axes_chart(made: Workbook, chart: Chart) -> Any:
    from openpyxl.chart import AreaChart, BarChart, LineChart

    if chart.kind in ("bar", "barh"):
        picture = BarChart()
        picture.type = "bar" if chart.kind == "barh" else "col"
        picture.gapWidth = 60
    else:
        picture = AreaChart() if chart.kind == "area" else LineChart()
    if chart.stacked and chart.kind != "line":
        picture.grouping = "percentStacked" if chart.stacked == "percent" else "stacked"
        if chart.kind != "area":
            picture.overlap = 100
    picture.y_axis.number_format = _axis_code(chart, made.marks)
    picture.y_axis.majorGridlines.spPr = _line(GRID)
    picture.y_axis.spPr = _no_line()
    known = [v for s in chart.series for v in s.values if v is not None]
    if chart.kind != "line" and min(known, default=0) >= 0:
        # Areas and bars are lengths: their axis begins at zero.
        picture.y_axis.scaling.min = 0
    picture.x_axis.spPr = _line(AXIS)
    picture.x_axis.tickLblPos = "low"
    for axis in (picture.x_axis, picture.y_axis):
        axis.delete = False
    if _timed(chart):
        _time_axis(picture, chart, made.words)
    elif len(chart.labels) > 14:
        picture.x_axis.tickLblSkip = -(-len(chart.labels) // 8)
    if chart.kind == "barh":
        # The first label stands at the top, as in the table beside it.
        picture.x_axis.scaling.orientation = "maxMin"
        picture.y_axis.crosses = "max"
    if chart.x_title:
        picture.x_axis.title = chart.x_title
    if chart.y_title:
        picture.y_axis.title = chart.y_title
    return picture


def _time_axis(picture: Any, chart: Chart, words: Words) -> None:
    """About eight dates under the line."""
    from openpyxl.chart.axis import DateAxis

    days = dates_of(chart.labels) or []
    span = (max(days) - min(days)).days
    axis = DateAxis(crossAx=100)
    axis.delete = False
    axis.spPr = _line(AXIS)
    axis.tickLblPos = "low"
    axis.number_format = words.date_code + ("d mmm" if span <= 120 else "mmm yyyy")
    axis.baseTimeUnit = "days"
    axis.majorTimeUnit = "days" if span <= 120 else "months"
    axis.majorUnit = max(1, -(-span // (8 if span <= 120 else 240)))
    picture.x_axis = axis
    picture.y_axis.crossAx = 500


def _axis_code(chart: Chart, where: Marks, *, ticks: bool = True) -> str:
    if chart.stacked == "percent":
        return "0%"
    values = [v for s in chart.series for v in s.values if v is not None]
    return excel_unit_code(values, chart.format, where, ticks=ticks) or _code(chart, where)


def _scatter(sheet: Any, made: Workbook, chart: Chart, first: int) -> Any:
    from openpyxl.chart import Reference, ScatterChart
    from openpyxl.chart import Series as Dots
    from openpyxl.chart.marker import Marker

    picture = ScatterChart()
    picture.style = 13
    row = first
    for place, cloud in enumerate(chart.clouds):
        end = row + len(cloud.points) - 1
        if end < row:
            continue
        xs = Reference(sheet, min_col=LEFT + 1, min_row=row, max_row=end)
        ys = Reference(sheet, min_col=LEFT + 2, min_row=row, max_row=end)
        dots = Dots(ys, xs, title=cloud.name or made.words("Points"))
        dots.marker = Marker("circle", size=6)
        color = made.theme.color(place, cloud.color)[1:]
        dots.marker.graphicalProperties.solidFill = color
        dots.marker.graphicalProperties.line.noFill = True
        dots.graphicalProperties.line.noFill = True
        picture.series.append(dots)
        row = end + 1
    points = [point for cloud in chart.clouds for point in cloud.points]
    for axis, title, ends in (
        (picture.x_axis, chart.x_title, [point.x for point in points]),
        (picture.y_axis, chart.y_title, [point.y for point in points]),
    ):
        axis.delete = False
        axis.title = title or None
        axis.majorGridlines.spPr = _line(GRID)
        axis.number_format = excel_unit_code(ends, PLAIN, made.marks, ticks=True) or "General"
    return picture


def _ring(made: Workbook, chart: Chart) -> Any:
    from openpyxl.chart import DoughnutChart
    from openpyxl.chart.label import DataLabelList

    picture = DoughnutChart()
    picture.holeSize = 60
    picture.dataLabels = DataLabelList()
    picture.dataLabels.showPercent = True
    for name in ("showVal", "showCatName", "showSerName", "showLegendKey", "showLeaderLines"):
        setattr(picture.dataLabels, name, False)
    return picture


def _dress(picture: Any, made: Workbook, chart: Chart) -> None:
    """Size, colours, legend, value labels; no smoothed lines, no frame."""
    picture.title = None
    picture.graphical_properties = _no_line()
    picture.width, picture.height = 17, 8.2
    shown = chart.clouds if chart.kind == "scatter" else chart.series
    if chart.kind in ROUND or len(shown) > 1:
        picture.legend.position = "r" if chart.kind in ROUND else "t"
    else:
        picture.legend = None
    if chart.kind in ROUND:
        _slices(picture.series[0], made, chart)
        return
    if chart.kind == "scatter":
        return
    for place, (series, source) in enumerate(zip(picture.series, chart.series, strict=True)):
        _color(series, made.theme.color(place, source.color), chart, source)
    count = len(chart.labels) * len(chart.series)
    if chart.kind in ("bar", "barh") and not chart.stacked and count <= MAX_LABELLED:
        _value_labels(picture, chart, made.marks)


def _color(series: Any, color: str, chart: Chart, source: Series) -> None:
    if chart.kind == "line":
        series.smooth = False
        series.graphicalProperties.line.solidFill = color[1:]
        series.graphicalProperties.line.width = 28_000
        known = sum(value is not None for value in source.values)
        series.marker.symbol = "circle" if known <= 2 else "none"
        if known <= 2:
            series.marker.graphicalProperties.solidFill = color[1:]
        return
    series.graphicalProperties.solidFill = color[1:]
    series.graphicalProperties.line.noFill = True
    if chart.kind in ("bar", "barh"):
        series.invertIfNegative = False


def _slices(series: Any, made: Workbook, chart: Chart) -> None:
    from openpyxl.chart.marker import DataPoint

    for place, label in enumerate(chart.labels):
        point = DataPoint(idx=place)
        other = chart.is_other(label)
        color = "#B8BEC8" if other else PALETTE[place % len(PALETTE)]
        point.graphicalProperties.solidFill = color[1:]
        series.dPt.append(point)


def own_formats(name: str, content: bytes) -> bytes:
    """Labels with the format given for them: openpyxl leaves them linked to the cells'."""
    if not name.startswith("xl/charts/chart"):
        return content
    start, mark, rest = content.partition(b"<dLbls><numFmt formatCode=")
    if not mark:
        return content
    code, end, rest = rest.partition(b"/>")
    return start + mark + code + b' sourceLinked="0"' + end + rest


def _value_labels(picture: Any, chart: Chart, where: Marks) -> None:
    from openpyxl.chart.label import DataLabelList

    picture.dataLabels = DataLabelList()
    picture.dataLabels.showVal = True
    picture.dataLabels.numFmt = _axis_code(chart, where, ticks=False)
    for name in ("showPercent", "showCatName", "showSerName", "showLegendKey"):
        setattr(picture.dataLabels, name, False)


def _line(color: str) -> Any:
    from openpyxl.chart.shapes import GraphicalProperties

    made = GraphicalProperties()
    made.line.solidFill = color[1:]
    made.line.width = 6_350
    return made


def _no_line() -> Any:
    from openpyxl.chart.shapes import GraphicalProperties

    made = GraphicalProperties()
    made.line.noFill = True
    return made
