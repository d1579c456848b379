"""One campaign: make, judge, send, compare; find the culprit of a change and shrink it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from dbtools.guard import check
from fuzz.grammar import Grammar, visible_cases
from fuzz.mutate import mutated, pieces
from fuzz.targets import MARKER, Target

BATCH = 400


@dataclass
class Report:
    """What a campaign did. found: statement -> what it changed."""

    engine: str
    seed: int
    tried: int = 0
    allowed: int = 0
    executed: int = 0
    failed: int = 0
    seconds: float = 0.0
    found: dict[str, str] = field(default_factory=dict)

    def line(self) -> str:
        """One line for people."""
        return (
            f"{self.engine:<10} seed {self.seed}: {self.tried:,} tried, {self.allowed:,} allowed,"
            f" {self.executed:,} sent ({self.failed:,} of them in error),"
            f" {len(self.found)} state changes, {self.seconds:.0f} s"
        )


def statements(target: Target, chance: Random) -> Iterator[str]:
    """Without end: a third from the grammar, the rest mutations of it and of the visible cases."""
    grammar = Grammar(target.dialect, chance, target.fill())
    seeds = visible_cases(target.dialect)
    while True:
        roll = chance.random()
        if roll < 0.3:
            yield grammar.statement()
        elif roll < 0.55:
            yield mutated(chance, grammar.statement(), seeds)
        else:
            yield mutated(chance, chance.choice(seeds), seeds)


def campaign(target: Target, count: int, seed: int) -> Report:
    """Try `count` statements; every allowed one is sent."""
    report = Report(type(target).__name__.removesuffix("Target"), seed)
    began = time.monotonic()
    source = statements(target, Random(seed))  # noqa: S311
    base = target.fingerprint()
    batch: list[str] = []
    seen: set[str] = set()
    while report.tried < count:
        statement = next(source)
        report.tried += 1
        verdict = check(statement, target.dialect)
        if not verdict.allowed or verdict.statement in seen:
            report.allowed += verdict.allowed
            continue
        report.allowed += 1
        seen.add(verdict.statement)
        batch.append(verdict.statement)
        if len(batch) == BATCH:
            base = _send(target, batch, base, report)
            batch = []
    _send(target, batch, base, report)
    report.failed = target.errors
    report.seconds = time.monotonic() - began
    return report


def _send(target: Target, batch: list[str], base: dict[str, str], report: Report) -> dict[str, str]:
    """Send a batch; when anything changed, find what did it."""
    told, after = "", base
    for statement in batch:
        answer = target.run(statement)
        report.executed += 1
        if _tells(answer):
            report.found[statement] = told = f"answer: {answer[:60]}"
            break
    else:
        after = target.fingerprint()
        told = _differences(base, after)
    if not told:
        return base
    before = len(report.found)
    for statement in batch:
        target.reset()
        change = _change(target, [statement])
        if change:
            report.found[shrunk(target, statement)] = change
    if len(report.found) == before and after is not base:
        report.found.update(together(target, batch, told))
    target.reset()
    return target.fingerprint()


def together(target: Target, batch: list[str], told: str) -> dict[str, str]:
    """The statements that change something only one after the other; a change that does not come
    again is told with the whole batch, never dropped."""
    target.reset()
    if not _change(target, batch):
        return {"\n".join(batch): f"not seen again: {told}"}
    size = len(batch) // 2
    while size:
        at = 0
        while at < len(batch):
            fewer = batch[:at] + batch[at + size :]
            target.reset()
            if _change(target, fewer):
                batch = fewer
            else:
                at += size
        size //= 2
    target.reset()
    return {"\n".join(batch): f"one after the other: {_change(target, batch)}"}


def _tells(answer: str) -> bool:
    """Does the answer itself show that something is wrong?"""
    return MARKER in answer or answer in ("session lost", "copy")


def _differences(before: dict[str, str], after: dict[str, str]) -> str:
    names = [name for name in before if before[name] != after[name]]
    return ", ".join(f"{name}: {before[name][:80]} -> {after[name][:80]}" for name in names)


def _change(target: Target, statements: list[str]) -> str:
    """What these statements change on fresh canaries; "" for nothing."""
    before = target.fingerprint()
    for statement in statements:
        answer = target.run(statement)
        if _tells(answer):
            return f"answer: {answer[:60]}"
    return _differences(before, target.fingerprint())


def shrunk(target: Target, statement: str) -> str:
    """The statement without the pieces it does not need to be allowed and to change something."""
    parts = pieces(statement)
    size = max(len(parts) // 2, 1)
    while size:
        at = 0
        while at < len(parts):
            shorter = "".join(parts[:at] + parts[at + size :])
            verdict = check(shorter, target.dialect)
            target.reset()
            if verdict.allowed and _change(target, [verdict.statement]):
                parts = pieces(shorter)
            else:
                at += size
        size //= 2
    return "".join(parts)
