"""Which pools of a machine are imported, why there is none, and what is not known of one that was told of only half."""

from dataclasses import dataclass

from poolwright.domain.disk import UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import USABLE, Pool, import_words
from poolwright.texts import first_of, listed, marked, tell

_MOST_NAMED = 4
_READ_ALL = marked("Run `zpool status -P` there as root and add what it prints, or read the whole machine with the "
                   "collector.")  # fmt: skip
_READ_POOLS = marked("Read a machine with pools with the collector, or save the output of `zpool status -P`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPool:
    """Why there is no imported pool to speak of, and what to do."""

    text: str
    todo: str


def why_no_pool(inventory: Inventory, name: str | None = None) -> NoPool:
    """Return why there is no imported pool (``name`` None), or none of this name. Pure.

    Where nobody looked for pools, that is the reason: there may be some.
    """
    there = [pool.name for pool in inventory.imported()]
    exported = [f"{pool.name} ({import_words(pool)})" for pool in inventory.pools if pool.importable]
    if there:
        assert name is not None
        return NoPool(
            text=tell("{machine} has no imported pool {name}", machine=inventory.name, name=name),
            todo=tell("It has {there}.", there=listed(there)),
        )
    if inventory.pools_unread:
        labels = _labels(inventory)
        text = tell("Whether {machine} has pools cannot be told: `zpool status` was not read", machine=inventory.name)
        on_disks = tell("Labels on its disks name {pools}.", pools=first_of(labels, _MOST_NAMED)) if labels else ""
        return NoPool(text=text, todo=" ".join(part for part in (on_disks, tell(_READ_ALL)) if part))
    if exported:
        return NoPool(
            text=tell("{machine} has no imported pool", machine=inventory.name),
            todo=tell("Not imported, and not judged: {names}.", names=", ".join(exported)),
        )
    return NoPool(text=tell("{machine} has no imported pool", machine=inventory.name), todo=tell(_READ_POOLS))


def imported_pool(inventory: Inventory, name: str) -> Pool:
    """Return the imported pool of that name; raises UserError with the reason where there is none."""
    found = next((pool for pool in inventory.imported() if pool.name == name), None)
    if found is None:
        why = why_no_pool(inventory, name)
        raise UserError(why.text, todo=why.todo)
    return found


def not_known(pool: Pool) -> str:
    """Return what is not known of a pool that `zpool status` did not tell of, and what to add; empty where it did."""
    what = _unread(pool)
    return " ".join((f"{what}.", _added(pool))) if what else ""


def need_vdevs(pool: Pool) -> None:
    """Raise UserError for a pool whose vdevs nobody read."""
    if not pool.vdevs and not pool.status_read:
        raise UserError(_unread(pool), todo=_added(pool))


def need_status(pool: Pool) -> None:
    """Raise UserError for a pool of which `zpool status` was not read."""
    if not pool.status_read:
        raise UserError(_unread(pool), todo=_added(pool))


def why_unusable(state: str | None, name: str) -> str:
    """Return why nothing can be done to a pool in this state; empty where its data can be read, or nobody knows."""
    if state is None or state in USABLE:
        return ""
    return tell("{pool} is {state}: its data cannot be read", pool=name, state=state)


def unusable_todo() -> str:
    """Return what to do for such a pool: nothing that changes it."""
    return tell(
        "Connect what is missing, find the cause, and run `zpool clear`; a pool that multihost suspended takes a "
        "restart and an import instead. Replace, add and force nothing before."
    )


def _unread(pool: Pool) -> str:
    if pool.status_read:
        return ""
    if not pool.vdevs:
        return tell("`zpool status` was not read of {pool}: its vdevs and disks, errors and scrubs are not known",
                    pool=pool.name)  # fmt: skip
    return tell("`zpool status` was not read of {pool}: errors, damaged files, scrubs and rebuilds under way are not "
                "known", pool=pool.name)  # fmt: skip


def _added(pool: Pool) -> str:
    if pool.vdevs:
        return tell("Add what `zpool status -P` prints as root.")
    return tell("Add what `zpool status -P` and `zpool list -v -Hp -P` print as root.")


def _labels(inventory: Inventory) -> list[str]:
    kinds = {UseKind.POOL, UseKind.FOREIGN_POOL}
    return list(
        dict.fromkeys(
            use.detail.partition(",")[0] for disk in inventory.disks for use in disk.uses if use.kind in kinds
        )
    )
