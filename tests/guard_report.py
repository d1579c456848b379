"""What the guard lets through and what it stops without need, on every case: `make guard-report`.

`--layers` sends each attack past the guard to throw-away servers, through the drivers' own sessions,
inside a network namespace of its own, and lists which of them the engine layer alone stops.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbtools.guard import check
from dbtools.guard.mongo import check_mongo

CASES = Path(__file__).parent / "cases" / "guard"
DIALECTS = ("postgres", "mysql", "sqlite", "clickhouse", "bigquery", "tsql", "mongodb", "duckdb")

# Other guards on the corpus that `cases.jsonl` is a part of, measured in November 2026: attacks let
# through / attacks . honest queries refused / honest queries, in the order of DIALECTS.
PEERS = {
    "dbread 0.9.2": "47/141.7/79 16/84.1/51 12/53.6/35 31/91.7/61 8/53.1/37 21/85.1/41 9/90.11/44 -",
    "askql 0.23.0": "46/141.28/79 9/84.29/51 6/53.21/35 5/91.42/61 1/53.15/37 8/85.24/41 - -",
    "database-mcp-core 0.3.1": "88/141.8/79 30/84.3/51 13/53.5/35 - - - - -",
    "sql-guardrail 0.5.2": "67/141.17/79 - - - - - - - -",
    "postgres-mcp 0.3.0": "16/141.11/79 - - - - - - - -",
    "sqlglot, used plainly": "76/147.7/79 24/85.0/51 15/56.7/35 48/92.12/61 10/55.0/37 22/86.0/41 - -",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file. origin: the file it stands in."""

    id: str
    dialect: str
    query: str
    attack: bool
    origin: str

    def is_allowed(self) -> bool:
        """The guard's answer."""
        if self.dialect == "mongodb":
            return check_mongo(self.query, default_limit=1000).allowed
        return check(self.query, self.dialect).allowed


def cases() -> Iterator[Case]:
    """The cases that a static guard decides."""
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            if record.get("layer", "guard") == "guard":
                yield Case(
                    record["id"],
                    record["dialect"],
                    record["query"],
                    record["verdict"] == "block",
                    path.stem,
                )


def rates(judged: list[tuple[Case, bool]]) -> tuple[int, int, int, int]:
    """(attacks allowed, attacks, honest refused, honest)."""
    attacks = [allowed for case, allowed in judged if case.attack]
    honest = [allowed for case, allowed in judged if not case.attack]
    return sum(attacks), len(attacks), len(honest) - sum(honest), len(honest)


def table(judged: list[tuple[Case, bool]]) -> str:
    """The table of rates, languages in columns."""
    lines = [_row("", [*DIALECTS, "all"])]
    for origin in (*sorted({case.origin for case, _ in judged}), "all cases"):
        part = [(c, a) for c, a in judged if origin in (c.origin, "all cases")]
        cells = [_cell([(c, a) for c, a in part if c.dialect == d]) for d in DIALECTS]
        lines.append(_row(f"ours, {origin}", [*cells, _cell(part)]))
    lines.append("")
    lines += [_row(name, _peer(cells.split())) for name, cells in PEERS.items()]
    return "\n".join(lines) + "\n"


def _cell(judged: list[tuple[Case, bool]]) -> str:
    passed, attacks, refused, honest = rates(judged)
    return f"{passed}/{attacks}.{refused}/{honest}" if judged else "-"


def _peer(cells: list[str]) -> list[str]:
    """A peer's cells with its totals."""
    halves = [cell.split(".") for cell in cells if cell != "-"]
    sums = [
        [sum(int(half[side].split("/")[part]) for half in halves) for part in (0, 1)]
        for side in (0, 1)
    ]
    share = "  ".join(f"{100 * bad / all_:.1f} %" for bad, all_ in sums)
    return [*cells, share]


def _row(name: str, cells: list[str]) -> str:
    return f"{name:<26}" + "".join(f"{cell:>16}" for cell in cells)


def main() -> int:
    """Print the table, or the layers; exit code 1 when the guard is wrong anywhere."""
    parser = argparse.ArgumentParser(prog="guard_report", description=__doc__)
    parser.add_argument("--layers", action="store_true", help="send attacks past the guard")
    if parser.parse_args().layers:
        from guard_layers import report

        return report()
    judged = [(case, case.is_allowed()) for case in cases()]
    sys.stdout.write("attacks let through / attacks . honest refused / honest\n\n")
    sys.stdout.write(table(judged))
    wrong = [case for case, allowed in judged if allowed == case.attack]
    sys.stdout.write("".join(f"WRONG {case.id} {case.query!r}\n" for case in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
