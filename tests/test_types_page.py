"""docs/types.md says what the golden files say."""

from __future__ import annotations

import types_page


def test_the_page_of_types_is_the_one_the_golden_files_make() -> None:
    assert types_page.PAGE.read_text(encoding="utf-8") == types_page.text(), (
        "run: PYTHONPATH=tests python -m types_page"
    )
