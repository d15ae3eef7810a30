"""What of a pool's data vdevs lies below the floors of its goal, and no disk that is added mends."""

from collections.abc import Iterator

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.design.floors import WIDEST, failures_wanted
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import FLASH_MEDIA
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.texts import tell

_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)
_SECTOR = 4096


def data_vdevs(design: Design) -> tuple[Vdev, ...]:
    return tuple(vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA)


def wanted_failures(design: Design) -> int:
    """Return how many failures the goal of a pool asks of so many disks."""
    vdevs = data_vdevs(design)
    return failures_wanted(design.workload.goal, design.budget, sum(len(vdev.members) for vdev in vdevs))


def weak_disks(design: Design) -> int:
    """Return how many disks lie in vdevs of parity below the floors: too little of it, too wide, of shingled disks.

    Mirrors are not counted: they heal fast, and a third side can be attached at any time.
    """
    wanted = wanted_failures(design)
    return sum(len(vdev.members) for vdev in data_vdevs(design) if next(_wrong(design, vdev, wanted), None) is not None)


def weaknesses(design: Design) -> tuple[str, ...]:
    """Return what is wrong with the data vdevs that only another pool or other disks mend, each told once."""
    wanted = wanted_failures(design)
    found = [text for vdev in data_vdevs(design) for text in _wrong(design, vdev, wanted)]
    if small_blocks(design):
        found.append(
            tell("ashift {ashift} makes blocks smaller than the sectors of the disks, and each write of one reads "
                 "first. It is for good: a vdev keeps it, and disks of 4096-byte sectors alone cannot come in.",
                 ashift=design.ashift)
        )  # fmt: skip
    return tuple(dict.fromkeys(found))


def small_blocks(design: Design) -> bool:
    """Tell whether the data vdevs write blocks that are smaller than what a disk writes at once."""
    disks = (design.disk(member.disk_key) for vdev in data_vdevs(design) for member in vdev.members)
    return design.ashift < SAFE_ASHIFT and any(
        (disk.physical_sector_bytes or 0) >= _SECTOR and disk.media not in FLASH_MEDIA for disk in disks
    )


def leaves_the_floor(before: Design, after: Design) -> bool:
    """Tell whether a pool that bore as many failures as its goal asks of so few disks does so no more."""
    return _bears(before) >= wanted_failures(before) and _bears(after) < wanted_failures(after)


def _bears(design: Design) -> int:
    return min((vdev.failures_survived for vdev in data_vdevs(design)), default=0)


def _wrong(design: Design, vdev: Vdev, wanted: int) -> Iterator[str]:
    if vdev.kind not in _PARITY:
        return
    words = describe((vdev.sizeless(),))
    if vdev.failures_survived < wanted:
        yield tell("{vdev} bears {count} failure. While a disk is rebuilt one more ends the pool, and a sector that "
                   "cannot be read costs a file. Of so many disks {wanted} should be borne; parity cannot be added.",
                   vdev=words, count=vdev.failures_survived, wanted=wanted)  # fmt: skip
    elif vdev.kind is VdevKind.RAIDZ and len(vdev.members) > WIDEST[vdev.parity]:
        yield tell("{vdev} is wider than the failures that it survives allow ({most}).", vdev=words,
                   most=WIDEST[vdev.parity])  # fmt: skip
    if any(design.disk(member.disk_key).smr for member in vdev.members):
        yield tell("{vdev} is of shingled (SMR) disks: a rebuild takes many times as long, and a disk that answers too "
                   "late is thrown out of it.", vdev=words)  # fmt: skip
