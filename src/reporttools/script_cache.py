"""Folders made once and kept: environments, npm packages, font lists; and how installers run."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from toolbelt.errors import ToolError
from toolbelt.job import remove_tree
from toolbelt.process import PATH, Completed, Limits, run

INSTALL_SECONDS: Final = 300.0
# How the registries are reached; nothing else of ours is told to an installer.
_HANDED_ON: Final = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "PIP_CERT", "PIP_CONFIG_FILE", "PIP_CONSTRAINT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS", "PIP_NO_INDEX", "npm_config_registry", "NPM_CONFIG_REGISTRY",
)  # fmt: skip


def digest(*parts: str | bytes) -> str:
    """A short name for what a folder was made of."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()[:16]


def root() -> Path:
    """The user's cache folder for report code."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    home = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return home / "sandbox-toolbelt" / "code"


def finished(name: str) -> Path | None:
    """A folder that is complete: one shipped with the installation, else the user's own."""
    shared = [Path(base, "share/sandbox-toolbelt/code") for base in (sys.prefix, "/usr/local")]
    for place in (*shared, root()):
        if (place / name / "complete").exists():
            return place / name
    return None


def kept(name: str, make: Callable[[Path], None]) -> tuple[Path, bool]:
    """The folder of that name and whether it was there; made by `make` when it was not.

    One process makes it, others that want it wait; a failure leaves nothing behind.
    """
    if (found := finished(name)) is not None:
        return found, True
    folder = root() / name
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = (folder.parent / f"{name}.lock").open("w")
    except OSError as error:
        raise ToolError(
            "OUTPUT_FAILED", f"{error.filename} cannot be written to: {error.strerror}.",
            hint="set XDG_CACHE_HOME to a folder you may write to", detail={"reason": "cache"},
        ) from error  # fmt: skip
    with lock:
        _wait(lock.fileno(), name)
        if (folder / "complete").exists():
            return folder, True
        remove_tree(folder)
        folder.mkdir()
        try:
            make(folder)
        except BaseException:
            remove_tree(folder)
            raise
        (folder / "complete").touch()
    return folder, False


def _wait(lock: int, name: str) -> None:
    end = time.monotonic() + INSTALL_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.1)
    raise ToolError(
        "DEP_FAILED", f"Another call has been installing the same packages ({name}) for too long.",
        hint="try again", detail={"reason": "timeout"},
    )  # fmt: skip


def installer_env() -> dict[str, str]:
    """An installer's environment: how to reach the registries, and no secret of ours."""
    passed = {key: os.environ[key] for key in _HANDED_ON if key in os.environ}
    return {"PATH": PATH, "LANG": "C.UTF-8", "HOME": str(Path.home()), "PYTHONUTF8": "1", **passed}


def install(argv: Sequence[str], cwd: Path) -> Completed:
    """Run pip or npm: not confined (it must reach a registry), yet limited and ended whole."""
    limits = Limits(
        timeout=INSTALL_SECONDS, stdout_bytes=1 << 20, stderr_bytes=1 << 20, folder=cwd,
        folder_bytes=4 << 30,
    )  # fmt: skip
    done = run(argv, cwd=cwd, env=installer_env(), limits=limits)
    if done.timed_out:
        raise failed("The installation took too long.", "timeout", done, hint="try again")
    if done.limit is not None:
        raise failed("The packages are too large.", done.limit, done, hint="name fewer")
    return done


def failed(message: str, reason: str, done: Completed, hint: str = "") -> ToolError:
    """DEP_FAILED with the installer's last words."""
    said = (done.stderr.text().strip() or done.stdout.text().strip())[-1500:]
    return ToolError(
        "DEP_FAILED", message, hint=hint, detail={"reason": reason, "stderrTail": said}
    )
