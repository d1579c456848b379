"""The templates as a reader sees them, compared with pictures that people have looked at.

`UPDATE_GOLDEN=1 pytest tests/cli/test_report_pictures.py` writes them anew; look at them then.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter

from reportkit import generate, office_pdf, rasterised

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "reports"
# Mean difference of grey levels, and the largest of any small area, that fonts may cause.
MEAN, WORST = 2.5, 90
CASES = [
    ("monthly", "monthly", "pdf"), ("monthly", "monthly", "pptx"), ("monthly", "monthly", "xlsx"),
    ("monthly", "monthly", "png"), ("monthly", "scripts", "pdf"), ("monthly", "scripts", "png"),
    ("dashboard", "dashboard", "png"), ("dashboard", "dashboard", "pdf"),
    ("dashboard", "dashboard", "pptx"), ("data-summary", "data-summary", "pdf"),
    ("data-summary", "data-summary", "pptx"), ("data-summary", "data-summary", "xlsx"),
]  # fmt: skip


def sheet(pages: list[Path], width: int = 420) -> Image.Image:
    """All pages side by side, three in a row, each of the same width."""
    found = [Image.open(page).convert("RGB") for page in pages]
    scaled = [p.resize((width, round(p.height * width / p.width)), Image.LANCZOS) for p in found]
    rows = [scaled[i : i + 3] for i in range(0, len(scaled), 3)]
    heights = [max(p.height for p in row) + 6 for row in rows]
    whole = Image.new("RGB", ((width + 6) * max(map(len, rows)), sum(heights)), "#808080")
    y = 0
    for row, tall in zip(rows, heights, strict=True):
        for place, page in enumerate(row):
            whole.paste(page, (place * (width + 6) + 3, y + 3))
        y += tall
    return whole


def picture(template: str, name: str, form: str, folder: Path) -> Image.Image:
    data = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    env = {"SOURCE_DATE_EPOCH": "1767225600"}
    made = generate(folder, data, (form,), template, "--scale", "1", env=env).one(form)
    if form == "png":
        return sheet([made], 840)
    if form in ("pptx", "xlsx"):
        made = office_pdf(made, folder / "office")
    return sheet(rasterised(made, folder / "pages", 60)[:9])


def differs(found: Image.Image, wanted: Image.Image) -> str:
    """Empty when the two look the same, else how they differ."""
    if found.size != wanted.size:
        return f"size {found.size}, not {wanted.size}"
    blurred = [p.convert("L").filter(ImageFilter.GaussianBlur(3)) for p in (found, wanted)]
    gap = ImageChops.difference(*blurred)
    count = found.size[0] * found.size[1]
    mean = sum(level * n for level, n in enumerate(gap.histogram())) / count
    worst = gap.getextrema()[1]
    return "" if mean <= MEAN and worst <= WORST else f"mean {mean:.2f}, worst {worst}"


@pytest.mark.parametrize(("template", "name", "form"), CASES)
def test_looks_as_it_did(template: str, name: str, form: str, tmp_path: Path) -> None:
    found = picture(template, name, form, tmp_path)
    path = GOLDEN / f"{name}-{form}.png"
    if os.environ.get("UPDATE_GOLDEN"):
        found.quantize(160).save(path, optimize=True)
    wanted = Image.open(path).convert("RGB")
    wrong = differs(found, wanted)
    if wrong:
        shown = tmp_path / f"{name}-{form}-found.png"
        found.save(shown)
        pytest.fail(f"{path.name}: {wrong}; look at {shown}")


def test_a_moved_chart_would_be_seen() -> None:
    wanted = Image.open(GOLDEN / "monthly-pdf.png").convert("RGB")
    assert differs(wanted, wanted) == ""
    assert differs(ImageChops.offset(wanted, 0, 12), wanted) != ""
