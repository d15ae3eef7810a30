"""“Where did the space go?”: the sizes that zpool and zfs print of a pool that exists, each explained step by step."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from poolwright.capacity import explained
from poolwright.capacity.device import BACK_BYTES, FRONT_BYTES, MemberKind, device_bytes
from poolwright.capacity.expansion import born_top
from poolwright.capacity.pool import PoolCapacity, predict_design
from poolwright.capacity.vdev import metaslab_shift
from poolwright.changes.as_design import IN_SIZE, PoolDesign, PoolSeat, PoolVdev
from poolwright.changes.growth.design import created_pool, grow
from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Finding
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.pool import ExistingDataset, ExistingPool, printed_number
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.domain.vdev import ALLOCATION_CLASSES, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.drives import DriveBook
from poolwright.predict.number_words import odds_text
from poolwright.predict.space import Promise, Promises, promises_of, volume_reservation
from poolwright.predict.throughput import rate_shares_when_full
from poolwright.texts import N_, _, capital

_SECTOR = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesExplained:
    """The cascades of one pool, as far as its sizes were read; ``missing`` says what has to be read for the others.

    ``rounded`` tells that sizes have three digits only, so that what is left unexplained is rounding.
    """

    size: explained.SizeCascade | None = None
    available: explained.SizeCascade | None = None
    used: explained.SizeCascade | None = None
    allocated: explained.SizeCascade | None = None
    missing: tuple[str, ...] = ()
    rounded: bool = False

    def cascades(self) -> tuple[explained.SizeCascade, ...]:
        return tuple(c for c in (self.size, self.available, self.used, self.allocated) if c is not None)


def explain_sizes(made: PoolDesign, known: ExistingPool) -> SizesExplained:
    """Return where the bytes of the pool are. Pure; whatever cannot be explained is named in ``missing``."""
    size, missing = known.number("size"), list(_not_read(known))
    rounded = known.origin.rounded
    used = _explain_used(known) if known.datasets is not None else None
    if size is None or made.design.assumed_sizes(*IN_SIZE):
        return SizesExplained(used=used, missing=tuple(missing), rounded=rounded)
    version = made.design.version
    try:
        counted = (top for top in made.tops if top.vdev.vdev_class in IN_SIZE)
        tops = tuple(_top(made, known, top, version) for top in counted)
        printed = _printed(known, size)
        volumes = sum(dataset.number("usedbyrefreservation") or 0 for dataset in known.datasets or ())
        blocks = None if printed.used is None else printed.used - volumes - _reservations(known)
        available, allocated = _explain_both(tops, printed, blocks, version)
        freeing = explained.just_freed(available, allocated)
        if freeing:
            available, allocated = _explain_both(tops, replace(printed, freeing=freeing), blocks, version)
        return SizesExplained(
            size=explained.explain_size(tops, size, version),
            available=available,
            used=used,
            allocated=allocated,
            missing=tuple(missing),
            rounded=rounded,
        )
    except PoolwrightError as error:
        return SizesExplained(used=used, missing=(*missing, error.text), rounded=rounded)


def _explain_both(
    tops: tuple[explained.ExistingTop, ...], printed: explained.PrintedSizes, blocks: int | None, version: ZfsVersion
) -> tuple[explained.SizeCascade | None, explained.SizeCascade | None]:
    allocated = explained.explain_allocated(tops, printed, blocks, version) if blocks is not None else None
    return explained.explain_available(tops, printed, version), allocated


# No rule speaks of what no tool was asked for, so the command that tells it is named here.
def _not_read(known: ExistingPool) -> Iterator[str]:
    if known.number("size") is None:
        yield "zpool list -v -Hp -P"
    if known.value("failmode") is None:
        yield "zpool get -Hp all"
    if not any(vdev.ashift for vdev in known.vdevs):
        yield "sudo zdb -C"  # for machines
    if known.datasets is None:
        yield "zfs get -Hp -t filesystem,volume all"


def _printed(known: ExistingPool, size: int) -> explained.PrintedSizes:
    root = known.root
    return explained.PrintedSizes(
        size=size,
        allocated=known.number("allocated"),
        used=known.used_bytes,
        available=root.number("available") if root is not None else None,
        checkpoint=known.checkpoint_bytes or 0,
        cloned=known.number("bclonesaved") or 0,
        deduplicated=_deduplicated(known),
    )


# Only the newest OpenZFS has a property of what deduplication saves; the ratio says at least that it does.
def _deduplicated(known: ExistingPool) -> int | None:
    saved = known.number("dedupsaved")
    return saved if saved is not None else 0 if known.value("dedupratio") in {None, "1.00x", "1.00"} else None


def _top(made: PoolDesign, known: ExistingPool, top: PoolVdev, version: ZfsVersion) -> explained.ExistingTop:
    spec, sizes = made.design.spec(top.vdev), known.vdev(top.node.name)
    devices = [_device(known, top, seat, version) for seat in top.seats]
    grown = born_top(spec, tuple(devices), top.vdev.members, version)
    if sizes is not None:
        asize = grown.asize if sizes.asize_bytes is None else sizes.asize_bytes
        shift = metaslab_shift(asize, version) if sizes.metaslab_shift is None else sizes.metaslab_shift
        grown = replace(grown, asize=asize, shift=shift, born_width=spec.width - (sizes.expansions or 0))
    return explained.ExistingTop(
        grown=grown,
        ashift=sizes.ashift if sizes is not None and sizes.ashift else made.design.ashift,
        disk_bytes=sum(seat.disk.size_bytes or size for seat, size in zip(top.seats, devices, strict=True)),
        allocated_bytes=sizes.allocated_bytes if sizes is not None else None,
    )


# The bytes that OpenZFS opens of a member: printed by `zpool list -v` since 2.2, else computed. What 2.2 and newer
# print of a leaf is the device without its labels where it is a vdev of its own.
def _device(known: ExistingPool, top: PoolVdev, seat: PoolSeat, version: ZfsVersion) -> int:
    sizes, disk = known.vdev(seat.node.name), seat.disk
    if sizes is not None and sizes.size_bytes and (top.node.children or not sizes.asize_bytes):
        return sizes.size_bytes
    if sizes is not None and sizes.asize_bytes and not top.node.children:
        return sizes.asize_bytes + FRONT_BYTES + BACK_BYTES
    if seat.member.slice_bytes is not None:
        return seat.member.slice_bytes
    whole = MemberKind.FILE if seat.node.kind == "file" else MemberKind.DISK
    return device_bytes(disk.size_bytes or 0, whole, disk.logical_sector_bytes or _SECTOR, version)


def _explain_used(known: ExistingPool) -> explained.SizeCascade | None:
    used = known.used_bytes
    if used is None:
        return None

    def held(key: str) -> int:
        return sum(dataset.number(key) or 0 for dataset in known.datasets or ())

    kept = _("Kept by `reservation` for a dataset and those below it, and not written yet.")
    parts = (
        ("data", _("Data of the datasets"), held("usedbydataset"), _("What the files and volumes hold now.")),
        ("snapshots", _("Snapshots"), held("usedbysnapshots"), _("What only snapshots still hold.")),
        ("refreservation", _("Room kept for volumes"), held("usedbyrefreservation"), _("What may still be written.")),
        ("reservation", _("Reservations"), _reservations(known), kept),
    )
    steps = [explained.Step("start", capital(_("nothing")), 0, 0, _("An empty pool."))]
    total = 0
    for name, title, amount, why in parts:
        if amount:
            total += amount
            steps.append(explained.Step(name, title, amount, total, why))
    own = used - total
    if own:
        why = _("The pool's own records, which belong to no dataset, and what is still being freed.")
        steps.append(explained.Step("own", _("The pool itself"), own, used, why))
    title = _("USED of the root dataset")
    steps.append(explained.Step("used", title, 0, used, _("As it was printed.")))
    return explained.SizeCascade(title=title, steps=tuple(steps), printed_bytes=used, rest_bytes=own)


def _reservations(known: ExistingPool) -> int:
    kept = 0
    for dataset in known.datasets or ():
        reservation = dataset.number("reservation") or 0
        # USED of a dataset does not count its own reservation: only its parent does.
        kept += max(0, reservation - (dataset.number("used") or 0))
    return kept


def existing_promises(made: PoolDesign | None, known: ExistingPool) -> Promises | None:
    """Return what volumes, quotas and reservations come to; None where not all datasets were read with their sizes."""
    datasets, root = known.datasets or (), known.root
    used, free = (None, None) if root is None else (root.number("used"), root.number("available"))
    if used is None or free is None or (known.datasets_told or 0) > len(datasets):
        return None
    capacity = None
    if made is not None and made.sizes_known:
        with suppress(PoolwrightError):
            capacity = predict_design(made.design)
    return promises_of((_promised(dataset, capacity) for dataset in datasets), used + free, free)


def _promised(dataset: ExistingDataset, capacity: PoolCapacity | None) -> Promise:
    counts = Counter({p.name: printed_number(p.value) or 0 for p in dataset.properties})
    size, block = counts["volsize"], counts["volblocksize"]
    if capacity is not None and size and block:
        size = volume_reservation(capacity, size, block)
    return Promise(
        name=dataset.name,
        volume=dataset.kind == "volume",
        used=counts["usedbydataset" if "usedbydataset" in counts else "referenced"],
        most=size if dataset.kind == "volume" else counts["refquota"],
        whole=counts["quota"],
        kept=counts["refreservation"],
        whole_kept=counts["reservation"],
        snapshots=counts["usedbysnapshots"],
    )


# How often a raidz vdev was expanded, where `zpool status` tells that it was and nobody asked `zdb -C` how often.

# What is left unexplained of USED + AVAIL where the width is the right one is far less, where it is not far more.
_MOST_REST = 0.01


def with_expansions(made: PoolDesign, known: ExistingPool) -> ExistingPool:
    """Return what is known with the number of expansions that explains USED + AVAIL best.

    It stays the one that is certain where no number explains them, or several vdevs were expanded.
    """
    unsure = [sizes for sizes in known.vdevs if sizes.expansions_at_least]
    if len(unsure) != 1:
        return known
    vdev = next((top.vdev for top in made.tops if top.node.name == unsure[0].name), None)
    if vdev is None or vdev.kind is not VdevKind.RAIDZ:
        return known
    found: list[tuple[int, ExistingPool]] = []
    for count in range(1, len(vdev.members) - vdev.parity):
        counted = replace(unsure[0], expansions=count, expansions_at_least=False)
        tried = replace(known, vdevs=tuple(counted if one is unsure[0] else one for one in known.vdevs))
        available = explain_sizes(made, tried).available
        if available is not None and abs(available.rest_bytes) <= available.printed_bytes * _MOST_REST:
            found.append((abs(available.rest_bytes), tried))
    return min(found, key=lambda each: each[0])[1] if found else known


# What a change to an existing pool would bring, as far as arithmetic and the models can tell.

_LONE_SUPPORT = ("redundancy.special-bare", "redundancy.special-weaker")
_NO_SPARE = ("spares.none-for-safety", "spares.too-few")
_NO_SIDE = ("redundancy.none-", "redundancy.bare-disk-beside")
_ONE_SIDE = ("redundancy.pair-for-safety", "redundancy.one-failure-of-few")
_ONE_PARITY = ("redundancy.one-failure-for-safety", "redundancy.single-parity-large")
_LEAST_CHANGE = 1.05  # less is within what the model can tell
_MODEL = Origin(kind=OriginKind.PREDICTED, source=N_("the risk model, this pool with and without the change"))
_COMPUTED = Origin(kind=OriginKind.COMPUTED, source=N_("computed from the sizes that were read"))
_AGED = Origin(kind=OriginKind.PREDICTED, source="fill_level.csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGain:
    text: str
    origin: Origin


def gains_of(
    findings: Sequence[Finding], made: PoolDesign, known: ExistingPool, drives: DriveBook | None, today: date
) -> Iterator[tuple[str, ChangeGain]]:
    rules = {finding.rule_id for finding in findings}
    gains: list[tuple[str, ChangeGain | None]] = [(one.rule_id, _gain(one)) for one in findings if one.gain]
    own = {
        "existing.full": _to_free, "existing.nearly-full": _to_free, "existing.expanded": _written_anew,
        "existing.uneven-fill": _evened,
    }  # fmt: skip
    gains += [(rule, own[rule](made, known)) for rule in sorted(rules & own.keys())]
    gains += [(one.rule_id, _stored(one)) for one in findings if one.rule_id == "datasets.record-wasteful"]
    if drives is not None and made.sizes_known:
        fronts = (*_LONE_SUPPORT, *_NO_SPARE, *_NO_SIDE, *_ONE_SIDE, *_ONE_PARITY)
        safer = sorted(rule for rule in rules if rule.startswith(fronts))
        gains += [(rule, _safer(rule, made.design, drives, today)) for rule in safer]
    return ((rule, gain) for rule, gain in gains if gain is not None)


def _gain(finding: Finding) -> ChangeGain:
    table = next((source.ref for source in finding.sources if source.kind == "table"), None)
    origin = _COMPUTED if table is None else Origin(kind=OriginKind.MEASURED, source=table)
    return ChangeGain(text=finding.gain, origin=origin)


def _to_free(made: PoolDesign, known: ExistingPool) -> ChangeGain | None:
    size, used = known.number("size"), known.number("allocated")
    if not size or used is None:
        return None
    over, room = used - size * PLAN_FILL_PERCENT // 100, used * 100 // PLAN_FILL_PERCENT - size
    if over <= 0:
        return None
    words = {"over": binary(over), "room": binary(room), "percent": PLAN_FILL_PERCENT}
    text = _("With {over} freed, or vdevs of {room} more, it is at {percent} %.", **words)
    fill = known.fill_percent
    data = (m for v in made.design.vdevs if v.vdev_class is VdevClass.DATA for m in v.members)
    if fill is None or any(made.design.disk(member.disk_key).media is not Media.HDD for member in data):
        return ChangeGain(text=text, origin=_COMPUTED)
    kept = (rate_shares_when_full(Media.HDD, percent, aged=True) for percent in (PLAN_FILL_PERCENT, fill))
    read, write = (then / now for then, now in zip(*kept, strict=True))
    speed = _("Sequential reads are then about {read:.1f}, writes {write:.1f} times as fast.", read=read, write=write)
    return ChangeGain(text=f"{text} {speed}", origin=_AGED)


# New blocks are dealt to the vdevs by what is free on each, so the emptiest takes most of them and sets the pace.
def _evened(made: PoolDesign, known: ExistingPool) -> ChangeGain | None:
    of_data = [top.node.name for top in made.tops if top.vdev.vdev_class is VdevClass.DATA]
    free = [s.free_bytes for name in of_data if (s := known.vdev(name)) is not None and s.free_bytes is not None]
    if len(free) < len(of_data) or not sum(free):
        return None
    share = max(free) / sum(free)
    text = _(
        "Now about {percent:.0f} % of what is written goes to one of {count} vdevs; evened out, sequential writes are "
        "up to {factor:.1f} times as fast.", percent=100 * share, count=len(free), factor=share * len(free),
    )  # fmt: skip
    return ChangeGain(text=text, origin=_COMPUTED)


# After an expansion old data keep the parity of the narrower vdev until they are written anew.
def _written_anew(made: PoolDesign, known: ExistingPool) -> ChangeGain | None:
    freed = Fraction(0)
    for top in made.tops:
        sizes = known.vdev(top.node.name)
        width, parity = len(top.seats), top.vdev.parity
        born = width - (sizes.expansions or 0 if sizes is not None else 0)
        if sizes is not None and sizes.allocated_bytes and parity < born < width:
            # Raw bytes for each byte of data: width / (width - parity).
            freed += sizes.allocated_bytes * (1 - Fraction(width * (born - parity), born * (width - parity)))
    if freed < 1:
        return None
    text = _("Written anew, what was stored before the expansion takes up to {room} less.", room=binary(int(freed)))
    return ChangeGain(text=text, origin=_COMPUTED)


def _stored(finding: Finding) -> ChangeGain | None:
    facts = {fact.name: fact.value for fact in finding.facts}
    stored, nominal = facts.get("dataset.stored_percent"), facts.get("dataset.nominal_percent")
    if not isinstance(stored, int) or not isinstance(nominal, int) or not 0 < stored < nominal:
        return None
    text = _(
        "With larger blocks the same data take down to {percent} % of the space.", percent=round(100 * stored / nominal)
    )
    return ChangeGain(text=text, origin=_COMPUTED)


# The pool with each special and dedup vdev mirrored as often as the data bear failures, with a further side for each
# data vdev that has none or one, with a disk of parity more in place of one of data, or with a spare for any disk.
def _changed(rule: str, design: Design) -> Design | None:
    if rule.startswith(_ONE_PARITY):
        more = [v.kind is VdevKind.RAIDZ and v.parity == 1 and len(v.members) > 3 for v in design.vdevs]
        vdevs = [replace(v, parity=2) if may else v for v, may in zip(design.vdevs, more, strict=True)]
        return replace(design, vdevs=tuple(vdevs)) if any(more) else None
    data = [v for v in design.vdevs if v.vdev_class is VdevClass.DATA]
    state = created_pool(design)
    steps: list[GrowthStep] = []
    if not rule.startswith(_NO_SPARE):
        support = rule in _LONE_SUPPORT
        bears = (
            min((v.failures_survived for v in data), default=0) if support else 1 if rule.startswith(_NO_SIDE) else 2
        )
        for n, vdev in enumerate(state.tops):
            of = ALLOCATION_CLASSES if support else {VdevClass.DATA}
            if vdev is None or vdev.vdev_class not in of or vdev.parity:
                continue
            size = design.disk(vdev.members[0].disk_key).size_bytes
            side = GrowthStep(kind=GrowthKind.ATTACH, top=n, size_bytes=size)
            steps += [side] * (bears - vdev.failures_survived)
    elif data:
        largest = max(design.disk(m.disk_key).size_bytes or 0 for v in data for m in v.members)
        spare = VdevSpec(kind=VdevKind.STRIPE, sizes=(largest,), vdev_class=VdevClass.SPARE)
        steps.append(GrowthStep(kind=GrowthKind.ADD, vdev=spare))
    for number, step in enumerate(steps, 1):
        state = grow(state, step, number)
    return state.design if steps else None


# A smaller change than the model can tell is no gain to speak of.
def _safer(rule: str, now: Design, drives: DriveBook, today: date) -> ChangeGain | None:
    try:
        then = _changed(rule, now)
        before, after = (_risk(design, drives, today) for design in (now, then or now))
    except PoolwrightError:
        return None
    if before is None or after is None or after <= 0 or before / after < _LEAST_CHANGE:
        return None
    words = {"before": odds_text(before), "after": odds_text(after)}
    return ChangeGain(
        text=_("The risk of losing the pool per year falls from {before} to {after}.", **words), origin=_MODEL
    )


def _risk(design: Design, drives: DriveBook, today: date) -> float | None:
    expected = evaluate(design, drives=drives, today=today).main.expected
    return None if expected is None else expected.risk.probability
