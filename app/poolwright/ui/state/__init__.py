"""What is open in the window, and what is known, remembered and expected of it."""
