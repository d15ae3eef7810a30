"""The first page: where the disks come from, and designs to go on with."""
