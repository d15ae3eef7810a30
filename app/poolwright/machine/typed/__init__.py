"""Disks typed by hand."""
