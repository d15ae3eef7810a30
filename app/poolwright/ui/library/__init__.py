"""The designs that are kept, to look through and go on with."""
