"""The commands, scripts and other exports of a design."""
