"""The two interpreters: how each is started, with which packages, and what it may read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from reporttools import script_fonts, script_npm, script_pip
from reporttools.script_deps import Dependency
from toolbelt.confine import Confinement, python_roots
from toolbelt.data import recipes
from toolbelt.errors import ToolError
from toolbelt.process import Completed, Limits, base_env, run

_PYTHON_ADDRESSES: Final = 6 << 30
# Node reserves far more than it uses; its heap has a limit of its own.
_NODE_ADDRESSES: Final = 32 << 30
_NODE_HEAP_MB: Final = 1536
# By its code Node sees whether a script is a module, and need not say so.
_NODE_FLAGS: Final = (
    "--experimental-detect-module", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
)  # fmt: skip
_CHECK: Final = "import sys; compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec')"
# Words of code that draws with matplotlib, itself or through a library.
_PLOTS: Final = (b"plot", b"seaborn")


@dataclass(frozen=True, slots=True)
class Ready:
    """An interpreter made ready. argv: to be followed by the script. check: the same, to parse it.

    address_bytes: the address space of each process. unavailable: why packages that should be
    there are not, where that did not stop the script.
    """

    argv: tuple[str, ...]
    check: tuple[str, ...]
    env: dict[str, str]
    read: tuple[str, ...]
    address_bytes: int
    installed: list[str] = field(default_factory=list)
    cached: bool = True
    unavailable: ToolError | None = None
    warnings: list[dict[str, object]] = field(default_factory=list)

    def shown(self, done: Completed, script: Path, name: str) -> str:
        """stderr with the script's private path replaced by the name it was given."""
        return done.stderr.text().replace(script.as_uri(), name).replace(str(script), name)


Parses = Callable[[Ready], bool]


def check_syntax(ready: Ready, script: Path, held: Confinement, job: Path) -> Completed:
    """Parse the script without running it."""
    env = base_env(job / "home") | ready.env | {"CODE_REPORT": str(job / "report.json")}
    argv = [*ready.check, str(script)]
    return run(argv, cwd=job, env=env, confinement=held, limits=Limits(timeout=30), job=job)


def python(dependencies: Sequence[Dependency], job: Path, script: Path, parses: Parses) -> Ready:
    """Our own interpreter with our packages; further ones in an environment beside."""
    hooks = str(recipes() / "code" / "python")
    env = {
        "PYTHONPATH": hooks, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(job / "home" / "matplotlib"),
        # Each thread of these takes address space, and there may be a hundred cores.
        "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2",
    }  # fmt: skip
    read = (*python_roots(), hooks)
    absent = script_pip.missing(dependencies)
    ready = Ready((sys.executable,), (sys.executable, "-c", _CHECK), env, read, _PYTHON_ADDRESSES)
    if any(word in script.read_bytes() for word in _PLOTS):
        script_fonts.put(job / "home" / "matplotlib")
    if not absent or not parses(ready):
        return ready
    place, cached = script_pip.environment(absent)
    own = str(place / "bin" / "python")
    installed = [d.requirement for d in absent]
    return Ready(
        (own,), ready.check, env, (*read, str(place)), _PYTHON_ADDRESSES, installed, cached
    )


def node(dependencies: Sequence[Dependency], job: Path, script: Path, parses: Parses) -> Ready:
    """Node with chart.js, d3 and a canvas; further packages come with another copy of these."""
    found = script_npm.find()
    ours = script_npm.folder()
    argv = (
        found.program, *_NODE_FLAGS, f"--max-old-space-size={_NODE_HEAP_MB}",
        "--require", str(ours / "hook.cjs"),
    )  # fmt: skip
    env = {"NODE_OPTIONS": "", "UV_THREADPOOL_SIZE": "2", "NO_UPDATE_NOTIFIER": "1"}
    read: tuple[str, ...] = (str(Path(found.program).resolve().parent), str(ours))
    check = (found.program, *_NODE_FLAGS, "--check")
    # Without a type, Node sees by the code whether it is a module.
    (job / "code" / "package.json").write_text("{}", encoding="ascii")
    absent = script_npm.missing(dependencies)
    installed = [f"{d.name}@{d.version}" if d.version else d.name for d in absent]
    if absent and not parses(bare := Ready(argv, check, env, read, _NODE_ADDRESSES)):
        return bare
    try:
        place, cached = script_npm.modules(found, absent)
    except ToolError as error:
        if absent or error.code == "OUTPUT_FAILED":
            raise
        # The script may need no package at all.
        warning: dict[str, object] = {
            "code": "NO_PACKAGES",
            "message": f"chart.js and d3 are not there: {error}",
        }
        return Ready(argv, check, env, read, _NODE_ADDRESSES, unavailable=error, warnings=[warning])
    (job / "code" / "node_modules").symlink_to(place / "node_modules")
    return Ready(argv, check, env, (*read, str(place)), _NODE_ADDRESSES, installed, cached)
