"""The word lists of the search."""

from __future__ import annotations

from typing import Final

_TWINS: Final = frozenset(
    "arc arch archive archived archives backup backups bak bck bkp bkup copy copies dbg debug del "
    "deleted deprecated draft drafts dummy dump dwh etl hist import imported imports legacy load "
    "loading obsolete old orig original prev previous raw restore saved scratch shadow snap "
    "snapshot snapshots stage staged staging stg temp temporary tmp unused".split()
)


def is_twin_word(word: str) -> bool:
    """Whether a word of a table's name marks a copy that nobody means: `old`, `tmp`, `bak`."""
    stem = word.rstrip("0123456789")
    return stem in _TWINS or (stem == "v" and stem != word)
