"""From disks and designs to what risk and cost depend on: rates by model, media, recording, prices."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media, slowest
from poolwright.domain.money import Money
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import ALLOCATION_CLASSES, VdevClass, VdevKind
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.cost import DiskGroupCost, exactly
from poolwright.predict.drives import PRICE_MONTH, DriveBook, FailureRate, measured_rates, typed_rate
from poolwright.predict.rebuild import DEFAULT_ASHIFT, RebuildConditions, scan_is_sorted
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions
from poolwright.texts import tell


def mean_rate(disks: Sequence[Disk], book: DriveBook) -> FailureRate:
    """Return the mean failure rate of disks, each by its model; the fleet's for no disks at all."""
    # Thousands of disks are of a few models.
    known = {(disk.model, disk.afr_percent): disk for disk in disks}
    of = {kind: rate_of(disk, book) for kind, disk in known.items()}
    return mean_of([of[disk.model, disk.afr_percent] for disk in disks] or [book.fleet])


def mean_of(rates: Sequence[FailureRate]) -> FailureRate:
    models = dict.fromkeys(rates)
    if len(models) == 1:
        return rates[0]
    origin = Origin(
        kind=OriginKind.COMPUTED,
        source=tell(
            "mean of {count} disks: {origins}", count=len(rates), origins="; ".join(str(r.origin) for r in models)
        ),
    )
    count = len(rates)
    return FailureRate(
        low=sum(r.low for r in rates) / count,
        typical=sum(r.typical for r in rates) / count,
        high=sum(r.high for r in rates) / count,
        origin=origin,
    )


def rate_of(disk: Disk, book: DriveBook) -> FailureRate:
    """Return the failure rate of a disk: the one entered in the catalogue it came from, else that of its model."""
    return book.rate(disk.model) if disk.afr_percent is None else typed_rate(disk.afr_percent)


def rebuild_conditions(
    disks: Sequence[Disk],
    *,
    fill_percent: float = PLAN_FILL_PERCENT,
    ashift: int = DEFAULT_ASHIFT,
    version: ZfsVersion = DEFAULT_VERSION,
) -> RebuildConditions:
    """Return how disks are rebuilt: the slowest media among them counts, and one SMR disk for all.

    Unknown media count as hard disks, unknown recording as conventional.
    """
    media = slowest({disk.media for disk in disks}) or Media.HDD
    smr = True if any(disk.smr for disk in disks) else None
    read, write = measured_rates(disks)
    return RebuildConditions(
        media=media,
        smr=smr,
        read_bytes_per_second=read,
        write_bytes_per_second=write,
        fill_percent=fill_percent,
        ashift=ashift,
        sorted_scan=scan_is_sorted(version),
    )


def design_conditions(design: Design, book: DriveBook, *, fill_percent: float = PLAN_FILL_PERCENT) -> RiskConditions:
    """Return the conditions of a design: the disks of its data vdevs, and of its special and dedup vdevs.

    Vdevs of unlike disks each have those of their own members.
    """
    data, support = _tops(design, (VdevClass.DATA,)), _tops(design, ALLOCATION_CLASSES)

    def rebuild(disks: Sequence[Disk]) -> RebuildConditions:
        return rebuild_conditions(disks, fill_percent=fill_percent, ashift=design.ashift, version=design.version)

    everything, beside = [d for own in data for d in own], [d for own in support for d in own]
    return RiskConditions(
        drive=mean_rate(everything, book),
        support_drive=mean_rate(beside, book) if beside else None,
        rebuild=rebuild(everything),
        support_rebuild=rebuild(beside) if beside else RebuildConditions(media=Media.SSD),
        causes=book.causes,
        of_data=member_conditions(data, book, rebuild),
        of_support=member_conditions(support, book, rebuild),
    )


def member_conditions(
    tops: Iterable[Sequence[Disk]], book: DriveBook, rebuild: Callable[[Sequence[Disk]], RebuildConditions]
) -> tuple[MemberConditions, ...]:
    """Return the conditions of top-level vdevs of these disks, in order; none where all of them are alike."""
    # Thousands of vdevs are of a few kinds of disks.
    known: dict[tuple[object, ...], MemberConditions] = {}
    found = []
    for disks in tops:
        kinds = tuple(map(sort_of, disks))
        key = kinds if len(set(kinds)) > 1 else kinds[:1]
        if key not in known:
            known[key] = MemberConditions(drive=mean_rate(disks, book), rebuild=rebuild(disks))
        found.append(known[key])
    return tuple(found) if len(set(known.values())) > 1 else ()


def sort_of(disk: Disk) -> tuple[object, ...]:
    """Return what two disks share that fail and are rebuilt alike."""
    return (
        disk.model, disk.afr_percent, disk.media, disk.smr, disk.read_bytes_per_second, disk.write_bytes_per_second,
    )  # fmt: skip


def _tops(design: Design, classes: Iterable[VdevClass]) -> list[list[Disk]]:
    """Return the disks of each top-level vdev of these classes, in order."""
    found = []
    for vdev in design.vdevs:
        if vdev.vdev_class in classes:
            disks = [design.disk(member.disk_key) for member in vdev.members]
            found += [[disk] for disk in disks] if vdev.kind is VdevKind.STRIPE else [disks]
    return found


def cost_groups(
    disks: Sequence[Disk], book: DriveBook, *, price_per_disk: Money | None = None, price_on: str = ""
) -> tuple[DiskGroupCost, ...]:
    """Return disks grouped by model for `pool_cost`.

    A price of the disk itself (from a catalogue) comes first, then ``price_per_disk``, which a person said on
    ``price_on`` one disk costs; otherwise the table's old street price in USD counts where it knows the model, and the
    price is unknown where it does not. Beside disks that are to be bought from a catalogue those that are there
    already cost nothing.
    """
    groups: dict[tuple[object, ...], list[Disk]] = {}
    for disk in disks:
        told = disk.origin_of("price")
        key = (disk.model, disk.size_bytes, disk.media, disk.price, told, disk.planned, disk.watts, disk.afr_percent)
        groups.setdefault(key, []).append(disk)
    buying = any(disk.planned and disk.price is not None for disk in disks)
    typed = None if price_per_disk is None else (price_per_disk, price_on or None)
    found = (_group(alike, book, typed) for alike in groups.values())
    known = zip(found, groups.values(), strict=True)
    return tuple(
        replace(group, at_hand=buying and not alike[0].planned and alike[0].price is None) for group, alike in known
    )


def _group(disks: Sequence[Disk], book: DriveBook, typed: tuple[Money, str | None] | None) -> DiskGroupCost:
    first = disks[0]
    price, origin = _price(first, book, typed)
    return DiskGroupCost(
        count=len(disks),
        model=first.model,
        size_bytes=first.size_bytes,
        media=first.media or Media.HDD,
        drive=rate_of(first, book),
        price=price,
        price_origin=origin,
        watts=None if first.watts is None else exactly(first.watts),
    )


def _price(disk: Disk, book: DriveBook, typed: tuple[Money, str | None] | None) -> tuple[Money | None, Origin | None]:
    if disk.price is not None:
        origin = disk.origin_of("price") or Origin(kind=OriginKind.TYPED, source=tell("price of the catalogue"))
        return disk.price, origin
    if typed is not None:
        return typed[0], Origin(kind=OriginKind.TYPED, source=tell("price entered"), when=typed[1])
    price = book.price(disk.model)
    street = Origin(
        kind=OriginKind.MEASURED, source=tell("old street price of {model}", model=disk.model), when=PRICE_MONTH
    )
    return price, None if price is None else street
