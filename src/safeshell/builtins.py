"""The commands that run inside safe-shell: no process, no file opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from safeshell import conditions, printf
from safeshell.arguments import Place
from safeshell.policy import Policy
from safeshell.refusal import refuse
from safeshell.words import Arg


class Said(NamedTuple):
    """What a builtin printed and how it ended."""

    stdout: bytes = b""
    stderr: bytes = b""
    code: int = 0


class Context(NamedTuple):
    """cwd: of the line at this moment. locate: the file of an allowed program, None for none."""

    policy: Policy
    place: Place
    locate: Callable[[str], str | None]


def check_builtin(name: str, args: Sequence[Arg], place: Place) -> str | None:
    """Check a builtin's words, raising BLOCKED; the folder that a `cd` leads to, None else."""
    if name in ("test", "["):
        for index in conditions.file_operands([arg.text for arg in args]):
            place.roots.check(args[index].text, place.cwd, position=args[index].position)
    elif name == "command":
        if len(args) < 1 or args[0].text not in ("-v", "-V"):
            raise refuse(
                "COMMAND_NOT_ALLOWED", "command is known as command -v NAME only.",
                "write the command itself", token="command",
            )  # fmt: skip
    elif name == "printf" and args and args[0].text.startswith("-v"):
        raise refuse(
            "FLAG_NOT_ALLOWED", "printf -v sets a variable; there are none here.",
            "printf '%s\\n' TEXT", token=args[0].text, position=args[0].position,
        )  # fmt: skip
    elif name == "cd":
        return _cd_target(args, place)
    return None


def _cd_target(args: Sequence[Arg], place: Place) -> str | None:
    words = _cd_words(args)
    if not words:
        return place.roots.workspace
    if words[0].text == "-":
        raise refuse(
            "EXPANSION", "cd - needs a folder remembered from before; every call starts anew.",
            "write the folder's name", token="-", position=words[0].position,
        )  # fmt: skip
    if len(words) > 1 or not words[0].text:
        return None
    real = place.roots.check(words[0].text, place.cwd, position=words[0].position)
    return real if place.roots.is_folder(real) else None


def _cd_words(args: Sequence[Arg]) -> list[Arg]:
    words = list(args)
    while words and words[0].text in ("-P", "-L", "-e") and not words[0].globbed:
        words.pop(0)
    return words[1:] if words and words[0].text == "--" else words


def run(argv: Sequence[str], moves_to: str | None, context: Context) -> Said:
    """Run a builtin that was checked before."""
    name, *words = argv
    if name == "cd":
        return _cd(words, moves_to)
    return _RUN[name](words, context)


def _cd(words: list[str], moves_to: str | None) -> Said:
    if moves_to is not None:
        return Said()
    rest = [arg.text for arg in _cd_words([Arg(word) for word in words])]
    if len(rest) > 1:
        return _complain("cd: too many arguments")
    if not rest or rest == [""]:
        return Said()
    why = "Not a directory" if os.path.lexists(rest[0]) else "No such file or directory"
    return _complain(f"cd: {rest[0]}: {why}")


def _complain(text: str, code: int = 1) -> Said:
    return Said(stderr=f"{text}\n".encode("utf-8", "surrogateescape"), code=code)


def _say(text: str, code: int = 0) -> Said:
    return Said(f"{text}\n".encode("utf-8", "surrogateescape"), code=code)


def _pwd(_words: list[str], context: Context) -> Said:
    return _say(context.place.cwd)


def _echo(words: list[str], _context: Context) -> Said:
    newline, escapes = True, False
    while words and len(words[0]) > 1 and words[0][0] == "-" and not words[0][1:].strip("neE"):
        newline = newline and "n" not in words[0]
        for letter in words[0][1:]:
            escapes = letter == "e" if letter in "eE" else escapes
        words = words[1:]
    text = " ".join(words)
    if not escapes:
        data, stopped = text.encode("utf-8", "surrogateescape"), False
    else:
        data, stopped = printf.unescape(text, octal_needs_zero=True, stops=True)
    return Said(data + (b"\n" if newline and not stopped else b""))


def _printf(words: list[str], _context: Context) -> Said:
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        return _complain("printf: usage: printf format [arguments]", 2)
    try:
        data, errors = printf.printf(words[0], words[1:])
    except printf.BadFormat as bad:
        return _complain(f"printf: {bad}")
    told = "".join(f"printf: {error}\n" for error in errors)
    return Said(data, told.encode("utf-8", "surrogateescape"), int(bool(errors)))


def _test(words: list[str], context: Context) -> Said:
    try:
        truth = conditions.evaluate(words, context.place.cwd, context.place.roots)
    except conditions.BadTest as bad:
        return _complain(f"test: {bad}", 2)
    return Said(code=int(not truth))


def _bracket(words: list[str], context: Context) -> Said:
    if words[-1:] != ["]"]:
        return _complain("[: missing `]'", 2)
    return _test(words[:-1], context)


def _which(words: list[str], context: Context) -> Said:
    names = [word for word in words if not word.startswith("-")]
    found = [_locate(name, context) for name in names]
    lines = "".join(f"{path}\n" for path in found if path)
    return Said(lines.encode(), code=int(not names or not all(found)))


def _command(words: list[str], context: Context) -> Said:
    names = words[1:]
    found = [name if name in context.policy.builtins else _locate(name, context) for name in names]
    lines = "".join(f"{path}\n" for path in found if path)
    return Said(lines.encode(), code=int(not names or not any(found)))


def _locate(name: str, context: Context) -> str | None:
    return context.locate(name) if name in context.policy.commands else None


def _basename(words: list[str], _context: Context) -> Said:
    many, suffix, end, names = _basename_options(words)
    if not names:
        return _complain("basename: missing operand")
    if not many and len(names) > 2:
        return _complain(f"basename: extra operand '{names[2]}'")
    if not many and len(names) == 2:
        suffix = names.pop()
    return Said("".join(_base(n, suffix) + end for n in names).encode("utf-8", "surrogateescape"))


def _basename_options(words: list[str]) -> tuple[bool, str, str, list[str]]:
    many, suffix, end = False, "", "\n"
    while words and words[0].startswith("-") and words[0] != "-":
        option, words = words[0], words[1:]
        if option == "--":
            break
        if option in ("-a", "--multiple"):
            many = True
        elif option in ("-z", "--zero"):
            end = "\0"
        elif option in ("-s", "--suffix") and words:
            many, suffix, words = True, words[0], words[1:]
        elif option.startswith("--suffix="):
            many, suffix = True, option.partition("=")[2]
        elif option.startswith("-s") and len(option) > 2:
            many, suffix = True, option[2:]
        else:
            words = []
            break
    return many, suffix, end, list(words)


def _base(name: str, suffix: str) -> str:
    base = name.rstrip("/").rpartition("/")[2] or ("/" if name else "")
    return base.removesuffix(suffix) if suffix and base != suffix else base


def _dirname(words: list[str], _context: Context) -> Said:
    end = "\n"
    if words[:1] in (["-z"], ["--zero"]):
        end, words = "\0", words[1:]
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        return _complain("dirname: missing operand")
    return Said("".join(_dir(n) + end for n in words).encode("utf-8", "surrogateescape"))


def _dir(name: str) -> str:
    head = name.rstrip("/").rpartition("/")[0].rstrip("/")
    return head or ("/" if name.startswith("/") else ".")


_RUN: Final[dict[str, Callable[[list[str], Context], Said]]] = {
    "pwd": _pwd,
    "true": lambda _words, _context: Said(),
    "false": lambda _words, _context: Said(code=1),
    "echo": _echo,
    "printf": _printf,
    "test": _test,
    "[": _bracket,
    "which": _which,
    "command": _command,
    "basename": _basename,
    "dirname": _dirname,
}
