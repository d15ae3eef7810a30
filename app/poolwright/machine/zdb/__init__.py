"""What zdb tells of blocks and of dedup."""
