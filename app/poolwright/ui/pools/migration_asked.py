"""The question of a move, as work in slices: what was typed is read, then every way is looked at."""

from dataclasses import replace

from poolwright.changes.migration.old_data import old_pool
from poolwright.changes.migration.search import Wishes, plan_in_steps
from poolwright.changes.migration.target import target_of_design, target_of_layout
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.layout_text import parse_layout
from poolwright.domain.steps import at_each
from poolwright.domain.units import parse_size
from poolwright.jobs.sliced_job import Work
from poolwright.machine.typed.read import read_typed
from poolwright.texts import tell


def planning(
    inventory: Inventory, pool: str, *, design: Design | None, layout: str, bought: str, stored: str, backup: bool
) -> Work:
    """Return the work that answers with a `MigrationAnswer`; raises UserError and Refusal in it as the planner does.

    ``layout``, ``bought`` and ``stored`` are as typed, empty where nothing was; ``design`` goes before ``layout``.
    """
    if bought.strip():
        coming = (replace(disk, key=f"new {disk.key}") for disk in read_typed([bought]).disks)
        inventory = replace(inventory, disks=(*inventory.disks, *coming))
    told = parse_size(stored, what=tell("amount stored")) if stored.strip() else None
    old = old_pool(inventory, pool, stored_bytes=told)
    yield None
    if design is not None:
        target = target_of_design(design, old, inventory)
    elif layout.strip():
        target = target_of_layout(parse_layout([layout]), inventory, old)
    else:
        raise UserError(tell("No new layout is named"), todo=tell("Write such as raidz2:4x6TB."))
    yield None
    steps = plan_in_steps(old, target, inventory, Wishes(backup_exists=backup))
    return (yield from at_each(steps, lambda _: None))
