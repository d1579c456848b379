"""The peers we are measured against, installed by the bench itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from servers.postgres import debian, embedded

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv-bench"


def own(command: str) -> str:
    """One of our five commands, as installed beside this interpreter."""
    return str(Path(sys.executable).with_name(command))


def sqlite_utils() -> str:
    """sqlite-utils in an environment of its own."""
    return _installed("sqlite-utils==4.2.1", VENV)


def markitdown() -> str:
    """markitdown in an environment of its own: it brings a machine-learning runtime."""
    return _installed("markitdown[docx]==0.1.9", VENV.with_name(f"{VENV.name}-markitdown"))


def _installed(pin: str, venv: Path) -> str:
    """The program of a package, installed on first use."""
    name = pin.partition("==")[0].partition("[")[0]
    stamp = venv / pin.replace("==", "-")
    if not stamp.exists():
        print(f"Installing {pin} into {venv.name} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", pin], check=True, timeout=900)
        stamp.touch()
    return str(venv / "bin" / name)


def psql() -> str:
    """The real psql binary: Debian's newest (not its wrapper), or that of the test server."""
    folders = [*reversed(debian().values()), embedded()]
    for folder in folders:
        if folder is not None and (folder / "psql").exists():
            return str(folder / "psql")
    raise RuntimeError("no psql: apt-get install postgresql-client, or make test")
