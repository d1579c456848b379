"""A document as Markdown or plain text; see convert.steps.documents."""

from convert.steps.documents import main

main()
