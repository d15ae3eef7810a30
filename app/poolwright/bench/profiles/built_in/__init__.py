"""The profiles that come with the program, by what they ask of the pool."""
