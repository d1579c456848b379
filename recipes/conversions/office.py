"""Office documents through LibreOffice; see convert.steps.office."""

from convert.steps.office import main

main()
