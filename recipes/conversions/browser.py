"""Web pages as PDF or PNG; see convert.steps.browser."""

import sys

from convert.steps.chrome_start import Started

# It begins while the rest is imported.
STARTED = Started(sys.argv[1])

from convert.steps.browser import main  # noqa: E402

main(STARTED)
