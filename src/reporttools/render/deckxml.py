"""What python-pptx has no words for: parts of a chart written as DrawingML."""

from __future__ import annotations

from datetime import date
from typing import Any

from reporttools.document import Chart


def fewer_labels(across: Any, days: list[date] | None, count: int) -> None:
    """Labels that stand upright: about ten of many."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import qn

    space = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    axis = across._element
    if axis.tag == qn("c:dateAx") and days:
        span = (max(days) - min(days)).days
        unit, step = ("days", -(-span // 9)) if span <= 120 else ("months", -(-span // 300))
        for old in axis.findall(qn("c:majorUnit")) + axis.findall(qn("c:majorTimeUnit")):
            axis.remove(old)
        base = axis.find(qn("c:baseTimeUnit"))
        made = [f'<c:majorUnit {space} val="{max(1, step)}"/>',
                f'<c:majorTimeUnit {space} val="{unit}"/>']  # fmt: skip
        for text in made:
            if base is not None:
                base.addnext(parse_xml(text))
                base = base.getnext()
            else:
                axis.append(parse_xml(text))
    elif count > 24:
        place = axis.find(qn("c:noMultiLvlLbl"))
        skip = parse_xml(f'<c:tickLblSkip {space} val="{-(-count // 16)}"/>')
        if place is not None:
            place.addprevious(skip)
        else:
            axis.append(skip)


def lines_over(made: Any, chart: Chart) -> None:
    """Series of another kind move into a line chart on the same axes."""
    if chart.kind != "bar" or not any(s.kind in ("line", "area") for s in chart.series):
        return
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import qn

    bars = made._chartSpace.find(f".//{qn('c:barChart')}")
    space = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    axes = "".join(f'<c:axId val="{a.get("val")}"/>' for a in bars.findall(qn("c:axId")))
    lines = parse_xml(
        f'<c:lineChart xmlns:c="{space}"><c:grouping val="standard"/><c:varyColors val="0"/>'
        f'<c:marker val="1"/>{axes}</c:lineChart>'
    )
    place = 2
    for series, source in zip(bars.findall(qn("c:ser")), chart.series, strict=True):
        if source.kind not in ("line", "area"):
            continue
        bars.remove(series)
        for tag in ("c:invertIfNegative", "c:dLbls"):
            for old in series.findall(qn(tag)):
                series.remove(old)
        _outlined(series)
        lines.insert(place, series)
        place += 1
    bars.addnext(lines)


def _outlined(series: Any) -> None:
    """A bar's fill becomes a line's colour."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import qn

    color = series.find(f".//{qn('a:srgbClr')}").get("val")
    old = series.find(qn("c:spPr"))
    made = parse_xml(
        '<c:spPr xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        f'<a:ln w="31750"><a:solidFill><a:srgbClr val="{color}"/></a:solidFill></a:ln></c:spPr>'
    )
    old.addnext(made)
    series.remove(old)
    marker = '<c:marker xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">'
    made.addnext(parse_xml(marker + '<c:symbol val="none"/></c:marker>'))


def no_label(series: Any, place: int) -> None:
    """A slice too small for its share."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import qn

    labels = series.data_labels._element
    made = parse_xml(
        '<c:dLbl xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">'
        f'<c:idx val="{place}"/><c:delete val="1"/></c:dLbl>'
    )
    before = list(labels.findall(qn("c:dLbl")))
    if before:
        before[-1].addnext(made)
    else:
        labels.insert(0, made)


def ring(made: Any, wide: float, tall: float) -> None:
    """A wide hole, and the ring in the left part of the chart: shares of its width and height."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import qn

    plot_area = made._chartSpace.find(f".//{qn('c:plotArea')}")
    old = plot_area.find(qn("c:layout"))
    if old is not None:
        plot_area.remove(old)
    plot_area.insert(
        0,
        parse_xml(
            '<c:layout xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">'
            '<c:manualLayout><c:layoutTarget val="inner"/><c:xMode val="edge"/>'
            f'<c:yMode val="edge"/><c:x val="0.0"/><c:y val="{(1 - tall) / 2:.4f}"/>'
            f'<c:w val="{wide:.4f}"/><c:h val="{tall:.4f}"/></c:manualLayout></c:layout>'
        ),
    )
    size = plot_area.find(f".//{qn('c:holeSize')}")
    if size is not None:
        size.set("val", "60")
