"""The servers of one test run: which are needed, which are up, who used them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

import pytest

from servers import Engine, Server
from servers.known import ENGINES, SCRIPTED


class Fleet:
    """Starts all planned engines together at the first request for any of them."""

    def __init__(self) -> None:
        self._tests: Counter[str] = Counter()
        self._engines: dict[str, Engine] = {}
        self._futures: dict[str, Future[Server]] = {}
        self._flights: dict[str, Server] = {}
        self._lock = Lock()

    def plan(self, items: Iterable[pytest.Item]) -> None:
        """Count the tests that name each engine, by fixture or by parameter."""
        self._tests = Counter(name for item in items for name in _engines_of(item))

    def get(self, name: str) -> Server:
        """The engine's server, waiting for it to be up; EngineError when it cannot be had."""
        with self._lock:
            missing = ({name, *self._tests} & ENGINES.keys()) - self._futures.keys()
            if missing:
                self._start(missing)
        return self._futures[name].result()

    def _start(self, names: Iterable[str]) -> None:
        pool = ThreadPoolExecutor(max_workers=len(ENGINES), thread_name_prefix="engine")
        for name in names:
            engine = self._engines[name] = ENGINES[name]()
            self._futures[name] = pool.submit(engine.start)
        # No idle thread stays behind: programs are started from single-threaded processes only.
        pool.shutdown(wait=False)

    def scripted(self, name: str) -> Engine:
        """A scripted server of one test's own, started; the test stops it."""
        engine = self._engines[name] = SCRIPTED[name]()
        future = self._futures[name] = Future()
        future.set_result(engine.start())
        return engine

    def flights(self, name: str) -> Server:
        """The engine with the flights data, loaded at first use."""
        server = self.get(name)
        if name not in self._flights:
            self._flights[name] = self._engines[name].load_flights(server)
        return self._flights[name]

    def started(self) -> list[str]:
        return list(self._futures)

    def summary(self) -> str:
        """`PostgreSQL 18.6: 120 tests, MariaDB 10.11: 80 tests`."""
        parts = []
        for name, future in sorted(self._futures.items()):
            version = future.result().version if _came_up(future) else "did not start"
            parts.append(f"{self._engines[name].title} {version}: {self._tests[name]} tests")
        return ", ".join(parts)

    def stop(self) -> None:
        """Stop every engine, those still starting too."""
        for name, future in self._futures.items():
            future.exception()
            self._engines[name].stop()


def _came_up(future: Future[Server]) -> bool:
    return future.done() and future.exception() is None


def _engines_of(item: pytest.Item) -> set[str]:
    fixtures = (name.removeprefix("flights_") for name in getattr(item, "fixturenames", ()))
    names = {name for name in fixtures if name in ENGINES or name in SCRIPTED}
    callspec = getattr(item, "callspec", None)
    # A `dialect` is only text to the guard: no engine need run for it.
    params = callspec.params if callspec is not None else {}
    values = [value for key, value in params.items() if key != "dialect"]
    return names | {v for v in values if isinstance(v, str) and v in ENGINES}
