"""Layouts of disks that could be bought."""
