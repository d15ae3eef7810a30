"""Which disk of the inventory a device of an existing pool lies on, by the names that the tools print."""

from dataclasses import dataclass

from poolwright.domain.disk import Disk, names_of_wwn, parts_by_name, short_name, without_partition
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import PoolNode


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMember:
    """The disk a device lies on (None: none of the inventory), and the number of its partition where it is one."""

    disk: Disk | None
    part: int | None


class MemberFinder:
    """Finds the disks of one inventory; made once for all pools."""

    def __init__(self, inventory: Inventory) -> None:
        self._by_name: dict[str, Disk] = {}
        self._parts = parts_by_name(inventory.disks)
        for disk in inventory.disks:
            path = short_name(disk.path or "")
            names = (disk.key, path, path.rpartition("/")[2], disk.serial, *disk.by_id, *names_of_wwn(disk.wwn))
            for name in names:
                if name:
                    self._by_name.setdefault(name, disk)
        # A serial number ends the names that udev makes of model and serial.
        self._serials = [(disk.serial.replace(" ", "_"), disk) for disk in inventory.disks if disk.serial]

    def of(self, leaf: PoolNode, path: str | None = None) -> FoundMember:
        """Return what is known of the device of a leaf; ``path`` is its name where another tool told a fuller one."""
        for printed in (path, leaf.path, leaf.name):
            name = short_name(printed or "")
            if not name:
                continue
            of_whole, part = without_partition(printed or "")
            whole = short_name(of_whole)
            disk = self._by_name.get(name)
            if disk is not None:
                return FoundMember(disk=disk, part=None)
            if name in self._parts:
                disk, named = self._parts[name]
                return FoundMember(disk=disk, part=named.number)
            disk = self._by_name.get(whole) or self._of_serial(whole)
            if disk is not None:
                return FoundMember(disk=disk, part=part)
        return FoundMember(disk=None, part=None)

    def _of_serial(self, name: str) -> Disk | None:
        ends = ((disk, (f"_{serial}", f"_{serial}_1")) for serial, disk in self._serials if len(serial) >= 4)
        owners = [disk for disk, end in ends if name.endswith(end)]
        return owners[0] if len(owners) == 1 else None
