"""Tells a newcomer what the commands do: each command line, then its answer.

python -m demo.story [FOLDER]
Ends with 0 only when every command ended as the story says.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from demo import report
from demo.build import build

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "out" / "demo"
DEADLINE_SECONDS = 60.0
# Longer lines are wrapped in this transcript; in an answer of many lines they are cut.
WIDTH = 160
FEW_LINES = 10


@dataclass(frozen=True, slots=True)
class Step:
    """A command line, what it shows, and the exit code the story expects."""

    title: str
    argv: tuple[str, ...]
    code: int = 0
    stdin: str = ""


STEPS = (
    Step("Which connections are there?", ("db-query", "--list-connections")),
    Step("What is in the database? One line a table.", ("db-schema", "--connection", "shop")),
    Step(
        "One table in full: columns, keys, indexes, foreign keys.",
        ("db-schema", "--connection", "shop", "--table", "orders"),
    ),
    Step(
        "A join: who sells best this year?",
        ("db-query", "--connection", "shop", "--query",
         "SELECT s.company_name, COUNT(*) AS orders, ROUND(SUM(o.total_amount), 2) AS revenue"
         " FROM orders o JOIN sellers s ON s.id = o.seller_id"
         " WHERE o.placed_at >= '2025-01-01' GROUP BY s.id ORDER BY revenue DESC LIMIT 5"),
    ),
    Step(
        "The same data as a table for the eye, month by month.",
        ("db-query", "--format", "table", "--query",
         "SELECT strftime('%Y-%m', placed_at) AS month, COUNT(*) AS orders,"
         " ROUND(SUM(total_amount), 2) AS revenue FROM orders"
         " WHERE placed_at >= '2025-01-01' GROUP BY month ORDER BY month"),
    ),
    Step(
        "A value goes in as a parameter, never as text; the statement may come by stdin.",
        ("db-query", "--query", "-", "--param", "family=Соколова", "--limit", "3"),
        stdin="SELECT id, first_name, last_name, registered_at FROM customers\n"
        "WHERE last_name = :family ORDER BY registered_at",
    ),
    Step(
        "All rows into a file, without a limit.",
        ("db-query", "--query", "SELECT * FROM orders", "--output", "orders.csv", "--force"),
    ),
    Step(
        "A statement that writes is refused; nothing runs.",
        ("db-query", "--query", "DELETE FROM orders WHERE id = 1"),
        code=1,
    ),
    Step(
        "A column that does not exist: the answer says what to type instead.",
        ("db-query", "--query", "SELECT id, total_amout FROM orders LIMIT 3"),
        code=4,
    ),
    Step(
        "Find a table by a question in plain words.",
        ("db-schema", "--search", "where is the order status stored"),
    ),
    Step(
        "Look at files as one would in a shell; nothing can be written or sent.",
        ("safe-shell", "head -3 orders.csv | cut -c1-60"),
    ),
    Step(
        "Convert a file, by a recipe that anyone may read and add to.",
        ("file-convert", "xlsx", "orders.csv", "--output", "orders.xlsx", "--force"),
    ),
)  # fmt: skip

# After these figures have been asked (demo/report.py), a month as people read it.
REPORTS = (
    Step(
        "A report a manager would open: PDF, slides and a workbook of the shop's June.",
        ("report-run", "generate", "--template", "monthly", "--format", "pdf,pptx,xlsx",
         "--data", "monthly.json", "--output", "reports", "--force"),
    ),
    Step(
        "The same month on one screen.",
        ("report-run", "generate", "--template", "dashboard", "--format", "png",
         "--data", "dashboard.json", "--output", "reports/dashboard.png", "--force"),
    ),
)  # fmt: skip


def tell(step: Step, folder: Path) -> bool:
    """Print one step and its answer; whether it ended as expected."""
    print(f"\n# {step.title}")
    line = " ".join(_shell_word(word) for word in step.argv)
    if step.stdin:
        line = f"{line} <<'SQL'\n{step.stdin}\nSQL"
    print(f"$ {line}", flush=True)
    done = subprocess.run(
        list(step.argv), env={**_environment(folder), **connection(folder)}, input=step.stdin,
        text=True, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        timeout=DEADLINE_SECONDS, cwd=folder,
    )  # fmt: skip
    _show(done.stdout.splitlines())
    if step.code != 0 or done.returncode != 0:
        print(f"(exit code {done.returncode})")
    if done.returncode != step.code:
        print(f"The story expected exit code {step.code}.", file=sys.stderr)
    return done.returncode == step.code


def _show(lines: list[str]) -> None:
    """Print an answer: long lines of a short one are wrapped, those of a long one are cut."""
    for line in lines:
        if len(lines) > FEW_LINES and len(line) > WIDTH:
            print(f"{line[: WIDTH - 1]}…")
            continue
        for start in range(0, max(len(line), 1), WIDTH):
            print(line[start : start + WIDTH])


def _shell_word(word: str) -> str:
    """A word as one would type it: SQL with quotes of its own reads best in double quotes."""
    if "'" in word and not set('"$`\\!') & set(word):
        return f'"{word}"'
    return shlex.quote(word)


def connection(folder: Path) -> dict[str, str]:
    """One connection, named `shop`: all that an operator has to set."""
    return {"DB_1_NAME": "shop", "DB_1_TYPE": "sqlite", "DB_1_DB": str(folder / "shop.db")}


def _environment(folder: Path) -> dict[str, str]:
    """Ours without connections of the caller's own."""
    foreign = ("DB_", "DATABASE_URL", "TOOLBELT_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    return {**kept, "TOOLBELT_WORKSPACE": str(folder)}


def main(folder: Path) -> int:
    """Build the shop in the folder and tell the story; 0 when all went as told."""
    began = time.monotonic()
    counts = build(folder / "shop.db")
    print(f"Built {folder / 'shop.db'}: {len(counts)} tables, {sum(counts.values())} rows.")
    print("\n# An operator gives the sandbox its connections:")
    exports = [f"{key}={shlex.quote(value)}" for key, value in connection(folder).items()]
    for assignment in exports:
        print(f"$ export {assignment}")
    failed = [step.title for step in STEPS if not tell(step, folder)]
    report.write(folder, {**_environment(folder), **connection(folder)})
    failed += [step.title for step in REPORTS if not tell(step, folder)]
    print(f"\n{len(STEPS + REPORTS)} commands in {time.monotonic() - began:.0f} s. Try your own:")
    print(f"  export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH")
    print(f"  export {' '.join(exports)}")
    print('  db-query --query "SELECT * FROM products LIMIT 3"')
    for title in failed:
        print(f"FAILED: {title}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
