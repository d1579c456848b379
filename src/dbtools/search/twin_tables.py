"""Compiled from recipes/lexicon/*.toml by dbtools.search.generate."""

from __future__ import annotations

TWINS = frozenset((
    'arc arch archive archived archives backup backups bak bck bkp bkup copies copy '
    'dbg debug del deleted deprecated draft drafts dummy dump dwh etl hist history '
    'import imported imports legacy load loading log logs obsolete old orig original '
    'prev previous raw restore saved scratch shadow snap snapshot snapshots stage '
    'staged staging stg temp temporary test tests tmp unused '
).split())
