"""Mermaid diagrams drawn in a browser: `mermaid PROGRAM LIBRARY INPUT OUTPUT NAME=VALUE...`."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import told
from convert.steps.chrome import Browser
from convert.steps.chrome_start import Started

_MAX_PIXELS: Final = 100_000_000
_PAGE: Final = """<!doctype html><html><head><meta charset="utf-8">
<style>html,body{margin:0;background:#fff} #d{display:inline-block} svg{display:block}</style>
<script src="/mermaid.min.js"></script></head><body><div id="d"></div></body></html>
"""
# Labels as SVG text: HTML in the picture is drawn by browsers only.
_DRAW: Final = """(async () => {
  mermaid.initialize({startOnLoad: false, securityLevel: "strict", theme: %(theme)s,
    htmlLabels: false, flowchart: {htmlLabels: false}, class: {htmlLabels: false},
    state: {htmlLabels: false},
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "themeCSS",
      "suppressErrorRendering", "htmlLabels", "fontFamily", "altFontFamily", "dompurifyConfig"],
    fontFamily: "Noto Sans, Liberation Sans, Noto Sans CJK SC, sans-serif", maxTextSize: 500000});
  const {svg} = await mermaid.render("diagram", %(text)s);
  const place = document.getElementById("d");
  place.innerHTML = svg;
  const picture = place.querySelector("svg");
  const box = picture.viewBox.baseVal;
  const width = Math.ceil(box.width || picture.getBoundingClientRect().width);
  const height = Math.ceil(box.height || picture.getBoundingClientRect().height);
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  picture.style.maxWidth = "";
  const loads = text => /url\\((?!["']?#)|\\\\/i.test(text);
  for (const sheet of picture.querySelectorAll("style")) {
    // As the browser has understood it: no escapes, no comments, one way to write an address.
    sheet.textContent = [...sheet.sheet.cssRules].filter(
      rule => !(rule instanceof CSSImportRule) && !loads(rule.cssText)).map(
      rule => rule.cssText).join("\\n");
  }
  for (const element of picture.querySelectorAll("*")) {
    if (loads(element.style.cssText)) element.removeAttribute("style");
    for (const {name, value} of [...element.attributes]) {
      const link = name.endsWith("href") && !value.startsWith("#");
      const led = link && element.localName == "a" && /^(https?|mailto):/i.test(value);
      if ((link && !led && !value.startsWith("data:image/")) || name.startsWith("on") ||
          (name != "style" && !link && loads(value))) element.removeAttribute(name);
    }
  }
  return {svg: new XMLSerializer().serializeToString(picture), width, height};
})()"""


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    program, library, source, output, *pairs = arguments
    settings = dict(pair.split("=", 1) for pair in pairs)
    text = _diagram(Path(source).read_text(encoding="utf-8"))
    files = {"page.html": _PAGE.encode(), "mermaid.min.js": Path(library).read_bytes()}
    with Browser(Started(program), told.scratch(), files) as browser:
        browser.open("page.html", 0)
        drawn = browser.evaluate(
            _DRAW % {"theme": json.dumps(settings["theme"]), "text": json.dumps(text)}
        )
        if not isinstance(drawn, dict):
            raise told.Problem("bad_input", "The diagram cannot be drawn.")
        _save(browser, Path(output), drawn, settings)
    if "<foreignObject" in str(drawn["svg"]):
        warnings.add("this kind of diagram has HTML labels; other programs than browsers omit them")


def _diagram(text: str) -> str:
    """The diagram itself, without a Markdown fence around it."""
    lines = text.strip().splitlines()
    if lines and lines[0].lstrip().startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return "\n".join(lines)


def _save(
    browser: Browser, output: Path, drawn: dict[str, object], settings: dict[str, str]
) -> None:
    width, height = (int(str(drawn[side])) for side in ("width", "height"))
    if output.suffix == ".svg":
        output.write_text(str(drawn["svg"]) + "\n", encoding="utf-8")
    elif output.suffix == ".pdf":
        done = browser.call(
            "Page.printToPDF", printBackground=True, paperWidth=(width + 1) / 96,
            paperHeight=(height + 1) / 96, marginTop=0, marginBottom=0, marginLeft=0,
            marginRight=0, pageRanges="1", transferMode="ReturnAsStream",
        )  # fmt: skip
        browser.stream(str(done["stream"]), output)
    else:
        scale = float(settings["scale"])
        if width * height * scale * scale > _MAX_PIXELS:
            raise told.Problem(
                "too_large", f"The diagram is {width} x {height} pixels.", "svg or pdf"
            )
        browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=scale, mobile=False,
        )  # fmt: skip
        box = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = browser.call(
            "Page.captureScreenshot", format="png", clip=box, captureBeyondViewport=True
        )
        output.write_bytes(base64.b64decode(str(shot["data"])))
