"""Reports on paper, and whether Qt can be used here."""
