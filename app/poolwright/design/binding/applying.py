"""The design that names the disks of a machine: every place its real disk, all else as it was."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from poolwright.capacity.pool import room_of
from poolwright.design.binding.binding import Binding, BoundPair
from poolwright.design.binding.judging import PairedBy, same_model
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Origin
from poolwright.domain.host import Host, planned_host
from poolwright.domain.units import binary
from poolwright.texts import _

# What people and catalogues say of a disk and no tool tells: of this disk, and of every disk of its model.
_OF_THE_DISK = ("price", "enclosure", "slot", "controller", "read_bytes_per_second", "write_bytes_per_second")
_OF_THE_MODEL = ("watts", "afr_percent", "power_loss_protection", "smr")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceChange:
    pool_name: str
    before_bytes: int | None
    after_bytes: int | None


def bound_design(binding: Binding) -> Design:
    """Return the design with the disks of the machine in the places that have one.

    Places without one keep the disk they had. Vdevs, partitions, properties, datasets, further pools, version and
    growth stay as they are; host and inventory become the machine's. What a person said of a planned disk and no tool
    tells stays said of the real one: its price, and of the same model what is true of every disk of the model.
    """
    design, inventory = binding.design, binding.inventory
    real = {pair.seat.disk.key: _completed_disk(pair) for pair in binding.bound}
    by_key = {disk.key: disk for disk in real.values()}
    disks = {disk.key: by_key.get(disk.key, disk) for disk in inventory.disks}
    keys = {old: disk.key for old, disk in real.items()}
    for pair in binding.pairs:
        if pair.real is None:
            stays = pair.seat.disk
            keys[stays.key] = key = pair.own.key if pair.own is not None else _free_key(stays.key, disks)
            disks.setdefault(key, replace(stays, key=key))

    def renamed(old: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(keys.get(key, key) for key in old)

    return replace(
        design,
        host=planned_host(_host(design.host, inventory.host), design.budget),
        disks=tuple(disks.values()),
        vdevs=_renamed(design.vdevs, keys),
        further_pools=tuple(replace(pool, vdevs=_renamed(pool.vdevs, keys)) for pool in design.further_pools),
        growth=tuple(replace(step, disk_keys=renamed(step.disk_keys)) for step in design.growth),
        reserve=tuple(replace(one, disk_keys=renamed(one.disk_keys)) for one in design.reserve),
        inventory_name=inventory.name,
        inventory_origin=inventory.origin,
    )


def space_changes(before: Design, after: Design) -> tuple[SpaceChange, ...]:
    """Return what `zfs list` would show of each pool (USED and AVAIL together) before and after."""
    return tuple(
        SpaceChange(pool_name=old.pool_name, before_bytes=room_of(old), after_bytes=room_of(new))
        for old, new in zip(before.pools(), after.pools(), strict=True)
    )


def space_words(changes: Sequence[SpaceChange]) -> str:
    spaces = [(change.pool_name, _space(change.before_bytes, change.after_bytes)) for change in changes]
    return " ".join(words if len(spaces) == 1 else f"{name}: {words}" for name, words in spaces)


def _space(before: int | None, after: int | None) -> str:
    if before is None or after is None:
        return _("Usable space unknown.")
    if before == after:
        return _("{size} usable, as before.", size=binary(after))
    return _("{after} usable instead of {before}.", after=binary(after), before=binary(before))


def _renamed(vdevs: tuple[Vdev, ...], keys: Mapping[str, str]) -> tuple[Vdev, ...]:
    def member(old: Member) -> Member:
        return replace(old, disk_key=keys.get(old.disk_key, old.disk_key))

    return tuple(replace(vdev, members=tuple(member(m) for m in vdev.members)) for vdev in vdevs)


def _free_key(wanted: str, taken: Collection[str]) -> str:
    keys = (wanted, *(f"{wanted} ({number})" for number in range(2, len(taken) + 2)))
    return next(key for key in keys if key not in taken)


def _completed_disk(pair: BoundPair) -> Disk:
    """Return the real disk with what a person said of the planned one, where no tool tells."""
    planned, real = pair.seat.disk, pair.real
    assert real is not None
    names = list(_OF_THE_DISK) if pair.by not in (PairedBy.FACTS, PairedBy.HAND) else ["price"]
    if same_model(planned.model, real.model):
        names += _OF_THE_MODEL
    return _completed(real, planned, names)


def _host(planned: Host, real: Host) -> Host:
    """Return the machine; what nobody read of it is as a plan without a machine of its own says."""
    if planned.name is not None and planned.name != real.name:
        return real
    return _completed(real, planned, [one.name for one in fields(Host) if one.name not in ("notes", "origins", "name")])


_Known = TypeVar("_Known", Disk, Host)


def _completed(real: _Known, planned: _Known, names: Iterable[str]) -> _Known:
    """Return ``real`` with those of these fields that it lacks and ``planned`` has, each with its origin."""
    values = {name: getattr(planned, name) for name in names if getattr(real, name) in (None, ())}
    said = {name: value for name, value in values.items() if value not in (None, ())}
    origins: list[tuple[str, Origin]] = [one for one in planned.origins if one[0] in said]
    return replace(real, **said, origins=(*real.origins, *origins)) if said else real
