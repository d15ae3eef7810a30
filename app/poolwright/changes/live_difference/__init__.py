"""A design held against the pool that exists: what differs, the steps that change it, and what cannot be changed."""
