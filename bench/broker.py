"""What a call through the credential broker costs, and what the broker weighs."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.measure import Case
from bench.peers import own
from brokers import RunningBroker

AT_ONCE: Final = 50
RESIDENT_MB: Final = 120
# One configured connection of every engine that asks for a secret; none of them is reached.
_ENGINES: Final = ("postgresql", "mysql", "mongodb", "clickhouse", "bigquery", "mssql")


def start(settings: Mapping[str, str]) -> RunningBroker:
    """A broker with these settings that ends with the measurement."""
    broker = RunningBroker({"PATH": os.environ["PATH"], **settings})
    atexit.register(broker.stop)
    return broker


def weigh() -> None:
    """Print what a broker holds resident with one engine and with all."""
    print("\nBroker, resident")
    each = {e: {"DB_TYPE": e, "DB_HOST": "h", "DB_NAME": "d", "DB_USER": "u"} for e in _ENGINES}
    each["bigquery"] = {"DB_TYPE": "bigquery", "DB_PROJECT": "p", "DB_NAME": "d"}
    every: dict[str, str] = {}
    for number, settings in enumerate(each.values(), start=1):
        named = {**settings, "DB_DB": "d", "DB_NAME": f"c{number}"}
        every |= {f"DB_{number}_{k.removeprefix('DB_')}": v for k, v in named.items()}
    for name, settings in {**each, "all of them": every}.items():
        broker = RunningBroker({"PATH": os.environ["PATH"], **settings})
        size = resident_mb(broker.process.pid)
        broker.stop()
        kept = "" if name not in each else f"  <= {RESIDENT_MB} MB: {_kept(size <= RESIDENT_MB)}"
        print(f"  {name:12} {size:6.0f} MB{kept}")


def resident_mb(pid: int) -> float:
    """VmRSS of a process, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def burst(broker: RunningBroker) -> None:
    """Print how many calls of AT_ONCE that start together answer, and in what time."""
    env = {"PATH": os.environ["PATH"], "TOOLBELT_BROKER": str(broker.socket)}
    asked = [own("db-query"), "-q", "select 1 as n"]
    began = time.perf_counter()
    calls = [
        subprocess.Popen(asked, env=env, stdout=subprocess.PIPE, text=True) for _ in range(AT_ONCE)
    ]
    answers = [call.communicate()[0] for call in calls]
    seconds = time.perf_counter() - began
    good = sum(
        call.returncode == 0 and json.loads(answer)["rows"] == [{"n": 1}]
        for call, answer in zip(calls, answers, strict=True)
    )
    print(
        f"\n{AT_ONCE} calls at once: {good} answered in {seconds:.1f} s  {_kept(good == AT_ONCE)}"
    )


def case(broker: RunningBroker, title: str, against: str) -> Case:
    """The warm call."""
    asked = (own("db-query"), "-q", "select 1")
    return Case(title, asked, {"TOOLBELT_BROKER": str(broker.socket)}, against=against, wall=4)


def _kept(kept: bool) -> str:
    return "kept" if kept else "NOT KEPT"
