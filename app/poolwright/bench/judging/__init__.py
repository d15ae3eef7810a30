"""What a run tells: steady or not, limited by what, as expected or not."""
