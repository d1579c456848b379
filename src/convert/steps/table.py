"""Tables between formats: `table INPUT OUTPUT --values=text|typed --delimiter=D --sheet=S`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from convert.steps import told
from convert.steps.grid import Grid


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    names = [Path(word) for word in arguments if not word.startswith("--")]
    options = dict(w.removeprefix("--").split("=", 1) for w in arguments if w.startswith("--"))
    source, output = names
    grids = _read(source, options, warnings)
    _write(grids, output, options, warnings)


def _read(source: Path, options: dict[str, str], warnings: told.Warnings) -> list[Grid]:
    kind = source.suffix.removeprefix(".")
    if kind in ("csv", "tsv"):
        from convert.steps import read_csv

        delimiter = options.get("delimiter", "auto")
        if kind == "tsv" and delimiter == "auto":
            delimiter = "tab"
        return [read_csv.read(source, delimiter, warnings)]
    if kind in ("json", "jsonl"):
        from convert.steps import read_json

        read = read_json.read if kind == "json" else read_json.read_lines
        return [read(source, warnings)]
    if kind == "parquet":
        from convert.steps import parquet

        return [parquet.read(source)]
    from convert.steps import read_sheet

    return read_sheet.read(source, _which(options), warnings)


def _write(
    grids: list[Grid], output: Path, options: dict[str, str], warnings: told.Warnings
) -> None:
    kind = output.suffix.removeprefix(".")
    convert = options.get("values", "text") == "typed"
    if kind == "xlsx":
        from convert.steps import write_xlsx

        write_xlsx.write(grids, output, warnings, convert=convert)
        return
    from convert.steps import write_text

    if kind == "md":
        write_text.write_markdown(grids, output)
        return
    for place, grid in enumerate(grids):
        target = (
            output if place == 0 else output.with_name(f"output-{_file_name(grid.name)}.{kind}")
        )
        if kind in ("csv", "tsv"):
            write_text.write_csv(grid, target, "\t" if kind == "tsv" else ",")
        elif kind == "json":
            write_text.write_json(grid, target, warnings, convert=convert)
        elif kind == "jsonl":
            write_text.write_jsonl(grid, target, warnings, convert=convert)
        else:
            from convert.steps import parquet

            parquet.write(grid, target, warnings, convert=convert)


def _file_name(name: str) -> str:
    """A sheet's name as part of a file name."""
    clean = "".join(c if c.isalnum() or c in " -_." else "_" for c in name).strip(" .")
    return clean[:60] or "sheet"


def _which(options: dict[str, str]) -> str:
    """Which sheets: a number, else what the preset says."""
    number = options.get("sheet", "0")
    return number if number != "0" else options.get("which", "first")
