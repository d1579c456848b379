"""From a parsed manifest to a table of recipes: every rule a row must keep, checked at load.

A broken rule is `Invalid` with the recipe's place in the file; nothing is guessed or repaired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from convert import recipe as kinds
from convert.fields import Fields, Invalid
from convert.recipe import Option, Recipe, Table, format_name
from convert.template import TOOL, Template, TemplateError, is_name, parse

MAX_HOPS: Final = 3
_EXTENSION: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
# Never copied from the caller's environment, whatever a manifest says.
_FORBIDDEN_ENV: Final = ("PATH", "HOME", "IFS", "ENV", "SHELLOPTS", "TMPDIR")


def table(
    content: Mapping[str, object], script: Path, origin: str, builtin: Table | None = None
) -> Table:
    """The table a manifest describes; Invalid says which rule it breaks.

    script: the folder that `{script}` stands for. builtin: what `extends = "builtin"` adds to.
    """
    top = Fields(content)
    if top.integer("version", 1) != 1:
        top.fail(f"version is {content['version']}; this program knows version 1")
    extends = top.choice("extends", ("", "builtin"), "")
    tools = top.texts("tools")
    for folder in tools:
        if not folder.startswith("/"):
            top.fail(f"tools names {folder!r}, which is not an absolute path")
    entries = content.get("recipe", [])
    top.known.add("recipe")
    top.done()
    if not isinstance(entries, list) or not entries:
        top.fail("it holds no [[recipe]]")
    rows: dict[tuple[str, str], Recipe] = {}
    for number, entry in enumerate(entries, 1):
        for row in _rows(entry, f"recipe {number}", script, tools):
            key = (row.source, row.target)
            if key in rows:
                raise Invalid(f"recipe {number} ({row.pair}): this pair is there already")
            rows[key] = row
    if extends and builtin is not None:
        rows = {**builtin.rows, **rows}
    return Table(origin, _chains(rows))


def _rows(entry: object, where: str, script: Path, tools: tuple[str, ...]) -> Iterator[Recipe]:
    """The rows of one [[recipe]]: one for each format in `from`."""
    if not isinstance(entry, Mapping):
        raise Invalid(f"{where}: it must be a table")
    given, target = entry.get("from"), entry.get("to")
    sources = given if isinstance(given, list) else [given]
    if not sources or not all(isinstance(s, str) and s.strip(". ") for s in sources):
        raise Invalid(f"{where}: from must be a format or a list of formats")
    if not isinstance(target, str) or not target.strip(". "):
        raise Invalid(f"{where}: to must be a format")
    first, *others = (format_name(str(source)) for source in sources)
    fields = Fields(entry, f"{where} ({first}->{format_name(target)}): ")
    fields.known.update(("from", "to"))
    row = _row(fields, first, format_name(target), script, tools)
    yield row
    for source in others:
        yield replace(row, source=source)


def _row(fields: Fields, source: str, target: str, script: Path, tools: tuple[str, ...]) -> Recipe:
    via = tuple(format_name(name) for name in fields.texts("via"))
    argv = _templates(fields, "argv")
    if via and argv:
        fields.fail("argv and via exclude each other")
    if not argv and not via:
        fields.fail("argv is missing or empty")
    row = Recipe(
        source=source,
        target=target,
        out_ext=_extension(fields),
        script=script,
        argv=argv,
        prepare=_templates(fields, "prepare"),
        via=via,
        needs=fields.texts("needs"),
        wants=fields.texts("wants"),
        needs_version=fields.strings("needs_version"),
        tools=tools,
        presets=_presets(fields),
        default_preset=fields.text("default_preset"),
        options=_options(fields),
        description=fields.text("description"),
        timeout=fields.seconds("timeout", 60),
        max_input=fields.size("max_input", 50 << 20),
        max_output=fields.size("max_output", 200 << 20),
        memory=fields.size("memory", 1 << 30),
        check=fields.text("check"),
        confine=fields.choice("confine", kinds.CONFINE, "best-effort"),
        profile=fields.choice("profile", kinds.PROFILES, "plain"),
        read=fields.texts("read"),
        env=fields.strings("env"),
        env_pass=fields.texts("env_pass"),
        resources=fields.choice("resources", kinds.RESOURCES, ""),
        multi_output=fields.flag("multi_output"),
    )
    fields.done()
    _check(fields, row)
    return row


def _templates(fields: Fields, key: str) -> tuple[Template, ...]:
    found = []
    for text in fields.texts(key):
        try:
            found.append(parse(text))
        except TemplateError as error:
            fields.fail(f"{key} {error}")
    if found:
        first = found[0].source
        if not first.startswith(("/", "{script}/", "{tool:")):
            fields.fail(
                f"{key} starts with {first!r}; the program must be an absolute path, "
                "{script}/NAME or {tool:NAME}"
            )
    return tuple(found)


def _extension(fields: Fields) -> str:
    """`out_ext`: letters, digits and inner dots, at most 16."""
    text = fields.text("out_ext")
    if not text:
        fields.fail("out_ext is missing")
    fits = (
        len(text) <= 16 and text[0] in _EXTENSION and _EXTENSION.issuperset(text.replace(".", ""))
    )
    if not fits:
        fields.fail(f"out_ext is {text!r}; it takes up to 16 of a-z, 0-9 and inner dots")
    return text


def _presets(fields: Fields) -> dict[str, dict[str, str]]:
    presets = {}
    for name, values in fields.mapping("presets").items():
        if not isinstance(values, Mapping):
            fields.fail(f"preset {name!r} must be a table of strings")
        inner = Fields(values, f"{fields.where}preset {name!r}: ")
        presets[name] = {key: inner.text(key) for key in values}
        for key in values:
            _free_name(fields, key, f"preset {name!r}")
    return presets


def _options(fields: Fields) -> dict[str, Option]:
    options = {}
    for name, entry in fields.mapping("options").items():
        where = f"{fields.where}option {name!r}: "
        if not isinstance(entry, Mapping):
            raise Invalid(f"{where}it must be a table")
        _free_name(fields, name, "options")
        options[name] = _option(name, Fields(entry, where))
    return options


def _option(name: str, inner: Fields) -> Option:
    kind = inner.choice("type", ("enum", "int", "bool", "length", "pattern"), "")
    values = ("true", "false") if kind == "bool" else inner.texts("values")
    if kind == "enum" and not values:
        inner.fail("an enum needs values")
    pattern = inner.text("pattern")
    if (kind == "pattern") != bool(pattern):
        inner.fail('pattern goes with type = "pattern", and only with it')
    if pattern:
        _compiles(inner, pattern)
    option = Option(
        name=name,
        kind=kind,
        default=inner.text("default"),
        values=values,
        minimum=inner.integer("min", 0),
        maximum=inner.integer("max", 10000),
        pattern=pattern,
        description=inner.text("desc"),
    )
    inner.done()
    if not option.accepts(option.default):
        inner.fail(f"its default {option.default!r} is not one of its values: {option.takes()}")
    return option


def _compiles(inner: Fields, pattern: str) -> None:
    import re

    try:
        re.compile(pattern)
    except re.error as error:
        inner.fail(f"pattern {pattern!r} is no regular expression: {error}")


def _free_name(fields: Fields, name: str, what: str) -> None:
    if name in kinds.RESERVED:
        fields.fail(f"{what}: the name {name!r} is reserved")
    if not is_name(name):
        fields.fail(f"{what}: {name!r} is not a name (lower-case letters, digits, _ and -)")


def _check(fields: Fields, row: Recipe) -> None:
    """The rules that tie fields of one row together."""
    if bool(row.presets) != bool(row.default_preset):
        fields.fail("default_preset is required when there are presets, and only then")
    if row.presets and row.default_preset not in row.presets:
        fields.fail(f"default_preset {row.default_preset!r} is none of its presets")
    for name, values in row.presets.items():
        for key in values:
            if key in row.options:
                fields.fail(f"{key!r} is a value of preset {name!r} and an option at once")
    for template in (*row.prepare, *row.argv):
        for name in template.names:
            _covered(fields, row, name)
    for name in row.env_pass:
        if name.upper().startswith("LD_") or "PROXY" in name.upper() or name in _FORBIDDEN_ENV:
            fields.fail(f"env_pass may not name {name!r}")
    for path in row.read:
        if not path.startswith("/"):
            fields.fail(f"read names {path!r}, which is not an absolute path")


def _covered(fields: Fields, row: Recipe, name: str) -> None:
    """A token must have a value, whichever preset is chosen."""
    if name.startswith(TOOL):
        if name.removeprefix(TOOL) not in row.needs:
            fields.fail(f"{{{name}}} is used, but needs does not name it")
        return
    if name in kinds.RESERVED or name in row.options:
        return
    without = [preset for preset, values in row.presets.items() if name not in values]
    if without:
        fields.fail(f"{{{name}}} is used, but preset {without[0]!r} does not define it")
    if not row.presets:
        fields.fail(f"{{{name}}} is used, but neither a preset nor an option defines it")


def _chains(rows: dict[tuple[str, str], Recipe]) -> dict[tuple[str, str], Recipe]:
    """The rows with every chain checked; a chain takes the presets and options of its last hop."""
    done = dict(rows)
    for key, row in rows.items():
        if not row.via:
            continue
        formats = (row.source, *row.via, row.target)
        if len(formats) - 1 > MAX_HOPS:
            raise Invalid(f"{row.pair}: a chain has {MAX_HOPS} hops at most")
        if len(set(formats)) != len(formats):
            raise Invalid(f"{row.pair}: its chain comes back to a format it has left")
        hops = []
        for hop in pairwise(formats):
            step = rows.get(hop)
            if step is None or step.via:
                raise Invalid(f"{row.pair}: its chain needs a row {hop[0]}->{hop[1]} of its own")
            hops.append(step)
        last = hops[-1]
        done[key] = replace(
            row,
            presets=row.presets or last.presets,
            default_preset=row.default_preset or last.default_preset,
            options=row.options or last.options,
            needs=tuple(dict.fromkeys(need for hop in hops for need in hop.needs)),
            wants=tuple(dict.fromkeys(want for hop in hops for want in hop.wants)),
        )
    return done
