"""A session with BigQuery: a dry run, then the job; or one look at the catalog."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest, Execution, Privileges
from dbtools.drivers.bigquery import binding, errors, values
from dbtools.drivers.bigquery.dialling import Config
from dbtools.result import Column, ResultSet, Row
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import Encoder

if TYPE_CHECKING:
    from google.cloud import bigquery

    from dbtools.catalog import Catalog

Record = Mapping[str, Any]
# What a statement of the catalog tells, and the region it is for.
Part = tuple[str, str]
# The API cuts a page at some megabytes anyway.
_PAGE_ROWS: Final = 10_000
_CANCEL_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 8.0
_LABELS: Final = {"application": "sandbox-toolbelt"}
_PLAN: Final = (
    ("statementType", "STRING"),
    ("estimatedBytes", "INT64"),
    ("maxBytesBilled", "INT64"),
    ("referencedTables", "ARRAY<STRING>"),
    ("columns", "ARRAY<STRUCT<name STRING, type STRING>>"),
)


class BigQuerySession:
    """Fills drivers.base.Session."""

    def __init__(
        self,
        client: bigquery.Client,
        config: Config,
        connection: Connection,
        timeout_seconds: float,
    ) -> None:
        self._client = client
        self._config = config
        self._connection = connection
        self._timeout = timeout_seconds
        self._failures = errors.Failures(connection, config, timeout_seconds)
        # Kept, because a generator may end when nothing can be imported any more.
        self._kinds = errors.kinds()
        self._running: list[tuple[str, str | None]] = []

    def execute(self, execution: Execution) -> ResultSet:
        """Check the statement and its cost by a dry run; run it; rows arrive page by page."""
        text = binding.text(execution.segments)
        encoder = Encoder(numbers_as_number=execution.numbers_as_number)
        try:
            dry = self._dry_run(text, execution)
            if execution.explain:
                return self._plan(dry)
            estimated = self._approve(dry)
            nulls = _null_types(dry)
            bound = binding.bind(execution.segments, execution.parameters, nulls)
            job = self._start(text, bound)
            rows = self._wait(job, execution.fetch_rows)
        except self._kinds as error:
            raise self._failures.of(error, text) from error
        return ResultSet(
            columns=[Column(f.name, values.type_name(f)) for f in rows.schema],
            rows=self._rows(rows, text),
            converters=[values.converter(f, encoder) for f in rows.schema],
            warnings=encoder.warnings,
            extra=_facts(job, estimated),
        )

    def _dry_run(self, text: str, execution: Execution) -> bigquery.QueryJob:
        """What the statement is and reads; nothing runs. NULL parameters get their types here."""
        bound = binding.bind(execution.segments, execution.parameters, None)
        try:
            return self._query(text, bound, dry_run=True, use_query_cache=False)
        except self._kinds:
            if None not in execution.parameters.values():
                raise
            # A statement that gives a NULL no type: it is text, as everywhere.
            bound = binding.bind(execution.segments, execution.parameters, {})
            return self._query(text, bound, dry_run=True, use_query_cache=False)

    def _approve(self, dry: bigquery.QueryJob) -> int:
        """The bytes it will scan; BLOCKED or QUERY_FAILED when it must not run."""
        kind = dry.statement_type or "unknown"
        if kind != "SELECT":
            raise ToolError(
                "BLOCKED", f"BigQuery says that this is a statement of type {kind}.",
                hint="only SELECT runs here", detail={"kind": kind, "reason": "statement"},
            )  # fmt: skip
        estimated = int(dry.total_bytes_processed or 0)
        if estimated > self._config.max_bytes_billed:
            raise self._failures.too_expensive(estimated)
        return estimated

    def _plan(self, dry: bigquery.QueryJob) -> ResultSet:
        """The dry run's findings as one row."""
        row = [
            dry.statement_type,
            int(dry.total_bytes_processed or 0),
            self._config.max_bytes_billed,
            [f"{t.project}.{t.dataset_id}.{t.table_id}" for t in dry.referenced_tables],
            [{"name": f.name, "type": values.type_name(f)} for f in dry.schema or ()],
        ]
        return ResultSet(
            columns=[Column(name, kind) for name, kind in _PLAN],
            rows=iter([row]),
            converters=[None] * len(_PLAN),
        )

    def _start(self, text: str, bound: list[Any], region: str = "") -> bigquery.QueryJob:
        # The job is named here, so that it can be stopped before its start was confirmed.
        job_id = f"toolbelt_{uuid.uuid4()}"
        where = region or self._config.location or None
        self._running.append((job_id, where))
        job = self._query(
            text, bound, job_id, where,
            maximum_bytes_billed=self._config.max_bytes_billed,
            job_timeout_ms=max(1, round(self._timeout * 1000)),
        )  # fmt: skip
        self._running[-1] = (job_id, job.location)
        return job

    def _query(
        self, text: str, bound: list[Any], job_id: str | None = None, region: str | None = None,
        **settings: Any,
    ) -> bigquery.QueryJob:  # fmt: skip
        from google.cloud import bigquery

        config = bigquery.QueryJobConfig(
            query_parameters=bound, labels=_LABELS, use_legacy_sql=False, **settings
        )
        if self._config.dataset:
            config.default_dataset = bigquery.DatasetReference.from_string(
                self._config.dataset, default_project=self._client.project
            )
        return self._client.query(
            text, config, job_id=job_id, location=region, retry=None, job_retry=None,
            timeout=self._timeout + 1,
        )  # fmt: skip

    def _wait(self, job: bigquery.QueryJob, most: int | None) -> bigquery.table.RowIterator:
        page = _PAGE_ROWS if most is None else min(most, _PAGE_ROWS)
        rows = job.result(page_size=page, max_results=most, retry=_retry(), job_retry=None)
        self._running = [one for one in self._running if one[0] != job.job_id]
        return rows

    def _rows(self, rows: bigquery.table.RowIterator, text: str) -> Iterator[Row]:
        """Raw cells: the library's own Python values would have lost digits of some types."""
        try:
            for page in rows.pages if rows.total_rows else ():
                for row in page.raw_page.get("rows", ()):
                    yield [cell["v"] for cell in row["f"]]
        except self._kinds as error:
            raise self._failures.of(error, text) from error

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Everything from INFORMATION_SCHEMA, all statements at once; or what costs nothing."""
        from dbtools.drivers.bigquery import catalogue, glance

        try:
            if request.free:
                return glance.read(self._client, self._config, request, _retry())
            return catalogue.read(self._ask, self._datasets, request, self._config)
        except self._kinds as error:
            raise self._failures.of(error) from error

    def _datasets(self) -> dict[str, str]:
        """Every dataset of the project and its region: free to ask."""
        found = self._client.list_datasets(retry=_retry(), timeout=self._timeout)
        # The library keeps the region to itself.
        return {one.dataset_id: str(one._properties.get("location") or "") for one in found}

    def _ask(self, statements: Mapping[Part, str]) -> dict[Part, list[Record] | ToolError]:
        """The rows of our own statements, run side by side; an error in the place of its rows."""
        started = {part: self._asked(text, part[1]) for part, text in statements.items()}
        found: dict[Part, list[Record] | ToolError] = {}
        for part, rows in started.items():
            try:
                found[part] = rows()
            except ToolError as error:
                found[part] = error
        return found

    def _asked(self, text: str, region: str) -> Callable[[], list[Record]]:
        failed: list[Exception] = []
        try:
            job = self._start(text, [], region)
        except self._kinds as error:
            failed.append(error)

        def rows() -> list[Record]:
            try:
                if failed:
                    raise failed[0]
                found = self._wait(job, None)
            except self._kinds as error:
                raise self._failures.of(error, text) from error
            encoder = Encoder()
            read = [values.converter(f, encoder) for f in found.schema]
            names = [f.name for f in found.schema]
            return [
                {
                    name: cell if cell is None or change is None else change(cell)
                    for name, change, cell in zip(names, read, row, strict=True)
                }
                for row in self._rows(found, text)
            ]

        return rows

    def privileges(self) -> Privileges:
        """What the login could do without the guard, as far as the dataset's policy tells."""
        from dbtools.drivers.bigquery import privileges

        try:
            return privileges.read(self._client, self._config, self._timeout)
        except self._kinds as error:
            raise self._failures.of(error) from error

    def cancel(self) -> None:
        """Ask BigQuery to stop what runs. Never raises."""
        for job_id, location in self._running:
            try:
                self._client.cancel_job(
                    job_id, location=location, retry=None, timeout=_CANCEL_SECONDS,
                )  # fmt: skip
            except self._kinds:
                continue

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def _retry() -> Any:
    """Seconds, not minutes, and only when the server itself asks for another try."""
    from google.api_core import exceptions, retry

    again = (exceptions.ServiceUnavailable, exceptions.BadGateway, exceptions.TooManyRequests)
    return retry.Retry(
        predicate=retry.if_exception_type(*again), initial=0.2, maximum=2.0, timeout=_RETRY_SECONDS
    )


def _null_types(dry: bigquery.QueryJob) -> dict[str, str]:
    """What the statement wants its undeclared parameters to be, where that is one plain type."""
    kinds = {p.name: getattr(p, "type_", None) for p in dry.undeclared_query_parameters}
    return {name: str(kind) for name, kind in kinds.items() if name and kind}


def _facts(job: bigquery.QueryJob, estimated: int) -> dict[str, object]:
    """What the envelope says of the job."""
    facts: dict[str, object] = {"estimatedBytes": estimated, "jobId": job.job_id}
    if job.total_bytes_billed is not None:
        facts["billedBytes"] = int(job.total_bytes_billed)
    if job.cache_hit:
        facts["cacheHit"] = True
    return facts
