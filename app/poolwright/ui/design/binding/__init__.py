"""The tab on which a design's disks are bound to those of a machine that was read."""
