"""What the options of a command ask of the disks of a machine: one value for every command that plans with them."""

import argparse

from poolwright.cli.sources import version_for
from poolwright.cli.wishes import budget_of, workload_of
from poolwright.design.request import Request
from poolwright.domain.disk import Disk, Unfit
from poolwright.domain.inventory import Inventory
from poolwright.drive_library import load_drive_book


def request_of(args: argparse.Namespace, inventory: Inventory, disks: tuple[Disk, ...] | None = None) -> Request:
    """Return the request for ``disks``; by default `disks_offered`."""
    return Request(
        disks=disks_offered(inventory) if disks is None else disks,
        workload=workload_of(args),
        budget=budget_of(args, inventory.host),
        version=version_for(args.zfs, inventory),
        ashift=getattr(args, "ashift", None),
        host=inventory.host,
        drives=load_drive_book(),
        goal_told=args.goal is not None,
    )


def disks_to_take(inventory: Inventory) -> tuple[Disk, ...]:
    """Return the disks of `disks_offered` that can be taken; none where nothing is free."""
    return tuple(disk for disk in disks_offered(inventory) if not disk.refusals())


def disks_offered(inventory: Inventory) -> tuple[Disk, ...]:
    """Return the disks that nothing uses, those that cannot be taken with the reason, which is told of them.

    Where nothing is free it is all disks, so that the refusal says why.
    """
    free = [disk for disk in inventory.disks if not disk.uses and not (disk.removable and Unfit.NO_SIZE in disk.unfit)]
    return tuple(free) if any(not disk.refusals() for disk in free) else inventory.disks
