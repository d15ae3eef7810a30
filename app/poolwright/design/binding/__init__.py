"""A design's disks and those of a real machine: which is which, what differs, and what is bound."""
