"""What the guard costs: `PYTHONPATH=tests python -m bench.guard`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from bench.measure import Case, measure, report
from dbtools.guard import check

ANALYTIC = """WITH m AS (SELECT date_trunc('month', o.created_at) AS mth,
c.country, sum(o.total) AS s FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE o.status IN ('paid', 'shipped')
AND o.created_at >= now() - interval '12 months' GROUP BY 1, 2)
SELECT mth, country, s, s - lag(s) OVER (PARTITION BY country ORDER BY mth) AS diff
FROM m ORDER BY 1 LIMIT 50"""
DOUBTFUL = "select count(*) update from t where a in (1, 2, 3)"
HOSTILE = {
    "100,000-element IN list": "select * from t where a in ("
    + ",".join(map(str, range(100_000)))
    + ")",
    "600 kB of comment openers": "select 1 " + "/*" * 300_000,
    "600 kB of quotes": "select " + "'" * 600_001,
    "600 kB of dots": "select * from " + "a." * 300_000 + "a",
    "600 kB of placeholders": "select " + ":a" * 300_000,
    "10,000 brackets": "(" * 10_000 + "select 1" + ")" * 10_000,
    "1 MB of tokens": "select " + ",".join("a.b+c" for _ in range(166_000)),
}
DIALECTS = ("postgres", "mysql", "sqlite", "clickhouse", "bigquery", "tsql")


def cpu_seconds(work: Callable[[], object], times: int, rounds: int = 5) -> float:
    """The best CPU time of one call."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - began) / times)
    return best


def main() -> int:
    """Print the time a statement in this process, then the cost of a whole process."""
    out = sys.stdout.write
    for dialect in DIALECTS:
        check("select 1", dialect)
        micro = 1e6 * cpu_seconds(partial(check, ANALYTIC, dialect), 300)
        out(f"{dialect:<12} analytic query ({len(ANALYTIC)} bytes) {micro:7.0f} us\n")
    check(DOUBTFUL, "postgres")
    micro = 1e6 * cpu_seconds(partial(check, DOUBTFUL, "postgres"), 50)
    out(f"{'postgres':<12} where the tree is asked          {micro:7.0f} us\n")
    for title, text in HOSTILE.items():
        slowest = max((cpu_seconds(partial(check, text, d), 1, 3), d) for d in DIALECTS)
        out(f"{title:<28} {slowest[0]:6.2f} s at most ({slowest[1]})\n")
    code = f"from dbtools.guard import check; assert check({ANALYTIC!r}, 'postgres').allowed"
    cases = [
        Case("python3 -c pass", [sys.executable, "-c", "pass"]),
        Case("a whole guard", [sys.executable, "-c", code], against="python3 -c pass", cpu=4.0),
    ]
    report("Whole processes", cases, measure(cases, 15))
    return 0


if __name__ == "__main__":
    sys.exit(main())
