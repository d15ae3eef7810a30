"""Measuring pools: profiles, runs of fio, what other tools measured, and the verdict."""
