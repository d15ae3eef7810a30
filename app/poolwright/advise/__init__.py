"""Which designs exist, and which is best."""
