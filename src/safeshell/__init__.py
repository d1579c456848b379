"""The package behind `safe-shell`."""
