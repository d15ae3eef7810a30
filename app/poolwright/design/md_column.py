"""The column of md RAID 6 in a comparison: the figures that can be told of it, and what no figure tells."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from poolwright.capacity.md_raid import LEAST_RAID6_DISKS, RAID6_PARITY, MdRaid6, md_device_bytes
from poolwright.design.comparison_columns import (
    COUNTED,
    DESIGNED,
    OPERATIONS,
    RATES,
    Cell,
    Cells,
    ColumnRemark,
    ComparedDesign,
    ComparedKind,
    cost_cells,
    degraded_loss_cells,
    exact,
    predicted,
)
from poolwright.design.survival import survival_share
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, size_unknown
from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.assessment import assess, cost_of
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.drives import DriveBook
from poolwright.predict.md_raid import MdPrediction, md_notes, predict_md
from poolwright.predict.media import NETWORK_EFFICIENCY
from poolwright.texts import N_, _

MD_KEY = "md-raid6:"
_ARITHMETIC = Origin(kind=OriginKind.COMPUTED, source=N_("mdadm's arithmetic (superblock 1.2), before a file system"))


def md_column(design: Design, drives: DriveBook, *, assumed: Assumptions | None = None, today: date) -> ComparedDesign:
    """Return Linux software RAID 6 of the disks of ``design`` as a column. Raises Refusal where they make none."""
    raid = md_raid6_of(design)
    wanted = assumed or Assumptions()
    twin = twin_design(design, raid)
    expected = assess(twin, None, drives, wanted, today=today)
    network = expected.host.network_bytes_per_second
    limit = float("inf") if network is None else network * NETWORK_EFFICIENCY
    prediction = predict_md(raid, expected.itself, expected.conditions, network=limit)
    usable = md_device_bytes(raid)
    return ComparedDesign(
        key=f"{MD_KEY}{design.key}",
        title=raid.name,
        layout=raid.words,
        kind=ComparedKind.MD_RAID6,
        cells=_counted(twin, raid, usable)
        | _predicted(prediction)
        | degraded_loss_cells(prediction.degraded_losses, _("nobody measured it"))
        | cost_cells(cost_of(twin, wanted, drives, usable_bytes=usable)),
        raid=raid,
        remarks=tuple(ColumnRemark(text=text, source=source) for text, source in md_notes()),
    )


def twin_design(design: Design, raid: MdRaid6) -> Design:
    """Return ``design`` with raidz2 vdevs of the arrays' disks: what the predictions of ``raid`` are scaled from."""

    def members(disks: Sequence[Disk]) -> tuple[Member, ...]:
        return tuple(Member(disk_key=disk.key) for disk in disks)

    vdevs = [Vdev(kind=VdevKind.RAIDZ, parity=RAID6_PARITY, members=members(array)) for array in raid.arrays]
    if raid.spares:
        vdevs.append(Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=members(raid.spares)))
    return replace(design, vdevs=tuple(vdevs), further_pools=())


def _counted(twin: Design, raid: MdRaid6, usable: int) -> Cells:
    raw = sum(disk.size_bytes or 0 for disk in raid.disks)
    note = _("before a file system; XFS took 0.7 % on arrays of 0.6 to 44 TB")
    return {
        "layout": Cell(text=raid.words, origin=DESIGNED),
        "version": Cell(text="Linux md, mdadm 4.2", origin=DESIGNED),  # for machines
        "pools": exact(1, DESIGNED),
        "disks": exact(len(raid.disks), DESIGNED),
        "spares": exact(len(raid.spares), DESIGNED),
        "usable": exact(usable, _ARITHMETIC, note),
        "held": exact(usable, _ARITHMETIC, note),
        "plan": exact(usable * PLAN_FILL_PERCENT // 100, _ARITHMETIC, note),
        "raw": exact(raw, DESIGNED),
        "usable_share": exact(usable / raw, _ARITHMETIC, note),
        "survived": exact(RAID6_PARITY, COUNTED),
        "survives_two": exact(survival_share(twin, 2), COUNTED),
        "survives_three": exact(survival_share(twin, 3), COUNTED),
    }


def _predicted(found: MdPrediction) -> Cells:
    """Return the times and rates; a rebuild reads the whole disks, whether used or not."""
    whole = Cell(estimate=found.rebuild, note=_("used or not"))
    return {
        "loss": predicted(found.loss),
        "disk_loss": predicted(found.disk_loss),
        "damage": predicted(None, _("md does not notice data that a disk returns wrong")),
        "creation": predicted(found.creation),
        "rebuild": predicted(found.rebuild),
        "rebuild_empty": whole,
        "rebuild_full": whole,
        "scrub": predicted(None, _("nobody measured it")),
        **{name: predicted(getattr(found, name)) for name in RATES},
        **dict.fromkeys(OPERATIONS, predicted(None, _("the thesis measured sequential access alone"))),
    }


# From a ZFS design to Linux software RAID 6 of the same disks.

# The thesis compared arrays of eight; wider ones are made only where the design itself has them.
USUAL_WIDTH = 8


def md_raid6_of(design: Design) -> MdRaid6:
    """Return RAID 6 of the disks that hold the data of ``design``, with its spares.

    Each raidz vdev becomes an array of the same disks; the disks of other vdevs are dealt to arrays of at most eight.
    Log, cache, special and dedup vdevs have no counterpart and are left out. Raises Refusal with the reason where
    there are too few disks or a size is unknown.
    """
    data = [vdev for vdev in design.all_vdevs() if vdev.vdev_class is VdevClass.DATA]
    whole = all(v.kind is VdevKind.RAIDZ and len(v.members) >= LEAST_RAID6_DISKS for v in data)
    sliced = any(member.slice_bytes is not None for vdev in data for member in vdev.members)
    if whole and data and not sliced:
        arrays = tuple(tuple(design.disk(m.disk_key) for m in vdev.members) for vdev in data)
    else:
        arrays = _dealt(_disks(design, data))
    taken = {disk.key for array in arrays for disk in array}
    spare = [vdev for vdev in design.all_vdevs() if vdev.vdev_class is VdevClass.SPARE]
    spares = [d for d in _disks(design, spare) if d.key not in taken]
    raid = MdRaid6(
        name=_("md RAID 6 of “{name}”", name=design.name),
        device_name=design.pool_name,
        arrays=arrays,
        spares=tuple(spares),
    )
    unknown = [disk.label for disk in raid.disks if disk.size_bytes is None]
    if unknown:
        raise Refusal(_("RAID 6 cannot be worked out"), reasons=(size_unknown(unknown[0]),))
    return raid


def _disks(design: Design, vdevs: Sequence[Vdev]) -> list[Disk]:
    keys = dict.fromkeys(member.disk_key for vdev in vdevs for member in vdev.members)
    return [design.disk(key) for key in keys]


def _dealt(disks: Sequence[Disk]) -> tuple[tuple[Disk, ...], ...]:
    """Return the disks in arrays of at most eight, as equal as can be; disks of one size stay together."""
    if len(disks) < LEAST_RAID6_DISKS:
        words = {"least_raid6_disks": LEAST_RAID6_DISKS, "count": len(disks)}
        reason = _("RAID 6 needs {least_raid6_disks} disks, the design has {count} for data.", **words)
        raise Refusal(_("There is no RAID 6 of these disks"), reasons=(reason,))
    ordered = sorted(disks, key=lambda disk: -(disk.size_bytes or 0))
    count = -(-len(ordered) // USUAL_WIDTH)
    wide, rest = divmod(len(ordered), count)
    ends = [0]
    for number in range(count):
        ends.append(ends[-1] + wide + (number < rest))
    return tuple(tuple(ordered[begin:end]) for begin, end in pairwise(ends))
