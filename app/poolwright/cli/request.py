"""What the options of a command ask of the disks of a machine: one value for every command that plans with them."""

import argparse

from poolwright.advise.request import Request
from poolwright.cli.sources import version_for
from poolwright.cli.wishes import budget_of, workload_of
from poolwright.domain.disk import Disk
from poolwright.domain.inventory import Inventory
from poolwright.drive_library import load_drive_book


def request_of(args: argparse.Namespace, inventory: Inventory, disks: tuple[Disk, ...] | None = None) -> Request:
    """Return the request for ``disks``; by default those that nothing uses.

    Where nothing is free all disks are planned with, so that the refusal says why.
    """
    return Request(
        disks=(inventory.usable() or inventory.disks) if disks is None else disks,
        workload=workload_of(args),
        budget=budget_of(args, inventory.host),
        version=version_for(args.zfs, inventory),
        ashift=getattr(args, "ashift", None),
        host=inventory.host,
        drives=load_drive_book(),
        goal_told=args.goal is not None,
    )
