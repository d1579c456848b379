"""Notebooks, read; see convert.steps.notebook."""

from convert.steps.notebook import main

main()
