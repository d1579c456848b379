"""Where outputs go, and how they get there: all of them, or none.

The main output is opened before any work is done for it, so a bad path is refused at once and its
folder cannot be swapped meanwhile; it gets its name when everything is known to be right.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import TracebackType
from typing import IO

from convert.request import PIPE, Request, failed
from toolbelt.errors import ToolError
from toolbelt.publish import Output
from toolbelt.workspace import Input, Workspace


@dataclass(frozen=True, slots=True)
class Made:
    """A checked output in the job folder. tail: what stands after the main one's stem, such as
    `.png` or `-2.png`.
    """

    file: Input
    tail: str


class Publication:
    """The outputs of one conversion; used in a `with` block that publishes them when it ends well.

    names: paths below the workspace, `-` for stdout. bytes: of all of them.
    """

    def __init__(
        self, request: Request, workspace: Workspace, source: Input | None, extension: str
    ) -> None:
        self.request = request
        self.workspace = workspace
        self.source = source
        self.extension = extension
        self.outputs: list[Output] = []
        self.names: list[str] = []
        self.bytes = 0

    def __enter__(self) -> Publication:
        if self.request.output != PIPE:
            inputs = [self.source] if self.source is not None else []
            if self.request.mkdirs and self.request.output is not None:
                parent = PurePosixPath(self.request.output).parent
                self.workspace.folder(str(parent), create=True)
            self._open(self._main(), name=self._name(), inputs=inputs)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        published: list[Output] = []
        try:
            while self.outputs:
                output = self.outputs.pop()
                output.__exit__(kind, error, where)
                published.append(output)
        except ToolError as failure:
            for output in self.outputs:
                output.__exit__(type(failure), failure, None)
            for output in published if not self.request.force else ():
                output.path.unlink(missing_ok=True)
            raise _ours(failure) from failure

    @property
    def stem(self) -> str:
        """The main output's name without its extension."""
        return PurePosixPath(self.outputs[0].relative if self.outputs else self._name()).stem

    def fill(self, made: list[Made]) -> None:
        """Copy checked files into the outputs; the first is the main one."""
        try:
            self._fill(made)
        except ToolError as failure:
            raise _ours(failure) from failure

    def _fill(self, made: list[Made]) -> None:
        if self.request.output == PIPE:
            if len(made) > 1:
                raise failed(
                    "bad_input", f"{len(made)} files came of it, and stdout takes one.",
                    hint="-o FILE",
                )  # fmt: skip
            self._copy(made[0], sys.stdout.buffer)
            sys.stdout.buffer.flush()
            self.names.append(PIPE)
            return
        self._copy(made[0], self.outputs[0].file)
        main = PurePosixPath(self.outputs[0].relative)
        for one in made[1:]:
            beside = main.with_name(f"{main.stem}{one.tail}")
            self._copy(one, self._open(str(self.workspace.root / beside)).file)
        self.names += [output.relative for output in self.outputs]

    def _open(
        self, path: str, name: str | None = None, inputs: list[Input] | None = None
    ) -> Output:
        output = self.workspace.output(path, self.request.force, name=name, inputs=inputs or [])
        output.__enter__()
        self.outputs.append(output)
        return output

    def _copy(self, made: Made, target: IO[bytes]) -> None:
        with contextlib.closing(made.file.file) as file:
            file.seek(0)
            while chunk := file.read(1 << 20):
                target.write(chunk)
        self.bytes += made.file.size

    def _name(self) -> str:
        """The output's own name where a folder was given."""
        stem = PurePosixPath(self.source.relative).stem if self.source else "output"
        return f"{stem}.{self.extension}"

    def _main(self) -> str:
        """The main output: as asked for, or beside the input."""
        if self.request.output is not None:
            return self.request.output
        beside = PurePosixPath(self.source.relative if self.source else "").with_name(self._name())
        return str(self.workspace.root / beside)


def _ours(error: ToolError) -> ToolError:
    """What went wrong while writing, as one of this command's five codes."""
    if error.code != "OUTPUT_FAILED":
        return error
    return failed(str(error.detail.get("reason", "write")), error.message, error.hint)
