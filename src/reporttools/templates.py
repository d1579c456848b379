"""Report templates: TOML manifests of blocks and JSON pointers, with a JSON Schema beside.

A manifest holds no code and no expressions. The three built-in templates are manifests too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from reporttools import schema as schemas
from reporttools.problems import did_you_mean
from toolbelt.data import recipes
from toolbelt.errors import ToolError, nearest
from toolbelt.workspace import Workspace

FORMATS: Final = ("pdf", "pptx", "png", "svg", "xlsx", "csv")
MAX_BYTES: Final = 1_000_000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")

_TOP: Final = {
    "name": str, "description": str, "schema": str, "layout": str, "title": str,
    "default-title": str, "subtitle": str, "formats": list, "ordered": list, "theme": str,
    "block": list,
}  # fmt: skip
_BLOCK: Final[dict[str, dict[str, type]]] = {
    "heading": {"title": str},
    "kpis": {"from": str, "title": str},
    "charts": {"from": str, "title": str},
    "tables": {"from": str, "title": str},
    "images": {"from": str, "title": str},
    "text": {"from": str, "text": str, "title": str},
    "chart": {
        "from": str, "title": str, "subtitle": str, "type": str, "x": str, "y": list,
        "series": str, "agg": str, "stacked": str, "sort": str, "limit": int, "format": str,
        "unit": str, "decimals": int, "x-title": str, "y-title": str, "span": int,
    },
    "table": {"from": str, "title": str, "columns": list, "limit": int, "span": int},
    "profile": {"from": str, "part": str, "title": str},
    "pagebreak": {},
}  # fmt: skip
_NEEDS: Final = {
    "heading": ("title",), "kpis": ("from",), "charts": ("from",), "tables": ("from",),
    "images": ("from",), "chart": ("from", "type", "x", "y"), "table": ("from",),
    "profile": ("part",),
}  # fmt: skip
_CHOICES: Final = {
    "type": ("bar", "barh", "line", "area", "scatter", "pie", "donut"),
    "agg": ("sum", "avg", "min", "max", "count", "median"),
    "stacked": ("sum", "percent"),
    "sort": ("none", "asc", "desc"),
    "format": ("number", "percent", "currency", "duration", "bytes"),
    "part": ("overview", "columns", "charts", "rows"),
}
_COLUMN: Final = {
    "key": str, "title": str, "format": str, "unit": str, "decimals": int, "align": str,
    "width": float, "total": str,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Template:
    """A checked manifest. blocks: as written, keys known to be right. schema: of its data."""

    name: str
    description: str
    title: str
    default_title: str
    subtitle: str
    layout: Literal["pages", "board"]
    formats: tuple[str, ...]
    ordered: tuple[tuple[str, str], ...]
    theme: str
    blocks: tuple[Mapping[str, Any], ...]
    schema: Mapping[str, Any]
    source: str


def find(name: str, workspace: Workspace, option: str | None) -> Template:
    """The template of that name; UNKNOWN_TEMPLATE with the nearest names otherwise."""
    theirs = {t.name: t for t in _users(workspace, option)}
    if name in theirs:
        return theirs[name]
    built_in = _built_in_files()
    if name in built_in:
        return _load_file(built_in[name])
    known = [*built_in, *theirs]
    near = nearest(name, known, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ToolError(
        "UNKNOWN_TEMPLATE", f"There is no template {name!r}.",
        hint=f"{hint}templates: {', '.join(sorted(known))}",
    )  # fmt: skip


def every(workspace: Workspace, option: str | None) -> list[Template]:
    """All templates by name; a user's one takes the place of a built-in of the same name."""
    found = {name: _load_file(path) for name, path in _built_in_files().items()}
    found |= {t.name: t for t in _users(workspace, option)}
    return [found[name] for name in sorted(found)]


def _built_in_files() -> dict[str, Path]:
    return {path.stem: path for path in sorted((recipes() / "reports").glob("*.toml"))}


def _users(workspace: Workspace, option: str | None) -> Iterator[Template]:
    """The operator's folder (TOOLBELT_REPORTS), then what `--templates` names."""
    folder = os.environ.get("TOOLBELT_REPORTS")
    if folder:
        path = Path(folder)
        if not path.is_absolute() or not path.exists():
            raise ToolError(
                "BAD_CONFIG", f"TOOLBELT_REPORTS names {folder!r}, which is not there.",
                hint="it takes the absolute path of a folder of templates",
            )  # fmt: skip
        for file in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
            yield _load_file(file)
    if option is not None:
        yield from _from_workspace(workspace, option)


def _from_workspace(workspace: Workspace, option: str) -> Iterator[Template]:
    names = [option]
    if not option.endswith(".toml"):
        folder = workspace.folder(option)
        names = [str(folder / path.name) for path in sorted(folder.glob("*.toml"))]
        if not names:
            raise ToolError(
                "BAD_CONFIG", f"{option!r} holds no template.", hint="a template is a .toml file"
            )
    for name in names:
        beside = Path(name).parent

        def read(file: str, beside: Path = beside) -> bytes:
            return workspace.read_bytes(str(beside / file), MAX_BYTES)

        yield parse(workspace.read_bytes(name, MAX_BYTES), name, read)


def _load_file(path: Path) -> Template:
    def read(file: str) -> bytes:
        return (path.parent / file).read_bytes()

    try:
        return parse(path.read_bytes(), str(path), read)
    except OSError as error:
        raise _malformed(str(path), f"it cannot be read: {error.strerror}") from error


def _malformed(source: str, what: str, hint: str = "") -> ToolError:
    return ToolError(
        "BAD_CONFIG", f"Template {source!r} is malformed: {what}.",
        hint=hint or "see docs/report-run.md for the keys of a template",
        detail={"reason": "bad_template"},
    )  # fmt: skip


def parse(raw: bytes, source: str, read: Any) -> Template:
    """A manifest's bytes as a Template. read: gives the bytes of a file beside the manifest."""
    import tomllib

    try:
        top = tomllib.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _malformed(source, str(error).rstrip(".")) from error
    _check_keys(top, _TOP, "the template", source)
    for key in ("name", "block"):
        if not top.get(key):
            raise _malformed(source, f"it has no {key!r}")
    if not _NAME.match(top["name"]):
        raise _malformed(source, f"name {top['name']!r} may hold a-z, 0-9, '-' and '_' only")
    blocks = tuple(_block(block, index, source) for index, block in enumerate(top["block"]))
    return Template(
        name=top["name"],
        description=top.get("description", ""),
        title=top.get("title", ""),
        default_title=top.get("default-title", "Report"),
        subtitle=top.get("subtitle", ""),
        layout=cast("Any", _one_of(top.get("layout", "pages"), ("pages", "board"), source)),
        formats=_formats(top.get("formats", list(FORMATS)), source),
        ordered=tuple(_pair(pair, source) for pair in top.get("ordered", [])),
        theme=top.get("theme", ""),
        blocks=blocks,
        schema=_schema(top, blocks, source, read),
        source=source,
    )


def _check_keys(
    given: Mapping[str, Any], known: Mapping[str, type], what: str, source: str
) -> None:
    for key, value in given.items():
        if key not in known:
            raise _malformed(
                source, f"{what} has no key {key!r}", did_you_mean(key, list(known)) or
                f"keys: {', '.join(known)}",
            )  # fmt: skip
        wanted = (int, float) if known[key] is float else known[key]
        if not isinstance(value, wanted) or (isinstance(value, bool) and known[key] is not bool):
            raise _malformed(source, f"{key!r} of {what} must be a {known[key].__name__}")
        if key in _CHOICES and known is not _TOP:
            _one_of(str(value), _CHOICES[key], source)


def _one_of(value: str, allowed: tuple[str, ...], source: str) -> str:
    if value not in allowed:
        near = did_you_mean(value, list(allowed))
        raise _malformed(source, f"{value!r} is none of {', '.join(allowed)}", near)
    return value


def _formats(names: list[Any], source: str) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str):
            raise _malformed(source, "'formats' must be a list of names")
        _one_of(name, FORMATS, source)
    return tuple(names)


def _pair(pair: Any, source: str) -> tuple[str, str]:
    if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) for p in pair)):
        raise _malformed(source, "'ordered' takes pairs of JSON pointers")
    return pair[0], pair[1]


def _block(given: Any, index: int, source: str) -> Mapping[str, Any]:
    what = f"block {index + 1}"
    if not isinstance(given, dict) or "kind" not in given:
        raise _malformed(source, f"{what} has no 'kind'", f"kinds: {', '.join(_BLOCK)}")
    kind = given["kind"]
    if kind not in _BLOCK:
        near = did_you_mean(str(kind), list(_BLOCK)) or f"kinds: {', '.join(_BLOCK)}"
        raise _malformed(source, f"{what} has the unknown kind {kind!r}", near)
    block: dict[str, Any] = dict(given)
    if kind == "chart" and isinstance(block.get("y"), str):
        block["y"] = [block["y"]]
    _check_keys({k: v for k, v in block.items() if k != "kind"}, _BLOCK[kind], what, source)
    for key in _NEEDS.get(kind, ()):
        if key not in block:
            raise _malformed(source, f"{what} ({kind}) needs {key!r}")
    if kind == "text" and ("from" in block) == ("text" in block):
        raise _malformed(source, f"{what} (text) needs either 'from' or 'text'")
    start = block.get("from", "")
    if start and not start.startswith("/"):
        raise _malformed(source, f"{what}: {start!r} is no JSON pointer", f"try '/{start}'")
    for column in block.get("columns", []):
        if not isinstance(column, dict) or "key" not in column:
            raise _malformed(source, f"{what}: a column needs a 'key'")
        _check_keys(column, _COLUMN, f"a column of {what}", source)
    return block


def _schema(
    top: Mapping[str, Any], blocks: tuple[Mapping[str, Any], ...], source: str, read: Any
) -> Mapping[str, Any]:
    if "schema" not in top:
        from reporttools.derive import derived

        return derived(top, blocks)
    name = top["schema"]
    if "/" in name or name.startswith("."):
        raise _malformed(source, f"schema {name!r} must be a file beside the template")
    try:
        schema: dict[str, Any] = json.loads(read(name))
    except (OSError, ValueError, ToolError) as error:
        raise _malformed(source, f"its schema {name!r} cannot be read: {error}") from error
    wrong = schemas.lint(schema)
    if wrong:
        raise _malformed(source, f"its schema {name!r}: {wrong}")
    return schema
