"""The stories of `generate`, `validate`, `chart` and `table`: data in, files out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from reporttools import data, oneline, tables, templates
from reporttools.clean import Cleaner, text
from reporttools.compose import THEMES, compose
from reporttools.document import Document
from reporttools.notices import Notices
from reporttools.progress import Progress
from reporttools.rows import Field, Rows
from reporttools.templates import Template
from reporttools.words import words
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

Options = Mapping[str, Any]


def template(name: str, options: Options) -> Template:
    """The template that `--template` names."""
    return templates.find(name, Workspace.find(options["workspace"]), options["templates"])


def _read(options: Options, workspace: Workspace) -> object:
    with data.open_source(options["data"], workspace, options["input_format"] or "") as source:
        return data.document(source)


def _document(
    found: Template, options: Options, workspace: Workspace, notices: Notices
) -> Document:
    document = compose(
        found, _read(options, workspace), workspace, notices, options.get("lang") or ""
    )
    from reporttools.render.picture import verify

    verify(document)
    return document


def validate(found: Template, options: Options) -> dict[str, Any]:
    """Every problem of the data as BAD_DATA, or what would only be warned about."""
    workspace, notices = Workspace.find(options["workspace"]), Notices()
    _document(found, options, workspace, notices)
    return {"warnings": notices.as_json()}


def report(found: Template, formats: Sequence[str], options: Options) -> dict[str, Any]:
    """A report in one or more formats; all of its files appear, or none."""
    workspace, notices = Workspace.find(options["workspace"]), Notices()
    document = _document(found, options, workspace, notices)
    return _files(document, formats, options, workspace, notices)


def _files(
    document: Document, formats: Sequence[str], options: Options, workspace: Workspace,
    notices: Notices,
) -> dict[str, Any]:  # fmt: skip
    from reporttools import output

    settings = _settings(options, notices)
    with ExitStack() as stack:
        made = output.job(
            workspace, settings, options["output"], formats, document.title, stack,
            force=options["force"],
        )  # fmt: skip
        output.render(document, formats, made)
    settings.progress.close()
    return {"files": made.published(), "warnings": notices.as_json()}


def _settings(options: Options, notices: Notices) -> Any:
    from reporttools.render.settings import Settings, moment_of_making

    return Settings(
        paper="Letter" if options.get("page", "A4").lower() == "letter" else "A4",
        scale=options.get("scale", 2.0),
        outline=options.get("svg_text") == "outline",
        bom=options.get("bom", True),
        guard=options.get("guard", True),
        moment=moment_of_making(),
        notices=notices,
        progress=Progress(),
    )


def one_chart(form: str, options: Options) -> dict[str, Any]:
    """One chart of rows as a picture or a page."""
    from reporttools import pivot
    from reporttools.chartdata import drawable

    workspace, notices = Workspace.find(options["workspace"]), Notices()
    request, size = _request(options), _size(options["size"])
    with data.open_source(options["data"], workspace, options["input_format"] or "") as source:
        rows = _clean(data.table(source), notices)
        chart = oneline.chart(pivot.chart(rows, request, notices))
    drawable(chart, notices)
    from reporttools import output

    settings = _settings(options, notices)
    with ExitStack() as stack:
        made = output.job(
            workspace, settings, options["output"], [form], chart.title, stack,
            force=options["force"],
        )  # fmt: skip
        lang, locale = _speech(options)
        document = Document(chart.title, (chart,), lang=lang, locale=locale, theme=options["theme"])
        output.render_chart(document, chart, form, made, size)
    settings.progress.close()
    return {"files": made.published(), "warnings": notices.as_json()}


def _request(options: Options) -> Any:
    from reporttools.document import NumberFormat
    from reporttools.pivot import ChartRequest

    if not options["ys"] and options["agg"] != "count":
        raise ToolError(
            "USAGE", "--y is missing.", hint="--y COLUMN, or --agg count to count the rows"
        )
    if options["theme"] not in ("", *THEMES):
        raise ToolError(
            "USAGE", f"There is no theme {options['theme']!r}.", hint=f"themes: {', '.join(THEMES)}"
        )
    return ChartRequest(
        kind=options["kind"], x=options["x"], y=options["ys"], series=options["series"],
        agg=options["agg"] or "", title=options["title"], subtitle=options["subtitle"],
        stacked=options["stacked"] or "", sort=options["sort"], limit=options["limit"],
        format=NumberFormat(
            options["number_format"] or "number", options["unit"], options["decimals"]
        ),
        x_title=options["x_title"], y_title=options["y_title"], words=words(options["lang"]),
    )  # fmt: skip


def _speech(options: Options) -> tuple[str, str]:
    """Language and locale: either follows the other."""
    lang, locale = options["lang"], options["locale"]
    return lang or "en", locale or lang or "en"


def _size(text: str) -> tuple[float, float]:
    """`960x540` in points: nominal pixels are hundredths of an inch."""
    width, _, height = text.lower().partition("x")
    if width.isdigit() and height.isdigit():
        pixels = (int(width), int(height))
        if all(200 <= p <= 4096 for p in pixels):
            return pixels[0] * 0.72, pixels[1] * 0.72
    raise ToolError(
        "USAGE", f"--size takes WIDTHxHEIGHT of 200 to 4096 pixels, not {text!r}.",
        hint="--size 960x540",
    )  # fmt: skip


def _clean(rows: Rows, notices: Notices) -> Rows:
    """Column names and cells without control characters."""
    cleaner = Cleaner()
    rows.fields = [Field(str(cleaner(f.name, "")), f.type) for f in rows.fields]
    if isinstance(rows.rows, list):
        rows.rows = [cleaner(row, f"/rows/{i}") for i, row in enumerate(rows.rows)]  # type: ignore[misc]
        cleaner.report(notices)
    else:
        rows.rows = ([text(c) if isinstance(c, str) else c for c in row] for row in rows.rows)
    return rows


def one_table(form: str, options: Options) -> dict[str, Any]:
    """Rows as a table; long ones are streamed to CSV and XLSX."""
    from reporttools import output, streams
    from reporttools.render.sheet import STREAM_ABOVE

    workspace, notices = Workspace.find(options["workspace"]), Notices()
    settings = _settings(options, notices)
    title, speech = oneline.one_line(options["title"]), _speech(options)
    title = title or words(speech[0])("Table")
    with ExitStack() as stack:
        source = stack.enter_context(
            data.open_source(options["data"], workspace, options["input_format"] or "")
        )
        made = output.job(
            workspace, settings, options["output"], [form], title, stack, force=options["force"]
        )
        if form == "csv":
            made.write("", form, lambda file: {
                "rows": streams.write_csv(source, notices, file, settings)
            })  # fmt: skip
        else:
            stream = streams.scan(source, notices)
            if form == "xlsx" and stream.count > STREAM_ABOVE:
                made.write("", form, lambda f: streams.write_xlsx(stream, title, f, settings))
            else:
                table = tables.build(title, stream.fields, list(stream.rows()), notices)
                output.render_table(table, form, made, *speech)
    settings.progress.close()
    return {"files": made.published(), "warnings": notices.as_json()}
