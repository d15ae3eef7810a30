"""Work beside the window: one job, one target, one ending."""
