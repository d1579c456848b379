"""From words to arguments: braces, then tildes (refused), then file names."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from safeshell import braces, glob
from safeshell.braces import Char
from safeshell.lexer import Word
from safeshell.paths import Outside, Roots
from safeshell.refusal import refuse

_TILDE: Final = re.compile(r"~|[A-Za-z_][A-Za-z0-9_]*\+?=(?:.*:)?~", re.DOTALL)


# Looking for the other end of each takes a look at the whole word.
_MOST_BRACKETS: Final = 128


class Arg(NamedTuple):
    """One argument. position: of its word in the line, None in the argv form. globbed: a file
    name that a pattern found, which is never read as an option."""

    text: str
    position: int | None = None
    globbed: bool = False


class Expansion(NamedTuple):
    """Limits of one line's expansions: words from one word's braces, file names from its globs,
    folder entries looked at."""

    brace_results: int
    glob_results: int
    glob_entries: int


def expand(word: Word, cwd: str, roots: Roots, limits: Expansion) -> list[Arg]:
    """The arguments that a word becomes in the folder `cwd`; raises BLOCKED."""
    chars = _chars(word)
    if chars is None:
        _check_tilde(word.unquoted, word)
        return [Arg(word.text, word.position)]
    if max(word.unquoted.count("{"), word.unquoted.count("[")) > _MOST_BRACKETS:
        raise refuse(
            "TOO_LONG", f"A word holds more than {_MOST_BRACKETS} braces or brackets.",
            "quote them when they are text", token=word.text[:40], position=word.position,
        )  # fmt: skip
    args: list[Arg] = []
    for variant in braces.expand(chars, limits.brace_results, word.position):
        if not variant:
            continue  # an unquoted nothing, as in {,a}, is no word
        _check_tilde("".join("\0" if quoted else char for char, quoted in variant), word)
        args.extend(_names(variant, word, cwd, roots, limits))
    return args


def plain_text(word: Word, what: str) -> str:
    """A word that must be one plain path: nothing in it may expand."""
    chars = _chars(word)
    if chars is not None or word.unquoted.startswith("~"):
        raise refuse(
            "EXPANSION", f"{what} {word.text!r} holds a pattern.", "name one file",
            token=word.text, position=word.position,
        )  # fmt: skip
    return word.text


def _chars(word: Word) -> list[Char] | None:
    """The word's characters; None when nothing in it can expand."""
    if not any(not quoted and not _inert(text) for text, quoted in word.parts):
        return None
    chars: list[Char] = []
    for text, quoted in word.parts:
        chars.extend([(char, quoted) for char in text] if text else [("", True)])
    return chars


def _inert(text: str) -> bool:
    return not any(char in text for char in "*?[{}")


def _check_tilde(text: str, word: Word) -> None:
    if _TILDE.match(text):
        raise refuse(
            "EXPANSION", f"The ~ of {word.text!r} would be expanded by a shell.",
            "write a path in the workspace; '~' in quotes is text", token="~",
            position=word.position,
        )  # fmt: skip


def _names(chars: list[Char], word: Word, cwd: str, roots: Roots, limits: Expansion) -> list[Arg]:
    text = "".join(char for char, _ in chars)
    if not glob.has_magic(chars):
        return [Arg(text, word.position)]
    _check_prefix(text, chars, word, cwd, roots)
    try:
        found = glob.expand(chars, cwd, glob.Budget(limits.glob_entries))
    except glob.Unclear:
        raise refuse(
            "SYNTAX", f"The bracket in {text!r} is not accepted as a file name pattern.",
            "quote it when it is text: '[...]'", token=text, position=word.position,
        ) from None  # fmt: skip
    except glob.TooMany:
        found = []
        over = True
    else:
        over = len(found) > limits.glob_results
    if over:
        raise refuse(
            "TOO_LONG", f"The pattern {text!r} looks at too many files.",
            "name a folder, or use find or rg --files", token=text, position=word.position,
        )  # fmt: skip
    if not found:
        return [Arg(text, word.position)]
    for name in found:
        _check_folder(name.rstrip("/").rpartition("/")[0] or ".", name, word, cwd, roots)
    # A file may be called --output=x: it is a file all the same.
    return [
        Arg(f"./{name}" if name.startswith("-") else name, word.position, globbed=True)
        for name in found
    ]


def _check_prefix(text: str, chars: list[Char], word: Word, cwd: str, roots: Roots) -> None:
    """No folder outside is listed: what stands before the first pattern lies inside, and no `..`
    follows one."""
    first = next(at for at, char in enumerate(chars) if not char[1] and char[0] in "*?[")
    size = sum(len(char) for char, _ in chars[:first])
    folder, _, rest = text[:size].rpartition("/")
    if folder or text.startswith("/"):
        _check_folder(folder or "/", text, word, cwd, roots)
    if ".." in (rest + text[size:]).split("/"):
        raise _outside(text, word, roots)


def _check_folder(folder: str, shown: str, word: Word, cwd: str, roots: Roots) -> None:
    try:
        roots.resolve(folder, cwd)
    except Outside:
        raise _outside(shown, word, roots) from None


def _outside(shown: str, word: Word, roots: Roots) -> Exception:
    return refuse(
        "PATH_OUTSIDE", f"{shown!r} leads out of the workspace.",
        f"name a path below {roots.workspace}", token=shown, position=word.position,
    )  # fmt: skip
