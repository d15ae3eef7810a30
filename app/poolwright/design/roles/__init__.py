"""Support devices: what special, log, cache, dedup and spares would do for a pool, and what they need."""
