"""The chosen layout and everything that can be changed on it."""
