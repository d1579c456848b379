"""Our own conversions: programs that run in the job folder, confined. Each module has a `main`.

They read their arguments, write the output they were told to write, and leave `report.json` in
TMPDIR: warnings, or why they could not do it.
"""
