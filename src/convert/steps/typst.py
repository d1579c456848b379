"""typst text to PDF: `typst BODY OUTPUT NAME=VALUE...`, the settings of document.typ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import pictures, told, typst_fonts
from convert.steps.pictures import Picture

_ALLOWED: Final = frozenset({"png", "jpg", "gif", "webp", "svg", "pdf"})
_KANA: Final = ("\u3040", "\u30ff")
_HANGUL: Final = ("\uac00", "\ud7a3")


@dataclass(frozen=True, slots=True)
class Page:
    """What is laid out. fonts: a folder of all that may be needed; None for all there are."""

    body: Path
    output: Path
    settings: Mapping[str, str]
    fonts: Path | None


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    body, output = Path(arguments[0]), Path(arguments[1])
    text = body.read_text(encoding="utf-8")
    settings = dict(pair.split("=", 1) for pair in arguments[2:])
    settings["cjk"] = _east(text)
    have = _small(pictures.found(), warnings)
    # The letters of an SVG picture may be of any font; a PDF brings its own.
    drawn = any(picture.kind == "svg" for picture in have.values())
    fonts = None if drawn else typst_fonts.folder(text, body.parent)
    page = Page(body, output, settings, fonts)
    known = {name: p for name, p in have.items() if p.kind in _ALLOWED}
    odd = len(known) != len(have)
    message = "odd picture" if odd else _compile(page, known)
    # A picture typst cannot read stops it: look at each one, leave out what is damaged; a drawing
    # that it still cannot read is drawn first.
    for allowed in (_ALLOWED, _ALLOWED - {"svg"}):
        if message and have:
            message = _compile(page, _fitting(have, allowed, warnings))
    if message:
        raise told.Problem("bad_input", f"typst cannot lay the document out: {message}")


def _small(have: Mapping[str, Picture], warnings: told.Warnings) -> dict[str, Picture]:
    """The pictures that may be unpacked."""
    small = {name: picture for name, picture in have.items() if not pictures.too_large(picture)}
    for name in have.keys() - small.keys():
        warnings.add(f"left out (too many pixels): {Path(name).name!r}")
    return small


def _fitting(
    have: Mapping[str, Picture], allowed: frozenset[str], warnings: told.Warnings
) -> dict[str, Picture]:
    known = {}
    for name, picture in have.items():
        fitting = pictures.fit(picture, allowed)
        if fitting is None:
            warnings.add(f"left out (damaged picture): {Path(name).name!r}")
        else:
            known[name] = fitting
    return known


def _compile(page: Page, known: Mapping[str, Picture]) -> str:
    """Write the PDF; what typst says when it cannot."""
    import typst

    scratch = page.body.parent
    root = scratch.parent
    places = {name: _place(p, scratch, n) for n, (name, p) in enumerate(known.items())}
    entries = "".join(
        f"{_string(name)}: {_string('/' + place.relative_to(root).as_posix())}, "
        for name, place in places.items()
    )
    table = f"({entries})" if entries else "(:)"
    (scratch / "pictures.typ").write_text(f"#let pictures = {table}\n", encoding="utf-8")
    try:
        typst.compile(
            str(page.body), output=str(page.output), root=str(root),
            sys_inputs=dict(page.settings), package_path=str(scratch),
            package_cache_path=str(scratch), ignore_system_fonts=page.fonts is not None,
            font_paths=[str(page.fonts)] if page.fonts else [],
        )  # fmt: skip
    except typst.TypstError as error:
        return str(error)
    return ""


def _place(picture: Picture, scratch: Path, number: int) -> Path:
    """Where a picture lies; a copy of it where typst would not take its name for a path."""
    if "\\" not in str(picture.path):
        return picture.path
    copy = scratch / f"picture-{number}.{picture.kind}"
    copy.write_bytes(picture.path.read_bytes())
    return copy


def _string(text: str) -> str:
    """A typst string literal."""
    plain = (c if c.isprintable() and c not in '"\\' else f"\\u{{{ord(c):x}}}" for c in text)
    return f'"{"".join(plain)}"'


def _east(text: str) -> str:
    """Which forms of Chinese characters suit the text: SC, JP or KR."""
    if any(_KANA[0] <= char <= _KANA[1] for char in text):
        return "JP"
    return "KR" if any(_HANGUL[0] <= char <= _HANGUL[1] for char in text) else "SC"
