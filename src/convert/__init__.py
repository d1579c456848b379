"""The package behind `file-convert`."""
