"""What was measured, as charts: window and reports draw the same ones."""
