"""Right-to-left text: the Unicode Bidirectional Algorithm for one line of a report.

Levels follow UAX #9 (rules P2-P3, W1-W7, N0-N2, I1-I2, L1-L2). Explicit embeddings and isolates
are not obeyed: in data they only serve to mislead a reader, so they are dropped before drawing.
"""

from __future__ import annotations

from typing import Final
from unicodedata import bidirectional

_STRONG: Final = ("L", "R", "AL")
_NEUTRAL: Final = ("B", "S", "WS", "ON", "BN")
_PAIRS: Final = {
    ")": "(",
    "]": "[",
    "}": "{",
    "»": "«",
    "›": "‹",
    "〉": "〈",
    "》": "《",
    "」": "「",
}


def has_rtl(text: str) -> bool:
    """Some character runs from right to left."""
    return not text.isascii() and any(bidirectional(c) in ("R", "AL", "AN") for c in text)


def is_rtl(text: str) -> bool:
    """The first letter that has a direction runs from right to left."""
    if text.isascii():
        return False
    for char in text:
        kind = bidirectional(char)
        if kind in _STRONG:
            return kind != "L"
    return False


def visual_runs(text: str, rtl: bool | None = None) -> list[tuple[str, bool]]:
    """Stretches of one direction from left to right as they stand on the line.

    Each is in logical order with True when it reads from right to left. rtl: the direction of the
    whole line, None to take it from its first strong letter.
    """
    base = int(is_rtl(text) if rtl is None else rtl)
    levels = _levels(text, base)
    runs: list[tuple[int, int, int]] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or levels[at] != levels[start]:
            runs.append((start, at, levels[start]))
            start = at
    for level in range(max(levels, default=0), 0, -1):
        runs = _flip(runs, level)
    return [(text[a:b], level % 2 == 1) for a, b, level in runs]


def _flip(runs: list[tuple[int, int, int]], level: int) -> list[tuple[int, int, int]]:
    """Rule L2 for one level: reverse every sequence of runs at that level or above."""
    done: list[tuple[int, int, int]] = []
    held: list[tuple[int, int, int]] = []
    for run in runs:
        if run[2] >= level:
            held.append(run)
            continue
        done.extend(reversed(held))
        held.clear()
        done.append(run)
    done.extend(reversed(held))
    return done


def _levels(text: str, base: int) -> list[int]:
    edge = "R" if base else "L"
    kinds = _weak([bidirectional(c) or "L" for c in text], edge)
    _brackets(text, kinds, edge)
    _neutral(kinds, edge)
    levels = []
    for kind in kinds:
        if base:
            levels.append(1 if kind == "R" else 2)
        else:
            levels.append({"L": 0, "R": 1}.get(kind, 2))
    at = len(text)
    while at and bidirectional(text[at - 1]) in ("WS", "B", "S"):
        at -= 1
        levels[at] = base
    return levels


def _weak(kinds: list[str], edge: str) -> list[str]:
    """Rules W1 to W7: marks, numbers and the signs around them."""
    before, strong = edge, edge
    for at, kind in enumerate(kinds):
        if kind == "NSM":
            kinds[at] = kind = before
        before = kind
        if kind in _STRONG:
            strong = kind
        elif kind == "EN" and strong == "AL":
            kinds[at] = "AN"
    kinds = ["R" if kind == "AL" else kind for kind in kinds]
    for at in range(1, len(kinds) - 1):
        left, right = kinds[at - 1], kinds[at + 1]
        if left == right and (
            (kinds[at] == "ES" and left == "EN") or (kinds[at] == "CS" and left in ("EN", "AN"))
        ):
            kinds[at] = left
    _terminators(kinds)
    strong = edge
    for at, kind in enumerate(kinds):
        if kind in ("ES", "ET", "CS"):
            kinds[at] = "ON"
        elif kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            kinds[at] = "L"
    return kinds


def _terminators(kinds: list[str]) -> None:
    """Rule W5: currency and percent signs belong to the number they touch."""
    at = 0
    while at < len(kinds):
        if kinds[at] != "ET":
            at += 1
            continue
        end = at
        while end < len(kinds) and kinds[end] == "ET":
            end += 1
        touches = (at and kinds[at - 1] == "EN") or (end < len(kinds) and kinds[end] == "EN")
        if touches:
            kinds[at:end] = ["EN"] * (end - at)
        at = end


def _side(kind: str) -> str:
    return "R" if kind in ("R", "AN", "EN") else "L"


def _brackets(text: str, kinds: list[str], edge: str) -> None:
    """Rule N0: both brackets of a pair go with the line, or with what they hold and follow."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for at, char in enumerate(text):
        if kinds[at] != "ON":
            continue
        if char in _PAIRS.values():
            opened.append(at)
        elif char in _PAIRS:
            match = next((o for o in reversed(opened) if text[o] == _PAIRS[char]), None)
            if match is not None:
                del opened[opened.index(match) :]
                pairs.append((match, at))
    for first, last in sorted(pairs):
        inside = {_side(k) for k in kinds[first + 1 : last] if k in ("L", "R", "EN", "AN")}
        if not inside:
            continue
        direction = edge
        if edge not in inside:
            before = next((k for k in reversed(kinds[:first]) if k in ("L", "R", "EN", "AN")), edge)
            direction = _side(before) if _side(before) in inside else edge
        kinds[first] = kinds[last] = direction


def _neutral(kinds: list[str], edge: str) -> None:
    """Rules N1 and N2: spaces and signs go with what stands on both sides, else with the line."""
    at = 0
    while at < len(kinds):
        if kinds[at] not in _NEUTRAL:
            at += 1
            continue
        end = at
        while end < len(kinds) and kinds[end] in _NEUTRAL:
            end += 1
        left = _side(kinds[at - 1]) if at else edge
        right = _side(kinds[end]) if end < len(kinds) else edge
        kinds[at:end] = [left if left == right else edge] * (end - at)
        at = end
