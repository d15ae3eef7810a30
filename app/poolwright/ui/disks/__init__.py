"""The disks of a machine: the table, what is known of one, typing them in."""
