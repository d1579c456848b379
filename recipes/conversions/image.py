"""Pictures between formats; see convert.steps.image."""

from convert.steps.image import main

main()
