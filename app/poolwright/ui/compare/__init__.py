"""Designs and layouts side by side."""
