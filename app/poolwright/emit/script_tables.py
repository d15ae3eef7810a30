"""What a design adds to the scripts: tables of disks, partitions and members as calls of shell functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from poolwright.domain.design import Design
from poolwright.domain.units import MIB, drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.emit.actions import CreatePool, VdevWords
from poolwright.emit.names import comment, quote
from poolwright.emit.partitions import split_disks

# How every script of ours begins after its head: any failure ends it, and nothing of the caller's shell leaks in.
STRICT_BASH = (
    "# shellcheck disable=SC1003,SC2016 # words of the design stand in single quotes: nothing expands",
    "set -euo pipefail",
    "IFS=$' \\t\\n'",
    "export LC_ALL=C",
    'export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """Where a script looks for devices. Written into it as constants: nothing at run time can change them."""

    by_id: str = "/dev/disk/by-id"
    sys_block: str = "/sys/class/block"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedSpace:
    """What a new, empty pool should show: SIZE of `zpool list -p`, and USED + AVAIL of its root dataset, in bytes."""

    size_bytes: int | None = None
    available_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDevice:
    """A member of a pool as `zpool status` groups it; ``vdev`` counts within its class, each bare disk on its own."""

    vdev_class: VdevClass
    vdev: int
    status_word: str
    disk_key: str
    part: int | None
    device: str


def shell_part(name: str) -> str:
    """Return one of the files of ``shell/``."""
    return resources.files("poolwright.emit").joinpath("shell", name).read_text(encoding="utf-8")


def words(row: tuple[str, ...]) -> str:
    """Return a row of words as shell text, each quoted."""
    return " ".join(quote(word) for word in row)


def setting_lines(values: dict[str, str]) -> list[str]:
    """Return shell assignments."""
    return [f"{name}={quote(value)}" for name, value in values.items()]


def plain_serial(serial: str) -> str:
    """Return a serial number without padding, underscores and control characters, by which tools differ."""
    return "".join(c for c in serial if c != "_" and not c.isspace() and c.isprintable())


def pool_switch(bodies: list[list[str]]) -> str:
    """Return the shell function that makes one of the pools the current one, by its number from 0."""
    lines = [
        "# Each pool in turn",
        "use_pool() { # NUMBER",
        "  pool_number=$1",
        "  case $1 in",
    ]
    for number, body in enumerate(bodies):
        lines += [f"    {number})", *(f"      {line}" for line in body), "      ;;"]
    return "\n".join([*lines, "  esac", "}", ""])


def placed_devices(create: CreatePool) -> list[PlacedDevice]:
    """Return each device of a pool with its class and the number of its vdev in that class."""
    found: list[PlacedDevice] = []
    numbers: dict[VdevClass, int] = {}
    for vdev in create.vdevs:
        for position in range(len(vdev.devices)):
            if vdev.word is None or position == 0:
                numbers[vdev.vdev_class] = numbers.get(vdev.vdev_class, -1) + 1
            found.append(_placed(vdev, position, numbers[vdev.vdev_class]))
    return found


def _placed(vdev: VdevWords, position: int, number: int) -> PlacedDevice:
    return PlacedDevice(
        vdev_class=vdev.vdev_class,
        vdev=number,
        status_word=vdev.status_word,
        disk_key=vdev.disk_keys[position],
        part=vdev.parts[position],
        device=vdev.devices[position],
    )


def disk_tables(design: Design, creates: Sequence[CreatePool]) -> str:
    """Return the shell function that tells a script its disks, the partitions it makes and the members of its pools.

    ``design`` holds the disks and all pools, ``creates`` their creation in order. Every disk has its by-id name.
    """
    placed = [(number, device) for number, create in enumerate(creates) for device in placed_devices(create)]
    names = {key: design.disk(key).by_id_name or "" for key in dict.fromkeys(device.disk_key for _, device in placed)}
    split = {disk.disk_key: disk for disk in split_disks(design)}
    lines = [
        "describe_disks() {",
        "  # One line a disk: name, bytes, bytes of a logical sector, serial number"
        + (", GUID of the partition table made" if split else ""),
    ]
    for key, name in names.items():
        disk = design.disk(key)
        sector = "" if disk.logical_sector_bytes is None else str(disk.logical_sector_bytes)
        fields = (name, str(disk.size_bytes), sector, plain_serial(disk.serial or ""))
        table = (str(split[key].table_guid),) if key in split else ()
        told = comment(" ".join(p for p in (disk.vendor, disk.model, drive_size(disk.size_bytes)) if p))
        lines.append(f"  disk {words((*fields, *table))} # {told}")
    if split:
        lines.append("  # One line a partition: disk, number, pool, first MiB, MiB, name, GUID")
    pools = [create.pool for create in creates]
    for key, disk_split in split.items():
        for part in disk_split.partitions:
            place = (names[key], str(part.number), str(pools.index(part.pool)))
            size = (str(part.start_bytes // MIB), str(part.size_bytes // MIB))
            lines.append(f"  partition {words((*place, *size, part.name, str(part.guid)))}")
    lines.append("  # One line a member: pool, class, vdev, kind of vdev, disk" + (", partition" if split else ""))
    for number, device in placed:
        place = (str(number), device.vdev_class.value, str(device.vdev))
        part_word = (str(device.part),) if device.part is not None else ()
        lines.append(f"  member {words((*place, device.status_word, names[device.disk_key], *part_word))}")
    return "\n".join([*lines, "}", ""])
