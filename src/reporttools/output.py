"""From a Document to files: names, formats, and nothing published unless all of it was made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO, Final

from reporttools.document import Cell, Chart, Document, Table
from reporttools.render.settings import Settings
from toolbelt.errors import ToolError
from toolbelt.publish import Output
from toolbelt.workspace import Workspace

_UNSAFE: Final = re.compile(r"[^\w.-]+")
NAME_BYTES: Final = 80
_FORMATS: Final = ("pdf", "pptx", "png", "svg", "xlsx", "csv")
# Endings that promise a file which is not made here.
_OTHERS: Final = ("gif", "jpg", "jpeg", "webp", "html", "docx", "odt", "ppt", "odp", "xls", "ods")


def slug(title: str) -> str:
    """A title as a file name: letters of any script, digits and dashes."""
    name = _UNSAFE.sub("-", title.lower()).strip("-._") or "report"
    raw = name.encode("utf-8")[:NAME_BYTES]
    return raw.decode("utf-8", "ignore").strip("-._") or "report"


@dataclass(slots=True)
class Job:
    """Files of one call. stem: their common name without ending. named: the caller chose it."""

    workspace: Workspace
    settings: Settings
    folder: str
    stem: str
    force: bool
    named: bool
    stack: ExitStack
    files: list[dict[str, object]] = field(default_factory=list)
    _opened: list[tuple[Output, dict[str, object]]] = field(default_factory=list)

    def write(
        self, suffix: str, form: str, maker: Callable[[IO[bytes]], dict[str, object]]
    ) -> None:
        """One file, made by `maker`, which says what it counts (pages, sheets, rows)."""
        path = f"{self.folder}/{self.stem}{suffix}.{form}"
        out = self.stack.enter_context(self.workspace.output(path, self.force))
        entry: dict[str, object] = {"path": str(out.path), "format": form}
        counted = maker(out.file)
        self._opened.append((out, entry | {"bytes": 0} | counted))

    def published(self) -> list[dict[str, object]]:
        """What was written, after all of it has its name."""
        return [entry | {"bytes": out.bytes} for out, entry in self._opened]


def job(
    workspace: Workspace, settings: Settings, output: str | None, formats: Sequence[str],
    title: str, stack: ExitStack, *, force: bool,
) -> Job:  # fmt: skip
    """Where the files go: `--output` names a file for one format, a folder for several."""
    if output is not None and len(formats) == 1 and not _is_folder(workspace, output):
        path = PurePath(output)
        form = path.suffix.lower().lstrip(".")
        if form != formats[0] and form in (*_FORMATS, *_OTHERS):
            other = f", or --format {form}" if form in _FORMATS else ""
            raise ToolError(
                "USAGE", f"--output ends in .{form}, but the format is {formats[0]}.",
                hint=f"--output {path.with_suffix('.' + formats[0])}{other}",
            )  # fmt: skip
        stem = path.stem if form == formats[0] else path.name
        folder = _folder(workspace, str(path.parent), stack)
        return Job(workspace, settings, folder, stem, force, True, stack)
    named = PurePath(output or "").suffix.lower().lstrip(".") in _FORMATS
    if output is not None and named and not _is_folder(workspace, output):
        raise ToolError(
            "USAGE", "--output names a file, but several formats are asked for.",
            hint=f"--output {PurePath(output).parent}: a folder for all of them",
        )  # fmt: skip
    wanted = output if output is not None else str(workspace.root / "output")
    folder = _folder(workspace, wanted, stack)
    stem = slug(title)
    if not force:
        stem = _free(workspace, folder, stem, formats)
    return Job(workspace, settings, folder, stem, force, False, stack)


def _is_folder(workspace: Workspace, output: str) -> bool:
    if output.endswith("/"):
        return True
    try:
        workspace.folder(output)
    except ToolError as error:
        if error.detail.get("reason") in ("not_found", "not_a_folder"):
            return False
        raise
    return True


def _folder(workspace: Workspace, path: str, stack: ExitStack) -> str:
    """The folder, made if need be; gone again when nothing comes of the call."""
    try:
        return str(workspace.folder(path))
    except ToolError as error:
        if error.detail.get("reason") != "not_found":
            raise
    made = workspace.folder(path, create=True)

    def undo(kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(OSError):  # not empty, or never ours
                made.rmdir()

    stack.push(undo)
    return str(made)


def _free(workspace: Workspace, folder: str, stem: str, formats: Sequence[str]) -> str:
    """A name that no file of these formats has yet: `report`, `report-2`, ..."""
    endings = tuple("." + form for form in formats)
    taken = {p.name for p in (workspace.root / folder).iterdir() if p.name.endswith(endings)}

    def used(name: str) -> bool:
        numbered = re.compile(re.escape(name) + r"-\d+[.-]")
        return any(t.startswith((name + ".", name + "-")) and not numbered.match(t) for t in taken)

    found, number = stem, 2
    while used(found):
        found = f"{stem}-{number}"
        number += 1
    return found


def render(document: Document, formats: Sequence[str], made: Job) -> None:
    """Every format of a report."""
    for form in formats:
        made.settings.progress(f"making {form}")
        _RENDERERS[form](document, made)


def _pdf(document: Document, made: Job) -> None:
    from reporttools.render import paper

    made.write("", "pdf", lambda file: {"pages": paper.write(document, file, made.settings)})


def _pptx(document: Document, made: Job) -> None:
    from reporttools.render import pptx

    made.write("", "pptx", lambda file: {"slides": pptx.write(document, file, made.settings)})


def _xlsx(document: Document, made: Job) -> None:
    from reporttools.render import sheet

    made.write("", "xlsx", lambda file: sheet.write(document, file, made.settings))


def _csv(document: Document, made: Job) -> None:
    from reporttools.render import csvfile

    parts = csvfile.parts(document) or [("Report", ("title",), [(document.title,)])]
    for suffix, (title, names, rows) in zip(_suffixes([p[0] for p in parts]), parts, strict=True):
        _one_csv(made, suffix, title, names, rows)


def _one_csv(
    made: Job, suffix: str, title: str, names: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> None:
    from reporttools.render import csvfile

    def maker(file: IO[bytes]) -> dict[str, object]:
        return {"rows": csvfile.write(names, rows, file, made.settings), "title": title}

    made.write(suffix, "csv", maker)


def _suffixes(titles: Sequence[str]) -> list[str]:
    """Endings that tell files of one report apart; none for a single one."""
    if len(titles) == 1:
        return [""]
    found: list[str] = []
    for title in titles:
        name = base = "-" + slug(title)[:50]
        number = 2
        while name in found:
            name = f"{base}-{number}"
            number += 1
        found.append(name)
    return found


def _png(document: Document, made: Job) -> None:
    _pictures(document, made, "png")


def _svg(document: Document, made: Job) -> None:
    _pictures(document, made, "svg")


def _pictures(document: Document, made: Job, form: str) -> None:
    """The report as one picture, and every chart of a paged report as a picture of its own."""
    from reporttools.render import poster

    made.write("", form, lambda file: poster.write(document, file, form, made.settings))
    charts = list(document.charts())
    if document.layout == "board" or len(charts) < 2:
        return
    for suffix, chart in zip(_suffixes([c.title for c in charts]), charts, strict=True):
        _one_chart(made, suffix, form, chart, document)


def _one_chart(made: Job, suffix: str, form: str, chart: Chart, document: Document) -> None:
    from reporttools.render import poster

    def maker(file: IO[bytes]) -> dict[str, object]:
        poster.write_chart(chart, file, form, made.settings, document)
        return {"title": chart.title}

    made.write(suffix, form, maker)


def render_chart(
    document: Document, chart: Chart, form: str, made: Job, size: tuple[float, float]
) -> None:
    """The file of the `chart` command."""
    if form == "pdf":
        from reporttools.render import paper

        made.write(
            "", form,
            lambda f: {"pages": paper.write_chart(chart, f, made.settings, document, size)},
        )  # fmt: skip
        return
    from reporttools.render import poster

    made.write(
        "", form, lambda f: poster.write_chart(chart, f, form, made.settings, document, size)
    )


def render_table(table: Table, form: str, made: Job, lang: str, locale: str) -> None:
    """The file of the `table` command for a table that is held in memory."""
    document = Document(table.title, (table,), lang=lang, locale=locale)
    _RENDERERS[form](document, made)


_RENDERERS: Final[dict[str, Callable[[Document, Job], None]]] = {
    "pdf": _pdf, "pptx": _pptx, "xlsx": _xlsx, "csv": _csv, "png": _png, "svg": _svg,
}  # fmt: skip
