"""Text made fit for every format: no control characters, no half surrogates, no noncharacters."""

from __future__ import annotations

from typing import Final

from reporttools.notices import Notices
from reporttools.problems import pointer

# Tab, line feed and carriage return stay; XML takes no other C0 character.
_TABLE: Final[dict[int, str | None]] = {
    **{c: None for c in range(0x20) if c not in (0x09, 0x0A, 0x0D)},
    **{c: None for c in range(0x7F, 0xA0) if c != 0x85},
    0x85: "\n", 0x2028: "\n", 0x2029: "\n",
    **dict.fromkeys(range(55296, 57344), "�"),
    0xFFFE: "\ufffd", 0xFFFF: "\ufffd", 0xFEFF: None,
}  # fmt: skip


def text(value: str) -> str:
    """A string without what no document may hold; the same object when nothing was wrong."""
    return value if value.isprintable() else value.translate(_TABLE)


class Cleaner:
    """Cleans a whole JSON value and warns once with the places."""

    def __init__(self) -> None:
        self.places: list[str] = []
        self.count = 0

    def __call__(self, value: object, path: str = "") -> object:
        """The value with every string and key cleaned; untouched parts are not copied."""
        if isinstance(value, str):
            return self._string(value, path)
        if isinstance(value, list):
            return [
                item
                if item is None or type(item) in (int, float, bool)
                else self(item, f"{path}/{index}")
                for index, item in enumerate(value)
            ]
        if isinstance(value, dict):
            return {
                self._string(key, path): self(item, pointer(path, key))
                for key, item in value.items()
            }
        return value

    def _string(self, value: str, path: str) -> str:
        if value.isprintable():
            return value
        clean = value.translate(_TABLE)
        if clean != value:
            self.count += 1
            if len(self.places) < 5:
                self.places.append(text(path))
        return clean

    def report(self, notices: Notices) -> None:
        """One warning for all that was taken out."""
        if not self.count:
            return
        more = f" and {self.count - 1} more" if self.count > 1 else ""
        notices.add(
            "CONTROL_CHARS",
            f"Control characters or broken surrogates were removed from the text{more}.",
            self.places[0],
        )
