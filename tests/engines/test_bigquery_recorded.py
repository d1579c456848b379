"""BigQuery's own behaviour that no emulator has, against a stub that records every request."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from cli.commands import BIN, Answer, clean_environment, run
from dbtools.drivers.bigquery.values import interval
from engines.fake_bigquery import Stub, refusal, running
from servers import certificates


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running() as started:
        yield started


def env(stub: Stub, **more: str) -> dict[str, str]:
    keys = {"TYPE": "bigquery", "PROJECT": "p", "NAME": "d", "ENDPOINT": stub.address, **more}
    return {f"DB_{key}": value for key, value in keys.items()}


def query(stub: Stub, statement: str, *options: str, **more: str) -> Answer:
    return run("db-query", "-q", statement, *options, env=env(stub, **more))


def failed(answer: Answer, code: str) -> dict[str, Any]:
    error: dict[str, Any] = answer.json()["error"]
    assert error["code"] == code, error
    return error


def test_a_statement_is_tried_dry_then_run_with_its_limits(stub: Stub) -> None:
    body = query(stub, "SELECT n FROM t WHERE a = :a", "--params", '{"a": 5}').json()
    assert body["rows"] == [{"n": 1}]
    assert (body["estimatedBytes"], body["billedBytes"]) == (1_000_000, 10_485_760)
    dry, job = stub.jobs()
    assert dry["dryRun"] is True and "dryRun" not in job
    assert job["query"]["maximumBytesBilled"] == "10000000000"
    assert job["jobTimeoutMs"] == "30000"
    assert job["labels"] == {"application": "sandbox-toolbelt"}
    assert job["query"]["useLegacySql"] is False
    assert job["query"]["defaultDataset"] == {"projectId": "p", "datasetId": "d"}
    assert job["query"]["query"] == "SELECT n FROM t WHERE a = @a"
    [parameter] = job["query"]["queryParameters"]
    assert (parameter["parameterType"], parameter["parameterValue"]) == (
        {"type": "INT64"},
        {"value": "5"},
    )


def test_a_null_gets_the_type_that_the_dry_run_found(stub: Stub) -> None:
    stub.script.undeclared = [{"name": "a", "parameterType": {"type": "INT64"}}]
    query(stub, "SELECT n FROM t WHERE a = :a", "--params", '{"a": null}').json()
    dry, job = stub.jobs()
    assert dry["query"]["queryParameters"] == []
    assert job["query"]["queryParameters"][0]["parameterType"] == {"type": "INT64"}


@pytest.mark.parametrize(
    ("value", "kind", "sent"),
    [
        (True, "BOOL", "true"),
        (1.5, "FLOAT64", "1.5"),
        (2**64, "NUMERIC", str(2**64)),
        (10**30, "BIGNUMERIC", str(10**30)),
        ("x", "STRING", "x"),
        ({"k": [1]}, "JSON", '{"k": [1]}'),
    ],
)
def test_parameters_are_typed(stub: Stub, value: object, kind: str, sent: str) -> None:
    query(stub, "SELECT :v AS n", "--params", json.dumps({"v": value})).json()
    [parameter] = stub.jobs()[1]["query"]["queryParameters"]
    assert parameter["parameterType"] == {"type": kind}
    assert str(parameter["parameterValue"]["value"]) == sent


def test_a_list_is_an_array(stub: Stub) -> None:
    query(stub, "SELECT n FROM t WHERE n IN UNNEST(:ids)", "--params", '{"ids": [1, 2.5]}').json()
    [parameter] = stub.jobs()[1]["query"]["queryParameters"]
    assert parameter["parameterType"] == {"type": "ARRAY", "arrayType": {"type": "FLOAT64"}}


def test_what_costs_too_much_is_not_run(stub: Stub) -> None:
    stub.script.bytes_processed = 2_000
    error = failed(query(stub, "SELECT n FROM t", MAX_BYTES_BILLED="1000"), "QUERY_FAILED")
    assert (error["estimatedBytes"], error["maxBytesBilled"]) == (2_000, 1_000)
    assert "DB_MAX_BYTES_BILLED" in error["hint"]
    assert len(stub.jobs()) == 1


def test_what_turns_out_to_cost_too_much_is_told_alike(stub: Stub) -> None:
    stub.script.failed = {
        "reason": "bytesBilledLimitExceeded",
        "message": "Query exceeded limit for bytes billed: 1000. 10485760 or higher required.",
    }
    error = failed(query(stub, "SELECT n FROM t"), "QUERY_FAILED")
    assert error["engineCode"] == "bytesBilledLimitExceeded"
    assert "10485760 or higher" in error["message"]


@pytest.mark.parametrize("kind", ["INSERT", "SCRIPT", "EXPORT_DATA", "CREATE_TABLE", ""])
def test_only_select_gets_past_the_dry_run(stub: Stub, kind: str) -> None:
    stub.script.statement_type = kind
    error = failed(query(stub, "SELECT f(n) FROM t"), "BLOCKED")
    assert (kind or "unknown") in error["message"]
    assert len(stub.jobs()) == 1


@pytest.mark.parametrize("statement", ["SELECT n FROM t", "EXPLAIN SELECT n FROM t"])
def test_explain_is_the_dry_run(stub: Stub, statement: str) -> None:
    options = [] if statement.startswith("EXPLAIN") else ["--explain"]
    [row] = query(stub, statement, *options).json()["rows"]
    assert row == {
        "statementType": "SELECT",
        "estimatedBytes": 1_000_000,
        "maxBytesBilled": 10_000_000_000,
        "referencedTables": ["p.d.t"],
        "columns": [{"name": "n", "type": "INT64"}],
    }
    assert [job.get("dryRun") for job in stub.jobs()] == [True]


def test_a_syntax_error_has_its_position(stub: Stub) -> None:
    message = "Unrecognized name: nope at [2:5]"
    stub.script.dry = refusal(400, "invalidQuery", message)
    error = failed(query(stub, "SELECT n,\n    nope FROM t"), "QUERY_FAILED")
    assert error["message"] == "BigQuery: Unrecognized name: nope."
    assert (error["position"], error["engineCode"]) == (15, "invalidQuery")


def test_a_job_over_its_time_is_a_timeout(stub: Stub) -> None:
    stub.script.failed = {
        "reason": "stopped",
        "message": "Job execution was cancelled: Job timed out after 1s",
    }
    failed(query(stub, "SELECT n FROM t", "--timeout", "1"), "TIMEOUT")


def test_a_job_that_never_ends_is_cancelled(stub: Stub) -> None:
    stub.script.running = True
    failed(query(stub, "SELECT n FROM t", "--timeout", "1"), "TIMEOUT")
    job_id = next(
        b["jobReference"]["jobId"]
        for m, p, b in stub.requests
        if b and "dryRun" not in b["configuration"]
    )
    assert f"POST /bigquery/v2/projects/p/jobs/{job_id}/cancel" in stub.paths()


def test_ctrl_c_cancels_the_job(stub: Stub) -> None:
    stub.script.running = True
    started = subprocess.Popen(
        [str(BIN / "db-query"), "-q", "SELECT n FROM t"], env=clean_environment(env(stub)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not any("/queries/" in path for path in stub.paths()):
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=20)
    assert started.returncode == 130
    assert any(path.endswith("/cancel") for path in stub.paths())


def test_pages_are_read_to_the_cap_and_no_further(stub: Stub) -> None:
    stub.script.pages = [[["1"], ["2"]], [["3"], ["4"]], None]
    body = query(stub, "SELECT n FROM t", "--limit", "3").json()
    assert [row["n"] for row in body["rows"]] == [1, 2, 3]
    assert body["truncated"] is True


def test_a_connection_lost_between_pages_is_told(stub: Stub) -> None:
    stub.script.pages = [[["1"]], None]
    error = failed(query(stub, "SELECT n FROM t"), "CONNECTION_FAILED")
    assert "was lost" in error["message"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refusal(401, "authError", "Invalid Credentials"), "AUTH_FAILED"),
        (refusal(403, "accessNotConfigured", "BigQuery API has not been used in project p"), "AUTH_FAILED"),
        (refusal(404, "notFound", "Not found: Dataset p:d"), "CONNECTION_FAILED"),
        ((200, b"<html>hello</html>"), "CONNECTION_FAILED"),
        ((503, b"upstream is down"), "CONNECTION_FAILED"),
    ],
)  # fmt: skip
def test_a_login_that_fails(stub: Stub, reply: tuple[int, Any], code: str) -> None:
    stub.script.login = reply
    error = failed(query(stub, "SELECT 1"), code)
    assert "http://" not in error["message"] and error["hint"]
    assert stub.jobs() == []


def test_a_login_that_may_not_see_the_dataset_may_still_query(stub: Stub) -> None:
    stub.script.login = refusal(403, "accessDenied", "Access Denied: Dataset p:d")
    assert query(stub, "SELECT n FROM t").json()["rows"] == [{"n": 1}]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"ENDPOINT": "http://127.0.0.1:1"}, "CONNECTION_FAILED"),
        ({"ENDPOINT": "http://no-such-host.invalid"}, "CONNECTION_FAILED"),
        ({"PROJECT": ""}, "BAD_CONFIG"),
        ({"MAX_BYTES_BILLED": "much"}, "BAD_CONFIG"),
        ({"ENDPOINT": "https://127.0.0.1:1", "CREDENTIALS": "/nowhere/key.json"}, "BAD_CONFIG"),
        ({"ENDPOINT": "https://127.0.0.1:1", "CREDENTIALS": "{not json"}, "BAD_CONFIG"),
        ({"ENDPOINT": "https://127.0.0.1:1", "CREDENTIALS": '{"type": "service_account", "private_key": "hunter2"}'}, "AUTH_FAILED"),
    ],
)  # fmt: skip
def test_wrong_settings(stub: Stub, change: dict[str, str], code: str) -> None:
    answer = query(stub, "SELECT 1", **change)
    assert failed(answer, code)["hint"]
    assert "hunter2" not in answer.stdout + answer.stderr


def test_a_silent_host_fails_within_the_connect_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        answer = query(Stub(address=address), "SELECT 1", CONNECT_TIMEOUT="500")
    assert "answer" in failed(answer, "CONNECTION_FAILED")["message"]


def test_a_connection_string_names_project_and_dataset(stub: Stub, tmp_path: Path) -> None:
    variables = {
        "DB_CONNECTION_STRING": "bigquery://p/d?location=EU",
        "BIGQUERY_EMULATOR_HOST": stub.address,
    }
    assert run("db-query", "-q", "SELECT n FROM t", env=variables).json()["rows"] == [{"n": 1}]
    insert = next(body for method, _, body in stub.requests if method == "POST")
    assert insert["jobReference"]["location"] == "EU"


def test_duplicate_names_and_nulls(stub: Stub) -> None:
    stub.script.schema = [
        {"name": "a", "type": "STRING"},
        {
            "name": "a",
            "type": "RECORD",
            "fields": [
                {"name": "", "type": "INTEGER"},
                {"name": "x", "type": "STRING", "mode": "REPEATED"},
            ],
        },
    ]
    stub.script.pages = [[["1", None], [None, {"f": [{"v": None}, {"v": [{"v": "q"}]}]}]]]
    body = query(stub, "SELECT a, a FROM t").json()
    assert body["rows"] == [{"a": "1", "a_2": None}, {"a": None, "a_2": {"_1": None, "x": ["q"]}}]


@pytest.mark.parametrize("held", [[], ["bigquery.tables.updateData"]])
def test_what_the_login_could_write_is_told(stub: Stub, held: list[str]) -> None:
    stub.script.held = held
    answer = query(stub, "SELECT 1", "--check=live")
    assert ("bigquery.tables.updateData" in answer.stdout) is bool(held), answer.stdout
    assert ("dataViewer" in answer.stdout) is bool(held)


def service_key(token_uri: str) -> str:
    """A service account's key, made for this test."""
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    info = {
        "type": "service_account", "project_id": "p", "private_key": key.decode(),
        "private_key_id": "1", "client_email": "reader@p.iam.gserviceaccount.com",
        "token_uri": token_uri,
    }  # fmt: skip
    return json.dumps(info)


def test_a_key_whose_token_cannot_be_had(stub: Stub) -> None:
    key = service_key("http://127.0.0.1:1/token")
    change = {"ENDPOINT": "https://127.0.0.1:1", "CREDENTIALS": key, "PROJECT": ""}
    answer = query(stub, "SELECT 1", "--timeout", "5", **change)
    assert "refused" in failed(answer, "CONNECTION_FAILED")["message"]
    assert "PRIVATE KEY" not in answer.stdout + answer.stderr


def test_certificates_are_checked_and_a_private_authority_can_be_named(tmp_path: Path) -> None:
    made = certificates.make(tmp_path, "localhost")
    with running(made) as secure:
        keys = {"CREDENTIALS": service_key(f"{secure.address}/token"), "PROJECT": ""}
        untrusted = failed(query(secure, "SELECT n FROM t", **keys), "CONNECTION_FAILED")
        assert "not trusted" in untrusted["message"] and "DB_SSL_CA" in untrusted["hint"]
        assert secure.requests == []
        trusted = query(secure, "SELECT n FROM t", SSL_CA=str(made.ca), **keys)
        assert trusted.json()["rows"] == [{"n": 1}]
        elsewhere = secure.address.replace("localhost", "127.0.0.1")
        other = query(secure, "SELECT 1", **keys | {"SSL_CA": str(made.ca), "ENDPOINT": elsewhere})
        assert "another host" in failed(other, "CONNECTION_FAILED")["message"]
    unreadable = query(secure, "SELECT 1", SSL_CA=str(tmp_path / "none.pem"), **keys)
    assert "DB_SSL_CA" in failed(unreadable, "BAD_CONFIG")["message"]


def test_a_wrong_name_costs_nothing_to_explain(stub: Stub, tmp_path: Path) -> None:
    stub.script.schema = [{"name": "amount", "type": "INTEGER"}]
    stub.script.dry = refusal(400, "invalidQuery", "Unrecognized name: amuont at [1:8]")
    answer = query(stub, "SELECT amuont FROM t", XDG_CACHE_HOME=str(tmp_path))
    error = failed(answer, "QUERY_FAILED")
    assert error["candidates"][0]["column"] == "amount", error
    # Nothing but dry runs: INFORMATION_SCHEMA would be billed.
    assert all(job.get("dryRun") for job in stub.jobs())
    asked = len(stub.requests)
    stub.script.dry = refusal(
        404, "notFound", "Not found: Table p:d.tt was not found in location EU"
    )
    error = failed(query(stub, "SELECT 1 FROM tt", XDG_CACHE_HOME=str(tmp_path)), "QUERY_FAILED")
    assert [one["table"] for one in error["candidates"]] == ["t"], error
    assert any(path.endswith("/tables") for path in stub.paths()[asked:])


def test_other_mistakes_do_not_look_at_the_catalog(stub: Stub) -> None:
    stub.script.dry = refusal(400, "invalidQuery", "Syntax error: Unexpected keyword FROM at [1:8]")
    failed(query(stub, "SELECT FROM t"), "QUERY_FAILED")
    assert not any("/tables" in path for path in stub.paths())
    assert all(job.get("dryRun") for job in stub.jobs())


def test_the_most_columns_there_can_be(stub: Stub) -> None:
    """BigQuery's limit is 10,000 columns of a result."""
    stub.script.schema = [{"name": f"c{i}", "type": "INTEGER"} for i in range(10_000)]
    stub.script.pages = [[[str(i) for i in range(10_000)]]]
    body = query(stub, "SELECT * FROM t").json()
    assert len(body["columns"]) == 10_000
    assert body["rows"][0] == {f"c{i}": i for i in range(10_000)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0-0 0 0:0:0", "PT0S"), ("1-2 3 4:5:6.5", "P1Y2M3DT4H5M6.5S"),
        ("-1-2 -3 -4:5:6", "P-1Y-2M-3DT-4H-5M-6S"), ("0-0 0 0:0:0.000001", "PT0.000001S"),
        ("0-11 0 10:0:0", "P11MT10H"), ("0-0 -1 0:0:10.50", "P-1DT10.5S"),
    ],
)  # fmt: skip
def test_intervals(text: str, wanted: str) -> None:
    assert interval(text) == wanted
