"""What the pool is for."""
