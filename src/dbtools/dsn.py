"""Connection strings: one URL into the parts a Connection has."""
