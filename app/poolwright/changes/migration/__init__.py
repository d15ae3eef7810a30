"""Moving the data of a pool into another layout with the disks there are: the steps, and what survives at each."""
