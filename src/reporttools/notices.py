"""Warnings: what a report had to change, cut or leave out, each with the place it happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

LIMIT: Final = 50


@dataclass(slots=True)
class Notices:
    """Warnings in order, each once; `path` is a JSON pointer into the data, empty for the whole."""

    items: list[dict[str, str]] = field(default_factory=list)
    _seen: set[tuple[str, str, str]] = field(default_factory=set)
    _left_out: int = 0

    def add(self, code: str, message: str, path: str = "") -> None:
        """Keep one warning."""
        key = (code, path, message)
        if key in self._seen:
            return
        self._seen.add(key)
        if len(self.items) >= LIMIT:
            self._left_out += 1
            return
        self.items.append({"code": code, "path": path, "message": message})

    def as_json(self) -> list[dict[str, str]]:
        """The envelope's `warnings`."""
        if not self._left_out:
            return self.items
        more = f"{self._left_out} more warnings of these kinds were left out."
        return [*self.items, {"code": "MORE", "path": "", "message": more}]
