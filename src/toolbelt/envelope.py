"""What a command prints: one JSON document on stdout, one human line a problem on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence

from toolbelt.errors import ToolError

# Terminal control, bidirectional overrides and zero-width marks never reach a reader raw.
_UNSAFE = {c: f"\\u{c:04x}" for c in (*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F)}
_UNSAFE |= {c: f"\\u{c:04x}" for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF)}
_INVISIBLE = {c: text for c, text in _UNSAFE.items() if c >= 0x7F}
_INVISIBLE_OR_LONE = re.compile(f"[{''.join(map(chr, _INVISIBLE))}\ud800-\udfff]")

# Made once: json.dumps() makes a new encoder for every value.
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_PRETTY = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)


def dumps(value: object, *, pretty: bool = False) -> str:
    """JSON text for one value: UTF-8 kept, control and bidi characters escaped, no NaN."""
    return escape_invisible((_PRETTY if pretty else _COMPACT).encode(value))


def escape_invisible(text: str) -> str:
    """JSON text with control, bidi and lone-surrogate characters as `\\u` escapes."""
    if text.isascii():
        return text.replace("\x7f", "\\u007f") if "\x7f" in text else text
    if not _INVISIBLE_OR_LONE.search(text):
        return text
    return text.translate(_INVISIBLE).encode("utf-8", "backslashreplace").decode()


def safe_text(text: str) -> str:
    """Text for a terminal: line ends as `\\n`, other control and bidi characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    flat = text.replace("\r\n", "\\n").replace("\n", "\\n").replace("\t", "\\t")
    return flat.translate(_UNSAFE).encode("utf-8", "backslashreplace").decode()


def one_line(text: str, limit: int = 400) -> str:
    """Text made safe and short enough for one line of a terminal."""
    flat = " ".join(text.split()).translate(_UNSAFE).encode("utf-8", "backslashreplace").decode()
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def document(body: Mapping[str, object], *, pretty: bool, rows_key: str = "rows") -> str:
    """A success document; a list under `rows_key` gets one line a row unless `pretty`."""
    rows = body.get(rows_key)
    if pretty or not isinstance(rows, Sequence) or not rows:
        return dumps(body, pretty=pretty)
    parts = []
    for key, value in body.items():
        if key == rows_key:
            lines = ",\n".join(dumps(row) for row in rows)
            parts.append(f"{dumps(key)}:[\n{lines}\n]")
        else:
            parts.append(f"{dumps(key)}:{dumps(value)}")
    return "{" + ",".join(parts) + "}"


def write_stdout(text: str) -> None:
    """Write text to stdout at once, as UTF-8 whatever the locale says."""
    sys.stdout.flush()
    data = text.encode("utf-8", "backslashreplace")
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
    else:
        stream.write(data)
    sys.stdout.flush()


def write_success(
    body: Mapping[str, object], *, pretty: bool = False, rows_key: str = "rows"
) -> None:
    """Print a success envelope; `ok` comes first, a list under rows_key gets one line an item."""
    write_stdout(document({"ok": True, **body}, pretty=pretty, rows_key=rows_key) + "\n")


def write_failure(
    error: ToolError, *, on_stderr: bool = False, extra: Mapping[str, object]
) -> None:
    """Print a failure envelope: JSON on stdout and one human line on stderr.

    on_stderr: stdout already carries rows (a streaming format), so the JSON line goes to stderr.
    """
    line = dumps({"ok": False, **extra, "error": error.body()})
    if on_stderr:
        warn_raw(line)
        return
    write_stdout(line + "\n")
    hint = f" Hint: {error.hint}" if error.hint else ""
    warn(f"{error.message}{hint}")


def warn(message: str) -> None:
    """One human line on stderr."""
    warn_raw(one_line(message, 1000))


def warn_raw(line: str) -> None:
    """One line on stderr as it stands; a closed stderr is nobody's failure."""
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def colour_allowed(stream_fd: int) -> bool:
    """ANSI colour only for a terminal whose user did not ask for none (no-color.org)."""
    return (
        not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and os.isatty(stream_fd)
    )
