"""Whether to deduplicate at all: what it saves, the RAM that its table takes, and what is left of the write rate.

The vdev that may hold the table is another question (`role_dedup.py`). Rates: the thesis (chapter 5.4) measured 300 of
3700 MiB/s at a factor of 1.5 and a third at 11; between them the share follows a power of the factor. Nobody published
such rates for fast dedup (OpenZFS 2.3): its band reaches from there to no loss, its typical value is their mean by
proportion. Where the table does not fit into RAM, each new block waits for a random read of it.
"""

import math
from dataclasses import dataclass, replace

from poolwright.capacity.pool import predict_pool
from poolwright.design.roles.content import fillings
from poolwright.design.roles.ddt import FAST_SINCE, TableSize
from poolwright.design.roles.dedup import (
    LEAST_FACTOR,
    MOST_ARC_SHARE,
    dedup_factor,
    dedup_judgement,
    dedup_table,
    deduplicated,
    judge_dedup_vdev,
)
from poolwright.design.roles.memory import arc_bytes
from poolwright.design.roles.model import Gain, RoleJudgement, RoleSetting, Verdict
from poolwright.design.roles.words import percent, size
from poolwright.domain.block_counts import DedupCount
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import rate_text
from poolwright.predict.groups import groups_of
from poolwright.predict.speed import predict_groups
from poolwright.texts import marked, tell

# rules/tables/dedup.csv: factor and share of the write rate that was left.
_LOW_FACTOR, _LOW_SHARE = 1.5, 300 / 3700
_HIGH_FACTOR, _HIGH_SHARE = 11.0, 1 / 3
# Beyond this share of the ARC the table leaves too little for anything else, whatever flash holds it.
_MOST_ARC_SHARE_ON_FLASH = 0.5
# What the older table has to save before its price on hard disks is paid.
_OLD_FACTOR = 5.0
_POWER = math.log(_HIGH_SHARE / _LOW_SHARE) / math.log(_HIGH_FACTOR / _LOW_FACTOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupVerdict:
    """Whether deduplication is worth its price: HELPS is worth it.

    ``arc_share`` is the share of the ARC that the table takes, 0 to 1 and beyond; ``writes`` what becomes of the
    sequential writes; ``saved_bytes`` the data that would not be stored. None where it cannot be told.
    """

    verdict: Verdict
    because: tuple[str, ...]
    factor: float | None = None
    table: TableSize | None = None
    arc_share: float | None = None
    saved_bytes: float | None = None
    writes: Gain | None = None
    missing: tuple[str, ...] = ()


def judge_dedup(setting: RoleSetting) -> RoleJudgement:
    """Return whether a vdev for the table helps: never where deduplication itself is not worth its price."""
    itself = judge_deduplication(setting)
    if itself.verdict is Verdict.HELPS and itself.factor is not None:
        return judge_dedup_vdev(setting, itself.factor)
    return dedup_judgement(setting, itself.verdict, itself.because[:1], missing=itself.missing)


def judge_deduplication(setting: RoleSetting) -> DedupVerdict:
    """Return whether these data are worth deduplicating on this pool."""
    factor = dedup_factor(setting)
    counted = _counted_words(setting.choices.dedup)
    if factor is None:
        return DedupVerdict(
            verdict=Verdict.DOES_NOT_HELP,
            because=(
                tell(
                    "Leave it off: nobody said that blocks occur several times. Where zdb -S on such data counts a "
                    "factor of {least_factor:g} or more, give it with --duplicates.",
                    least_factor=LEAST_FACTOR,
                ),
            ),
        )
    capacity = predict_pool(setting.data, ashift=setting.ashift, version=setting.version)
    fills = deduplicated(fillings(setting, capacity))
    data = float(sum(f.logical_bytes for f in fills))
    table = dedup_table(setting, fills, factor)
    arc = arc_bytes(setting.host, setting.version)
    share = None if arc is None else table.core.typical / arc
    writes = _writes(setting, factor, data / max(1.0, table.entries.typical * factor), share)
    verdict, reason = _verdict(setting, factor, share)
    saved = data * (1 - 1 / factor)
    return DedupVerdict(
        verdict=verdict,
        because=(reason, *counted, _saving_words(saved, data, table, share), _writes_words(writes)),
        factor=factor,
        table=table,
        arc_share=share,
        saved_bytes=saved,
        writes=writes,
        missing=(tell("the RAM of the machine (--ram)"),) if verdict is Verdict.CANNOT_TELL else (),
    )


def _verdict(setting: RoleSetting, factor: float, share: float | None) -> tuple[Verdict, str]:
    if factor < LEAST_FACTOR:
        return Verdict.DOES_NOT_HELP, (
            tell(
                "Not worth it: a block occurs {factor:g} times, OpenZFS advises it from {least_factor:g} on, and at "
                "1.5 writes fell from 3700 to 300 MiB/s (thesis, chapter 5.4). Compression costs nothing like it, and "
                "copies made on purpose are clones (block cloning, OpenZFS 2.2).",
                factor=factor,
                least_factor=LEAST_FACTOR,
            )
        )
    if share is None:
        return Verdict.CANNOT_TELL, (
            tell(
                "A block occurs {factor:g} times, which would be worth it; whether the table fits "
                "into RAM is not known.",
                factor=factor,
            )
        )
    if share > _MOST_ARC_SHARE_ON_FLASH:
        return Verdict.DOES_NOT_HELP, (
            tell(
                "Not worth it: the table takes {share} of the ARC and crowds the data out of RAM. More RAM first.",
                share=percent(share),
            )
        )
    if share > MOST_ARC_SHARE and setting.data_media is Media.HDD and len(setting.flash) <= setting.redundancy:
        return Verdict.DOES_NOT_HELP, (
            tell(
                "Not worth it: the table takes {share} of the ARC, and there is no flash that survives as many "
                "failures as the data.",
                share=percent(share),
            )
        )
    if setting.version < FAST_SINCE and setting.data_media is Media.HDD and not setting.flash and factor < _OLD_FACTOR:
        return Verdict.DOES_NOT_HELP, (
            tell(
                "Not worth it before OpenZFS 2.3 on hard disks alone: every write and every deletion "
                "changes the table at random places. A block occurs {factor:g} times; update first, "
                "or give the table flash.",
                factor=factor,
            )
        )
    return Verdict.HELPS, _worth_words(setting, factor, share)


def _worth_words(setting: RoleSetting, factor: float, share: float) -> str:
    """Return for which data it is worth its price, and what to think of."""
    worth = (
        tell(
            "Worth it for data that are written once and where space matters more than speed: a block occurs "
            "{factor:g} times. Switch it on for that dataset alone.",
            factor=factor,
        )
        if share <= MOST_ARC_SHARE
        else tell(
            "Worth it for data that are written once and where space matters more than speed: a block occurs "
            "{factor:g} times, with the table on mirrored flash (special or dedup vdev). Switch it on for that "
            "dataset alone.",
            factor=factor,
        )
    )
    sentences = [worth]
    if setting.version >= FAST_SINCE:
        sentences.append(tell("Set dedup_table_quota, so that the table cannot outgrow its place."))
    if setting.workload.volumes or "vm-images" in setting.workload.uses:
        sentences.append(tell("Guests made from one image share its blocks at no price as clones (zfs clone)."))
    return " ".join(sentences)


def _saving_words(saved: float, data: float, table: TableSize, share: float | None) -> str:
    """Return what would be saved, and what the table takes for it."""
    told = tell(
        "It would save {saved} of {data}; the table has {core} in RAM and {disk} on disk",
        saved=size(saved),
        data=size(data),
        core=size(table.core.typical),
        disk=size(table.disk.typical),
    )
    return f"{told}." if share is None else tell("{told}, {share} of the ARC.", told=told, share=percent(share))


def _writes(setting: RoleSetting, factor: float, block: float, share: float | None) -> Gain:
    """Return the sequential writes without and with deduplication; ``block`` is the mean size of a block in bytes."""
    speed = predict_groups(groups_of(setting.data), setting.around)
    plain = speed.seq_write
    legacy = min(1.0, _LOW_SHARE * (max(1.0, factor) / _LOW_FACTOR) ** _POWER)
    shares = (legacy, legacy**0.5, 1.0) if setting.version >= FAST_SINCE else (legacy / 2, legacy, legacy * 1.5)
    # A table beyond RAM: one random read for each block that is new, from the flash that holds it or from the disks.
    misses = 0.0 if share is None or share <= 1 or setting.flash else (1 - 1 / share)
    reads = speed.rand_read_iops.typical / misses * block if misses else math.inf

    def left(value: float, part: float) -> float:
        return min(value * min(1.0, part), reads)

    after = replace(
        plain,
        low=left(plain.low, shares[0]),
        typical=left(plain.typical, shares[1]),
        high=left(plain.high, shares[2]),
        limit=tell("deduplication") if math.isinf(reads) else tell("reads of the dedup table"),
    )
    return Gain(what=tell("sequential writes"), unit="bytes/s", before=plain, after=_ordered(after))


def _writes_words(writes: Gain) -> str:
    after = writes.after
    return tell(
        "Sequential writes would fall from {before} to {after} ({low} to {high}).",
        before=rate_text(writes.before.typical),
        after=rate_text(after.typical),
        low=rate_text(after.low),
        high=rate_text(after.high),
    )


def _ordered(value: Estimate) -> Estimate:
    return replace(value, low=min(value.low, value.typical), high=max(value.high, value.typical))


def _counted_words(count: DedupCount | None) -> tuple[str, ...]:
    """Return what zdb printed, read whole; nothing where nobody ran it."""
    if count is None:
        return ()
    blocks = f"{count.referenced_blocks:,}"
    unique = f"{count.unique_blocks:,}"
    found = marked("zdb counted {blocks} blocks, {unique} of them different: dedup {factor:g}")
    if count.simulated:
        found = marked("zdb -S simulated {blocks} blocks, {unique} of them different: dedup {factor:g}")
    words = tell(found, blocks=blocks, unique=unique, factor=count.factor)
    if count.compress is None or count.copies is None:
        return (f"{words}.",)
    told = tell(
        "{words}, compress {compress:g}, copies {copies:g}, together {both:.2f}. Without deduplication compression "
        "alone gives {alone:.2f}.",
        words=words,
        compress=count.compress,
        copies=count.copies,
        both=count.together or count.factor * count.compress / count.copies,
        alone=count.compress / count.copies,
    )
    return (told,)
