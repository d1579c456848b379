"""The command language: what a line means, or why it is refused.

    list     := pipeline (('&&' | '||' | ';' | newline) pipeline)*
    pipeline := stage (('|' | '|&') stage)*
    stage    := assignment* word+ redirect*        (redirects may stand between words)

Words keep which characters were quoted, so that globs, braces and tildes see unquoted text only.
Whatever bash would read in another way than we do is refused by name: every line accepted here
means in bash what it means to us.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from safeshell.lexer import Token, Word, tokens
from safeshell.refusal import refuse

KEYWORDS: Final = frozenset(
    "if then else elif fi for while until do done case esac in function select time coproc "
    "{ } ! [[ ]]".split()
)
_COMMAND_NAME = re.compile(r"[A-Za-z0-9_.+\[-]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=")


class Redirect(NamedTuple):
    """fd: 0, 1 or 2. to: `null`, `1` or `2` (a copy of that descriptor), `file` (fd 0 only)."""

    fd: int
    to: str
    file: Word | None = None


class Stage(NamedTuple):
    """One simple command. environment: its NAME=value prefixes, unchecked."""

    environment: tuple[Word, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    position: int


class Pipeline(NamedTuple):
    """joiner: what stands before it: `;` (first of the line, too), `&&` or `||`."""

    joiner: str
    stages: tuple[Stage, ...]


class _Draft:
    """A stage while it is read. position: of its first token, -1 before there is one."""

    __slots__ = ("environment", "position", "redirects", "words")

    def __init__(self) -> None:
        self.position = -1
        self.environment: list[Word] = []
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []

    @property
    def empty(self) -> bool:
        return not (self.environment or self.words or self.redirects)


def parse(line: str, *, max_stages: int, max_words: int) -> list[Pipeline]:
    """The pipelines of a line, in order; raises BLOCKED for everything outside the grammar."""
    parser = _Parser(max_stages, max_words)
    for token in tokens(line):
        parser.feed(token)
    return parser.finish()


class _Parser:
    def __init__(self, max_stages: int, max_words: int) -> None:
        self.max_stages = max_stages
        self.max_words = max_words
        self.words = 0
        self.count = 0
        self.done: list[Pipeline] = []
        self.stages: list[Stage] = []
        self.draft = _Draft()
        self.joiner = ";"
        self.open = ""  # the operator whose right side is still missing
        self.closed = True  # after a newline or at the start: an empty line is fine

    def feed(self, token: Token) -> None:
        if token.kind == "operator":
            self._operator(token)
            return
        if self.draft.position < 0:
            self.draft.position = token.position
        self.open, self.closed = "", False
        if token.kind == "redirect":
            self.draft.redirects.append(_redirect(token))
        elif token.word is not None:
            self._word(token.word)

    def finish(self) -> list[Pipeline]:
        if self.open:
            raise refuse(
                "SYNTAX", f"Nothing follows {self.open!r}.", "add a command or drop the operator",
                token=self.open,
            )  # fmt: skip
        if self.stages or not self.draft.empty:
            self._end_pipeline(";", -1)
        if not self.done:
            raise refuse("EMPTY", "The line holds no command.", "safe-shell 'ls -la'")
        return self.done

    def _operator(self, token: Token) -> None:
        text = token.text
        if text in ("|", "|&"):
            self._end_stage(text, token.position, both=text == "|&")
            self.open = text
        elif text == "\n":
            if self.open or (self.draft.empty and not self.stages and self.closed):
                return  # a blank line, or a line break after | && ||
            if not self.draft.empty or self.stages:
                self._end_pipeline(";", token.position)
            self.closed = True
        else:
            self._end_pipeline(text, token.position)
            self.open = "" if text == ";" else text
            # After `;` the line may end, but another operator may not follow.
            self.closed = text == ";"

    def _end_pipeline(self, joiner: str, position: int) -> None:
        self._end_stage(joiner, position, both=False)
        self.done.append(Pipeline(self.joiner, tuple(self.stages)))
        self.stages, self.joiner = [], joiner

    def _end_stage(self, operator: str, position: int, *, both: bool) -> None:
        draft, self.draft = self.draft, _Draft()
        if not draft.words:
            raise _no_command(draft, operator, position)
        self.count += 1
        if self.count > self.max_stages:
            raise refuse(
                "TOO_LONG", f"The line has more than {self.max_stages} stages.",
                "send it in several calls", position=draft.position,
            )  # fmt: skip
        redirects = [*draft.redirects, Redirect(2, "1")] if both else draft.redirects
        self.stages.append(
            Stage(
                tuple(draft.environment), tuple(draft.words), tuple(redirects), draft.position
            )
        )  # fmt: skip

    def _word(self, word: Word) -> None:
        self.words += 1
        if self.words > self.max_words:
            raise refuse(
                "TOO_LONG", f"The line has more than {self.max_words} words.",
                "send it in several calls", position=word.position,
            )  # fmt: skip
        if self.draft.words:
            self.draft.words.append(word)
        elif _ASSIGNMENT.match(word.unquoted):
            self.draft.environment.append(word)
        else:
            _check_name(word)
            self.draft.words.append(word)


def _no_command(draft: _Draft, operator: str, position: int) -> Exception:
    if draft.environment:
        word = draft.environment[0]
        return refuse(
            "ENV_ASSIGNMENT", f"{word.text!r} assigns without a command.",
            "write the value where it is used", token=word.text, position=word.position,
        )  # fmt: skip
    where = draft.position if draft.position >= 0 else position
    return refuse(
        "SYNTAX", f"There is no command before {operator.strip() or 'the end'!r}.",
        "write: COMMAND, COMMAND | COMMAND, COMMAND && COMMAND", token=operator,
        position=where if where >= 0 else None,
    )  # fmt: skip


def _check_name(word: Word) -> None:
    """The first word of a stage: plain text without quotes, slashes, globs or braces."""
    if word.unquoted in KEYWORDS:
        raise refuse(
            "SYNTAX", f"{word.text!r} is shell language, which is not run here.",
            _KEYWORD_HINTS.get(word.text, "send one plain command after the other"),
            token=word.text, position=word.position,
        )  # fmt: skip
    if any(quoted for _, quoted in word.parts):
        raise refuse(
            "COMMAND_NAME", f"The command name {word.text!r} is quoted or escaped.",
            "write the tool's name plainly", token=word.text, position=word.position,
        )  # fmt: skip
    check_name(word.text, word.position)


def check_name(name: str, position: int | None = None) -> None:
    """Raise BLOCKED unless this is a bare tool name."""
    if _COMMAND_NAME.fullmatch(name):
        return
    if any(char.isspace() for char in name):
        why, hint = "is several words", "without -- before it, it is read as a line"
    elif "/" in name:
        bare = name.rstrip("/").rsplit("/", 1)[-1]
        why, hint = "is a path", f"use a bare tool name, such as {bare!r}, if it is on the list"
    else:
        why, hint = "is not a plain tool name", "start with a tool's name; see safe-shell --list"
    raise refuse(
        "COMMAND_NAME", f"The command name {name!r} {why}.", hint, token=name, position=position
    )


def _redirect(token: Token) -> Redirect:
    """The redirects we know, and only those."""
    operator, word, fd = token.text, token.word, token.fd
    text = word.text if word is not None else ""
    plain = word is not None and not any(quoted for _, quoted in word.parts)
    if operator == ">&" and plain and text in ("1", "2") and fd in (None, 1, 2):
        return Redirect(1 if fd is None else fd, text)
    if operator in (">", ">>") and text == "/dev/null" and fd in (None, 1, 2):
        return Redirect(1 if fd is None else fd, "null")
    if operator in ("&>", "&>>", ">&") and fd is None and text == "/dev/null":
        return Redirect(-1, "null")
    if operator == "<" and word is not None and fd in (None, 0):
        return Redirect(0, "file", word)
    shown = f"{'' if fd is None else fd}{operator}{text}"
    if operator in (">", ">>", "&>", "&>>", ">|", "<>") or (operator == ">&" and not plain):
        hint = "nothing can be written here; read the result from stdout, or use >/dev/null"
    else:
        hint = "2>&1, >&2, >/dev/null, 2>/dev/null, &>/dev/null and < FILE are known"
    raise refuse(
        "REDIRECT", f"The redirection {shown!r} is not allowed.", hint, token=shown,
        position=token.position,
    )  # fmt: skip


_KEYWORD_HINTS: Final = {
    "!": "use: COMMAND && echo yes || echo no",
    "[[": "use: [ -f FILE ] or test -f FILE",
    "for": "use globs, `rg -l PATTERN` or `grep -rn --include='*.py' PATTERN .`",
    "while": "use globs, `rg -l PATTERN` or `find . -name '*.py'`",
    "time": "durationMs in the answer is the time it took",
    "if": "use: test -f FILE && COMMAND || COMMAND",
}
