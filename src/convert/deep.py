"""`doctor --deep`: every row converts a small sample, and what comes of it is looked at."""

from __future__ import annotations

from convert.recipe import Recipe, Table
from convert.request import Request
from toolbelt.data import recipes
from toolbelt.errors import ToolError
from toolbelt.job import job_folder
from toolbelt.workspace import Workspace


def try_row(recipe: Recipe, table: Table) -> str:
    """Why a row does not work; empty when its sample comes out right."""
    from convert.job import convert

    sample = sample_of(recipe.source)
    if sample is None:
        return ""
    with job_folder("file-convert") as folder:
        name = f"sample.{recipe.source}"
        (folder / name).write_bytes(sample)
        request = Request(target=recipe.target, input=name, output=f"out.{recipe.out_ext}")
        try:
            convert(request, table, Workspace.at(folder))
        except ToolError as error:
            return error.message
    return ""


def sample_of(source: str) -> bytes | None:
    """The sample that ships for a format; None where there is none."""
    path = recipes() / "conversions" / "samples" / f"sample.{source}"
    if path.is_file():
        return path.read_bytes()
    packed = path.with_name(f"{path.name}.gz")
    if not packed.is_file():
        return None
    import gzip

    return gzip.decompress(packed.read_bytes())
