"""`python -m fuzz [--statements N] [--seed N] [--engines a,b]`: exit code 1 when anything changed."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from fuzz.campaign import Report, campaign
from fuzz.found import append, rows
from fuzz.grammar import CASES
from fuzz.open import ENGINES, opened


def main() -> int:
    """Run the campaigns and print one line each."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--statements", type=int, default=100_000, help="statements an engine")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument(
        "--found",
        type=Path,
        default=CASES / "found.jsonl",
        help="the case file that bypasses are added to",
    )
    options = parser.parse_args()
    reports = []
    for name in options.engines.split(","):
        with opened(name) as target:
            report = campaign(target, options.statements, options.seed)
            new = append(options.found, rows(report, target.dialect, target.fill()))
        sys.stdout.write(report.line() + "\n")
        sys.stdout.flush()
        reports.append(report)
        _tell(report)
        if new:
            sys.stdout.write(f"  {new} new cases in {options.found}\n")
    return 1 if any(report.found for report in reports) else 0


def _tell(report: Report) -> None:
    for statement, change in report.found.items():
        sys.stdout.write(f"  CHANGED by {statement!r}\n    {change}\n")


if __name__ == "__main__":
    sys.exit(main())
