"""What the options of `poolwright risk` say of failing disks and rebuilds, and what a machine tells of its vdevs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan

from poolwright.cli.batch import flag
from poolwright.cli.machine import DATA, SUPPORT, asked_design, disks_of, machine_of
from poolwright.cli.numbers import shown
from poolwright.design.amounts import parse_hours
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.vdev import Layout, VdevClass, VdevKind
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.drives import FailureRate, OtherCauses, typed_rate
from poolwright.predict.rebuild import RebuildConditions
from poolwright.predict.risk_conditions import (
    BATCH_CORRELATION,
    MemberConditions,
    RiskConditions,
    design_conditions,
    mean_rate,
    rebuild_conditions,
)
from poolwright.texts import tell

NUMBERS = (
    "afr", "support-afr", "rebuild-hours", "replace-hours", "correlation", "read-error-rate", "fill", "load",
)  # fmt: skip
_OF_DISKS = frozenset((
    "afr", "model", "support-afr", "support-model", "media", "disk-write", "recordsize", "load", "zfs",
))  # fmt: skip
_TIMES, _SHARES = ("rebuild-hours", "replace-hours"), ("afr", "support-afr", "fill", "load")


def conditions_of(options: Mapping[str, object], layout: Layout) -> RiskConditions:
    """Return the conditions that options of this command say, for ``layout``; raises UserError."""
    design = asked_design(options)
    if design is not None and not set(options) & _OF_DISKS:
        return _conditions_of_design(design, options)
    machine = machine_of(options)
    disks = () if machine is None else disks_of(machine, layout)
    support = () if machine is None else disks_of(machine, layout, SUPPORT)
    numbers = {name: _number(options, name) for name in NUMBERS}
    batch = BATCH_CORRELATION if options.get("same-batch") else 1.0
    afr, model = numbers["afr"], options.get("model")
    record, fill, load = options.get("recordsize"), numbers["fill"], numbers["load"]

    def rebuild(disks: Sequence[Disk]) -> RebuildConditions:
        found = rebuild_conditions(disks, version=_version(options, machine))
        media = str(options.get("media", found.media.value))
        if media not in list(Media):
            raise UserError(tell("Media “{media}” are not known", media=media), todo=tell("Write hdd, ssd or nvme."))
        return replace(
            found,
            media=Media(media),
            write_bytes_per_second=_rate(options.get("disk-write")),
            fill_percent=found.fill_percent if fill is None else fill,
            load_percent=found.load_percent if load is None else load,
            record_bytes=found.record_bytes if record is None else units.parse_record_size(str(record)),
        )

    made = RiskConditions(
        drive=_drive(afr, model, disks),
        support_drive=_support_drive(numbers, options, support),
        rebuild=rebuild(disks),
        rebuild_hours=numbers["rebuild-hours"],
        replace_hours=numbers["replace-hours"],
        spares=None if options.get("spares") is None else flag(options, "spares", 0),
        correlation=batch if numbers["correlation"] is None else numbers["correlation"],
        read_errors_per_bit=numbers["read-error-rate"],
        causes=_causes(),
    )

    def of_data(disks: Sequence[Disk]) -> MemberConditions:
        return MemberConditions(drive=_drive(afr, model, disks), rebuild=rebuild(disks))

    def of_support(disks: Sequence[Disk]) -> MemberConditions:
        drive = _support_drive(numbers, options, disks) or made.drive
        return MemberConditions(drive=drive, rebuild=made.support_rebuild)

    data, beside = _by_vdev(machine, layout, DATA, of_data), _by_vdev(machine, layout, SUPPORT, of_support)
    return replace(made, of_data=data, of_support=beside)


def _conditions_of_design(design: Design, options: Mapping[str, object]) -> RiskConditions:
    """Return the conditions of a design, as its report has them, with what options say of rebuilds."""
    from poolwright.drive_library import load_drive_book

    fill = _number(options, "fill")
    book = load_drive_book()
    known = design_conditions(design, book) if fill is None else design_conditions(design, book, fill_percent=fill)
    batch = BATCH_CORRELATION if options.get("same-batch") else known.correlation
    correlation, errors = _number(options, "correlation"), _number(options, "read-error-rate")
    replaced = _number(options, "replace-hours")
    return replace(
        known,
        rebuild_hours=_number(options, "rebuild-hours"),
        replace_hours=known.replace_hours if replaced is None else replaced,
        spares=None if options.get("spares") is None else flag(options, "spares", 0),
        correlation=batch if correlation is None else correlation,
        read_errors_per_bit=known.read_errors_per_bit if errors is None else errors,
    )


def _by_vdev(
    machine: Inventory | None,
    layout: Layout,
    classes: frozenset[VdevClass],
    found: Callable[[Sequence[Disk]], MemberConditions],
) -> tuple[MemberConditions, ...]:
    """Return the conditions of each top-level vdev of these classes, of the machine's disks of its sizes.

    None where all of them are alike, or no machine is known.
    """
    if machine is None:
        return ()
    tops = [
        replace(spec, sizes=tuple(sorted(set(sizes))))
        for spec in layout
        if spec.vdev_class in classes
        for sizes in ([(size,) for size in spec.sizes] if spec.kind is VdevKind.STRIPE else [spec.sizes])
    ]
    known = {top.sizes: found(disks_of(machine, (top,), classes)) for top in {top.sizes: top for top in tops}.values()}
    return tuple(known[top.sizes] for top in tops) if len(set(known.values())) > 1 else ()


def _causes() -> OtherCauses:
    from poolwright.drive_library import load_drive_book

    return load_drive_book().causes


def _version(options: Mapping[str, object], machine: Inventory | None) -> ZfsVersion:
    """Return the version that was told, else that of the machine, else the default."""
    if options.get("zfs") is not None:
        return ZfsVersion.parse(str(options["zfs"]))
    try:
        return ZfsVersion.parse((machine.host.zfs_version if machine else None) or "")
    except UserError:
        return DEFAULT_VERSION


# The rate may be higher in a simulation, no drive's is.
MOST_AFR_PERCENT = 100


def _drive(afr: float | None, model: object, disks: Sequence[Disk]) -> FailureRate:
    """Return what was told, or the rate of the model, or of the machine's disks, or of the fleet."""
    from poolwright.drive_library import load_drive_book

    if afr is not None and afr > MOST_AFR_PERCENT:
        raise UserError(
            tell("A failure rate of {afr:g} % a year is not possible", afr=afr),
            todo=tell("Give 0 to {most}: how many of a hundred disks fail in a year.", most=MOST_AFR_PERCENT),
        )
    if afr is not None:
        return typed_rate(afr)
    return mean_rate(disks, load_drive_book()) if model is None else load_drive_book().rate(str(model))


def _support_drive(
    numbers: Mapping[str, float | None], options: Mapping[str, object], disks: Sequence[Disk]
) -> FailureRate | None:
    """Return the rate of special and dedup vdevs: --afr holds for all disks, --model only for those of the data."""
    if numbers["support-afr"] is not None or options.get("support-model") is not None:
        return _drive(numbers["support-afr"], options.get("support-model"), ())
    return None if numbers["afr"] is not None else _drive(None, None, disks)


def _rate(value: object) -> float | None:
    """Return a rate in bytes/s; a number of JSON is that already."""
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return parse_disk_rate(f"{value} B/s" if number else str(value))


def _number(options: Mapping[str, object], name: str) -> float | None:
    value = options.get(name)
    if value is None:
        return None
    if isinstance(value, str) and value.strip()[-1:].isalpha() and name in _TIMES:
        return parse_hours(value, zero=True)
    text = str(value).strip().removesuffix("%") if name in _SHARES else str(value)
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise UserError(
            tell("“{text}” does not fit --{name}", text=shown(text), name=name),
            todo=tell("Write a number such as 1.5."),
        )
    return number
