"""What a design or an inventory must satisfy beyond its types before it is saved or opened."""

from collections import Counter

from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.vdev import VdevKind

MOST_DISKS = 10_000
MOST_VDEVS = 10_000
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
                _vdevs_complaint(design),
                _datasets_complaint(design),
            )
            if found is not None
        ),
        None,
    )
    if complaint is not None:
        raise UserError(f"The design does not hold together: {complaint}", where=where)


def check_inventory(inventory: Inventory, *, where: str | None = None) -> None:
    """Raise UserError, naming the field, where the parts of an inventory contradict one another."""
    complaint = _disks_complaint(inventory.disks, "inventory.disks")
    if complaint is None and not inventory.name.strip():
        complaint = "inventory.name is empty"
    if complaint is not None:
        raise UserError(f"The inventory does not hold together: {complaint}", where=where)


def _text_complaint(design: Design) -> str | None:
    if not design.key.strip():
        return "design.key is empty"
    if not design.name.strip():
        return "design.name is empty"
    return None


def _disks_complaint(disks: tuple[Disk, ...], path: str) -> str | None:
    if len(disks) > MOST_DISKS:
        return f"{path} holds more than {MOST_DISKS} disks"
    keys = Counter(disk.key for disk in disks)
    for index, disk in enumerate(disks):
        here = f"{path}[{index}]"
        if not disk.key:
            return f"{here}.key is empty"
        if keys[disk.key] > 1:
            return f"{here}.key: two disks have the key “{disk.key}”"
        for name in ("size_bytes", "logical_sector_bytes", "physical_sector_bytes"):
            value: int | None = getattr(disk, name)
            if value is not None and value <= 0:
                return f"{here}.{name} is {value}, not a size"
        for name in ("wear_percent", "power_on_hours", "media_errors", "rotation_rpm"):
            value = getattr(disk, name)
            if value is not None and value < 0:
                return f"{here}.{name} is negative"
    return None


def _number_complaint(design: Design) -> str | None:
    if not 9 <= design.ashift <= 16:
        return f"design.ashift is {design.ashift}; OpenZFS takes 9 to 16"
    for holder, path, names in (
        (design.budget, "budget", ("least_usable_bytes", "survive", "spares", "bays", "money", "ram_bytes")),
        (design.workload, "workload", ("io_size_bytes", "clients", "typical_file_bytes", "working_set_bytes")),
        (design.host, "host", ("ram_bytes", "cores", "network_bytes_per_second")),
    ):
        for name in names:
            value = getattr(holder, name)
            if value is not None and value < 0:
                return f"design.{path}.{name} is negative"
    for name in ("read_percent", "sequential_percent", "sync_write_percent"):
        value = getattr(design.workload, name)
        if value is not None and not 0 <= value <= 100:
            return f"design.workload.{name} is not between 0 and 100"
    return None


def _vdevs_complaint(design: Design) -> str | None:
    if len(design.vdevs) > MOST_VDEVS:
        return f"design.vdevs holds more than {MOST_VDEVS} vdevs"
    sizes = {disk.key: disk.size_bytes for disk in design.disks}
    whole: set[str] = set()
    sliced: Counter[str] = Counter()
    for index, vdev in enumerate(design.vdevs):
        here = f"design.vdevs[{index}]"
        complaint = _vdev_complaint(vdev, here)
        if complaint is not None:
            return complaint
        for place, member in enumerate(vdev.members):
            key, slice_bytes = member.disk_key, member.slice_bytes
            spot = f"{here}.members[{place}]"
            if key not in sizes:
                return f"{spot} refers to a disk “{key}” that the design does not describe"
            if key in whole or (slice_bytes is None and sliced[key]):
                return f"{spot} uses the disk “{key}” a second time"
            if slice_bytes is None:
                whole.add(key)
                continue
            if slice_bytes <= 0:
                return f"{spot}.slice_bytes is {slice_bytes}, not a size"
            sliced[key] += slice_bytes
            size = sizes[key]
            if size is not None and sliced[key] > size:
                return f"{spot}: the slices of the disk “{key}” are larger than the disk"
    return None


def _vdev_complaint(vdev: Vdev, here: str) -> str | None:
    if not vdev.members:
        return f"{here} has no members"
    if vdev.parity not in _PARITIES.get(vdev.kind, (0,)):
        return f"{here}.parity is {vdev.parity}, which {vdev.kind.value} does not have"
    if vdev.draid_data is not None and vdev.draid_data < 1:
        return f"{here}.draid_data is {vdev.draid_data}"
    if vdev.draid_spares < 0:
        return f"{here}.draid_spares is negative"
    return None


def _datasets_complaint(design: Design) -> str | None:
    names = Counter(dataset.name for dataset in design.datasets)
    for index, dataset in enumerate(design.datasets):
        if names[dataset.name] > 1:
            return f"design.datasets[{index}].name: two datasets are called “{dataset.name}”"
        if dataset.volume_bytes is not None and dataset.volume_bytes <= 0:
            return f"design.datasets[{index}].volume_bytes is {dataset.volume_bytes}, not a size"
    return None
