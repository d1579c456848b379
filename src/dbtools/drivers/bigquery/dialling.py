"""From the connection's keys to a client of the API."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from dbtools.connection import Connection
from dbtools.drivers import network, tls
from dbtools.drivers.bigquery import errors
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from google.cloud import bigquery

_SCOPES: Final = (
    "https://www.googleapis.com/auth/bigquery",
    "https://www.googleapis.com/auth/drive.readonly",
)
_EMULATOR: Final = "BIGQUERY_EMULATOR_HOST"
_PUBLIC: Final = "https://bigquery.googleapis.com"
DEFAULT_MAX_BYTES_BILLED: Final = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Config:
    """How to reach BigQuery.

    project: who pays, '' until the credentials have named one. dataset: `name`, or `project.name`
    where it is somebody else's.
    credentials: a path or JSON text, '' for Application Default Credentials. endpoint: the API's
    root. max_bytes_billed: bytes a statement may scan.
    """

    project: str
    dataset: str
    credentials: str
    endpoint: str
    location: str
    max_bytes_billed: int

    @property
    def anonymous(self) -> bool:
        """Whether no credentials may be sent: over plain HTTP anybody could read them."""
        return self.endpoint.startswith("http://")

    @property
    def place(self) -> str:
        """The API's host and port, for messages."""
        return urlsplit(self.endpoint).netloc


def read(connection: Connection) -> Config:
    """The connection's own keys; BAD_CONFIG for one that cannot be."""
    options = connection.options
    endpoint = options.get("endpoint") or os.environ.get(_EMULATOR) or _PUBLIC
    if "://" not in endpoint:
        # Google's client takes the emulator's host with a scheme only; others write it without.
        endpoint = f"http://{endpoint}"
    dataset = (connection.database or connection.schema).strip("/")
    owner = dataset.rpartition(".")[0]
    return Config(
        project=options.get("project") or connection.host or owner,
        dataset=dataset,
        credentials=options.get("credentials") or options.get("credentials_path", ""),
        endpoint=endpoint.rstrip("/"),
        location=options.get("location", ""),
        max_bytes_billed=_max_bytes(connection),
    )


def _max_bytes(connection: Connection) -> int:
    from toolbelt import settings

    options = connection.options
    given = options.get("max_bytes_billed") or options.get("maximum_bytes_billed", "")
    key = f"{network.prefix(connection)}MAX_BYTES_BILLED"
    return settings.integer({key: given}, key, minimum=1) or DEFAULT_MAX_BYTES_BILLED


def dial(config: Config, connection: Connection) -> bigquery.Client:
    """A client, after one request that shows that project, dataset and login are right."""
    from google.cloud import bigquery

    credentials, theirs = _credentials(config, connection)
    http = _http(credentials, connection)
    project = config.project or theirs
    if not project:
        raise ToolError(
            "BAD_CONFIG", f"{connection.source}PROJECT is missing for {connection.name!r}.",
            hint=f"export {network.prefix(connection)}PROJECT=… (who pays for queries)",
        )  # fmt: skip
    client = bigquery.Client(
        project=project,
        credentials=credentials,
        location=config.location or None,
        client_options={"api_endpoint": config.endpoint},
        _http=http,
    )
    try:
        _probe(client, config, connection)
    except BaseException:
        client.close()
        raise
    return client


def _http(credentials: Any, connection: Connection) -> Any:
    """The library's own session, or one that trusts the authority SSL_CA names."""
    choice = tls.read(connection, "verify-full")
    if not choice.ca:
        return None
    from google.auth.transport.requests import AuthorizedSession, Request
    from requests import Session

    tls.context(choice, connection.source)  # for its message about an unusable file
    plain = Session()
    made = AuthorizedSession(credentials, auth_request=Request(plain))
    both: tuple[Any, Any] = (plain, made)
    for session in both:
        # The session's own `verify` gives way to REQUESTS_CA_BUNDLE; a request's does not.
        session.request = partial(session.request, verify=choice.ca)
    return made


def _credentials(config: Config, connection: Connection) -> tuple[Any, str]:
    """(credentials, the project they belong to)."""
    import google.auth
    from google.auth.credentials import AnonymousCredentials
    from google.auth.exceptions import GoogleAuthError

    if config.anonymous:
        return AnonymousCredentials(), ""
    key = f"{network.prefix(connection)}CREDENTIALS"
    try:
        if not config.credentials:
            found, project = google.auth.default(scopes=_SCOPES)
            return found, project or ""
        info = _key(config.credentials, key)
        found, project = google.auth.load_credentials_from_dict(info, scopes=_SCOPES)
    except (GoogleAuthError, ValueError) as error:
        if config.credentials:
            # The library's message may quote the key.
            text, hint = f"{key} holds no usable Google credentials", "a key file's path or JSON"
        else:
            text, hint = "No Google credentials were found", f"export {key}=/path/to/key.json"
        raise ToolError("AUTH_FAILED", f"{text} ({type(error).__name__}).", hint=hint) from error
    return found, project or ""


def _key(given: str, key: str) -> dict[str, Any]:
    """The key's JSON object, from the text itself or from the file it names."""
    text = given
    if not given.lstrip().startswith("{"):
        try:
            with open(given, encoding="utf-8") as file:  # noqa: PTH123 - a path as configured
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise ToolError(
                "BAD_CONFIG", f"{key} names {given!r}, which cannot be read: {why}.",
                hint="the path of a key file, or the key's JSON itself",
            ) from error  # fmt: skip
    try:
        info = json.loads(text)
    except ValueError:
        info = None
    if not isinstance(info, dict):
        raise ToolError(
            "BAD_CONFIG", f"{key} holds no JSON object.",
            hint="the path of a key file, or the key's JSON itself",
        )  # fmt: skip
    return info


def _probe(client: bigquery.Client, config: Config, connection: Connection) -> None:
    """One request within the connect timeout; a right that only it needs may be missing."""
    from google.api_core.exceptions import Forbidden

    seconds = connection.limits.connect_timeout_ms / 1000
    failures = errors.Failures(connection, config, 0.0)
    try:
        if config.dataset:
            client.get_dataset(config.dataset, retry=None, timeout=seconds)
        else:
            next(iter(client.list_datasets(max_results=1, retry=None, timeout=seconds)), None)
    except Forbidden as error:
        if not errors.lacks_a_right(error):
            raise failures.of(error, connecting=True) from error
    except errors.kinds() as error:
        raise failures.of(error, connecting=True) from error
