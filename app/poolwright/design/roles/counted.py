"""The judgement of a special vdev where zdb counted the blocks of the pool that will be moved onto it."""

from poolwright.design.roles.memory import arc_bytes
from poolwright.design.roles.model import Role, RoleJudgement, RoleSetting, SmallBlocks, Verdict
from poolwright.design.roles.words import estimate, minus, percent, scaled, size
from poolwright.domain.block_counts import BlockClass, BlockCount
from poolwright.domain.dataset_values import space_bytes
from poolwright.domain.steps import Estimate
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.predict.usage import SPECIAL_DATA_SHARE
from poolwright.texts import tell

# Metadata that take more of the ARC than this are read from the disks again and again.
MOST_ARC_SHARE = 0.25
# From a fifth of the files on, opening them from flash is noticed; below a twentieth it is not.
MANY_FILES, FEW_FILES = 0.2, 0.05
SMALLEST_LIMIT = 4 * KIB
LARGEST_LIMIT = MIB
# Without flash at hand to fill, a usual limit.
_USUAL_LIMIT = 32 * KIB


def judge_counted(setting: RoleSetting, count: BlockCount, room: int | None) -> RoleJudgement:
    """Return whether a special vdev helps these blocks; ``room`` is what the flash at hand holds.

    Where the datasets say how much will lie in them, the count is scaled to that. One limit serves all datasets, for
    the count does not tell them apart: it is set at the root.
    """
    scale = _scale(setting, count)
    limit, reason = _limit(setting, count, room, scale)
    metadata = special_bytes(count, 0, ashift=setting.ashift, scale=scale)
    total = special_bytes(count, limit, ashift=setting.ashift, scale=scale)
    blocks, data = share_of_blocks(count, limit), share_of_bytes(count, limit)
    verdict, words, missing = _verdict(setting, metadata.typical, blocks)
    if room is not None and total.typical > room * SPECIAL_DATA_SHARE:
        times = total.typical / (room * SPECIAL_DATA_SHARE)
        verdict, missing = Verdict.DOES_NOT_HELP, ()
        words = (
            tell(
                "It overflows {times:.1f}-fold: {wanted} are more than three quarters of {room}; "
                "what does not fit lies on the hard disks.",
                times=times,
                wanted=size(total.typical),
                room=size(room),
            ),
            *words,
        )
    moved = minus(total, metadata)
    told = tell(
        "special_small_blocks={limit}K puts {blocks} of the blocks and {data} of the data on flash, {moved}.",
        limit=limit // KIB,
        blocks=percent(blocks),
        data=percent(data),
        moved=size(moved.typical),
    )
    found = SmallBlocks(
        dataset="", limit_bytes=limit, moved=moved, share_of_files=blocks, share_of_bytes=data, reason=reason
    )
    return RoleJudgement(
        role=Role.SPECIAL,
        verdict=verdict,
        because=(*words, told) if limit else words,
        size=scaled(total, 1 / SPECIAL_DATA_SHARE),
        least_redundancy=setting.redundancy,
        wished_redundancy=setting.redundancy,
        risks=special_risks(setting),
        missing=missing,
        small_blocks=(found,),
    )


def special_risks(setting: RoleSetting) -> tuple[str, ...]:
    risks = [tell("Its loss is the loss of the pool: it must survive as many failures as the data vdevs.")]
    if any(spec.kind in (VdevKind.RAIDZ, VdevKind.DRAID) for spec in setting.data):
        risks.append(tell("It can never be taken out of this pool again, because the pool has raidz or dRAID vdevs."))
    risks.append(tell("Only what is written after it was added lies on it."))
    return tuple(risks)


def _scale(setting: RoleSetting, count: BlockCount) -> float:
    told = sum(dataset.logical_bytes or 0 for dataset in setting.datasets)
    return told / count.data_logical_bytes if told and count.data_logical_bytes else 1.0


def _limit(setting: RoleSetting, count: BlockCount, room: int | None, scale: float) -> tuple[int, str]:
    """Return the limit: what a person chose, else the largest below the largest blocks that fits on the flash."""
    chosen = dict(setting.choices.small_blocks).get("")
    if chosen is not None:
        return chosen, tell("as chosen")
    largest = max((found.size_bytes for found in count.classes), default=SMALLEST_LIMIT)
    most = min(largest // 2, _least_record(setting) // 2, LARGEST_LIMIT if room is not None else _USUAL_LIMIT)
    best, limit = 0, SMALLEST_LIMIT
    while limit <= most:
        needed = special_bytes(count, limit, ashift=setting.ashift, scale=scale).typical
        if room is not None and needed > room * SPECIAL_DATA_SHARE:
            break
        best, limit = limit, limit * 2
    reason = (
        tell("the largest that fits on three quarters of {room}", room=size(room))
        if room is not None
        else tell("a usual start")
    )
    return best, reason


def _least_record(setting: RoleSetting) -> int:
    """Return the smallest recordsize set in the tree: a limit that reaches it would put everything on flash."""
    told = [space_bytes(s.value) for d in setting.datasets for s in d.settings if s.name == "recordsize"]
    return min((size for size in told if size), default=2 * LARGEST_LIMIT)


def _verdict(setting: RoleSetting, metadata: float, blocks: float) -> tuple[Verdict, tuple[str, ...], tuple[str, ...]]:
    arc = arc_bytes(setting.host, setting.version)
    words = (
        tell("zdb counted metadata of {metadata} with all their copies.", metadata=size(metadata))
        if arc is None
        else tell(
            "zdb counted metadata of {metadata} with all their copies; the ARC has {arc}.",
            metadata=size(metadata),
            arc=size(arc),
        )
    )
    if blocks >= MANY_FILES:
        return (
            Verdict.HELPS,
            (tell("{blocks} of the blocks would be read from flash.", blocks=percent(blocks)), words),
            (),
        )
    if arc is None:
        return (
            Verdict.CANNOT_TELL,
            (words, tell("Whether they fit into RAM is not known.")),
            (tell("the RAM of the machine (--ram)"),),
        )
    if metadata > MOST_ARC_SHARE * arc:
        return (
            Verdict.HELPS,
            (tell("{words} They crowd the data out of RAM, or are read from the disks.", words=words),),
            (),
        )
    if blocks >= FEW_FILES:
        return (
            Verdict.CANNOT_TELL,
            (words, tell("{blocks} of the blocks would be read from flash.", blocks=percent(blocks))),
            (),
        )

    return (
        Verdict.DOES_NOT_HELP,
        (
            tell(
                "{words} After the first access they are read from RAM, and {share} of the blocks are small enough for "
                "it.",
                words=words,
                share=percent(blocks),
            ),
        ),
        (),
    )


# A special vdev sized from the blocks of an existing pool, as `zdb -Lbbbs` counted them.

_SPREAD_MEAN = 1.44  # 1 / ln 2: the mean of sizes spread evenly over their logarithm, in units of the least
_DOUBT = 0.15


def special_bytes(count: BlockCount, limit_bytes: int, *, ashift: int, scale: float = 1.0) -> Estimate:
    """Return the bytes that metadata and blocks up to ``limit_bytes`` take on one side of a special mirror.

    ``scale`` is how many times the data of the counted pool there will be.
    """
    small = sum(_allocated(found, limit_bytes, 1 << ashift) for found in count.classes)
    once = max(count.metadata_physical_bytes, count.metadata_blocks << ashift)
    typical = (count.metadata_bytes + max(0.0, small - (once if limit_bytes else small))) * scale
    return estimate(
        (typical * (1 - _DOUBT), typical, typical * (1 + _DOUBT)),
        limit=tell("metadata and small blocks"),
        source=tell("blocks of an existing pool, counted by zdb -Lbbbs"),
    )


def share_of_blocks(count: BlockCount, limit_bytes: int) -> float:
    """Return which share of the data blocks is no larger than ``limit_bytes``, 0 to 1."""
    small = sum(found.count * _share(found, limit_bytes) for found in count.classes) - count.metadata_blocks
    total = sum(found.count for found in count.classes) - count.metadata_blocks
    return min(1.0, max(0.0, small / total)) if limit_bytes and total > 0 else 0.0


def share_of_bytes(count: BlockCount, limit_bytes: int) -> float:
    """Return which share of the bytes of data, after compression, lies in those blocks."""
    small = sum(_small_bytes(found, limit_bytes) for found in count.classes) - count.metadata_physical_bytes
    total = sum(found.physical_bytes for found in count.classes) - count.metadata_physical_bytes
    return min(1.0, max(0.0, small / total)) if limit_bytes and total > 0 else 0.0


def _share(found: BlockClass, limit_bytes: int) -> float:
    """Return which share of the blocks of a bucket is no larger than the limit."""
    if found.size_bytes * 2 <= limit_bytes:
        return 1.0
    return _exact(found) if found.size_bytes == limit_bytes else 0.0


def _exact(found: BlockClass) -> float:
    """Return which share of a bucket's blocks has exactly its size."""
    mean = found.physical_bytes / found.count / found.size_bytes
    return min(1.0, max(0.0, (_SPREAD_MEAN - mean) / (_SPREAD_MEAN - 1)))


def _small_bytes(found: BlockClass, limit_bytes: int) -> float:
    share = _share(found, limit_bytes)
    return float(found.physical_bytes) if share == 1 else share * found.count * found.size_bytes


def _allocated(found: BlockClass, limit_bytes: int, sector: int) -> float:
    """Return what the bucket's blocks up to the limit take in whole sectors."""
    if found.size_bytes < sector:
        return _share(found, limit_bytes) * found.count * sector
    share = _share(found, limit_bytes)
    rounding = 0.0 if share < 1 else (1 - _exact(found)) * found.count * sector / 2
    return _small_bytes(found, limit_bytes) + rounding
