"""SVG pictures as PNG or PDF; see convert.steps.svg."""

from convert.steps.svg import main

main()
