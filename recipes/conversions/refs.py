"""What a page refers to; see convert.steps.refs."""

from convert.steps.refs import main

main()
