"""Which disk a device of a pool lies on, by the names that the tools print."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.disk import Disk, names_of_wwn, parts_by_name, short_name, without_partition
from poolwright.domain.pool import PoolNode


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMember:
    """The disk a device lies on (None: none of those there are), and the number of its partition where it is one."""

    disk: Disk | None
    part: int | None


_NO_NAMES: Mapping[str, str] = {}
Link = Callable[[str], str | None]  # the kernel name of the disk behind a name, by a listing of /dev/disk


class MemberFinder:
    """Finds the disks behind the names that zpool prints; ``kernel_names`` maps a disk's key to ``sda``."""

    def __init__(
        self, disks: Sequence[Disk], kernel_names: Mapping[str, str] = _NO_NAMES, links: Sequence[Link] = ()
    ) -> None:
        self._links = links
        self._by_name: dict[str, Disk] = {}
        self._parts = parts_by_name(disks)
        for disk in disks:
            path = short_name(disk.path or "")
            names = (path, path.rpartition("/")[2], kernel_names.get(disk.key), disk.serial, *disk.by_id)
            for name in (disk.key, *names, *names_of_wwn(disk.wwn)):
                if name:
                    self._by_name.setdefault(name, disk)
        # A serial number ends the names that udev makes of model and serial.
        self._serials = [(d.serial.replace(" ", "_"), d) for d in disks if d.serial and len(d.serial) >= 4]

    def of(self, leaf: PoolNode, path: str | None = None) -> FoundMember:
        """Return what is known of the device of a leaf; ``path`` is its name where another tool told a fuller one."""
        for printed in (path, leaf.path, leaf.name):
            name = short_name(printed or "")
            if not name:
                continue
            if (disk := self._by_name.get(name)) is not None:
                return FoundMember(disk=disk, part=None)
            if name in self._parts:
                disk, named = self._parts[name]
                return FoundMember(disk=disk, part=named.number)
            of_whole, part = without_partition(printed or "")
            whole = short_name(of_whole)
            if (disk := self._by_name.get(whole) or self._of_link(name) or self._of_serial(whole)) is not None:
                return FoundMember(disk=disk, part=part)
        return FoundMember(disk=None, part=None)

    def _of_link(self, name: str) -> Disk | None:
        kernels = (kernel for link in self._links if (kernel := link(name)) is not None)
        found = (self._by_name.get(kernel) or self._by_name.get(without_partition(kernel)[0]) for kernel in kernels)
        return next((disk for disk in found if disk is not None), None)

    def _of_serial(self, name: str) -> Disk | None:
        owners = {disk.key: disk for serial, disk in self._serials if name.endswith((f"_{serial}", f"_{serial}_1"))}
        return owners.popitem()[1] if len(owners) == 1 else None
