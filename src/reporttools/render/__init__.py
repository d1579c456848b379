"""One module a format; a rendering library is imported only inside its own module."""
