"""How the pool grows over the years, and what that costs."""
