"""docker/compose.yaml is whole, and its seeds are the demo shop on the engines that run here."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml
from bson import json_util
from demo import seeds
from demo.build import build

from cli.commands import run
from dbtools.connection import list_all
from servers import Server, clickhouse, mariadb, postgres
from servers.mongodb import connect as connect_mongodb

FOLDER = Path(__file__).parents[1] / "docker"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
# What the Compose specification calls a service's keys, as far as they are used here.
KEYS = {
    "image", "pull_policy", "user", "network_mode", "working_dir", "command", "entrypoint", "volumes",
    "depends_on", "environment", "healthcheck", "read_only", "tmpfs", "cap_drop", "security_opt", "secrets",
}  # fmt: skip
SECONDS = re.compile(r"\d+s")
QUESTION = "SELECT status_id, count(*) AS n, sum(total_amount) AS total FROM orders GROUP BY status_id ORDER BY n DESC"
DATES = "SELECT max(birth_date) AS born, max(registered_at) AS since FROM customers WHERE is_blocked = {}"


def test_the_file_has_nothing_but_what_compose_knows() -> None:
    known = {"name", "services", "volumes", "secrets"}
    assert {key for key in COMPOSE if not key.startswith("x-")} == known
    for name, service in SERVICES.items():
        assert set(service) <= KEYS, name


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_leans_on_what_is_there(name: str) -> None:
    service = SERVICES[name]
    assert ":" in service["image"].rpartition("/")[2], "an image has its version"
    for other, how in service.get("depends_on", {}).items():
        assert how["condition"] in ("service_healthy", "service_completed_successfully")
        assert ("healthcheck" in SERVICES[other]) == (how["condition"] == "service_healthy")
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        assert (
            (FOLDER / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
        )
    for secret in service.get("secrets", []):
        assert secret in COMPOSE["secrets"]
    check = service.get("healthcheck")
    if check:
        assert check["test"][0] in ("CMD", "CMD-SHELL") and check["retries"] > 0
        assert all(SECONDS.fullmatch(check[key]) for key in ("interval", "timeout", "start_period"))


def test_no_password_is_written_down() -> None:
    for service in SERVICES.values():
        for key, value in service.get("environment", {}).items():
            if "PASS" in key and not key.endswith("_FILE"):
                assert value.startswith("${") and ":?" in value, key


def test_the_sandbox_has_a_connection_to_every_server(tmp_path: Path) -> None:
    toolbelt = SERVICES["toolbelt"]
    assert toolbelt["read_only"] and toolbelt["cap_drop"] == ["ALL"]
    secret = tmp_path / "reader"
    secret.write_text("secret")
    env = {k: str(secret) if k.endswith("_FILE") else v for k, v in toolbelt["environment"].items()}
    listed = list_all(env)
    assert [one["name"] for one in listed] == [
        "postgres",
        "mysql",
        "mongodb",
        "clickhouse",
        "sqlserver",
    ]
    assert not any("problem" in one for one in listed)
    for number in range(1, 6):
        assert env[f"DB_{number}_HOST"] in SERVICES


@pytest.mark.parametrize("script", sorted(FOLDER.rglob("*.sh")), ids=lambda p: p.name)
def test_a_script_parses(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    bash = "bash" in text.splitlines()[0] or "# shellcheck shell=bash" in text
    shell = "bash" if bash else "sh"
    subprocess.run([shell, "-n", str(script)], check=True, timeout=20)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds")
    seeds.main(folder)
    return folder


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """What SQLite's own shop answers."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    build(path)
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(path)}
    return lambda statement: run("db-query", "-q", statement, env=env).json()["rows"]


def in_postgres(server: Server, text: str) -> Server:
    shop = postgres.create_database(server, "seeded")
    with postgres.connect(shop) as connection:
        connection.execute(text.encode())
    return shop


def in_mariadb(server: Server, text: str) -> Server:
    shop = mariadb.create_database(server, "seeded")
    with mariadb.connect(shop) as connection, connection.cursor() as cursor:
        for statement in statements(text):
            cursor.execute(statement)
    return shop


def in_clickhouse(server: Server, text: str) -> Server:
    clickhouse.execute(server, "CREATE DATABASE seeded")
    shop = server.with_database("seeded")
    for statement in statements(text):
        clickhouse.execute(shop, statement)
    return shop


def statements(text: str) -> Iterator[str]:
    """The writer ends each with `;` and a newline; no text in the shop does."""
    return (one for one in text.split(";\n") if one.strip())


LOADERS = {
    "postgresql": (in_postgres, "postgres"),
    "mysql": (in_mariadb, "mariadb"),
    "clickhouse": (in_clickhouse, "clickhouse"),
}


@pytest.mark.parametrize("engine", LOADERS)
def test_every_engine_answers_as_sqlite(
    request: pytest.FixtureRequest, written: Path, truth: Callable[[str], Any], engine: str
) -> None:
    load, fixture = LOADERS[engine]
    script = (written / f"{engine}.sql").read_text(encoding="utf-8")
    shop = load(request.getfixturevalue(fixture), script)
    asked = run("db-query", "-q", QUESTION, env=shop.env())
    assert asked.code == 0, asked.stdout
    wanted = truth(QUESTION)
    rows = asked.json()["rows"]
    assert [(int(r["status_id"]), int(r["n"])) for r in rows] == [
        (r["status_id"], r["n"]) for r in wanted
    ]
    assert [float(r["total"]) for r in rows] == pytest.approx([r["total"] for r in wanted])
    dated = run("db-query", "-q", DATES.format("false"), env=shop.env()).json()["rows"][0]
    expected = truth(DATES.format("0"))[0]
    assert dated["born"] == expected["born"]
    assert dated["since"].replace("T", " ")[:19] == expected["since"]


def test_mongodb_takes_the_documents(
    mongodb: Server, written: Path, truth: Callable[[str], Any]
) -> None:
    with connect_mongodb(mongodb) as client:
        for name in ("orders", "customers"):
            lines = (written / "mongodb" / f"{name}.json").read_text(encoding="utf-8").splitlines()
            client["seeded"][name].insert_many([json_util.loads(line) for line in lines])
    pipeline = [{"$group": {"_id": "$status_id", "n": {"$sum": 1}}}, {"$sort": {"n": -1}}]
    statement = json.dumps({"collection": "orders", "pipeline": pipeline})
    asked = run("db-query", "-q", statement, env=mongodb.with_database("seeded").env(mongodb.owner))
    assert asked.code == 0, asked.stdout
    wanted = [(r["status_id"], r["n"]) for r in truth(QUESTION)]
    assert [(r["_id"], r["n"]) for r in asked.json()["rows"]] == wanted


def test_sql_server_s_script_is_t_sql(written: Path) -> None:
    """No SQL Server can be had here; a parser of its dialect reads every statement."""
    text = (written / "sqlserver.sql").read_text(encoding="utf-8")
    kinds = {type(tree).__name__ for tree in sqlglot.parse(text, dialect="tsql")}
    assert kinds <= {"Set", "Create", "Insert", "Alter", "Semicolon", "NoneType"}
