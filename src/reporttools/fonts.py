"""A font for every character: one look for what it has, fallbacks for what it has not.

Fonts are found on the system and none is required: DejaVu Sans comes with matplotlib. A character
that no font has is drawn as a box and reported by MISSING_GLYPHS.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from reporttools import bidi
from reporttools.notices import Notices
from reporttools.sfnt import Face, read

FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
# File names by preference, regular and bold. The first pair that is found sets the look.
TEXT: Final = (
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("Arial.ttf", "Arial_Bold.ttf"),
)
CJK: Final = (
    "NotoSansCJKsc-Regular.ttf", "wqy-microhei.ttc", "DroidSansFallbackFull.ttf",
    "DroidSansFallback.ttf", "NanumGothic.ttf", "ipag.ttf", "ipagp.ttf", "takao-gothic.ttf",
    "NotoSansCJK-Regular.ttc",
)  # fmt: skip
SYMBOLS: Final = (
    "NotoEmoji-Regular.ttf", "Symbola_hint.ttf", "Symbola.ttf", "NotoSansSymbols2-Regular.ttf",
    "NotoSansSymbols-Regular.ttf", "NotoSansMath-Regular.ttf", "unifont.ttf",
)  # fmt: skip
# First words of Unicode names whose letters live in the CJK fonts.
_CJK_NAMES: Final = frozenset(
    "CJK HIRAGANA KATAKANA HANGUL BOPOMOFO IDEOGRAPHIC FULLWIDTH HALFWIDTH KATAKANA-HIRAGANA "
    "YI PARENTHESIZED CIRCLED SQUARE DITTO VERTICAL LEFT RIGHT".split()
)
_BOX: Final = "\u25a1"

# Scripts whose letters change with their neighbours, and marks that sit on a letter.
_SHAPED: Final = (
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0590, 0x109F), (0x1100, 0x11FF), (0x135D, 0x135F),
    (0x1700, 0x18AF), (0x1900, 0x1CFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20F0), (0xA800, 0xABFF),
    (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC), (0x10800, 0x11FFF), (0x1E800, 0x1EFFF),
)  # fmt: skip
_JOINERS: Final = (0x200C, 0x200D)


def is_shaped(code: int) -> bool:
    """The character must be shaped together with its neighbours."""
    return code >= 0x300 and any(low <= code <= high for low, high in _SHAPED)


def _unseen(code: int) -> bool:
    """Characters that print nothing: joiners outside shaped text, selectors, directions, tags."""
    return (
        code == 0xAD or code == 0x061C or 0x200B <= code <= 0x200F or 0x202A <= code <= 0x202E
        or 0x2060 <= code <= 0x206F or 0xFE00 <= code <= 0xFE0F or code == 0xFEFF
        or 0x1F3FB <= code <= 0x1F3FF or 0xE0000 <= code <= 0xE01EF
    )  # fmt: skip


def prepared(text: str) -> str:
    """Text as it is drawn: composed, on one line, without what prints nothing."""
    if text.isascii():
        return text if text.isprintable() else " ".join(text.split())
    text = unicodedata.normalize("NFC", text)
    shaped = any(is_shaped(ord(c)) for c in text)
    kept = [c for c in text if not _unseen(code := ord(c)) or (shaped and code in _JOINERS)]
    return "".join(" " if c in "\t\n\r\x0b\x0c" else c for c in kept)


@cache
def installed() -> dict[str, Path]:
    """Font files by name; those nearest to the user win."""
    found: dict[str, Path] = {}
    folders = [Path(folder).expanduser() for folder in FOLDERS]
    spec = find_spec("matplotlib")
    if spec is not None and spec.submodule_search_locations:
        folders.insert(0, Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf")
    for folder in folders:
        for place, _, names in os.walk(folder, followlinks=True):
            for name in names:
                if name.endswith((".ttf", ".ttc", ".otf")):
                    found[name] = Path(place) / name
    return found


class Fonts:
    """The chain of fonts for one report."""

    def __init__(self, notices: Notices | None = None) -> None:
        self.notices = notices
        self._faces: dict[str, Face | None] = {}
        self._of = ({}, {})  # type: tuple[dict[str, Face], dict[str, Face]]
        self._wide = (_Advances(self, False), _Advances(self, True))
        self._missing: dict[str, None] = {}
        self.shaped_width: Callable[[Face, str, bool], float] | None = None
        self._shaped: dict[tuple[str, bool], float] = {}
        pairs = [pair for pair in TEXT if self._face(pair[0]) is not None]
        self.bases = (
            tuple(f for r, _ in pairs if (f := self._face(r))),
            tuple(f for r, b in pairs if (f := self._face(b) or self._face(r))),
        )
        if not pairs:
            from toolbelt.errors import missing_extra

            raise missing_extra("A font (DejaVu Sans comes with matplotlib)", "reports")

    def _face(self, name: str) -> Face | None:
        if name not in self._faces:
            path = installed().get(name)
            self._faces[name] = read(path) if path is not None else None
        return self._faces[name]

    def face(self, char: str, bold: bool = False) -> Face:
        """The face that draws a character; the base face when none has it."""
        known = self._of[bold]
        found = known.get(char)
        if found is None:
            found = known[char] = self._find(char, bold)
        return found

    def _find(self, char: str, bold: bool) -> Face:
        code = ord(char)
        for face in self._candidates(char, bold):
            if code in face.glyphs:
                return face
        self._missing[char] = None
        return self.bases[bold][0]

    def _candidates(self, char: str, bold: bool) -> Iterator[Face]:
        yield self.bases[bold][0]
        word = unicodedata.name(char, "").partition(" ")[0]
        style = ("Bold", "Regular") if bold else ("Regular",)
        names = [f"NotoSans{word.title()}-{s}.ttf" for s in style]
        names += [f"NotoSerif{word.title()}-{s}.ttf" for s in style]
        for name in names:
            if (face := self._face(name)) is not None:
                yield face
        yield from self.bases[bold][1:]
        names = [*CJK, *SYMBOLS] if word in _CJK_NAMES else [*SYMBOLS, *CJK]
        for name in names:
            if (face := self._face(name)) is not None:
                yield face
        for path, index in _asked_of_fontconfig(char):
            face = read(path, index)
            if face is not None:
                yield face

    def known(self, face: Face) -> dict[int, int]:
        """What the face has been chosen for so far: character codes to glyph numbers."""
        chars = (char for known in self._of for char, found in known.items() if found is face)
        return {code: face.glyphs[code] for code in map(ord, chars) if code in face.glyphs}

    def has(self, char: str) -> bool:
        """Some font draws the character."""
        self.face(char)
        return char not in self._missing

    def drawn(self, text: str) -> str:
        """Text ready to draw: prepared, characters without a glyph replaced by a box."""
        text = prepared(text)
        if text.isascii():
            return text
        return "".join(c if self.has(c) else _BOX if self.has(_BOX) else "?" for c in text)

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """The width of drawn text, in points."""
        wide = self._wide[bold]
        if text.isascii() or self.shaped_width is None:
            return sum(map(wide.__getitem__, text)) * size
        if not any(is_shaped(ord(c)) for c in text):
            return sum(map(wide.__getitem__, text)) * size
        key = (text, bold)
        if key not in self._shaped:
            self._shaped[key] = sum(
                self.shaped_width(face, part, rtl) for face, part, rtl in self.runs(text, bold)
            )
        return self._shaped[key] * size

    def advance(self, char: str, bold: bool = False) -> float:
        """The width of one character, in ems."""
        return self._wide[bold][char]

    def runs(self, text: str, bold: bool = False) -> list[tuple[Face, str, bool]]:
        """Stretches of one face from left to right; True for those that read from the right."""
        if text.isascii():
            return [(self.bases[bold][0], text, False)]
        parts = bidi.visual_runs(text) if bidi.has_rtl(text) else [(text, False)]
        return [
            (face, stretch, rtl)
            for part, rtl in parts
            for face, stretch in (
                reversed(self._same_face(part, bold)) if rtl else self._same_face(part, bold)
            )
        ]

    def _same_face(self, text: str, bold: bool) -> list[tuple[Face, str]]:
        stretches: list[tuple[Face, str]] = []
        for char in text:
            face = self.face(char, bold)
            if stretches:
                last, so_far = stretches[-1]
                joins = unicodedata.combining(char) or ord(char) in _JOINERS or char == " "
                if face is last or (joins and (ord(char) in last.glyphs or char != " ")):
                    stretches[-1] = (last, so_far + char)
                    continue
            stretches.append((face, char))
        return stretches

    def families(self) -> list[str]:
        """Family names in the order of the chain, for renderers that fall back by themselves."""
        faces = [*self.bases[0], *(f for known in self._of for f in known.values())]
        return list(dict.fromkeys(face.family for face in faces if face.family))

    def files(self) -> list[Path]:
        """Every font file that has been chosen so far, regular and bold."""
        faces = [*self.bases[0], *self.bases[1], *(f for k in self._of for f in k.values())]
        return list(dict.fromkeys(face.path for face in faces))

    def report(self) -> None:
        """Warn about characters that no font has."""
        if not self._missing or self.notices is None:
            return
        scripts = dict.fromkeys(
            unicodedata.name(c, "unnamed").partition(" ")[0].lower() for c in self._missing
        )
        shown = " ".join(list(self._missing)[:10])
        self.notices.add(
            "MISSING_GLYPHS",
            f"No font here has {len(self._missing)} characters ({', '.join(scripts)}): {shown}. "
            "They are drawn as boxes; docs/report-run.md names packages of fonts.",
        )


class _Advances(dict[str, float]):
    """Widths in ems, filled as characters are met."""

    def __init__(self, fonts: Fonts, bold: bool) -> None:
        super().__init__()
        self.fonts = fonts
        self.bold = bold

    def __missing__(self, char: str) -> float:
        combining = unicodedata.combining(char) != 0
        width = 0.0 if combining else self.fonts.face(char, self.bold).advance(ord(char))
        self[char] = width
        return width


@cache
def _asked_of_fontconfig(char: str) -> list[tuple[Path, int]]:
    """Fonts that have the character by fontconfig's own index; none without fontconfig."""
    import shutil
    import subprocess

    program = shutil.which("fc-list")
    if program is None or unicodedata.category(char) in ("Co", "Cn"):
        return []
    asked = subprocess.run(
        [program, f":charset={ord(char):x}", "--format=%{file}\t%{index}\n"],
        capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    found = []
    for line in sorted(asked.stdout.splitlines()):
        name, _, index = line.partition("\t")
        if name.endswith((".ttf", ".ttc", ".otf")):
            found.append((Path(name), int(index) & 0xFFFF if index.isdigit() else 0))
    # Upright sans faces before ornate ones.
    return sorted(found, key=lambda f: ("Sans" not in f[0].name, "Italic" in f[0].name, f))[:8]
