"""Poolwright: design ZFS pools."""

__version__ = "0.1.0"
