"""The table of engines: a literal, so that an engine not in use costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from dbtools.drivers.base import Driver
from toolbelt.errors import missing_extra


@dataclass(frozen=True, slots=True)
class Engine:
    """module: the driver. dialect: the guard's and sqlglot's name. extra: what pip must bring."""

    module: str
    dialect: str
    extra: str
    limit_text: bool = False


ENGINES: Final = {
    "postgresql": Engine("dbtools.drivers.postgres", "postgres", "postgres", limit_text=True),
    "sqlite": Engine("dbtools.drivers.sqlite", "sqlite", "", limit_text=True),
}


def load(engine: str) -> Driver:
    """Import the one driver that is needed; MISSING_DEP names the extra when it is absent."""
    from importlib import import_module

    spec = ENGINES[engine]
    try:
        module = import_module(spec.module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] in ("dbtools", "toolbelt"):
            raise
        raise missing_extra(f"The driver for {engine} ({error.name})", spec.extra) from error
    return cast(Driver, module)
