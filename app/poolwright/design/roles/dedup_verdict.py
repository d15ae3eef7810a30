"""Whether to deduplicate at all: what it saves, the RAM that its table takes, and what is left of the write rate.

The vdev that may hold the table is another question, asked where deduplication is worth it. Rates: the thesis (chapter
5.4) measured 300 of 3700 MiB/s at a factor of 1.5 and a third at 11; between them the share follows a power of the
factor. Nobody published such rates for fast dedup (OpenZFS 2.3): its band reaches from there to no loss, its typical
value is their mean by proportion. Where the table does not fit into RAM, each new block waits for a random read of it.
"""

import math
from dataclasses import dataclass, replace

from poolwright.capacity.pool import predict_pool
from poolwright.design.roles import verdicts
from poolwright.design.roles.cache import arc_bytes
from poolwright.design.support import Role
from poolwright.domain.block_counts import DedupCount
from poolwright.domain.disk import FLASH_MEDIA, Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import rate_text
from poolwright.domain.units import DEFAULT_RECORD_BYTES, TB
from poolwright.domain.version import ZfsVersion
from poolwright.predict.groups import groups_of, times
from poolwright.predict.speed import predict_groups
from poolwright.rules.presets import has_trait
from poolwright.texts import N_, _, numeral, sentence

FAST_SINCE = ZfsVersion(2, 3, 0)
# The same value as in rules/limits.toml: OpenZFS advises dedup from a simulated factor of 2.
LEAST_FACTOR = 2.0
_THESIS_RAM_PER_TB = 5_000_000_000  # rules/tables/dedup.csv
# rules/tables/dedup.csv: factor and share of the write rate that was left.
_LOW_FACTOR, _LOW_SHARE = 1.5, 300 / 3700
_HIGH_FACTOR, _HIGH_SHARE = 11.0, 1 / 3
_POWER = math.log(_HIGH_SHARE / _LOW_SHARE) / math.log(_HIGH_FACTOR / _LOW_FACTOR)
# Up to this share of the ARC the table lives in RAM; beyond the other it leaves too little for anything else, whatever
# flash holds it.
_ARC_SHARE, _MOST_ARC_SHARE_ON_FLASH = 0.25, 0.5
# What the older table has to save before its price on hard disks is paid.
_OLD_FACTOR = 5.0
# A dedup vdev that is full puts the table on the data vdevs; ZAP blocks are half empty after splits.
_SPARE_ROOM = 1.5

# How large a dedup table is: entries times the size of one, on disk and in RAM, low, typical and high.

_LEGACY = (
    (250.0, 320.0, 494.0),
    (150.0, 320.0, 448.0),
    N_(
        "320 bytes in RAM for an entry (OpenZFS documentation; 144 to 448 seen), 320 on disk (250 in a new pool "
        "on 2.3.2, 494 in aged ones)"
    ),
)
_FAST = (
    (330.0, 400.0, 450.0),
    (185.0, 240.0, 315.0),
    N_("entries of fast dedup measured on OpenZFS 2.3.2: 400 bytes on disk with all copies, 240 in RAM"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    entries: Estimate
    disk: Estimate
    core: Estimate


def table_of(*, logical_bytes: float, block_bytes: int, factor: float, version: ZfsVersion) -> TableSize:
    """Return the table of ``logical_bytes`` in blocks of ``block_bytes`` that occur ``factor`` times on average.

    Low has a tenth fewer entries, high twice as many: the last block of a file and small files make blocks smaller.
    """
    entries = logical_bytes / block_bytes / max(1.0, factor)
    return _table((entries * 0.9, entries, entries * 2), version, _("logical bytes / block size / duplicates"))


def table_counted(count: DedupCount, version: ZfsVersion, *, scale: float = 1.0) -> TableSize:
    """Return the table of a pool that zdb counted, ``scale`` times its data."""
    entries = count.allocated.blocks * scale
    return _table((entries * 0.9, entries, entries * 1.1), version, _("blocks that zdb counted"))


def _table(entries: tuple[float, float, float], version: ZfsVersion, how: str) -> TableSize:
    disk, core, origin = _FAST if version >= FAST_SINCE else _LEGACY
    limit, source = _("unique blocks"), f"{how}; {_(origin)}"

    def of(each: tuple[float, float, float]) -> Estimate:
        return verdicts.estimate([n * s for n, s in zip(entries, each, strict=True)], limit=limit, source=source)

    return TableSize(entries=verdicts.estimate(entries, limit=limit, source=how), disk=of(disk), core=of(core))


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupVerdict:
    """Whether deduplication is worth its price: HELPS is worth it.

    ``arc_share`` is the share of the ARC that the table takes, 0 to 1 and beyond; ``writes`` what becomes of the
    sequential writes; ``saved_bytes`` the data that would not be stored. None where it cannot be told.
    """

    verdict: verdicts.Verdict
    because: tuple[str, ...]
    factor: float | None = None
    table: TableSize | None = None
    arc_share: float | None = None
    saved_bytes: float | None = None
    writes: verdicts.Gain | None = None
    missing: tuple[str, ...] = ()


def judge_dedup(setting: verdicts.RoleSetting) -> verdicts.RoleJudgement:
    """Return whether a vdev for the table helps: never where deduplication itself is not worth its price."""
    itself = judge_deduplication(setting)
    found = verdicts.RoleJudgement(
        role=Role.DEDUP,
        verdict=itself.verdict,
        because=itself.because[:1],
        least_redundancy=setting.redundancy,
        wished_redundancy=setting.redundancy,
        risks=(_("Its loss is the loss of the pool: it must survive as many failures as the data vdevs."),),
        missing=itself.missing,
    )
    if itself.verdict is not verdicts.Verdict.HELPS or itself.factor is None:
        return found
    data, table, share = _asked(setting, itself.factor)
    words = _(
        "{data} written {factor:g} times over make {entries} entries: a table of {disk} on disk and {core} in RAM (the "
        "rule of 5 GB a TB says {rule}).",
        data=verdicts.size(data),
        factor=itself.factor,
        entries=numeral(table.entries.typical, ",.0f"),
        disk=verdicts.size(table.disk.typical),
        core=verdicts.size(table.core.typical),
        rule=verdicts.size(data / itself.factor / TB * _THESIS_RAM_PER_TB),
    )
    verdict, reasons = _of_vdev(setting, share or 0.0)
    return replace(found, verdict=verdict, because=(words, *reasons), size=times(table.disk, _SPARE_ROOM))


def _of_vdev(setting: verdicts.RoleSetting, share: float) -> tuple[verdicts.Verdict, tuple[str, ...]]:
    if share <= _ARC_SHARE:
        fits = _("It fits into RAM with {share} of the ARC.", share=verdicts.percent(share))
        return verdicts.Verdict.DOES_NOT_HELP, (fits,)
    if setting.data_media in FLASH_MEDIA:
        return verdicts.Verdict.DOES_NOT_HELP, (_(verdicts.ON_FLASH),)
    takes = _(
        "It takes {share} of the ARC: what does not fit is read from hard disks for every write.",
        share=verdicts.percent(share),
    )
    apart = _("A special vdev holds the table as well (zfs_ddt_data_is_special); a dedup vdev keeps the two apart.")
    return verdicts.Verdict.HELPS, (takes, apart)


def judge_deduplication(setting: verdicts.RoleSetting) -> DedupVerdict:
    factor = dedup_factor(setting)
    if factor is None:
        off = _(
            "Leave it off: no duplicates are known. It may pay where zdb -S counts {least_factor:g} or more.",
            least_factor=LEAST_FACTOR,
        )
        return DedupVerdict(verdict=verdicts.Verdict.DOES_NOT_HELP, because=(off,))
    data, table, share = _asked(setting, factor)
    writes = _writes(setting, factor, data / max(1.0, table.entries.typical * factor), share)
    verdict, reason = _verdict(setting, factor, share)
    saved = data * (1 - 1 / factor)
    saving = _(
        "It would save {saved} of {data}; the table has {core} in RAM ({share} of the ARC) and {disk} on disk.",
        saved=verdicts.size(saved),
        data=verdicts.size(data),
        core=verdicts.size(table.core.typical),
        share=_("unknown") if share is None else verdicts.percent(share),
        disk=verdicts.size(table.disk.typical),
    )
    left = _(
        "Sequential writes would fall from {before} to {after} ({low} to {high}).",
        before=rate_text(writes.before.typical),
        after=rate_text(writes.after.typical),
        low=rate_text(writes.after.low),
        high=rate_text(writes.after.high),
    )
    return DedupVerdict(
        verdict=verdict,
        because=(reason, *_counted_words(setting.choices.dedup), saving, left),
        factor=factor,
        table=table,
        arc_share=share,
        saved_bytes=saved,
        writes=writes,
        missing=("RAM (--ram)",) if verdict is verdicts.Verdict.CANNOT_TELL else (),
    )


def dedup_factor(setting: verdicts.RoleSetting) -> float | None:
    """Return how often a block occurs: as zdb counted, else the most that was told; None where nobody did."""
    if setting.choices.dedup is not None:
        return setting.choices.dedup.factor
    workloads = (setting.workload, *(dataset.workload for dataset in setting.pool.datasets))
    factors = (workload.duplicate_factor for workload in workloads if workload is not None)
    return max((factor for factor in factors if factor is not None), default=None)


def _asked(setting: verdicts.RoleSetting, factor: float) -> tuple[float, TableSize, float | None]:
    """Return the bytes that would be deduplicated, their table, and its share of the ARC (None: RAM unknown).

    The table is zdb's count, scaled to the data, where somebody has one.
    """
    version, count = setting.pool.version, setting.choices.dedup
    fills = _deduplicated(
        verdicts.fillings(setting, predict_pool(setting.data, ashift=setting.pool.ashift, version=version))
    )
    data = float(sum(f.whole.logical_bytes for f in fills))
    if count is not None and count.referenced.logical_bytes:
        table = table_counted(count, version, scale=data / count.referenced.logical_bytes)
    else:
        blocks = sum(f.whole.logical_bytes / _block(f) for f in fills)
        block = round(data / blocks) if blocks else DEFAULT_RECORD_BYTES
        table = table_of(logical_bytes=data, block_bytes=block, factor=factor, version=version)
    arc = arc_bytes(setting.host, version)
    return data, table, None if arc is None else table.core.typical / arc


def _block(filling: verdicts.Filling) -> float:
    """Return the mean size of a block: files smaller than a record are one block each."""
    record, files = filling.whole.block_bytes, filling.files
    if files is None or filling.volume:
        return float(record)
    return files.mean_bytes / sum(c.count_share * max(1, -(-c.size_bytes // record)) for c in files.classes)


def _deduplicated(fills: tuple[verdicts.Filling, ...]) -> tuple[verdicts.Filling, ...]:
    """Return the data that would be deduplicated: datasets with dedup on, else those with duplicates, else all."""
    on = tuple(f for f in fills if f.dedup)
    several = tuple(f for f in fills if (times := f.workload.duplicate_factor) and times >= LEAST_FACTOR)
    return on or several or fills


def _verdict(setting: verdicts.RoleSetting, factor: float, share: float | None) -> tuple[verdicts.Verdict, str]:
    disks = setting.data_media is Media.HDD
    if factor < LEAST_FACTOR:
        return verdicts.Verdict.DOES_NOT_HELP, _(
            "Not worth it: a block occurs {factor:g} times, OpenZFS advises it from {least_factor:g} on; at 1.5 "
            "writes fell from 3700 to 300 MiB/s (thesis).",
            factor=factor,
            least_factor=LEAST_FACTOR,
        )
    if share is None:
        return verdicts.Verdict.CANNOT_TELL, _(
            "A block occurs {factor:g} times, which would be worth it; whether the table fits into RAM is not known.",
            factor=factor,
        )
    bare = disks and len(setting.flash) <= setting.redundancy  # no flash survives as many failures as the data
    if share > (_ARC_SHARE if bare else _MOST_ARC_SHARE_ON_FLASH):
        return verdicts.Verdict.DOES_NOT_HELP, _(
            "Not worth it: the table takes {share} of the ARC. More RAM first, or mirrored flash for the table.",
            share=verdicts.percent(share),
        )
    if setting.pool.version < FAST_SINCE and disks and not setting.flash and factor < _OLD_FACTOR:
        return verdicts.Verdict.DOES_NOT_HELP, _(
            "Not worth it before OpenZFS 2.3 on hard disks alone: every write changes the table at random places. "
            "Update first, or give the table flash."
        )
    return verdicts.Verdict.HELPS, _worth_words(setting, factor, share)


def _worth_words(setting: verdicts.RoleSetting, factor: float, share: float) -> str:
    """Return for which data it is worth its price, and what to think of."""
    worth = _(
        "Worth it on a dataset of data that are written once and where space matters more than speed: a block occurs "
        "{factor:g} times.",
        factor=factor,
    )
    sentences = [worth]
    if share > _ARC_SHARE:
        sentences.append(_("Put the table on mirrored flash (special or dedup vdev)."))
    if setting.pool.version >= FAST_SINCE:
        sentences.append(_("Set dedup_table_quota, so that the table cannot outgrow its place."))
    if setting.workload.volumes or has_trait(setting.workload, "guests"):
        sentences.append(_("Guests made from one image share its blocks at no price as clones (zfs clone)."))
    return " ".join(sentences)


def _writes(setting: verdicts.RoleSetting, factor: float, block: float, share: float | None) -> verdicts.Gain:
    """Return the sequential writes without and with deduplication; ``block`` is the mean size of a block in bytes."""
    speed = predict_groups(groups_of(setting.data), setting.inputs)
    plain = speed.seq_write
    legacy = min(1.0, _LOW_SHARE * (max(1.0, factor) / _LOW_FACTOR) ** _POWER)
    fast = setting.pool.version >= FAST_SINCE
    parts = (legacy, legacy**0.5, 1.0) if fast else (legacy / 2, legacy, legacy * 1.5)
    # A table beyond RAM: one random read for each block that is new, from the flash that holds it or from the disks.
    misses = 0.0 if share is None or share <= 1 or setting.flash else (1 - 1 / share)
    reads = speed.rand_read_iops.typical / misses * block if misses else math.inf
    values = zip((plain.low, plain.typical, plain.high), parts, strict=True)
    low, typical, high = (min(value * min(1.0, part), reads) for value, part in values)
    limit = _("deduplication") if math.isinf(reads) else _("reads of the dedup table")
    after = replace(plain, low=min(low, typical), typical=typical, high=max(high, typical), limit=limit)
    return verdicts.Gain(what=_("sequential writes"), unit="bytes/s", before=plain, after=after)


def _counted_words(count: DedupCount | None) -> tuple[str, ...]:
    """Return what zdb printed, read whole; nothing where nobody ran it."""
    if count is None:
        return ()
    words = _(
        "{tool} counted {blocks} blocks, {unique} of them different: dedup {factor:g}",
        tool="zdb -S" if count.simulated else "zdb -D",
        blocks=numeral(count.referenced.blocks),
        unique=numeral(count.allocated.blocks),
        factor=count.factor,
    )
    if count.compress is None or count.copies is None:
        return (sentence(words),)
    alone = count.compress / count.copies
    text = _(
        "{words}, compress {compress:g}, copies {copies:g}, together {both:.2f}. Without deduplication compression "
        "alone gives {alone:.2f}.",
        words=words,
        compress=count.compress,
        copies=count.copies,
        both=count.together or count.factor * alone,
        alone=alone,
    )
    return (text,)
