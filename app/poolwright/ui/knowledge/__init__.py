"""Rules and terms, to read."""
