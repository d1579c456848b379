"""Typed reading of the environment: one place that turns text into numbers, sizes and secrets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toolbelt.errors import ToolError


class Secret:
    """Text that must never be printed: its repr and str hide it, `reveal()` gives it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


def redact(text: str, *secrets: Secret | None) -> str:
    """Text with every given secret, plain or percent-encoded, replaced by `***`."""
    for secret in secrets:
        if secret is None or not secret:
            continue
        from urllib.parse import quote

        plain = secret.reveal()
        for form in {plain, quote(plain), quote(plain, safe="")}:
            text = text.replace(form, "***")
    return text


def integer(env: Mapping[str, str], key: str, *, minimum: int = 0) -> int | None:
    """A whole number from the environment; None when unset or empty."""
    text = env.get(key, "").strip()
    if not text:
        return None
    try:
        number = int(text)
    except ValueError:
        number = minimum - 1
    if number < minimum:
        raise ToolError(
            "BAD_CONFIG", f"{key} must be a whole number of at least {minimum}, not {text!r}.",
            hint=f"export {key}={max(minimum, 1)}",
        )  # fmt: skip
    return number


def secret(env: Mapping[str, str], key: str) -> Secret | None:
    """A secret from KEY or from the file that KEY_FILE names; both at once is an error."""
    text, file = env.get(key), env.get(f"{key}_FILE")
    if text is not None and file:
        raise ToolError(
            "BAD_CONFIG", f"{key} and {key}_FILE are both set.", hint=f"unset {key} or {key}_FILE"
        )
    if file:
        try:
            return Secret(Path(file).read_text(encoding="utf-8").rstrip("\r\n"))
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise ToolError(
                "BAD_CONFIG", f"{key}_FILE names {file!r}, which cannot be read: {why}.",
                hint="check the path and its permissions",
            ) from error  # fmt: skip
    return None if text is None else Secret(text)


def one_of(value: str, key: str, allowed: tuple[str, ...]) -> str:
    """A value from a closed list, or BAD_CONFIG with the list."""
    if value in allowed:
        return value
    raise ToolError(
        "BAD_CONFIG", f"{key} is {value!r}, which is none of its values.",
        hint=f"{key} takes: {', '.join(allowed)}",
    )  # fmt: skip
