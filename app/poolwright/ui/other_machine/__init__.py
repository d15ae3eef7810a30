"""Disks of a machine that cannot be reached from here: the collector carried there, what it tells brought back."""
