"""What goes over the two sockets of a call. Shared with the client, so it imports nothing heavy.

The first is the connection to the broker (a stream). The client sends one request and with it its
stdin, stdout, stderr and one end of a pair, the channel; later single bytes for signals it got.
The broker answers `ACCEPTED` at once and, only where its process for the call could not finish, a
message of fields `refused, code, reason, message, hint`.

The channel (packets) leads to the process that runs the call: `exit, N`; `rows` (stdout is for rows
only); `here, NAME=VALUE, ...` (run it yourself, with these variables); and requests for files,
`input, path, workspace` or `open, path, workspace, force`, then `publish` or `drop`. They are
answered by `ok, ...` (with the descriptor) or `error, JSON`. Fields are joined by NUL bytes, which
neither arguments nor variables nor paths can hold.
"""

from __future__ import annotations

import os

MAGIC = b"TBB1"
HEADER = len(MAGIC) + 4
# All arguments of a program fit into 2 MB on Linux unless its stack limit was raised.
LARGEST_REQUEST = 8 << 20
DESCRIPTORS = 4  # stdin, stdout, stderr, channel
PACKET = 1 << 18
ACCEPTED = b"+"
INTERRUPT, TERMINATE = b"I", b"T"

# What a call may take from its caller's environment. No path, host or limit: they are the broker's.
PASSED = ("NO_COLOR", "TERM", "TOOLBELT_DEBUG", "TZ")
# The keys by which a caller's own connection is told from the broker's. No secret among them.
DEFINING = ("TYPE", "HOST", "PORT", "NAME", "DB", "USER")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def fields(*texts: str) -> bytes:
    """One message."""
    return os.fsencode("\0".join(texts))


def split(message: bytes) -> list[str]:
    """The fields of a message."""
    return os.fsdecode(message).split("\0")


def pack(command: str, env: Mapping[str, str], arguments: Sequence[str]) -> bytes:
    """A request: the variables worth sending of `env`, the command and its arguments."""
    told = [f"{key}={value}" for key, value in env.items() if _is_told(key)]
    if env.get("DATABASE_URL"):
        told.append("DATABASE_URL=")
    body = fields(command, str(len(told)), *told, *arguments)
    return MAGIC + len(body).to_bytes(4, "big") + body


def unpack(body: bytes) -> tuple[str, dict[str, str], list[str]]:
    """(command, variables, arguments) of a request's body; ValueError for anything else."""
    command, count, *rest = split(body)
    told = int(count)
    if not 0 <= told <= len(rest):
        raise ValueError("a request with fewer variables than it says")
    pairs = (text.partition("=") for text in rest[:told])
    env = {key: value for key, _, value in pairs if _is_told(key) or key == "DATABASE_URL"}
    return command, env, rest[told:]


def _is_told(key: str) -> bool:
    if key.startswith("DB_"):
        return key.rpartition("_")[2] in DEFINING
    return key in PASSED
