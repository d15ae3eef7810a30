"""Verify: the benchmark that is chosen, watched, judged and kept."""
