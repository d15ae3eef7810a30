"""“What is it, really?”: the sizes that zpool and zfs print of a pool that exists, each explained step by step."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from poolwright.capacity.cascade import Step
from poolwright.capacity.device import BACK_BYTES, FRONT_BYTES, MemberKind, device_bytes, leaf_bytes
from poolwright.capacity.explained import (
    ExistingTop,
    PrintedSizes,
    SizeCascade,
    explain_allocated,
    explain_available,
    explain_size,
    just_freed,
)
from poolwright.capacity.vdev import TopVdev
from poolwright.changes.as_design import NOT_IN_SIZE, PoolDesign, seats_of
from poolwright.domain.design import Vdev
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.existing_pool import ExistingDataset, ExistingPool
from poolwright.domain.pool import PoolNode
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell

_SECTOR = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesExplained:
    """The cascades of one pool, as far as its sizes were read; ``missing`` says what has to be read for the others.

    ``rounded`` tells that sizes have three digits only, so that what is left unexplained is rounding.
    """

    size: SizeCascade | None = None
    available: SizeCascade | None = None
    used: SizeCascade | None = None
    allocated: SizeCascade | None = None
    missing: tuple[str, ...] = ()
    rounded: bool = False

    def cascades(self) -> tuple[SizeCascade, ...]:
        """Return the cascades that there are, from the disks to the datasets."""
        return tuple(c for c in (self.size, self.available, self.used, self.allocated) if c is not None)


def explain_sizes(made: PoolDesign, known: ExistingPool) -> SizesExplained:
    """Return where the bytes of the pool are. Pure; whatever cannot be explained is named in ``missing``."""
    size, missing = known.number("size"), list(_not_read(known))
    rounded = known.origin.rounded
    used = _explain_used(known) if known.datasets is not None else None
    if size is None or not made.size_explained:
        return SizesExplained(used=used, missing=tuple(missing), rounded=rounded)
    version = made.design.version
    try:
        tops = tuple(_tops(made, known, version))
        printed = _printed(known, size)
        reserved = _reserved_unused(known)
        blocks = None if printed.used is None else printed.used - reserved
        available, allocated = _explain_both(tops, printed, blocks, version)
        freeing = just_freed(available, allocated)
        if freeing:
            available, allocated = _explain_both(tops, replace(printed, freeing=freeing), blocks, version)
        return SizesExplained(
            size=explain_size(tops, size, version),
            available=available,
            used=used,
            allocated=allocated,
            missing=tuple(missing),
            rounded=rounded,
        )
    except PoolwrightError as error:
        return SizesExplained(used=used, missing=(*missing, error.text), rounded=rounded)


def _explain_both(
    tops: tuple[ExistingTop, ...], printed: PrintedSizes, blocks: int | None, version: ZfsVersion
) -> tuple[SizeCascade | None, SizeCascade | None]:
    allocated = explain_allocated(tops, printed, blocks) if blocks is not None else None
    return explain_available(tops, printed, version), allocated


def _not_read(known: ExistingPool) -> Iterator[str]:
    """Yield what no tool was asked for, each with the command that tells it: no rule speaks of it."""
    if known.number("size") is None:
        yield tell("Sizes of the pool: zpool list -v -Hp -P")
    if known.value("failmode") is None:
        yield tell("Properties and features of the pool: zpool get -Hp all")
    if not any(vdev.ashift for vdev in known.vdevs):
        yield tell("Smallest blocks of the vdevs (ashift): zdb -C, as root")
    if known.datasets is None:
        yield tell("Sizes and properties of the datasets: zfs get -Hp -t filesystem,volume all")


def _printed(known: ExistingPool, size: int) -> PrintedSizes:
    root = _root(known)
    return PrintedSizes(
        size=size,
        allocated=known.number("allocated"),
        used=root.number("used") if root is not None else None,
        available=root.number("available") if root is not None else None,
        checkpoint=known.checkpoint_bytes or 0,
        cloned=known.number("bclonesaved") or 0,
        deduplicated=_deduplicated(known),
    )


def _deduplicated(known: ExistingPool) -> int | None:
    """Return what deduplication saves; None where it saves something and no property tells how much."""
    told = known.number("dedupsaved")
    return told if told is not None else 0 if known.value("dedupratio") in {None, "1.00x", "1.00"} else None


def _root(known: ExistingPool) -> ExistingDataset | None:
    return next((dataset for dataset in known.datasets or () if dataset.name == known.name), None)


def _tops(made: PoolDesign, known: ExistingPool, version: ZfsVersion) -> Iterator[ExistingTop]:
    for vdev, node in zip(made.design.vdevs, made.nodes, strict=True):
        if vdev.vdev_class not in NOT_IN_SIZE:
            yield _top(made, known, vdev, node, version)


def _top(made: PoolDesign, known: ExistingPool, vdev: Vdev, node: PoolNode, version: ZfsVersion) -> ExistingTop:
    spec, told = made.design.spec(vdev), known.vdev(node.name)
    disks = [made.design.disk(member.disk_key) for member in vdev.members]
    devices = [_device(made, vdev, number, known, node, version) for number in range(len(vdev.members))]
    leaves = [leaf_bytes(device) for device in devices]
    asize = told.asize_bytes if told is not None else None
    top = TopVdev(
        kind=spec.kind,
        width=spec.width,
        least_leaf_bytes=min(leaves),
        parity=spec.parity,
        vdev_class=spec.vdev_class,
        group_data=spec.group_data if spec.kind is VdevKind.DRAID else 0,
        spares=spec.draid_spares,
    )
    return ExistingTop(
        name=node.name,
        top=top,
        ashift=told.ashift if told is not None and told.ashift else made.design.ashift,
        disk_bytes=sum(disk.size_bytes or device for disk, device in zip(disks, devices, strict=True)),
        device_bytes=sum(devices),
        leaf_bytes=sum(leaves),
        born_width=spec.width - (told.expansions or 0 if told is not None else 0),
        asize=None if asize is None else asize,
        shift=told.metaslab_shift if told is not None else None,
        allocated_bytes=told.allocated_bytes if told is not None else None,
    )


def _device(made: PoolDesign, vdev: Vdev, number: int, known: ExistingPool, node: PoolNode, version: ZfsVersion) -> int:
    """Return the bytes that OpenZFS opens of a member: printed by `zpool list -v` since 2.2, else computed.

    What 2.2 and newer print of a leaf is the device without its labels where it is a vdev of its own.
    """
    seat = seats_of(node)[number]
    told = known.vdev(seat.name)
    member = vdev.members[number]
    disk = made.design.disk(member.disk_key)
    if told is not None and told.size_bytes and (node.children or not told.asize_bytes):
        return told.size_bytes
    if told is not None and told.asize_bytes and not node.children:
        return told.asize_bytes + FRONT_BYTES + BACK_BYTES
    if member.slice_bytes is not None:
        return member.slice_bytes
    whole = MemberKind.FILE if seat.kind == "file" else MemberKind.DISK
    return device_bytes(disk.size_bytes or 0, whole, disk.logical_sector_bytes or _SECTOR, version)


def _explain_used(known: ExistingPool) -> SizeCascade | None:
    """Return what USED of the root dataset is made of."""
    root = _root(known)
    used = root.number("used") if root is not None else None
    if used is None:
        return None
    datasets = known.datasets or ()
    parts = (
        ("data", tell("Data of the datasets"), "usedbydataset", tell("What the files and volumes hold now.")),
        ("snapshots", tell("Snapshots"), "usedbysnapshots", tell("What only snapshots still hold.")),
        (
            "refreservation",
            tell("Room kept for volumes"),
            "usedbyrefreservation",
            tell("What volumes and datasets may still write without asking (refreservation)."),
        ),
    )
    steps = [Step("start", tell("Nothing"), 0, 0, tell("An empty pool."))]
    total = 0
    for name, title, key, why in parts:
        amount = sum(dataset.number(key) or 0 for dataset in datasets)
        if amount:
            total += amount
            steps.append(Step(name, title, amount, total, why))
    reserved = _reservations(known)
    if reserved:
        total += reserved
        why = tell("Kept by `reservation` for a dataset and those below it, and not written yet.")
        steps.append(Step("reservation", tell("Reservations"), reserved, total, why))
    own = used - total
    if own:
        why = tell("The pool's own records, which belong to no dataset, and what is still being freed.")
        steps.append(Step("own", tell("The pool itself"), own, used, why))
    title = tell("USED of the root dataset")
    steps.append(Step("used", title, 0, used, tell("As it was printed.")))
    return SizeCascade(title=title, steps=tuple(steps), printed_bytes=used, rest_bytes=own)


def _reservations(known: ExistingPool) -> int:
    """Return what `reservation` keeps beyond what is used: each dataset charges its parent at least that much."""
    kept = 0
    for dataset in known.datasets or ():
        reservation = dataset.number("reservation") or 0
        # USED of a dataset does not count its own reservation: only its parent does.
        kept += max(0, reservation - (dataset.number("used") or 0))
    return kept


def _reserved_unused(known: ExistingPool) -> int:
    volumes = sum(dataset.number("usedbyrefreservation") or 0 for dataset in known.datasets or ())
    return volumes + _reservations(known)
