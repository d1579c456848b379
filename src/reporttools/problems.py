"""What is wrong with the data: every problem at once, each with a JSON pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolbelt.errors import ToolError, nearest

LIMIT: Final = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """path: RFC 6901 pointer to the value (to its owner when it is missing)."""

    path: str
    message: str
    hint: str = ""

    def as_json(self) -> dict[str, str]:
        body = {"path": self.path, "message": self.message}
        return body | {"hint": self.hint} if self.hint else body


def pointer(path: str, *keys: str | int) -> str:
    """A JSON pointer extended by keys, escaped as RFC 6901 says."""
    for key in keys:
        path += "/" + str(key).replace("~", "~0").replace("/", "~1")
    return path


def did_you_mean(name: str, known: list[str]) -> str:
    """`did you mean "x"?` for a mistyped name, or empty."""
    near = nearest(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else ""


def bad_data(problems: list[Problem], hint: str = "") -> ToolError:
    """BAD_DATA that lists up to twenty problems; the first one is its message."""
    first = problems[0]
    shown = problems[:LIMIT]
    more = f" ({len(problems)} problems in all)" if len(problems) > 1 else ""
    where = f"{first.path}: " if first.path else ""
    detail: dict[str, object] = {"path": first.path}
    if len(problems) > 1:
        detail["problems"] = [problem.as_json() for problem in shown]
        detail["problemCount"] = len(problems)
    return ToolError(
        "BAD_DATA", f"{where}{first.message}{more}", hint=first.hint or hint, detail=detail
    )
