"""From how many disks on the window works in turns. Of fewer, everything is there at once and takes a moment."""

MANY_DISKS = 300
