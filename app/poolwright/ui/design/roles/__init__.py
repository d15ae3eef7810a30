"""Support devices: special, log, cache, dedup and spares."""
