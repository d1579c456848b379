"""Python packages for report code: wheels in an environment of their own, beside ours."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from reporttools import script_cache as cache
from reporttools.script_deps import Dependency
from toolbelt.errors import ToolError
from toolbelt.process import Completed

_OPTIONS: Final = (
    "--no-input", "--disable-pip-version-check", "--no-color", "--retries", "1", "--timeout", "15",
)  # fmt: skip
_UNREACHABLE: Final = ("connection broken by", "Could not fetch URL", "ConnectTimeoutError")


def packages() -> list[str]:
    """Our folders of packages, which report code has ready."""
    return [p for p in sys.path if p.endswith(("/site-packages", "/dist-packages"))]


def missing(dependencies: Sequence[Dependency]) -> list[Dependency]:
    """Those that are not installed with us already, in the version asked for."""
    if not dependencies:
        return []
    from importlib import metadata

    absent = []
    for dependency in dependencies:
        try:
            have = metadata.version(dependency.name)
        except metadata.PackageNotFoundError:
            absent.append(dependency)
            continue
        if dependency.version not in ("", f"=={have}"):
            absent.append(dependency)
    return absent


def environment(dependencies: Sequence[Dependency]) -> tuple[Path, bool]:
    """The environment with these packages, and whether it was there before."""
    wanted = [dependency.requirement for dependency in dependencies]
    key = cache.digest(sys.version, sys.prefix, *packages(), "|", *sorted(wanted))
    return cache.kept(f"python-{key}", partial(_make, list(dependencies)))


def _make(dependencies: Sequence[Dependency], folder: Path) -> None:
    import venv

    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    # After its own packages: what is pinned there wins, all else is ours.
    (site / "zz_toolbelt.pth").write_text("\n".join(packages()) + "\n", encoding="utf-8")
    done = _pip(
        folder, "install", "--quiet", "--only-binary", ":all:", "--no-compile",
        "--no-warn-script-location",
        "--", *(dependency.requirement for dependency in dependencies),
    )  # fmt: skip
    if done.exit_code != 0:
        raise _explained(dependencies, folder, done)


def _pip(folder: Path, *arguments: str) -> Completed:
    from importlib.util import find_spec

    if find_spec("pip") is None:
        raise ToolError(
            "MISSING_DEP", "pip, which installs dependencies, is not installed.",
            hint=f"{sys.executable} -m ensurepip", detail={"reason": "not_found"},
        )  # fmt: skip
    verb, *rest = arguments
    cached = str(cache.root() / "pip")
    python = str(folder / "bin" / "python")
    argv = [sys.executable, "-I", "-m", "pip", "--python", python, verb, "--cache-dir", cached]
    return cache.install([*argv, *_OPTIONS, *rest], folder)


def _explained(dependencies: Sequence[Dependency], folder: Path, done: Completed) -> ToolError:
    """Why pip failed, told apart: it says `No matching distribution` for most of it."""
    said = done.stderr.text() + done.stdout.text()
    if any(word in said for word in _UNREACHABLE):
        return cache.failed(
            "The package registry is not reachable.", "unreachable", done,
            hint="use what is there (report-run execute-code --help), or check the network",
        )  # fmt: skip
    if "No matching distribution found" not in said:
        conflict = "ResolutionImpossible" in said
        return cache.failed(
            "The dependencies contradict each other." if conflict else "pip could not install.",
            "conflict" if conflict else "failed", done, hint="ask for other versions",
        )  # fmt: skip
    for dependency in dependencies:
        asked = _pip(folder, "index", "versions", "--", dependency.name)
        if asked.exit_code == 0:
            continue
        if any(word in asked.stderr.text() for word in _UNREACHABLE):
            return cache.failed("The package registry is not reachable.", "unreachable", asked)
        return cache.failed(
            f"No package is called {dependency.name!r} in the registry.", "not_found", done,
            hint="check the spelling: the name on the registry, not the module's",
        )  # fmt: skip
    names = ", ".join(dependency.requirement for dependency in dependencies)
    return cache.failed(
        f"{names}: there is no such version, or none as a wheel for this Python.", "no_version",
        done, hint="leave the version out, or ask for another",
    )  # fmt: skip
