"""Where the disks of a machine are: shelves, bays, controllers, links, and several ways to one disk."""
