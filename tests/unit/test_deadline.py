"""A server that hears neither statement nor cancellation holds nobody."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dbtools import connection as connections
from dbtools import drivers
from dbtools.catalog import Catalog
from dbtools.deadline import stop
from dbtools.drivers.base import CatalogRequest
from dbtools.survey import Survey
from toolbelt.errors import ToolError


class Deaf:
    """A session whose every call waits for ever."""

    closed = False

    def catalog(self, _request: CatalogRequest) -> Catalog:
        time.sleep(600)
        raise AssertionError

    def cancel(self) -> None:
        time.sleep(600)

    def close(self) -> None:
        self.closed = True


def test_cancelling_is_bounded() -> None:
    stop(Deaf())


@pytest.mark.parametrize("at", ["connect", "catalog"])
def test_a_look_at_the_catalog_is_bounded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at: str
) -> None:
    session = Deaf()

    class Driver:
        @staticmethod
        def connect(*_: object) -> Deaf:
            if at == "connect":
                time.sleep(600)
            return session

    monkeypatch.setattr(drivers, "load", lambda _name: Driver)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    described = connections.find(None, {"DB_TYPE": "mysql", "DB_HOST": "h", "DB_NAME": "d"})
    with pytest.raises(ToolError) as caught:
        Survey(described, seconds=0.1).catalog()
    assert caught.value.code == "TIMEOUT"
    assert session.closed is (at == "catalog")
