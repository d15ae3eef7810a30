"""What zpool tells of a pool at work: iostat while it runs and afterwards, and list."""
