"""Recorded synchronous writes of a pool, and what a log device would do."""
