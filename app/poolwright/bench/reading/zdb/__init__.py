"""What zdb tells of a pool: its dedup table and how its used space is fragmented."""
