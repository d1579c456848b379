"""From a question in plain words to the tables that answer it."""
