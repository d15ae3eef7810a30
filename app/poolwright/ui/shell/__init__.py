"""The window itself: its frame, rail, summary and actions, how it starts, and what it takes in while nobody waits."""
