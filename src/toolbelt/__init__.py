"""The kernel the five commands share; it knows no database and no document format."""

__version__ = "0.1.0"
