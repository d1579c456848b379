"""The peers we are measured against, installed by the bench itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from servers.postgres import debian, embedded

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv-bench"
PINS = ("sqlite-utils==4.2.1",)


def own(command: str) -> str:
    """One of our five commands, as installed beside this interpreter."""
    return str(Path(sys.executable).with_name(command))


def sqlite_utils() -> str:
    """sqlite-utils in an environment of its own."""
    stamp = VENV / "-".join(pin.replace("==", "-") for pin in PINS)
    if not stamp.exists():
        print(f"Installing the peers into {VENV.name} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
        pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", *PINS], check=True, timeout=600)
        stamp.touch()
    return str(VENV / "bin" / "sqlite-utils")


def psql() -> str:
    """The real psql binary: Debian's newest (not its wrapper), or that of the test server."""
    folders = [*reversed(debian().values()), embedded()]
    for folder in folders:
        if folder is not None and (folder / "psql").exists():
            return str(folder / "psql")
    raise RuntimeError("no psql: apt-get install postgresql-client, or make test")
