"""The column of md RAID 6 in a comparison: the figures that can be told of it, and what no figure tells."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from poolwright.capacity.md_raid import md_device_bytes
from poolwright.design.compared import (
    COUNTED,
    DESIGNED,
    ColumnRemark,
    ComparedDesign,
    ComparedKind,
    Figure,
    cost_figures,
    exact,
    hindrance_figures,
    predicted,
    told,
)
from poolwright.design.survival import survival_share
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.md_raid import LEAST_RAID6_DISKS, RAID6_PARITY, MdRaid6
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.assessment import assess, cost_of
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.drives import DriveBook
from poolwright.predict.md_raid import NOTES, MdPrediction, predict_md
from poolwright.predict.media import NETWORK_EFFICIENCY
from poolwright.predict.number_words import short_advice_on
from poolwright.texts import marked, tell

MD_KEY = "md-raid6:"
_ARITHMETIC = Origin(
    kind=OriginKind.COMPUTED, source=marked("mdadm's arithmetic (superblock 1.2), before a file system")
)
_NO_SPEED = marked("the thesis measured sequential access alone")


def md_column(design: Design, drives: DriveBook, *, assumed: Assumptions | None = None, today: date) -> ComparedDesign:
    """Return Linux software RAID 6 of the disks of ``design`` as a column.

    Raises Refusal where there is no RAID 6 of these disks.
    """
    raid = md_raid6_of(design)
    wanted = assumed or Assumptions()
    twin = twin_design(design, raid)
    usable = md_device_bytes(raid)
    prediction = _predict(twin, raid, drives, wanted, today)
    cost = cost_of(twin, wanted, drives, usable_bytes=usable)
    figures = (
        *_shape(raid),
        *_space(raid, usable),
        *_safety(twin, prediction),
        *_speed(prediction),
        *hindrance_figures(prediction.hindrance),
        *cost_figures(cost),
    )
    return ComparedDesign(
        key=f"{MD_KEY}{design.key}",
        title=raid.name,
        layout=raid.words,
        kind=ComparedKind.MD_RAID6,
        figures=figures,
        raid=raid,
        remarks=tuple(ColumnRemark(text=tell(note.text), source=tell(note.source)) for note in NOTES),
    )


def twin_design(design: Design, raid: MdRaid6) -> Design:
    """Return ``design`` with raidz2 vdevs of the arrays' disks: what the predictions of ``raid`` are scaled from."""
    arrays = [_members(disks) for disks in ([disk.key for disk in array] for array in raid.arrays)]
    vdevs = [Vdev(kind=VdevKind.RAIDZ, parity=RAID6_PARITY, members=members) for members in arrays]
    if raid.spares:
        spares = _members([disk.key for disk in raid.spares])
        vdevs.append(Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=spares))
    return replace(design, vdevs=tuple(vdevs), further_pools=())


def _members(keys: list[str]) -> tuple[Member, ...]:
    return tuple(Member(disk_key=key) for key in keys)


def _predict(twin: Design, raid: MdRaid6, drives: DriveBook, assumed: Assumptions, today: date) -> MdPrediction:
    expected = assess(twin, None, drives, assumed, today=today)
    network = expected.host.network_bytes_per_second
    return predict_md(
        raid,
        expected.itself,
        expected.conditions,
        network=float("inf") if network is None else network * NETWORK_EFFICIENCY,
    )


def _shape(raid: MdRaid6) -> tuple[Figure, ...]:
    return (
        told("layout", raid.words),
        told("version", tell("Linux md, mdadm 4.2")),
        exact("pools", 1, DESIGNED),
        exact("disks", len(raid.disks), DESIGNED),
        exact("spares", len(raid.spares), DESIGNED),
    )


def _space(raid: MdRaid6, usable: int) -> tuple[Figure, ...]:
    raw = sum(disk.size_bytes or 0 for disk in raid.disks)
    note = tell("before a file system; XFS took 0.7 % on arrays of 0.6 to 44 TB")
    return (
        exact("usable", usable, _ARITHMETIC, note),
        exact("plan", usable * PLAN_FILL_PERCENT // 100, _ARITHMETIC, note),
        exact("raw", raw, DESIGNED),
        exact("usable_share", usable / raw, _ARITHMETIC, note),
    )


def _safety(twin: Design, prediction: MdPrediction) -> tuple[Figure, ...]:
    return (
        exact("survived", RAID6_PARITY, COUNTED),
        exact("survives_two", survival_share(twin, 2), COUNTED),
        exact("survives_three", survival_share(twin, 3), COUNTED),
        predicted("loss", prediction.loss, short_advice_on(prediction.disk_loss.typical)),
        predicted("disk_loss", prediction.disk_loss),
        predicted("damage", None, tell("md does not notice data that a disk returns wrong")),
        predicted("creation", prediction.creation),
        predicted("rebuild", prediction.rebuild),
        predicted("rebuild_empty", prediction.rebuild, tell("used or not")),
        predicted("rebuild_full", prediction.rebuild, tell("used or not")),
        predicted("scrub", None, tell("nobody measured it")),
    )


def _speed(prediction: MdPrediction) -> tuple[Figure, ...]:
    return (
        predicted("seq_read", prediction.seq_read),
        predicted("seq_write", prediction.seq_write),
        predicted("itself_read", prediction.itself_read),
        predicted("itself_write", prediction.itself_write),
        predicted("rand_read", None, tell(_NO_SPEED)),
        predicted("rand_write", None, tell(_NO_SPEED)),
        predicted("sync_write", None, tell(_NO_SPEED)),
    )


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
    spares = [d for d in _disks(design, _spare_vdevs(design)) if d.key not in taken]
    raid = MdRaid6(
        name=tell("md RAID 6 of “{name}”", name=design.name),
        device_name=design.pool_name,
        arrays=arrays,
        spares=tuple(spares),
    )
    unknown = [disk.label for disk in raid.disks if disk.size_bytes is None]
    if unknown:
        raise Refusal(
            tell("RAID 6 cannot be worked out"),
            reasons=(tell("The size of {unknown} is unknown.", unknown=unknown[0]),),
        )
    return raid


def _spare_vdevs(design: Design) -> list[Vdev]:
    return [vdev for vdev in design.all_vdevs() if vdev.vdev_class is VdevClass.SPARE]


def _disks(design: Design, vdevs: Sequence[Vdev]) -> list[Disk]:
    keys = dict.fromkeys(member.disk_key for vdev in vdevs for member in vdev.members)
    return [design.disk(key) for key in keys]


def _dealt(disks: Sequence[Disk]) -> tuple[tuple[Disk, ...], ...]:
    """Return the disks in arrays of at most eight, as equal as can be; disks of one size stay together."""
    if len(disks) < LEAST_RAID6_DISKS:
        reason = tell(
            "RAID 6 needs {least_raid6_disks} disks, the design has {count} for data.",
            least_raid6_disks=LEAST_RAID6_DISKS,
            count=len(disks),
        )
        raise Refusal(tell("There is no RAID 6 of these disks"), reasons=(reason,))
    ordered = sorted(disks, key=lambda disk: -(disk.size_bytes or 0))
    count = -(-len(ordered) // USUAL_WIDTH)
    wide, rest = divmod(len(ordered), count)
    arrays, at = [], 0
    for number in range(count):
        width = wide + (number < rest)
        arrays.append(tuple(ordered[at : at + width]))
        at += width
    return tuple(arrays)
