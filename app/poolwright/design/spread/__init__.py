"""Which disk of which shelf and controller goes into which vdev."""
