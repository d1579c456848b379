"""The package behind `db-query` and `db-schema`: seven engines, one guarded way in."""
