"""Fixtures of the built commands' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brokers import Brokers
from cli.commands import Through


@pytest.fixture(scope="module", params=["direct", "broker"])
def either_way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test of the module twice: with the secrets in reach, and through a broker."""
    if request.param == "broker":
        Through.brokers = Brokers()
    yield str(request.param)
    if Through.brokers is not None:
        Through.brokers.stop()
        Through.brokers = None
