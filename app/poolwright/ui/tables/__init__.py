"""The tables of measurements, as numbers and plots."""
