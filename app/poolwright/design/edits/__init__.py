"""Changes to a design by hand. Each is a function from a design to a new one, or a refusal with its reason.

The room stands above `capacity`, whose checks decide which vdevs OpenZFS takes, and below everything that edits: the
window, and whoever plans growth. Places refer to the design before the edit. No edit leaves a vdev without members or
uses a byte of a disk twice.
"""
