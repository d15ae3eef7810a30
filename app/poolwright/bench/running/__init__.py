"""Running a profile where the pool is, watched, and leaving nothing behind."""
