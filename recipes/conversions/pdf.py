"""PDF as text or pictures; see convert.steps.from_pdf."""

from convert.steps.from_pdf import main

main()
