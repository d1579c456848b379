"""Tables between csv, tsv, xlsx, json, jsonl, parquet and md; see convert.steps.table."""

from convert.steps.table import main

main()
