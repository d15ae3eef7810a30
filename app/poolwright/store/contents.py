"""What a design or an inventory must satisfy beyond its types before it is saved or opened."""

from collections import Counter
from dataclasses import dataclass, field

from poolwright.domain.design import SHARED_SPARE, Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.money import Money
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.vdev import VdevKind
from poolwright.store.codec import read_document, write_document
from poolwright.texts import marked, tell

MOST_DISKS = 10_000
_MEND = marked("Mend that field in the file, or save the document again.")
MOST_VDEVS = 10_000
MOST_POOLS = 1_000
MOST_PARTITIONS = 128  # entries of a GUID partition table
MOST_RESERVED = 32
_PARITIES = {VdevKind.RAIDZ: (1, 2, 3), VdevKind.DRAID: (1, 2, 3)}


def check_design(design: Design, *, where: str | None = None) -> None:
    """Raise UserError, naming the field, where the parts of a design contradict one another.

    Whether the design is a good or even a possible pool is not looked at: an unfinished one is saved too.
    """
    complaint = next(
        (
            found
            for found in (
                _text_complaint(design),
                _disks_complaint(design.disks, "design.disks"),
                _number_complaint(design),
                _pools_complaint(design),
                _members_complaint(design),
                _reserve_complaint(design),
            )
            if found is not None
        ),
        None,
    )
    if complaint is not None:
        raise UserError(
            tell("The design does not hold together: {complaint}", complaint=complaint), where=where, todo=tell(_MEND)
        )


def check_inventory(inventory: Inventory, *, where: str | None = None) -> None:
    """Raise UserError, naming the field, where the parts of an inventory contradict one another."""
    complaint = _disks_complaint(inventory.disks, "inventory.disks")
    if complaint is None and not inventory.name.strip():
        complaint = tell("inventory.name is empty")
    if complaint is not None:
        raise UserError(
            tell("The inventory does not hold together: {complaint}", complaint=complaint),
            where=where,
            todo=tell(_MEND),
        )


def _text_complaint(design: Design) -> str | None:
    if not design.key.strip():
        return tell("design.key is empty")
    if not design.name.strip():
        return tell("design.name is empty")
    return None


def _disks_complaint(disks: tuple[Disk, ...], path: str) -> str | None:
    if len(disks) > MOST_DISKS:
        return tell("{path} holds more than {most_disks} disks", path=path, most_disks=MOST_DISKS)
    keys = Counter(disk.key for disk in disks)
    for index, disk in enumerate(disks):
        here = f"{path}[{index}]"
        if not disk.key:
            return tell("{here}.key is empty", here=here)
        if keys[disk.key] > 1:
            return tell("{here}.key: two disks have the key “{key}”", here=here, key=disk.key)
        for name in ("size_bytes", "logical_sector_bytes", "physical_sector_bytes"):
            value: int | None = getattr(disk, name)
            if value is not None and value <= 0:
                return tell("{here}.{name} is {value}, not a size", here=here, name=name, value=value)
        if disk.price is not None and disk.price.amount < 0:
            return tell("{here}.price is negative", here=here)
        for name in ("wear_percent", "power_on_hours", "media_errors", "rotation_rpm"):
            value = getattr(disk, name)
            if value is not None and value < 0:
                return tell("{here}.{name} is negative", here=here, name=name)
    return None


def _number_complaint(design: Design) -> str | None:
    for holder, path, names in (
        (design.budget, "budget", ("least_usable_bytes", "survive", "spares", "bays", "ram_bytes")),
        (design.workload, "workload", ("io_size_bytes", "clients", "typical_file_bytes", "working_set_bytes")),
        (design.workload, "workload", ("duplicate_factor", "network_bytes_per_second")),
        (design.host, "host", ("ram_bytes", "cores", "network_bytes_per_second")),
    ):
        for name in names:
            value = getattr(holder, name)
            if value is not None and value < 0:
                return tell("design.{path}.{name} is negative", path=path, name=name)
    for index, controller in enumerate(design.host.controllers):
        if (controller.bytes_per_second or 0) < 0:
            return tell("design.host.controllers[{index}].bytes_per_second is negative", index=index)
    for name in ("money", "price_per_disk"):
        amount: Money | None = getattr(design.budget, name)
        if amount is not None and amount.amount < 0:
            return tell("design.budget.{name} is negative", name=name)
    for name in ("read_percent", "sequential_percent", "sync_write_percent"):
        value = getattr(design.workload, name)
        if value is not None and not 0 <= value <= 100:
            return tell("design.workload.{name} is not between 0 and 100", name=name)
    return None


def _paths(design: Design) -> list[tuple[str, tuple[Vdev, ...], tuple[Dataset, ...], int]]:
    """Return for each pool the path of its fields, its vdevs, its datasets and its ashift."""
    main = ("design", design.vdevs, design.datasets, design.ashift)
    others = enumerate(design.further_pools)
    return [main, *((f"design.further_pools[{i}]", p.vdevs, p.datasets, p.ashift) for i, p in others)]


def _pools_complaint(design: Design) -> str | None:
    if len(design.further_pools) > MOST_POOLS:
        return tell("design.further_pools holds more than {most_pools} pools", most_pools=MOST_POOLS)
    names = [design.pool_name]
    for index, pool in enumerate(design.further_pools):
        if not pool.pool_name.strip():
            return tell("design.further_pools[{index}].pool_name is empty", index=index)
        if pool.pool_name in names:
            return tell(
                "design.further_pools[{index}].pool_name: two pools are called “{pool_name}”",
                index=index,
                pool_name=pool.pool_name,
            )
        names.append(pool.pool_name)
    for path, vdevs, datasets, ashift in _paths(design):
        if not 9 <= ashift <= 16:
            return tell("{path}.ashift is {ashift}; OpenZFS takes 9 to 16", path=path, ashift=ashift)
        if len(vdevs) > MOST_VDEVS:
            return tell("{path}.vdevs holds more than {most_vdevs} vdevs", path=path, most_vdevs=MOST_VDEVS)
        complaints = (_vdev_complaint(vdev, f"{path}.vdevs[{index}]") for index, vdev in enumerate(vdevs))
        found = next((c for c in complaints if c is not None), None) or _datasets_complaint(datasets, path)
        if found is not None:
            return found
    return None


@dataclass(slots=True)
class _Use:
    """What the members seen so far use of one disk."""

    size_bytes: int | None
    whole: bool = False
    sliced_bytes: int = 0
    parts: set[int] = field(default_factory=set)


def _members_complaint(design: Design) -> str | None:
    shared = design.shared_spare()
    if shared is not None:
        return tell("the disk “{shared}” {shared_spare}", shared=shared, shared_spare=tell(SHARED_SPARE))
    uses = {disk.key: _Use(size_bytes=disk.size_bytes) for disk in design.disks}
    for path, vdevs, _, _ in _paths(design):
        for index, vdev in enumerate(vdevs):
            for place, member in enumerate(vdev.members):
                spot = f"{path}.vdevs[{index}].members[{place}]"
                if member.disk_key not in uses:
                    return tell(
                        "{spot} refers to a disk “{disk_key}” that the design does not describe",
                        spot=spot,
                        disk_key=member.disk_key,
                    )
                complaint = _member_complaint(member, uses[member.disk_key], spot)
                if complaint is not None:
                    return complaint
    return None


def _reserve_complaint(design: Design) -> str | None:
    if len(design.reserve) > MOST_RESERVED:
        return tell("design.reserve holds more than {most} partitions", most=MOST_RESERVED)
    known = {disk.key for disk in design.disks}
    for index, partition in enumerate(design.reserve):
        here = f"design.reserve[{index}]"
        if partition.size_bytes <= 0:
            return tell("{here}.size_bytes is {size}, not a size", here=here, size=partition.size_bytes)
        for key in partition.disk_keys:
            if key not in known:
                return tell(
                    "{spot} refers to a disk “{disk_key}” that the design does not describe",
                    spot=f"{here}.disk_keys",
                    disk_key=key,
                )
    return None


def _member_complaint(member: Member, use: _Use, spot: str) -> str | None:
    key, slice_bytes = member.disk_key, member.slice_bytes
    if use.whole or (slice_bytes is None and use.sliced_bytes):
        return tell("{spot} uses the disk “{key}” a second time", spot=spot, key=key)
    if slice_bytes is None:
        use.whole = True
        return (
            tell("{spot}.part is {part}, but slice_bytes is not given", spot=spot, part=member.part)
            if member.part is not None
            else None
        )
    if slice_bytes <= 0:
        return tell("{spot}.slice_bytes is {slice_bytes}, not a size", spot=spot, slice_bytes=slice_bytes)
    if member.part is not None:
        if not 1 <= member.part <= MOST_PARTITIONS:
            return tell(
                "{spot}.part is {part}; partitions are numbered 1 to {most_partitions}",
                spot=spot,
                part=member.part,
                most_partitions=MOST_PARTITIONS,
            )
        if member.part in use.parts:
            return tell("{spot}.part: the disk “{key}” has two partitions {part}", spot=spot, key=key, part=member.part)
        use.parts.add(member.part)
    use.sliced_bytes += slice_bytes
    if use.size_bytes is not None and use.sliced_bytes > use.size_bytes:
        return tell("{spot}: the slices of the disk “{key}” are larger than the disk", spot=spot, key=key)
    if use.size_bytes is not None and use.parts and use.sliced_bytes > sliceable_bytes(use.size_bytes):
        return tell(
            "{spot}: the partitions of the disk “{key}” leave no room for its partition table", spot=spot, key=key
        )
    return None


def _vdev_complaint(vdev: Vdev, here: str) -> str | None:
    if not vdev.members:
        return tell("{here} has no members", here=here)
    if vdev.parity not in _PARITIES.get(vdev.kind, (0,)):
        return tell(
            "{here}.parity is {parity}, which {kind} does not have", here=here, parity=vdev.parity, kind=vdev.kind.value
        )
    if vdev.draid_data is not None and vdev.draid_data < 1:
        return tell("{here}.draid_data is {draid_data}", here=here, draid_data=vdev.draid_data)
    if vdev.draid_spares < 0:
        return tell("{here}.draid_spares is negative", here=here)
    return None


def _datasets_complaint(datasets: tuple[Dataset, ...], path: str) -> str | None:
    names = Counter(dataset.name for dataset in datasets)
    for index, dataset in enumerate(datasets):
        here = f"{path}.datasets[{index}]"
        if names[dataset.name] > 1:
            return tell("{here}.name: two datasets are called “{name}”", here=here, name=dataset.name)
        if dataset.volume_bytes is not None and dataset.volume_bytes <= 0:
            return tell(
                "{here}.volume_bytes is {volume_bytes}, not a size", here=here, volume_bytes=dataset.volume_bytes
            )
        if dataset.logical_bytes is not None and dataset.logical_bytes < 0:
            return tell("{here}.logical_bytes is negative", here=here)
    return None


# An inventory as one JSON file: ``{"schema": 2, "kind": "poolwright-inventory", "inventory": {…}}``.

KIND = "poolwright-inventory"
SCHEMA = 3  # 2: money is a decimal text with its currency; 3: partitions seen on disks


def to_json(inventory: Inventory) -> str:
    """Return the JSON document of an inventory; `from_json` of it is equal to ``inventory``."""
    return write_document(KIND, SCHEMA, "inventory", inventory)


def from_json(text: str, *, where: str | None = None) -> Inventory:
    """Return the inventory of a JSON document; errors as those of a design file."""
    inventory = read_document(text, kind=KIND, schema=SCHEMA, name="inventory", cls=Inventory, where=where)
    check_inventory(inventory, where=where)
    return inventory
