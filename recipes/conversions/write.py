"""Writes a document that pandoc has read; see convert.steps.pandoc."""

from convert.steps.pandoc import main

main()
