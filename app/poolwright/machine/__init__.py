"""Readers of what tools print about a machine and its pools, one a tool."""
