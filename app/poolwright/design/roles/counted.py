"""The judgement of a special vdev where zdb counted the blocks of the pool that will be moved onto it."""

from poolwright.design.roles.blocks import share_of_blocks, share_of_bytes, special_bytes
from poolwright.design.roles.memory import arc_bytes
from poolwright.design.roles.model import Role, RoleJudgement, RoleSetting, SmallBlocks, Verdict
from poolwright.design.roles.words import minus, percent, scaled, size
from poolwright.domain.block_counts import BlockCount
from poolwright.domain.dataset_values import block_bytes
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
            (
                tell(
                    "It overflows {times:.1f}-fold: {wanted} are more than three quarters of {room}; "
                    "what does not fit lies on the hard disks.",
                    times=times,
                    wanted=size(total.typical),
                    room=size(room),
                )
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
    """Return what to know before a special vdev is added to this pool."""
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
    told = [block_bytes(s.value) for d in setting.datasets for s in d.settings if s.name == "recordsize"]
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
