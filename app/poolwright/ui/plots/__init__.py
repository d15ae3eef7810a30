"""What plots of all features share: their frame, place, export and bands."""
