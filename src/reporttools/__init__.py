"""The package behind `report-run`."""
