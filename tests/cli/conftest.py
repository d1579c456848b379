"""Fixtures of the built commands' tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from brokers import Brokers
from cli.commands import Through

# The entry point of a container starts as root and becomes two other users.
collect_ignore = [] if os.geteuid() == 0 else ["test_broker_agent.py"]


@pytest.fixture(scope="module", params=["direct", "broker"])
def either_way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test of the module twice: with the secrets in reach, and through a broker."""
    if request.param == "broker":
        Through.brokers = Brokers()
    yield str(request.param)
    if Through.brokers is not None:
        Through.brokers.stop()
        Through.brokers = None
