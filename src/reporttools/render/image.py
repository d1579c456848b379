"""PNG and SVG through matplotlib's figure objects; text is never read as mathematics."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Sequence
from io import BytesIO
from math import cos, radians, sin
from pathlib import Path
from typing import IO, Any, Literal
from xml.sax.saxutils import escape

from reporttools.document import Image
from reporttools.fonts import Fonts
from reporttools.render.surface import XY
from toolbelt.errors import missing_extra


def _prepare() -> None:
    """A cache folder of our own: a stale list of fonts elsewhere is no concern of ours."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    folder = Path(base) / "sandbox-toolbelt" / "matplotlib"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if writable:
        os.environ["MPLCONFIGDIR"] = str(folder)
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


class ImageSurface:
    """One picture; see `Surface`. Sizes are points; `scale` multiplies the pixels only."""

    def __init__(self, width: float, height: float, fonts: Fonts, background: str) -> None:
        _prepare()
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise missing_extra("matplotlib", "reports") from error
        self.fonts = fonts
        self.width = width
        self.height = height
        self.figure: Any = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor=background)
        self._texts: list[Any] = []
        self._order = 0

    def _add(self, artist: Any) -> None:
        self._order += 1
        artist.set_zorder(self._order)
        artist.set_clip_on(False)
        self.figure.add_artist(artist)

    def _patch(self, path: Any, fill: str, stroke: str, width: float, alpha: float = 1.0) -> None:
        from matplotlib.patches import PathPatch

        self._add(
            PathPatch(
                path,
                transform=self._transform(),
                facecolor=fill or "none",
                edgecolor=stroke or "none",
                linewidth=width if stroke else 0.0,
                alpha=alpha,
                joinstyle="round",
            )
        )

    def _transform(self) -> Any:
        """From points of the sheet, y downwards, to the figure."""
        from matplotlib.transforms import Affine2D

        flip = Affine2D().scale(1 / 72, -1 / 72).translate(0, self.height / 72)
        return flip + self.figure.dpi_scale_trans

    def rect(
        self, x: float, y: float, w: float, h: float, fill: str = "", stroke: str = "",
        radius: float = 0.0, width: float = 0.7,
    ) -> None:  # fmt: skip
        """A rectangle."""
        from matplotlib.path import Path as Curve

        if not radius or min(w, h) <= 2 * radius:
            corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]
            self._patch(Curve(corners, closed=True), fill, stroke, width)
            return
        r, end_x, end_y = radius, x + w, y + h
        points = [
            (x + r, y), (end_x - r, y), (end_x, y), (end_x, y + r), (end_x, end_y - r),
            (end_x, end_y), (end_x - r, end_y), (x + r, end_y), (x, end_y), (x, end_y - r),
            (x, y + r), (x, y), (x + r, y), (x + r, y),
        ]  # fmt: skip
        curve = [Curve.CURVE3, Curve.CURVE3, Curve.LINETO]
        codes = [Curve.MOVETO, Curve.LINETO, *curve * 3, *curve[:2], Curve.CLOSEPOLY]
        self._patch(Curve(points, codes), fill, stroke, width)

    def line(
        self, points: Sequence[XY], color: str, width: float, dash: Sequence[float] = ()
    ) -> None:
        """A line through points."""
        from matplotlib.lines import Line2D

        style: Any = (0, [d / width for d in dash]) if dash else "-"
        self._add(
            Line2D(
                [p[0] for p in points],
                [p[1] for p in points],
                color=color,
                linewidth=width,
                linestyle=style,
                transform=self._transform(),
                solid_joinstyle="round",
                solid_capstyle="butt",
            )
        )

    def polygon(self, points: Sequence[XY], fill: str, alpha: float = 1.0) -> None:
        """A filled shape."""
        from matplotlib.path import Path as Curve

        self._patch(Curve([*points, points[0]], closed=True), fill, "", 0.0, alpha)

    def ring(
        self, x: float, y: float, outer: float, inner: float, start: float, end: float, fill: str
    ) -> None:
        """A slice of a ring, in steps too small to be seen."""
        steps = max(2, int(abs(end - start) / 1.5) + 1)
        angles = [radians(start + (end - start) * i / steps) for i in range(steps + 1)]
        around = [(x + outer * sin(a), y - outer * cos(a)) for a in angles]
        back = [(x + inner * sin(a), y - inner * cos(a)) for a in reversed(angles)]
        self.polygon([*around, *back], fill)

    def dot(
        self, x: float, y: float, radius: float, fill: str, alpha: float = 1.0, edge: str = ""
    ) -> None:
        """A disc."""
        from matplotlib.patches import Circle

        self._add(
            Circle((x, y), radius, transform=self._transform(), facecolor=fill,
                   edgecolor=edge or "none", linewidth=0.6 if edge else 0.0, alpha=alpha)
        )  # fmt: skip

    def text(
        self, x: float, y: float, text: str, size: float, color: str, bold: bool = False,
        align: Literal["left", "right", "center"] = "left", angle: float = 0.0,
    ) -> None:  # fmt: skip
        """One line of text."""
        if not text:
            return
        from matplotlib.text import Text

        artist = Text(
            x, y, text, transform=self._transform(), fontsize=size, color=color,
            fontweight="bold" if bold else "normal", horizontalalignment=align,
            verticalalignment="baseline", rotation=angle, rotation_mode="anchor",
            parse_math=False,
        )  # fmt: skip
        self.fonts.runs(text, bold)
        self._texts.append(artist)
        self._add(artist)

    def image(self, x: float, y: float, w: float, h: float, image: Image) -> None:
        """A picture."""
        from matplotlib.image import BboxImage
        from matplotlib.transforms import Bbox, TransformedBbox
        from PIL import Image as Picture

        pixels = Picture.open(BytesIO(image.content)).convert("RGBA")
        bottom = self.height - y - h
        inches = Bbox.from_bounds(x / 72, bottom / 72, w / 72, h / 72)
        artist = BboxImage(
            TransformedBbox(inches, self.figure.dpi_scale_trans), interpolation="antialiased"
        )
        artist.set_data(pixels)
        self._add(artist)

    def _families(self) -> list[str]:
        """The chain of fonts, known to matplotlib whatever its own list says."""
        from matplotlib import font_manager

        known = {entry.fname for entry in font_manager.fontManager.ttflist}
        for path in self.fonts.files():
            if str(path) not in known:
                font_manager.fontManager.addfont(str(path))
        return self.fonts.families()

    def save(
        self, file: IO[bytes], form: Literal["png", "svg"], *, scale: float, outline: bool,
        title: str, description: str,
    ) -> None:  # fmt: skip
        """Write the picture. outline: SVG text as shapes instead of text."""
        import matplotlib as mpl

        families = self._families()
        for artist in self._texts:
            artist.set_fontfamily(families)
        rules = {"svg.fonttype": "path" if outline else "none", "svg.hashsalt": "report-run"}
        with mpl.rc_context(rules), warnings.catch_warnings():
            # Characters that no font has are told by MISSING_GLYPHS.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from")
            if form == "png":
                self._png(file, scale, title)
            else:
                self._svg(file, title, description)

    def _png(self, file: IO[bytes], scale: float, title: str) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self.figure.set_dpi(100 * scale)
        canvas = FigureCanvasAgg(self.figure)
        canvas.print_png(file, metadata={"Title": title, "Software": "report-run"})

    def _svg(self, file: IO[bytes], title: str, description: str) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        made = BytesIO()
        FigureCanvasSVG(self.figure).print_svg(made, metadata={"Date": None, "Creator": None})
        text = made.getvalue().decode("utf-8")
        start = text.index("<svg")
        end = text.index(">", start) + 1
        about = f"\n <title>{escape(title)}</title>\n <desc>{escape(description)}</desc>"
        labelled = text[start : end - 1] + ' role="img">'
        file.write((text[:start] + labelled + about + text[end:]).encode("utf-8"))
