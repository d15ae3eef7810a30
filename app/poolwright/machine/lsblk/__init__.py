"""What lsblk tells of disks, in both its forms."""
