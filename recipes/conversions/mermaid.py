"""Mermaid diagrams as SVG, PNG or PDF; see convert.steps.mermaid."""

from convert.steps.mermaid import main

main()
