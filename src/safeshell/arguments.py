"""Checks one program's words against its list: options by exact name, values by type, paths by
place. What comes back is the argv to run, with the options that we always add."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from safeshell.paths import Roots
from safeshell.policy import Command, Flag
from safeshell.refusal import refuse
from safeshell.words import Arg
from toolbelt.errors import ToolError, nearest

_INT: Final = re.compile(r"[+-]?(0x[0-9A-Fa-f]+|[0-9]+)")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?[A-Za-z]{0,3}%?")
_NUMERIC: Final = re.compile(r"-[0-9][0-9.]*")


class Place(NamedTuple):
    """Where a program would run. cwd: its folder, real. roots: what it may read."""

    cwd: str
    roots: Roots


class Parsed:
    """A program's words, told apart. options: (name, value) in order, the value None for a switch.
    operands: the rest."""

    __slots__ = ("operands", "options")

    def __init__(self) -> None:
        self.options: list[tuple[str, Arg | None]] = []
        self.operands: list[Arg] = []

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Arg]:
        return [value for name, value in self.options if name in names and value is not None]


def check(command: Command, args: Sequence[Arg], place: Place) -> list[str]:
    """The words to run after the program's name; raises BLOCKED."""
    parsed = parse(command, args, place)
    check_operands(command, parsed, place)
    return [*forced(command, parsed, place), *(arg.text for arg in args)]


def forced(command: Command, parsed: Parsed, place: Place) -> list[str]:
    """The options that we add before the caller's."""
    folders = command.forced_for_folders
    if folders and any(_is_folder(arg.text, place) for arg in parsed.operands):
        return [*command.forced, *folders]
    return list(command.forced)


def _is_folder(text: str, place: Place) -> bool:
    return os.path.isdir(os.path.join(place.cwd, text))  # noqa: PTH112, PTH118


def parse(command: Command, args: Sequence[Arg], place: Place) -> Parsed:
    """Tell options from operands the way the program will, refusing options not on its list."""
    return _Scan(command, args, place).run()


class _Scan:
    def __init__(self, command: Command, args: Sequence[Arg], place: Place) -> None:
        self.command = command
        self.args = args
        self.place = place
        self.at = 0
        self.parsed = Parsed()

    def run(self) -> Parsed:
        while self.at < len(self.args):
            arg = self.args[self.at]
            self.at += 1
            text = arg.text
            if not self.command.options or arg.globbed or text == "-" or text[:1] != "-":
                self.parsed.operands.append(arg)
            elif text == "--":
                self.parsed.operands.extend(self.args[self.at :])
                break
            elif self.command.flags.numeric and _NUMERIC.fullmatch(text):
                self.parsed.options.append(("-NUM", None))
            elif text in self.command.flags.known:
                self._option(arg, text, self.command.flags.known[text], None)
            elif text.startswith("--"):
                self._long(arg)
            else:
                self._short(arg)
        return self.parsed

    def _long(self, arg: Arg) -> None:
        name, equals, value = arg.text.partition("=")
        flag = self.command.flags.known.get(name)
        if flag is None:
            raise self._unknown(name, arg)
        if equals and (not flag.value or "+" in flag.value):
            raise refuse(
                "BAD_VALUE", f"{name} of {self.command.name} takes no value after '='.",
                f"write {name}", token=arg.text, position=arg.position,
            )  # fmt: skip
        self._option(arg, name, flag, value if equals else None)

    def _short(self, arg: Arg) -> None:
        text, at = arg.text, 1
        while at < len(text):
            name = f"-{text[at]}"
            if self.command.flags.numeric and at > 1 and text[at:].isdecimal():
                self.parsed.options.append(("-NUM", None))
                return
            flag = self.command.flags.known.get(name)
            if flag is None:
                raise self._unknown(name, arg)
            at += 1
            rest = text[at:]
            if flag.value and rest and not self.command.attached:
                # To this program the rest is more options; they must not pass as a value.
                raise refuse(
                    "BAD_VALUE", f"{name} of {self.command.name} takes its value as the next word.",
                    f"write {name} VALUE", token=text, position=arg.position,
                )  # fmt: skip
            if flag.value:
                self._option(arg, name, flag, rest or None)
                return
            if rest and not self.command.bundles:
                raise self._unknown(text, arg)
            self.parsed.options.append((name, None))

    def _option(self, arg: Arg, name: str, flag: Flag, attached: str | None) -> None:
        if not flag.value or (flag.optional and attached is None):
            self.parsed.options.append((name, None))
            return
        kinds = flag.value.split("+")
        for kind in kinds:
            if attached is not None:
                value = Arg(attached, arg.position)
            elif self.at < len(self.args):
                value = self.args[self.at]
                self.at += 1
            else:
                raise refuse(
                    "BAD_VALUE", f"{name} of {self.command.name} needs a value.",
                    f"write {name} VALUE", token=arg.text, position=arg.position,
                )  # fmt: skip
            check_value(self.command, name, kind, flag, value, self.place)
            self.parsed.options.append((name, value))

    def _unknown(self, name: str, arg: Arg) -> ToolError:
        return unknown_flag(self.command, name, arg)


def check_value(
    command: Command, name: str, kind: str, flag: Flag, value: Arg, place: Place
) -> None:
    """Raise BLOCKED unless an option's value is of its type, and a path inside."""
    good, wanted = True, ""
    if kind == "path":
        place.roots.check(value.text, place.cwd, position=value.position)
    elif kind == "int":
        good, wanted = bool(_INT.fullmatch(value.text)), "a whole number"
    elif kind == "number":
        good, wanted = bool(_NUMBER.fullmatch(value.text)), "a number, such as 10 or +10k"
    elif kind == "enum":
        good, wanted = value.text in flag.choices, f"one of {', '.join(flag.choices)}"
    if not good:
        raise refuse(
            "BAD_VALUE", f"{name} of {command.name} is {value.text!r}, not {wanted}.",
            f"give {name} {wanted}", token=value.text, position=value.position,
        )  # fmt: skip


def unknown_flag(command: Command, name: str, arg: Arg) -> ToolError:
    """FLAG_NOT_ALLOWED with what to use instead, or the nearest names that are allowed."""
    hint = command.hints.get(name) or next(
        (text for key, text in command.hints.items() if _means(name, key)), ""
    )
    if not hint:
        close = nearest(name, command.flags.names()) if name.startswith("--") else []
        longer = [known for known in command.flags.known if known.startswith(name) and name[2:]]
        found = ", ".join(dict.fromkeys([*longer[:2], *close]))
        hint = f"allowed and similar: {found}" if found else ""
    hint = hint or f"safe-shell --list {command.name.split()[0]} shows the options allowed"
    return refuse(
        "FLAG_NOT_ALLOWED", f"{command.name} may not be given {name}.", hint, token=name,
        position=arg.position,
    )  # fmt: skip


def _means(name: str, key: str) -> bool:
    """Whether a shortened long option stands for the one that has a hint."""
    return len(name) > 3 and key.startswith("--") and key.startswith(name)


def check_operands(command: Command, parsed: Parsed, place: Place) -> None:
    """Number, form and place of the operands; raises BLOCKED."""
    check_count(command, parsed)
    operands = parsed.operands
    if command.operands == "pattern-paths" and not parsed.has(*command.pattern_flags):
        operands = operands[1:]
    if command.operands == "none" and operands:
        raise refuse(
            "TOO_MANY_OPERANDS", f"{command.name} takes no operands here.", "drop it",
            token=operands[0].text, position=operands[0].position,
        )  # fmt: skip
    if command.operand_pattern:
        _fit(command, operands)
    if command.operands in ("paths", "pattern-paths"):
        for arg in operands:
            place.roots.check(arg.text, place.cwd, position=arg.position)


def check_count(command: Command, parsed: Parsed) -> None:
    """Raise BLOCKED for more operands than the program may have."""
    if command.max_operands is None or len(parsed.operands) <= command.max_operands:
        return
    extra = parsed.operands[command.max_operands]
    raise refuse(
        "TOO_MANY_OPERANDS",
        f"{command.name} takes at most {command.max_operands} operands here; "
        f"{extra.text!r} is one more.",
        f"call {command.name} once for each", token=extra.text, position=extra.position,
    )  # fmt: skip


def _fit(command: Command, operands: list[Arg]) -> None:
    for arg in operands:
        if not re.fullmatch(command.operand_pattern, arg.text, re.DOTALL):
            raise refuse(
                "BAD_VALUE", f"{command.name} may not be given {arg.text!r}.",
                f"write an operand that fits {command.operand_pattern}", token=arg.text,
                position=arg.position,
            )  # fmt: skip
