"""python -m bench.shell: safe-shell and its peers on the same lines, by their own validators.

A bypass is an attack that would run; a false block an honest line that would not. Nothing is run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from safeshell.paths import Roots
from safeshell.plan import plan_line
from safeshell.policy import Policy
from safeshell.table import TABLE
from shellcases import CASES, Case, Ground, cases, ground
from toolbelt.errors import ToolError

ROOT: Final = Path(__file__).resolve().parents[1]
VENV: Final = ROOT / ".venv-bench-shell"
PINS: Final = (
    "mcp-shell-server==1.1.14", "cli-mcp-server==0.2.5", "cmd-line-mcp==0.6.1", "safecmd==0.1.16",
    "bashboy==0.5.0", "bash-vet-mcp==1.0.6", "mcp<2",
)  # fmt: skip
PEERS: Final = {
    "mcp-shell-server 1.1.14": "mcp_shell_server",
    "cli-mcp-server 0.2.5, operators off": "cli_mcp_server",
    "cli-mcp-server 0.2.5, operators on": "cli_mcp_server_operators",
    "cmd-line-mcp 0.6.1, its list": "cmd_line_mcp",
    "cmd-line-mcp 0.6.1, our list": "cmd_line_mcp_our_list",
    "safecmd 0.1.16, its list": "safecmd",
    "bashboy 0.5.0, deny rules": "bashboy",
    "bash-vet-mcp 1.0.6": "bash_vet_mcp",
}
# Matters of taste (what is on the list at all) are left out of `core`.
TASTE: Final = frozenset(
    ("git-write", "not-allowed", "secret-file", "unicode", "heredoc", "compound", "limits")
)
RUNTIME: Final = ("hostile-", "output", "process", "glob-flag")
# These hand words to a program without a shell, so what a shell would expand stays text.
NO_SHELL: Final = frozenset(("mcp_shell_server", "cli_mcp_server"))
LITERAL: Final = frozenset(("substitution", "expansion"))

Judge = Callable[[Ground, Sequence[str]], list[bool]]


def commands() -> list[str]:
    """Our allowlist, which every peer gets that takes one."""
    return [*Policy(TABLE).commands, *TABLE["builtins"]["names"]]


def first_word(_place: Ground, lines: Sequence[str]) -> list[bool]:
    """Looks at the first word of the line, and hands all of it to a shell."""
    known = set(commands())
    return [line.split(" ")[0] in known for line in lines]


def split_first_word(_place: Ground, lines: Sequence[str]) -> list[bool]:
    """Splits at the operators and looks at the first word of each part."""
    known = set(commands())
    parts = [[p for p in re.split(r"&&|\|\||[;|\n]", line) if p.strip()] for line in lines]
    return [bool(found) and all(p.split()[0] in known for p in found) for found in parts]


def ours(place: Ground, lines: Sequence[str]) -> list[bool]:
    policy, root = Policy(TABLE), str(place.workspace)
    roots = Roots.at(root, root, [], TABLE["workspace"]["secret_names"])
    return [_may_run(line, policy, roots) for line in lines]


def _may_run(line: str, policy: Policy, roots: Roots) -> bool:
    try:
        plan_line(line, policy, roots, roots.workspace)
    except ToolError:
        return False
    return True


def peer(name: str) -> Judge:
    """A peer's judge, in the environment of the peers."""

    def judge(place: Ground, lines: Sequence[str]) -> list[bool]:
        script = str(Path(__file__).with_name("shell_peers.py"))
        done = subprocess.run(
            [str(VENV / "bin/python"), script, name, str(place.workspace), ",".join(commands())],
            input=json.dumps(list(lines)), capture_output=True, text=True, check=False, timeout=600,
            env={**os.environ, "PATH": f"{VENV}/bin:/usr/local/bin:/usr/bin:/bin"},
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr[-800:]}")
        verdicts: list[bool] = json.loads(done.stdout.splitlines()[-1])
        return verdicts

    return judge


def install() -> None:
    """The peers, in an environment of their own beside the project's."""
    stamp = VENV / "-".join(pin.replace("==", "-") for pin in PINS[:-1])
    if stamp.exists():
        return
    print(f"Installing the peers into {VENV.name} ...", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", *PINS], check=True, timeout=900)
    stamp.touch()


def judged() -> list[Case]:
    """The cases that are decided before anything runs, as lines."""
    return [
        case
        for case in cases()
        if case.line is not None
        and not case.kind.startswith(RUNTIME)
        and not case.cwd
        and not case.env
    ]


def verdicts(judge: Judge, chosen: Sequence[Case]) -> dict[str, bool]:
    """id -> would run, each asked in its own workspace."""
    found: dict[str, bool] = {}
    for place in dict.fromkeys(case.ground for case in chosen):
        here = [case for case in chosen if case.ground == place]
        answers = judge(place, [case.words[0] for case in here])
        found.update(zip((case.id for case in here), answers, strict=True))
    return found


def honest() -> list[str]:
    """The honest lines that were written for safe-shell's own tests."""
    rows = (CASES / "honest.txt").read_text(encoding="utf-8").splitlines()
    return [row.replace("¶", "\n") for row in rows if row and not row.startswith("#")]


def main() -> int:
    """Print one table; 1 when safe-shell let an attack through or stopped an honest line."""
    install()
    chosen = judged()
    lines = honest()
    print(
        f"{'':38} {'bypass, core':>16} {'bypass, all':>16} {'false block':>16} {'more honest':>14}"
    )
    judges: dict[str, tuple[str, Judge]] = {
        "first word of the line": ("", first_word),
        "split at operators, first words": ("", split_first_word),
        **{title: (name, peer(name)) for title, name in PEERS.items()},
        "safe-shell": ("", ours),
    }
    slips = 0
    for title, (name, judge) in judges.items():
        runs = verdicts(judge, chosen)
        attacks = [
            c for c in chosen if not c.allow and not (name in NO_SHELL and c.kind in LITERAL)
        ]
        core = [c for c in attacks if c.kind not in TASTE]
        good = [c for c in chosen if c.allow]
        stopped = judge(ground("honest"), lines).count(False)
        counts = [
            (sum(runs[c.id] for c in core), len(core)),
            (sum(runs[c.id] for c in attacks), len(attacks)),
            (sum(not runs[c.id] for c in good), len(good)),
            (stopped, len(lines)),
        ]
        cells = [f"{n}/{of} ({100 * n / of:.1f} %)" for n, of in counts]
        print(f"{title:38} {cells[0]:>16} {cells[1]:>16} {cells[2]:>16} {cells[3]:>14}", flush=True)
        slips = sum(n for n, _ in counts)  # of the last one: ours
    return 1 if slips else 0


if __name__ == "__main__":
    sys.exit(main())
