"""Machines over SSH: offered, read side by side, opened; and the window that asks for a password."""
