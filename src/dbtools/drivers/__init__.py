"""The seven engines' drivers; only the one in use is imported."""

from __future__ import annotations

from typing import cast

from dbtools.drivers.base import Driver
from dbtools.engines import ENGINES
from toolbelt.errors import missing_extra


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
