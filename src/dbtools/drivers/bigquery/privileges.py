"""Whether the login could write without the guard, and how to make one that cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dbtools.drivers.base import Privileges
from dbtools.drivers.bigquery.dialling import Config

if TYPE_CHECKING:
    from google.cloud import bigquery

_WRITING: Final = (
    "bigquery.tables.create", "bigquery.tables.update", "bigquery.tables.updateData",
    "bigquery.tables.delete", "bigquery.routines.create",
)  # fmt: skip
_ACCOUNT: Final = "sandbox-reader@{project}.iam.gserviceaccount.com"


def read(client: bigquery.Client, config: Config, seconds: float) -> Privileges:
    """The dataset's first table is asked which of the writing rights the login has."""
    login = _login(client)
    reasons: list[str] = []
    if config.dataset:
        tables = client.list_tables(config.dataset, max_results=1, retry=None, timeout=seconds)
        for table in tables:
            answer = client.test_iam_permissions(
                table.reference, list(_WRITING), retry=None, timeout=seconds,
            )  # fmt: skip
            held = answer.get("permissions", ())
            reasons += [f"has {right} on {table.reference}" for right in held]
    return Privileges(login, tuple(reasons), _statements(client.project) if reasons else ())


def _login(client: bigquery.Client) -> str:
    account = getattr(client._credentials, "service_account_email", "")
    return str(account or "the login")


def _statements(project: str) -> tuple[str, ...]:
    account = _ACCOUNT.format(project=project)
    grant = f"gcloud projects add-iam-policy-binding {project} --member=serviceAccount:{account}"
    return (
        f"gcloud iam service-accounts create sandbox-reader --project={project}",
        f"{grant} --role=roles/bigquery.jobUser",
        f"{grant} --role=roles/bigquery.dataViewer",
    )
