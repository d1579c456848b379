"""SVG pictures through resvg: `svg INPUT OUTPUT --zoom=Z`; PNG by resvg itself, PDF by typst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn
from xml.parsers import expat

from convert.steps import refs, told

MAX_PIXELS: Final = 100_000_000
# What draws it goes down into groups by calling itself.
_DEEPEST: Final = 500
_UNITS: Final = {"px": 1.0, "pt": 96 / 72, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    source, output = Path(arguments[0]), Path(arguments[1])
    zoom = float(arguments[2].removeprefix("--zoom="))
    text = source.read_text(encoding="utf-8")
    if refs.ask(source):
        return
    shape = look(text)
    if output.suffix == ".pdf":
        _pdf(source, shape, output)
    else:
        output.write_bytes(draw(text, zoom=zoom, folder=source.parent))
    if shape.foreign:
        warnings.add("HTML inside the picture (foreignObject) is not drawn")


@dataclass(slots=True)
class Shape:
    """What a picture says of itself. width, height: pixels, 0 when it does not say."""

    width: float = 0
    height: float = 0
    box: tuple[float, float] = (0, 0)
    foreign: bool = False
    root: str = ""
    entities: list[str] = field(default_factory=list)

    @property
    def size(self) -> tuple[float, float]:
        """Pixels across and down: from width and height, else the view box, else 100."""
        across, down = self.box
        if self.width and self.height:
            return self.width, self.height
        if self.width and across:
            return self.width, self.width * down / across
        if self.height and down:
            return self.height * across / down, self.height
        return (across or 100, down or 100)


def look(text: str) -> Shape:
    """Read a picture's size; Problem when it is not SVG, or reaches for other files."""
    reader = _Reader()
    try:
        reader.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        reason = "truncated" if "no element" in message or "unclosed" in message else "bad_input"
        raise told.Problem(
            reason, f"It is not an SVG picture: line {error.lineno}: {message}."
        ) from error
    shape = reader.shape
    if shape.root != "svg":
        raise told.Problem("wrong_type", f"It is XML, but its root is {shape.root!r}, not svg.")
    if shape.entities:
        raise told.Problem(
            "bad_input", f"The picture refers to another file by the entity {shape.entities[0]!r}."
        )
    return shape


class _Reader:
    """Fills a Shape while a picture is parsed."""

    def __init__(self) -> None:
        self.shape = Shape()
        self.depth = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.EntityDeclHandler = self.entity
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end

    def entity(
        self, name: str, _parameter: bool, value: str | None, _base: str | None,
        system: str | None, _public: str | None, _notation: str | None,
    ) -> None:  # fmt: skip
        """An entity that is declared."""
        if value is None or system is not None:
            self.shape.entities.append(name)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise told.Problem("bad_input", "The picture is nested too deep.")
        local = tag.rpartition(" ")[2]
        shape = self.shape
        if not shape.root:
            shape.root = local
            shape.width = length(attributes.get("width", ""))
            shape.height = length(attributes.get("height", ""))
            shape.box = _box(attributes.get("viewBox", ""))
        elif local == "foreignObject":
            shape.foreign = True

    def end(self, _tag: str) -> None:
        """An element ends."""
        self.depth -= 1


def length(text: str) -> float:
    """A length in pixels; 0 for none, for percentages and for what is not one."""
    text = text.strip()
    unit = next((u for u in _UNITS if text.endswith(u)), "")
    try:
        number = float(text[: len(text) - len(unit)])
    except ValueError:
        return 0.0
    return number * _UNITS.get(unit, 1.0) if 0 < number < 1e9 else 0.0


def _box(text: str) -> tuple[float, float]:
    parts = text.replace(",", " ").split()
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return 0, 0
    return (numbers[2], numbers[3]) if len(numbers) == 4 and min(numbers[2:]) > 0 else (0, 0)


def draw(text: str, zoom: float, folder: Path | None = None) -> bytes:
    """A PNG of a picture; Problem when it is too large or cannot be drawn."""
    width, height = look(text).size
    if width * height * zoom * zoom > MAX_PIXELS:
        raise told.Problem(
            "too_large", f"The picture would be {width * zoom:.0f} x {height * zoom:.0f} pixels.",
            "a smaller preset, or a smaller width and height in the file",
        )  # fmt: skip
    import resvg_py

    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=text, dpi=96, zoom=zoom, resources_dir=str(folder) if folder else None,
                sans_serif_family="Liberation Sans", serif_family="Liberation Serif",
                monospace_family="DejaVu Sans Mono", font_family="Liberation Sans",
            )
        )  # fmt: skip
    except ValueError as error:
        raise told.Problem("bad_input", f"The picture cannot be drawn: {error}.") from error


def _pdf(source: Path, shape: Shape, output: Path) -> None:
    """A PDF page of the picture's own size, lines and letters kept as such."""
    import typst

    width, height = (side * 0.75 for side in shape.size)
    if max(width, height) > 14_400:
        raise told.Problem("too_large", "The picture is longer than a PDF page may be (5 m).")
    page = source.with_name("page.typ")
    page.write_text(
        f"#set page(width: {width:.3f}pt, height: {height:.3f}pt, margin: 0pt)\n"
        f'#image("{source.name}", width: 100%, height: 100%, fit: "stretch")\n',
        encoding="utf-8",
    )
    try:
        typst.compile(str(page), output=str(output), root=str(source.parent))
    except typst.TypstError as error:
        raise told.Problem("bad_input", f"The picture cannot be drawn: {error}.") from error
