"""What only a whole design settles: the pool's name and settings, and which disk has which places."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from poolwright.domain.as_built import Reserved, reserved_by_disk, total_bytes
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.outage import UnitKind, deadly_units, failure_units
from poolwright.domain.reserve import ReservePurpose
from poolwright.domain.version import DRAID_SINCE, ZfsVersion
from poolwright.rules.deliveries import largest_delivery
from poolwright.rules.layout_facts import PoolDetails, VdevDetails
from poolwright.rules.trade_size import slack_slice

_LONGEST_NAME = 239
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.: -]*\Z")
_RESERVED = ("mirror", "raidz", "spare")


def pool_details(design: Design) -> PoolDetails:
    """Return the name and the settings of the pool; a property that is not set has its default."""
    values = {setting.name: setting.value for setting in design.pool_settings}
    shelves, hbas = (_units(design, kind) for kind in (UnitKind.ENCLOSURE, UnitKind.CONTROLLER))
    return PoolDetails(
        name=design.pool_name,
        name_valid=valid_pool_name(design.pool_name, design.version),
        compatibility=values.get("compatibility", "off"),
        boots=design.budget.import_on == "grub2" or bool(values.get("bootfs")),
        autotrim=values.get("autotrim", "off"),
        dedup_quota=values.get("dedup_table_quota", "auto"),
        encrypted=bool(encryption_roots(design)),
        enclosures=shelves[0],
        deadly_enclosures=shelves[1],
        controllers=hbas[0],
        deadly_controllers=hbas[1],
        swap_disks=_disks_with(design, ReservePurpose.SWAP, ReservePurpose.TRUENAS),
        esp_disks=_disks_with(design, ReservePurpose.ESP),
        truenas_disks=_disks_with(design, ReservePurpose.TRUENAS),
    )


def _disks_with(design: Design, *purposes: ReservePurpose) -> int:
    """Return on how many disks of the pool a partition for one of these is reserved."""
    reserved = reserved_by_disk(design)
    return sum(any(p.purpose in purposes for p in partitions) for partitions in reserved.values())


def _units(design: Design, kind: UnitKind) -> tuple[int, str]:
    """Return how many enclosures or controllers are known, and the names of those whose loss takes this pool."""
    main = replace(design, further_pools=()) if design.further_pools else design
    known = sum(1 for unit in failure_units(main) if unit.kind is kind)
    return known, ", ".join(unit.name for unit in deadly_units(main, kind)) if known > 1 else ""


def valid_pool_name(name: str, version: ZfsVersion) -> bool:
    """Tell whether `zpool create` takes this name (`zpool_name_valid`, `pool_namecheck`)."""
    reserved = (*_RESERVED, "draid") if version >= DRAID_SINCE else _RESERVED
    return (
        len(name) <= _LONGEST_NAME and _NAME.match(name) is not None and name != "log" and not name.startswith(reserved)
    )


def shared_keys(design: Design) -> frozenset[str]:
    """Return the keys of the disks that are members of several vdevs."""
    holders = Counter(key for vdev in design.vdevs for key in {member.disk_key for member in vdev.members})
    return frozenset(key for key, count in holders.items() if count > 1)


def vdev_details(
    vdev: Vdev, disks: Sequence[Disk], shared: frozenset[str], reserved: Reserved | None = None
) -> VdevDetails:
    """Return what is known of the disks of ``vdev``, which are ``disks``; ``shared`` are those of other vdevs, too.

    ``reserved`` is what lies beside the data.
    """
    own = [member.disk_key for member in vdev.members]
    # Two parts of one drive are one disk to whoever pulls it.
    bodies = Counter(disk.body or disk.key for disk in disks)
    return VdevDetails(
        partitioned=any(
            _for_several_uses(member, disk, reserved or {}) for member, disk in zip(vdev.members, disks, strict=True)
        ),
        shares_disk=not shared.isdisjoint(own),
        repeated_disks=sum(1 for count in bodies.values() if count > 1),
        batch_disks=largest_delivery(disks),
    )


def _for_several_uses(member: Member, disk: Disk, reserved: Reserved) -> bool:
    """Tell whether a disk is cut for more than room at its end and what is reserved beside the data."""
    if member.slice_bytes is None:
        return False
    return disk.size_bytes is None or member.slice_bytes != slack_slice(disk.size_bytes) - total_bytes(
        reserved.get(disk.key, ())
    )
