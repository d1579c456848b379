"""The console scripts `db-query` and `db-schema`: through a broker where there is one, else here.

Imports next to nothing: a call that a broker answers costs hardly more than a bare interpreter.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

VARIABLE = "TOOLBELT_BROKER"
SOCKET = "/run/toolbelt/broker.sock"
OFF = "off"


def query() -> NoReturn:
    """`db-query`."""
    _through_broker("db-query")
    from dbtools.query_cli import main

    main()


def schema() -> NoReturn:
    """`db-schema`."""
    _through_broker("db-schema")
    from dbtools.schema_cli import main

    main()


def _through_broker(command: str) -> None:
    """Let the broker run the call and leave with its exit code; return when it runs here."""
    arguments = sys.argv[1:]
    named = os.environ.get(VARIABLE)
    path = named or SOCKET
    if path == OFF or not (named or os.path.exists(path)):  # noqa: PTH110 (pathlib is not cheap)
        return
    # These ask nothing of a database, and must work where the broker does not.
    if any(word in ("-h", "--help", "--version") for word in arguments):
        return
    from dbtools.broker.client import ask

    ask(path, command, arguments)
