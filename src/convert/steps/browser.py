"""Web pages as PDF or PNG: `browser PROGRAM INPUT OUTPUT NAME=VALUE...`.

pdf: paper, landscape, margin. png: width, height, scale, full. Both: wait (ms of the page's time).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import refs, told
from convert.steps.chrome import Browser, Message
from convert.steps.chrome_start import Started

_PAPERS: Final = {"a3": (11.69, 16.54), "a4": (8.27, 11.69), "letter": (8.5, 11.0)}
_MAX_PIXELS: Final = 100_000_000
_MAX_SIDE: Final = 16_000


def main(started: Started) -> NoReturn:
    """Program; its browser is starting already."""
    told.run(partial(_step, started))


def _step(started: Started, arguments: Sequence[str], warnings: told.Warnings) -> None:
    _program, source, output, *pairs = arguments
    settings = dict(pair.split("=", 1) for pair in pairs)
    path = Path(source)
    root = _root(path)
    if refs.ask(path):
        started.end()
        return
    with Browser(started, root) as browser:
        if output.endswith(".png"):
            _viewport(browser, int(settings["width"]), int(settings["height"]), settings["scale"])
        browser.open(path.relative_to(root).as_posix(), int(settings["wait"]))
        if output.endswith(".png"):
            _png(browser, Path(output), settings)
        else:
            _pdf(browser, Path(output), settings)
        _warn(browser, warnings)


def _root(path: Path) -> Path:
    """The folder `in` of the job, which mirrors the workspace."""
    mirror = told.scratch().parent / "in"
    return mirror if path.is_relative_to(mirror) else path.parent


def _viewport(browser: Browser, width: int, height: int, scale: str) -> None:
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=height,
        deviceScaleFactor=float(scale), mobile=width < 600,
    )  # fmt: skip


def _pdf(browser: Browser, output: Path, settings: dict[str, str]) -> None:
    width, height = _PAPERS[settings["paper"]]
    margin = float(settings["margin"].removesuffix("mm")) / 25.4
    done = browser.call(
        "Page.printToPDF", landscape=settings["landscape"] == "true", printBackground=True,
        paperWidth=width, paperHeight=height, marginTop=margin, marginBottom=margin,
        marginLeft=margin, marginRight=margin, preferCSSPageSize=True,
        generateDocumentOutline=True, generateTaggedPDF=True, transferMode="ReturnAsStream",
    )  # fmt: skip
    browser.stream(str(done["stream"]), output)


def _png(browser: Browser, output: Path, settings: dict[str, str]) -> None:
    clip: Message = {"format": "png"}
    if settings["full"] == "true":
        width = int(settings["width"])
        height = _page_height(browser, int(settings["height"]))
        scale = float(settings["scale"])
        if height > _MAX_SIDE or width * height * scale * scale > _MAX_PIXELS:
            raise told.Problem(
                "too_large", f"The page is {width} x {height} pixels, too long for one picture.",
                "--preset desktop shows its beginning; pdf shows all of it",
            )  # fmt: skip
        _viewport(browser, width, height, settings["scale"])
        box = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        clip |= {"captureBeyondViewport": True, "clip": box}
    import base64

    done = browser.call("Page.captureScreenshot", **clip)
    output.write_bytes(base64.b64decode(str(done["data"])))


def _page_height(browser: Browser, least: int) -> int:
    found = browser.evaluate(
        "Math.ceil(Math.max(document.documentElement.scrollHeight,"
        " document.body ? document.body.scrollHeight : 0))"
    )
    return max(int(found) if isinstance(found, int | float) else 0, least)


def _warn(browser: Browser, warnings: told.Warnings) -> None:
    refused = list(browser.refused)
    if refused:
        shown = ", ".join(repr(r if len(r) <= 80 else f"{r[:77]}...") for r in refused[:3])
        more = f" and {len(refused) - 3} more" if len(refused) > 3 else ""
        warnings.add(f"the page asked for what is not there or not allowed: {shown}{more}")
