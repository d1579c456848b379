"""Web pages as PDF or PNG; see convert.steps.browser."""

from convert.steps.browser import main

main()
