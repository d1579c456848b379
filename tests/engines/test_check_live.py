"""`db-query --check=live`: names, costs and the login, on real servers; nothing is executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dbtools import query
from dbtools.request import QueryRequest
from servers import Server
from servers.postgres import connect, create_database
from toolbelt.errors import ToolError

# Executed, this would fail; planned, it does not.
FAILS_WHEN_RUN = "SELECT 1 / (id - id) AS x FROM checked WHERE id = :id"


@pytest.fixture(scope="module")
def checked(postgres: Server) -> Server:
    server = create_database(postgres, "checked")
    with connect(server) as owner:
        owner.execute("CREATE TABLE checked AS SELECT g AS id FROM generate_series(1, 1000) g")
        owner.execute("ANALYZE checked")
    return server


def check(capsys: pytest.CaptureFixture[str], statement: str, **more: object) -> dict[str, Any]:
    query.run_query(QueryRequest(statement, check="live", **more))  # type: ignore[arg-type]
    return dict(json.loads(capsys.readouterr().out))


def use(server: Server, monkeypatch: pytest.MonkeyPatch, owner: bool) -> None:
    for key, value in server.env(server.owner if owner else None).items():
        monkeypatch.setenv(key, value)


def test_postgres_tells_the_cost_and_runs_nothing(
    checked: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(checked, monkeypatch, owner=False)
    body = check(capsys, FAILS_WHEN_RUN, parameters={"id": 1})
    assert body["wouldRun"] is True and body["estimatedCost"] > 0 and body["estimatedRows"] == 1
    assert body["statement"].startswith(FAILS_WHEN_RUN) and body["tables"] == ["checked"]
    assert body["plan"][0]["Plan"]["Node Type"]
    assert body["login"] == {"name": "reader", "canWrite": False} and "warnings" not in body


def test_a_login_that_can_write_is_told_with_a_better_one(
    checked: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(checked, monkeypatch, owner=True)
    body = check(capsys, "SELECT id FROM checked")
    assert body["login"]["canWrite"] is True
    assert any(line.startswith("GRANT SELECT") for line in body["login"]["readOnlyLogin"])
    assert "superuser" in body["warnings"][0]


@pytest.mark.parametrize("name", ["checkd", "salaries"])
def test_a_wrong_name_is_found_without_running(
    checked: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    use(checked, monkeypatch, owner=False)
    with pytest.raises(ToolError) as raised:
        query.run_query(QueryRequest(f"SELECT id FROM {name}", check="live"))
    assert raised.value.code == "QUERY_FAILED" and raised.value.detail["identifier"] == name


def test_mariadb_tells_a_plan(
    mariadb: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(mariadb, monkeypatch, owner=False)
    body = check(capsys, "SELECT table_name FROM information_schema.tables")
    assert body["wouldRun"] is True and "query_block" in body["plan"]
    assert body["login"]["canWrite"] is False


def test_mongodb_looks_the_collection_up(
    mongodb: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    use(mongodb, monkeypatch, owner=False)
    with pytest.raises(ToolError) as raised:
        query.run_query(QueryRequest('{"find": "no_such_thing"}', check="live"))
    assert raised.value.code == "QUERY_FAILED"
