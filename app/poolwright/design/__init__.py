"""Layouts of disks: search, score, choice, edits, and what a chosen one needs."""
