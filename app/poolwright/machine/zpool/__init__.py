"""What zpool import and zpool status tell."""
