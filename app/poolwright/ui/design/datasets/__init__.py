"""Datasets and volumes of a design, and their properties."""
