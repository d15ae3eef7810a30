"""Datasets of the design and of the pool: missing ones, those that are more, and the properties that differ."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from poolwright.changes.as_design import PoolDesign, PoolVdev, datasets_of
from poolwright.changes.growth.design import REWRITE_SINCE, GrownDesign, all_replaced, exchange_words, refill_hours
from poolwright.changes.improve.pool_change import state_of
from poolwright.changes.live_difference.values import LiveDifference, LiveWay, StepEffect, differs
from poolwright.domain.action import CreateDataset, Replace, SetProperty, set_on_pool
from poolwright.domain.dataset_properties import (
    OWN_SIZE,
    DatasetProperty,
    dataset_properties,
    is_user_property,
    meaning,
    space_bytes,
)
from poolwright.domain.design import Dataset, Design, Member, Setting
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Estimate
from poolwright.domain.inheritance import Effective, Resolver, SettingSource, all_datasets, effective_settings
from poolwright.domain.pool import ExistingDataset, ExistingPool
from poolwright.domain.pool_settings import OTHER_NAMES, effective_pool_settings
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass
from poolwright.domain.version import ZfsVersion
from poolwright.predict.number_words import band_text, hours_text
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.texts import N_, _

# How blocks are stored: what lies in the pool stays as it is. zfs rewrite leaves the length of blocks alone.
_STORED = frozenset({"compression", "checksum", "copies", "dedup", "special_small_blocks", "redundant_metadata"})
_LENGTH = frozenset({"recordsize", "dnodesize"})
_KEY = frozenset({"keyformat", "keylocation", "pbkdf2iters"})
_FIXED = {
    "encryption": N_(
        "Encryption is chosen when a dataset is made: make an encrypted one and zfs send the data into it, or copy."
    ),
    "volblocksize": N_(
        "The blocks of a volume are for good, also in zfs send. Make a new volume and copy the data with dd."
    ),
    **dict.fromkeys(_KEY, N_("The key is changed by a person: zfs change-key asks for the new one.")),
}
_AT_CREATION = N_("It is chosen when a dataset is made, and zfs send keeps it: make a new one and copy the files.")
_NEW_ONLY = N_("Only what is written from then on is stored so; volumes and older files stay as they are.")
_REWRITE = N_("Only what is written from then on is stored so; `zfs rewrite -r` writes older files anew in place.")
_COPY = N_(
    "Files keep the blocks they were written with: only a copy of them takes the new size, and a volume is made anew."
)
# Rules whose advice changes how blocks are stored, so that the old ones stay as they are.
_NEEDS_REWRITE = (
    "datasets.compression", "datasets.checksum", "checksum.", "records.copies", "records.redundant-metadata",
    "special.small-blocks-everything", "existing.expanded", "existing.dedup-in-vain", "existing.uneven-fill",
)  # fmt: skip
# Rules whose advice changes the size of blocks, which `zfs rewrite` leaves as it was.
_NEEDS_COPY = ("datasets.record", "records.large", "records.volume", "raidz.volumes")
_LENGTH_ONLY = N_(
    "Files that are there keep their block size, also through zfs rewrite: copy them, or receive them anew."
)


def dataset_changes(design: Design, known: ExistingPool, pool: str) -> Iterator[LiveDifference]:
    """Yield what differs, dataset by dataset, parents first.

    A value that a dataset inherits is changed where it comes from. Nothing where no datasets were read, or the design
    speaks of none.
    """
    if known.datasets is None or not design.datasets:
        return
    wanted = replace(design, pool_name=pool)
    listed = (one for one in known.datasets if one.kind in ("filesystem", "volume"))
    there = {one.name.removeprefix(pool).removeprefix("/"): one for one in listed}
    walker = _Walker(wanted, known, there)
    named = {dataset.name for dataset in all_datasets(wanted)}
    for dataset in all_datasets(wanted):
        found = there.get(dataset.name)
        if found is None:
            yield _missing(dataset, pool, known)
        elif (found.kind == "volume") is not (dataset.volume_bytes is not None):
            kind = "volume" if dataset.volume_bytes is not None else "filesystem"
            why_not = _("Neither becomes the other: rename this one, make the new one and copy the data.")
            yield differs(_full(pool, dataset.name), "dataset", found.kind, kind, why_not=why_not)
        else:
            yield from _size_change(dataset, found, pool)
            yield from walker.changes(dataset)
    for name, found in there.items():
        if name not in named:
            yield _more(name, found, pool)


def _full(pool: str, name: str) -> str:
    return f"{pool}/{name}" if name else pool


def _missing(dataset: Dataset, pool: str, known: ExistingPool) -> LiveDifference:
    full = _full(pool, dataset.name)
    wanted = _("volume") if dataset.volume_bytes is not None else _("filesystem")
    text = _("The dataset {dataset} is missing.", dataset=full)
    if known.datasets_told is not None and known.datasets_told > len(known.datasets or ()):
        why_not = _("Some datasets of the pool were left out when it was read: look whether it is there.")
        return differs(full, "dataset", "", wanted, text, why_not=why_not, way=LiveWay.UNKNOWN)
    action = CreateDataset(name=full, settings=dataset.settings, volume_bytes=dataset.volume_bytes)
    return differs(full, "dataset", "", wanted, text, action=action)


def _more(name: str, found: ExistingDataset, pool: str) -> LiveDifference:
    full, used = _full(pool, name), found.number("used")
    held = "" if used is None else _("It holds {size}.", size=binary(used))
    text = _("The dataset {dataset} is in the pool; the design does not have it.", dataset=full)
    mind = _("{held} No list destroys data: add it to the design, or destroy it by hand.", held=held).strip()
    return differs(full, "dataset", found.kind, "", text, mind=mind, way=LiveWay.LEFT)


def _size_change(dataset: Dataset, found: ExistingDataset, pool: str) -> Iterator[LiveDifference]:
    size, wanted = found.number(OWN_SIZE), dataset.volume_bytes
    if wanted is None or size is None or size == wanted:
        return
    full, sizes = _full(pool, dataset.name), (binary(size), binary(wanted))
    if wanted < size:
        mind = _("What lies behind the new end would be lost: shrink the file system in it first, by hand.")
        yield differs(full, OWN_SIZE, *sizes, mind=mind, way=LiveWay.LEFT)
    else:
        action = SetProperty(name=full, setting=Setting(name=OWN_SIZE, value=str(wanted)))
        yield differs(full, OWN_SIZE, *sizes, action=action)


class _Walker:
    """Goes through the datasets from the root down, with what was set above already taken as done."""

    def __init__(self, wanted: Design, known: ExistingPool, there: dict[str, ExistingDataset]) -> None:
        self._wanted = wanted
        self._there = there
        self._pool = wanted.pool_name
        self._properties = dataset_properties(wanted.version)
        self._live = {one.name: one for one in datasets_of(known)}

    def changes(self, dataset: Dataset) -> Iterator[LiveDifference]:
        here = self._live.get(dataset.name)
        if here is None:
            return
        live = replace(self._wanted, datasets=tuple(self._live.values()))
        resolver = Resolver(live)
        for value in effective_settings(self._wanted, dataset):
            if value.source is SettingSource.DEFAULT and value.rule_id is None:
                continue  # nobody set it here or above: whatever is there may stay, such as the ACLs of a share
            known = self._properties.get(value.name)
            found = self._found(resolver, here, value, known)
            if self._same(dataset, value, found):
                continue
            change = self._change(dataset, here, value, found, known)
            if change is not None:
                yield change
                if isinstance(change.action, SetProperty):
                    kept = tuple(setting for setting in here.settings if setting.name != value.name)
                    own = () if change.action.inherit else (change.action.setting,)
                    here = replace(here, settings=(*kept, *own))
        self._live[dataset.name] = here

    # Where nobody set anything anywhere, what the tools printed is surer than our table of defaults.
    def _found(self, resolver: Resolver, here: Dataset, value: Effective, known: DatasetProperty | None) -> Effective:
        if known is None:
            nowhere = Effective(name=value.name, value="", source=SettingSource.DEFAULT)
            return resolver.unknown(here, value.name) or nowhere
        found = resolver.effective(here, known)
        live = next((one for one in self._there[here.name].properties if one.name == known.name), None)
        printed = live.value if live is not None and live.source == "default" else None
        if found.source is SettingSource.DEFAULT and printed is not None and known.name != "mountpoint":
            return replace(found, value=printed)
        return found

    def _same(self, dataset: Dataset, wanted: Effective, found: Effective) -> bool:
        version = self._wanted.version
        name = wanted.name
        if meaning(name, found.value, version) == meaning(name, wanted.value, version):
            return True
        if name == "refreservation" and wanted.value == "auto" and dataset.volume_bytes is not None:
            reserved = space_bytes(found.value)
            return reserved is not None and reserved >= dataset.volume_bytes
        return name == "sharesmb" and wanted.value == "off" and found.value == "-"

    def _change(
        self, dataset: Dataset, here: Dataset, wanted: Effective, found: Effective, known: DatasetProperty | None
    ) -> LiveDifference | None:
        full, name = _full(self._pool, dataset.name), wanted.name
        fixed = known is not None and known.fixed
        if fixed and wanted.source is not SettingSource.LOCAL and found.source is not SettingSource.LOCAL:
            return None  # told where it begins
        if fixed or name in _KEY:
            why_not = _(_FIXED.get(name, _AT_CREATION))
            return differs(full, name, found.value, wanted.value, why_not=why_not)
        action, rewrite = _setting(full, here, wanted, known), self._rewrite(name)
        return differs(full, name, found.value, wanted.value, action=action, mind=wanted.reason, rewrite=rewrite)

    def _rewrite(self, name: str) -> str:
        if name in _LENGTH:
            return _(_LENGTH_ONLY)
        if name not in _STORED:
            return ""
        return _(_REWRITE if self._wanted.version >= REWRITE_SINCE else _NEW_ONLY)


def _setting(full: str, here: Dataset, wanted: Effective, known: DatasetProperty | None) -> SetProperty:
    inherits = known.inherits if known is not None else is_user_property(wanted.name)
    own = any(setting.name == wanted.name for setting in here.settings)
    inherit = wanted.source is SettingSource.INHERITED and inherits and own
    return SetProperty(name=full, setting=Setting(name=wanted.name, value=wanted.value), inherit=inherit)


# Disks that give way to others one after the other: how long each takes, what the vdev bears meanwhile, what grows.


def with_course(
    steps: Sequence[LiveDifference], tops: Sequence[PoolVdev], wanted: Design, made: PoolDesign, known: ExistingPool
) -> tuple[LiveDifference, ...]:
    """Return the steps, those that replace a disk with time, redundancy and room; the order is not touched.

    The old disk stays attached while the new one is filled, so a vdev bears all the time what it bore before. Of a
    disk that is not well nothing is told here: it is no part of anybody's plan that it stays.
    """
    course = _Course(tops, wanted, made, known)
    lasts = {one.place: number for number, one in enumerate(steps) if one.replaces}
    return tuple(
        course.told(one, last=lasts[one.place] == number) if one.replaces else one for number, one in enumerate(steps)
    )


class _Course:
    """Follows the steps: what has been replaced already, and the pool as it is then."""

    def __init__(self, tops: Sequence[PoolVdev], wanted: Design, made: PoolDesign, known: ExistingPool) -> None:
        self._tops = {top.name: top for top in tops}
        self._wanted, self._made, self._known = wanted, made, known
        self._sizes = {top.name: {seat.identity: seat.size for seat in top.seats} for top in tops}
        self._begun: set[str] = set()
        self._state: GrownDesign | None = None
        with suppress(PoolwrightError):
            self._state = state_of(made, known) if made.sizes_known else None

    def told(self, one: LiveDifference, *, last: bool) -> LiveDifference:
        top = self._tops.get(one.place)
        if not isinstance(one.action, Replace) or top is None or top.vdev.vdev_class not in HOLDS_THE_POOL:
            return one
        sizes = self._sizes[top.name]
        bears = self._bears(top)
        sizes.pop(one.action.old.identity, None)
        sizes[one.needs[0]] = self._size(one.action.new)
        grown = self._grown(top) if last else ""
        if one.broken:
            return replace(one, reason=" ".join(filter(None, (one.reason, grown))))
        hours = self._hours(top)
        time = _time(hours, told=all(seat.disk.media is not None for seat in top.seats))
        how = exchange_words(bears, first=top.name not in self._begun)
        self._begun.add(top.name)
        reason = " ".join(filter(None, (one.reason, how, time, grown)))
        return replace(one, reason=reason, effect=StepEffect(old=bears, hours=hours))

    def _size(self, new: Member) -> int | None:
        members = (member for vdev in self._wanted.vdevs for member in vdev.members)
        slices = (m.slice_bytes for m in members if (m.disk_key, m.part) == (new.disk_key, new.part))
        return next(slices) or self._wanted.disk(new.disk_key).size_bytes

    # A disk that was not well counts again once it has been replaced by an earlier step.
    def _bears(self, top: PoolVdev) -> int:
        there = self._sizes[top.name]
        missing = sum(not seat.well and seat.identity in there for seat in top.seats)
        return max(0, top.vdev.failures_survived - missing)

    def _hours(self, top: PoolVdev) -> Estimate | None:
        fill = self._known.number("capacity")
        disks = [seat.disk for seat in top.seats]
        if fill is None or top.vdev.vdev_class is not VdevClass.DATA:
            return None
        design = self._made.design
        how = rebuild_conditions(disks, fill_percent=min(fill, 100), ashift=design.ashift, version=design.version)
        try:
            return refill_hours(design.spec(top.vdev), how)
        except PoolwrightError:
            return None

    # A vdev grows with its last disk and not before, so the numbers are told there alone.
    def _grown(self, top: PoolVdev) -> str:
        sizes = [size for size in self._sizes[top.name].values() if size]
        if self._state is None or len(sizes) != len(top.seats):
            return ""
        before = self._state.pool.capacity()
        try:
            self._state = all_replaced(self._state, top.keys, min(sizes))
            after = self._state.pool.capacity()
        except PoolwrightError:
            return ""
        if after.pool_size_bytes <= before.pool_size_bytes:
            return ""
        words = {"vdev": top.name, "size": binary(after.pool_size_bytes), "usable": binary(after.available_bytes)}
        return _(
            "With it {vdev} grows, not before: `zpool list` shows SIZE {size} then, `zfs list` USED and AVAIL of "
            "{usable} ({decimal}) together.",
            decimal=decimal(after.available_bytes),
            **words,
        )


def _time(hours: Estimate | None, *, told: bool) -> str:
    if hours is None:
        return ""
    band = band_text(hours, hours_text)
    return _("The resilver takes {band}.", band=band) if told else _(
        "The resilver takes {band}, if these are hard disks.", band=band)  # fmt: skip


# Properties of the pool and of its datasets: what the design says and the pool has otherwise.

_FEATURE = "feature@"
_NONE = ("", "-", "none")


def pool_changes(design: Design, known: ExistingPool, pool: str) -> Iterator[LiveDifference]:
    """Yield what the design sets and the pool has otherwise; nothing where the pool's properties were not read."""
    if not known.properties:
        return
    printed = {one.name for one in known.properties}
    for setting in effective_pool_settings(design):
        name = OTHER_NAMES.get(setting.name, setting.name)
        found = known.value(name)
        # A design that says nothing of a property has nothing against what is there.
        if setting.source is SettingSource.DEFAULT or _same(name, found, setting.value):
            continue
        yield _change(name, found or "", setting.value, pool, reason=setting.reason, read=name in printed)


def _same(name: str, found: str | None, wanted: str) -> bool:
    if name.startswith(_FEATURE) and wanted == "enabled":
        return found in ("enabled", "active")
    return found == wanted or (found in (None, *_NONE) and wanted in _NONE)


def _change(name: str, found: str, wanted: str, pool: str, *, reason: str, read: bool) -> LiveDifference:
    why_not = ""
    if name.startswith(_FEATURE):
        why_not = _("A feature that is enabled once is enabled for good; only a new pool is without it.")
        why_not = why_not if wanted == "disabled" else ""
        reason = _("For good: an older OpenZFS, or a boot loader, may not read the pool any more.")
    elif name == "compatibility":
        reason = _("It keeps later `zpool upgrade` within the set; features that are enabled already stay.")
    action = set_on_pool(pool, name, wanted)
    return differs(pool, name, found if read else _("unknown"), wanted, action=action, why_not=why_not, mind=reason)


def rewrite_words(rule_id: str, version: ZfsVersion | None) -> str:
    """Return what the advice of a rule leaves as it is on the disks; empty where nothing."""
    if rule_id.startswith(_NEEDS_COPY):
        return _(_COPY)
    if not rule_id.startswith(_NEEDS_REWRITE):
        return ""
    return _(_REWRITE if version is not None and version >= REWRITE_SINCE else _NEW_ONLY)
