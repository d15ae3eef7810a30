"""The design as a tree of vdevs and disks."""
