"""Other machines by OpenSSH's client: which there are, how one is reached, why one is not, and who one is there."""
