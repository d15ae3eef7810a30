"""A migration as commands: a plan to read, and a script that runs one guarded step at a time."""
