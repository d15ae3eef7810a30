"""Which disk of the inventory a device of an existing pool lies on, by the names that the tools print."""

import re
from dataclasses import dataclass

from poolwright.domain.disk import Disk
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import PoolNode

_PART = re.compile(r"(?:-part|(?<=\d)p)(\d{1,4})\Z")
_KERNEL_PART = re.compile(r"(?:sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z])(\d{1,4})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMember:
    """The disk a device lies on (None: none of the inventory), and the number of its partition where it is one."""

    disk: Disk | None
    part: int | None


class MemberFinder:
    """Finds the disks of one inventory; made once for all pools."""

    def __init__(self, inventory: Inventory) -> None:
        self._by_name: dict[str, Disk] = {}
        for disk in inventory.disks:
            names = (disk.key, (disk.path or "").rpartition("/")[2], disk.serial, *disk.by_id, *_of_wwn(disk.wwn))
            for name in names:
                if name:
                    self._by_name.setdefault(name, disk)
        # A serial number ends the names that udev makes of model and serial.
        self._serials = [(disk.serial.replace(" ", "_"), disk) for disk in inventory.disks if disk.serial]

    def of(self, leaf: PoolNode, path: str | None = None) -> FoundMember:
        """Return what is known of the device of a leaf; ``path`` is its name where another tool told a fuller one."""
        for printed in (path, leaf.path, leaf.name):
            name = (printed or "").rpartition("/")[2]
            if not name:
                continue
            whole, part = _parted(name)
            disk = self._by_name.get(name)
            if disk is not None:
                return FoundMember(disk=disk, part=None)
            disk = self._by_name.get(whole) or self._of_serial(whole)
            if disk is not None:
                return FoundMember(disk=disk, part=part)
        return FoundMember(disk=None, part=None)

    def _of_serial(self, name: str) -> Disk | None:
        ends = ((disk, (f"_{serial}", f"_{serial}_1")) for serial, disk in self._serials if len(serial) >= 4)
        owners = [disk for disk, end in ends if name.endswith(end)]
        return owners[0] if len(owners) == 1 else None


def _of_wwn(wwn: str | None) -> tuple[str, ...]:
    """Return the names that udev makes of a world-wide name."""
    digits = (wwn or "").lower().removeprefix("0x").removeprefix("naa.").removeprefix("eui.")
    return (f"wwn-0x{digits}", f"scsi-3{digits}", f"nvme-eui.{digits}") if digits else ()


def whole_name(name: str) -> str:
    """Return the name or path of the whole disk of which this may be a partition."""
    folder, slash, own = name.rpartition("/")
    return f"{folder}{slash}{_parted(own)[0]}"


def partition_of(name: str) -> int | None:
    """Return the number of the partition of which this is the name or path; None for a whole disk."""
    return _parted(name.rpartition("/")[2])[1]


def _parted(name: str) -> tuple[str, int | None]:
    """Return a device's name without its partition, and the partition's number."""
    match = _PART.search(name) or _KERNEL_PART.match(name)
    if match is None:
        return name, None
    front = name[: match.start(1)]
    return front.removesuffix("-part") if front.endswith("-part") else _without_p(front), int(match.group(1))


def _without_p(front: str) -> str:
    return front[:-1] if len(front) > 1 and front.endswith("p") and front[-2].isdigit() else front
