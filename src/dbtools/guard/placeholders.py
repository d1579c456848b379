"""The gated text cut at its `:name` placeholders."""

from __future__ import annotations

from dbtools.guard.lexer import Tokens

_TOUCHING = ")]'\"`$"


def cut_at_placeholders(tokens: Tokens) -> list[str | tuple[str]]:
    """[text, (name,), text, ...] of tokens whose text needs no blanking."""
    text = tokens.text
    parts: list[str | tuple[str]] = []
    done = 0
    for kind, key, start in zip(tokens.kinds, tokens.keys, tokens.starts, strict=True):
        if kind != "V" or key[0] != ":" or not _is_name(key[1:]) or _touches(text, start):
            continue
        if start > done:
            parts.append(text[done:start])
        parts.append((key[1:],))
        done = start + len(key)
    if done < len(text):
        parts.append(text[done:])
    return parts


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _touches(text: str, start: int) -> bool:
    """Does the colon touch a name, a number, a bracket or a quote: a slice or a ternary?"""
    before = text[start - 1 : start]
    return before != "" and (before.isalnum() or before == "_" or before in _TOUCHING)
