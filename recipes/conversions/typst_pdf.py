"""Lays a typst document out as a PDF; see convert.steps.typst."""

from convert.steps.typst import main

main()
