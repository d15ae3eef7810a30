"""One reader for each format of measured results."""
