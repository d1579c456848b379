"""The fonts a text is set from without looking at all there are: they hold every letter of it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from convert.steps import typst_fonts


def held(folder: Path, starts: tuple[str, ...]) -> set[int]:
    """Every character of the files whose names begin so."""
    found: set[int] = set()
    for path in folder.iterdir():
        if path.name.startswith(starts):
            found |= set(TTFont(path, lazy=True).getBestCmap())
    return found


def printable(ranges: tuple[tuple[int, int], ...]) -> set[int]:
    codes = (code for first, last in ranges for code in range(first, last + 1))
    return {c for c in codes if unicodedata.category(chr(c)) not in ("Cn", "Cc", "Cf", "Cs", "Co")}


@pytest.mark.parametrize("text", ["plain", "café Ωмега → ≤ ■", "done ✅ ☎ 🚀"])
def test_known_characters_have_known_fonts(tmp_path: Path, text: str) -> None:
    folder = typst_fonts.folder(text, tmp_path)
    assert folder is not None, "a font package is missing: make engines"
    # Variation selectors (FE00-FE0F) draw nothing themselves.
    letters = tuple(one for one in typst_fonts.LETTERS if one[0] != 0xFE00)
    assert printable(letters) <= held(folder, typst_fonts.FOR_LETTERS)
    both = (*typst_fonts.FOR_LETTERS, *typst_fonts.FOR_SIGNS)
    assert printable(typst_fonts.SIGNS) <= held(folder, both)


@pytest.mark.parametrize("text", ["季度报告", "ภาษาไทย", "العربية", "⌘", "a\u3000b", "🜁", "ﬁ"])
def test_for_any_other_character_all_fonts_are_looked_at(tmp_path: Path, text: str) -> None:
    assert typst_fonts.folder(f"plain {text}", tmp_path) is None


def test_without_a_needed_font_all_fonts_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typst_fonts, "FOR_SIGNS", ("NoSuchFont.",))
    assert typst_fonts.folder("plain", tmp_path) is not None
    assert typst_fonts.folder("🚀", tmp_path) is None
