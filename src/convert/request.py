"""What is asked for and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from toolbelt.confine import Report
from toolbelt.errors import ToolError

PIPE: Final = "-"


@dataclass(frozen=True, slots=True)
class Request:
    """One conversion. input, output: paths beneath the workspace, `-` for stdin and stdout.

    output: None stands beside the input. source: the input's format where its name does not say
    it. timeout: seconds, may only shorten the recipe's. strict: a warning is a failure.
    """

    target: str
    input: str
    output: str | None = None
    preset: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    timeout: float | None = None
    force: bool = False
    mkdirs: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Converted:
    """A conversion that went well. outputs: paths below the workspace, the first the main one.

    confinement: the weakest that any of its programs had; None when none ran.
    """

    source: str
    target: str
    outputs: tuple[str, ...]
    bytes: int
    preset: str | None
    warnings: tuple[str, ...]
    duration_ms: int
    confinement: Report | None

    def body(self) -> dict[str, object]:
        """The success envelope."""
        body: dict[str, object] = {"format": self.target, "output_path": self.outputs[0]}
        if len(self.outputs) > 1:
            body["outputs"] = list(self.outputs)
        body |= {"from": self.source, "bytes": self.bytes}
        if self.preset is not None:
            body["preset"] = self.preset
        if self.warnings:
            body["warnings"] = list(self.warnings)
        return body | {"durationMs": self.duration_ms, "confinement": self.confinement}


def failed(
    reason: str, message: str, hint: str = "", detail: Mapping[str, object] | None = None
) -> ToolError:
    """CONVERT_FAILED with its finer cause in `reason`; a timeout exits 124."""
    return ToolError(
        "CONVERT_FAILED", message, hint=hint, detail={"reason": reason, **(detail or {})},
        exit_code=124 if reason == "timeout" else None,
    )  # fmt: skip
