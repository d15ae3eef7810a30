"""What is measured, and the question that it answers."""
