"""What may run, as typed data: read from the table compiled out of recipes/shell.toml.

Only what a line names is built: a command's flags are parsed when the command is met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from toolbelt.errors import ToolError

# One flag of the mini-language: its name, `?` for an optional value, and the value's type.
_FLAG: Final = re.compile(r"(-{1,2}[A-Za-z0-9.][A-Za-z0-9_-]*)(\?)?(?:=(\S+))?")
TYPES: Final = frozenset(("int", "number", "text", "path", "text+text", "text+path"))
COMMON: Final = "--help --version"


class Flag(NamedTuple):
    """value: its type, empty for a switch. optional: only attached. choices: of an enum."""

    value: str = ""
    optional: bool = False
    choices: tuple[str, ...] = ()


_SWITCH: Final = Flag()
_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class Flags(NamedTuple):
    """The options that a command may be given. numeric: `-20` is one of them."""

    known: Mapping[str, Flag]
    numeric: bool = False

    def names(self) -> list[str]:
        return list(self.known)


def parse_flags(text: str, groups: Mapping[str, str], where: str) -> Flags:
    """Flags from their mini-language; BAD_CONFIG for one that is malformed or named twice."""
    known: dict[str, Flag] = {}
    numeric = False
    for word in _words(text, groups, where):
        if word == "-NUM":
            numeric = True
            continue
        match = _FLAG.fullmatch(word)
        # find's ! ( ) , are words of its language, not options.
        name, flag = (word, _SWITCH) if word in ("!", "(", ")", ",") else _flag(match, word, where)
        if known.setdefault(name, flag) != flag:
            raise bad_policy(f"{where} names {name} twice, with different values.")
    return Flags(known, numeric)


def _words(text: str, groups: Mapping[str, str], where: str) -> Iterator[str]:
    for word in text.split():
        if word.startswith("@"):
            if word[1:] not in groups:
                raise bad_policy(f"{where} uses the unknown group {word}.")
            yield from _words(groups[word[1:]], groups, where)
        else:
            yield word


def _flag(match: re.Match[str] | None, word: str, where: str) -> tuple[str, Flag]:
    if match is None:
        raise bad_policy(f"{where}: {word!r} is not a flag.")
    name, optional, value = match[1], bool(match[2]), match[3] or ""
    if value.startswith("enum(") and value.endswith(")"):
        return name, Flag("enum", optional, tuple(value[5:-1].split("|")))
    if (value and value not in TYPES) or (optional and not value):
        raise bad_policy(f"{where}: {word!r} has no type that is known.")
    return name, Flag(value, optional)


def bad_policy(message: str, hint: str = "see docs/safe-shell.md for the format") -> ToolError:
    """BAD_CONFIG: safe-shell cannot trust its own rules, so nothing runs."""
    return ToolError("BAD_CONFIG", message, hint=hint)


class Command(NamedTuple):
    """How one program (or git subcommand) may be called; see recipes/shell.toml for the keys."""

    name: str
    flags: Flags
    grammar: str = "flags"
    operands: str = "none"
    max_operands: int | None = None
    operand_pattern: str = ""
    pattern_flags: frozenset[str] = frozenset()
    forced: tuple[str, ...] = ()
    forced_for_folders: tuple[str, ...] = ()
    hints: Mapping[str, str] = _NONE
    bundles: bool = True
    attached: bool = True
    options: bool = True
    operands_with: frozenset[str] = frozenset()
    verbs: Mapping[str, str] = _NONE
    executes: tuple[str, ...] = ()
    program: str = ""


class Limits(NamedTuple):
    """Bounds of one call; `recipes/shell.toml` says what each is."""

    timeout_s: float
    max_timeout_s: float
    stdout_bytes: int
    stderr_bytes: int
    drain_bytes: int
    command_bytes: int
    words: int
    stages: int
    brace_results: int
    glob_results: int
    glob_entries: int
    memory_bytes: int
    address_bytes: int
    cpu_s: int
    open_files: int


class Policy:
    """The rules in force. table: the merged tables of recipes/shell.toml. sources: the files that
    changed it."""

    def __init__(self, table: Mapping[str, Any], sources: tuple[str, ...] = ()) -> None:
        self.table = table
        self.sources = sources

    @cached_property
    def limits(self) -> Limits:
        return Limits(**self.table["limits"])

    @property
    def builtins(self) -> tuple[str, ...]:
        return tuple(self.table["builtins"]["names"])

    @property
    def commands(self) -> list[str]:
        """The programs that may run, git among them, in the table's order."""
        return [*self.table["command"], *(["git"] if self.table["git"]["sub"] else [])]

    def command(self, name: str) -> Command | None:
        """How a program may be called; None when it may not. `git` is not among these."""
        entry = self.table["command"].get(name)
        if entry is None:
            return None
        common = COMMON if entry.get("common", True) and entry.get("options", True) else ""
        return build(name, entry, {}, f"[command.{name}]", common)

    def subcommand(self, name: str, verb: str | None = None) -> Command | None:
        """How a git subcommand, or a verb of one (`stash list`), may be called."""
        git = self.table["git"]
        entry = git["sub"].get(name)
        if entry is None or (verb is not None and verb not in entry.get("verbs", {})):
            return None
        flags = "" if verb is None else entry["verbs"][verb]
        where = f"[git.sub.{name}]"
        built = dict(entry, hints={**git["hints"], **entry.get("hints", {})})
        return build(name, built, git["groups"], where, flags)

    @cached_property
    def git_globals(self) -> Flags:
        """Options before git's subcommand."""
        return parse_flags(self.table["git"]["flags"], {}, "[git] flags")


def build(
    name: str, entry: Mapping[str, Any], groups: Mapping[str, str], where: str, more: str
) -> Command:
    """A Command from its table; `more` flags are allowed besides its own."""
    flags = parse_flags(f"{entry.get('flags', '')} {more}", groups, where)
    removed = frozenset(entry.get("removed_flags", ()))
    if removed:
        known = {key: flag for key, flag in flags.known.items() if key not in removed}
        flags = Flags(known, flags.numeric and "-NUM" not in removed)
    return Command(
        name=name,
        flags=flags,
        grammar=entry.get("grammar", "flags"),
        operands=entry.get("operands", "none"),
        max_operands=entry.get("max_operands"),
        operand_pattern=entry.get("operand_pattern", ""),
        pattern_flags=frozenset(entry.get("pattern_flags", ())),
        forced=tuple(entry.get("forced", ())),
        forced_for_folders=tuple(entry.get("forced_for_folders", ())),
        hints=entry.get("hints", {}),
        bundles=entry.get("bundles", True),
        attached=entry.get("attached", True),
        options=entry.get("options", True),
        operands_with=frozenset(entry.get("operands_with", ())),
        verbs=entry.get("verbs", {}),
        executes=tuple(entry.get("executes", ())),
        program=entry.get("program", ""),
    )
