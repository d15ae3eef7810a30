"""A special vdev: metadata and small blocks on flash. How large, with which limit, and whether it is worth it.

Space is counted by `predict.usage` on the real data vdevs with a special mirror beside them. A special vdev takes small
blocks until it is three quarters full (`zfs_special_class_metadata_reserve_pct`), so it wants a third more than lies
on it."""

from dataclasses import dataclass, replace
from math import log

from poolwright.capacity.pool import PoolCapacity, predict_pool
from poolwright.design.roles.cache import arc_bytes
from poolwright.design.roles.model import (
    Filling,
    Gain,
    Role,
    RoleJudgement,
    RoleSetting,
    SmallBlocks,
    Verdict,
    fillings,
    is_told,
    share_up_to,
    spread_sizes,
)
from poolwright.design.roles.words import (
    block_words,
    estimate,
    limit_words,
    metadata_words,
    minus,
    percent,
    scaled,
    size,
)
from poolwright.domain.block_counts import BlockClass, BlockCount
from poolwright.domain.dataset_values import space_bytes
from poolwright.domain.disk import FLASH_MEDIA, Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.predict.assumptions import circumstances
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.space import GROWTH_DOUBT
from poolwright.predict.speed import predict_groups
from poolwright.predict.usage import SPECIAL_DATA_SHARE, PoolUsage, predict_usage
from poolwright.texts import tell

# What the typical file may be while nobody said: from mail and source text to films.
_UNKNOWN_FILES = (64 * KIB, 2 * MIB, 1 << 30)
_SMALL_READ = 16 * KIB
# Who reads files from start to end asks for little metadata at a time.
_STREAMS_PERCENT = 80
# Metadata that do not all fit help with those that do; a special vdev for less than half of them is too small.
_MOST_OVERFLOW = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """One way to use a special vdev: the limit of each dataset and what then lies where."""

    limits: tuple[int, ...]
    usage: PoolUsage
    per_dataset: tuple[Estimate, ...]
    moved: tuple[Estimate, ...]


def judge_special(setting: RoleSetting) -> RoleJudgement:
    """Return whether a special vdev helps this pool, how large it should be and which small blocks it should take."""
    redundancy = setting.redundancy
    if setting.data_media in FLASH_MEDIA:
        return RoleJudgement(
            role=Role.SPECIAL,
            verdict=Verdict.DOES_NOT_HELP,
            because=(tell("The pool itself is flash: metadata and small blocks are read as fast from there."),),
        )
    if setting.choices.blocks is not None:
        return judge_counted(setting, setting.choices.blocks, flash_room(setting))
    found = _Sizer(setting)
    chosen = found.chosen()
    metadata = found.metadata()
    shares = [
        (0.0, 0.0) if f.files is None or not limit else share_up_to(f.files, _uncompressed(f, limit))
        for f, limit in zip(found.fillings, chosen.limits, strict=True)
    ]
    files = _all_files(found.fillings, [count for count, _ in shares])
    verdict, because, missing = _verdict(setting, found, metadata, files)
    times = overflow(found, chosen)
    if (times > 1 and any(chosen.limits)) or times > _MOST_OVERFLOW:
        verdict, missing = Verdict.DOES_NOT_HELP, ()
        because = (_too_small(found, chosen, metadata), *because)
    elif times > 1:
        because = (*because, _too_small(found, chosen, metadata))
    told = verdict is not Verdict.DOES_NOT_HELP
    blocks = _small_blocks(found, chosen, shares)
    return RoleJudgement(
        role=Role.SPECIAL,
        verdict=verdict,
        because=(*because, *(block_words(blocks) if told else ()), *_outgrown(chosen, found)),
        size=_wanted(chosen, found),
        gain=_gain(setting, files) if files else None,
        least_redundancy=redundancy,
        wished_redundancy=redundancy,
        risks=special_risks(setting),
        missing=missing,
        small_blocks=blocks,
    )


def _small_blocks(found: "_Sizer", chosen: _Counted, shares: list[tuple[float, float]]) -> tuple[SmallBlocks, ...]:
    return tuple(
        SmallBlocks(
            dataset=filling.name,
            limit_bytes=limit,
            moved=moved,
            share_of_files=share[0],
            share_of_bytes=share[1],
            reason=limit_words(filling, limit, found.room, found.setting.version),
        )
        for filling, limit, moved, share in zip(found.fillings, chosen.limits, chosen.moved, shares, strict=True)
    )


class _Sizer:
    def __init__(self, setting: RoleSetting) -> None:
        self.setting = setting
        self.room = flash_room(setting)
        self.capacity = _beside(setting, self.room or TIB)
        self.fillings = fillings(setting, self.capacity)
        self.unknown_files = tuple(f.files is None and not f.volume for f in self.fillings)
        self.fillings = self.with_unknown_files(_UNKNOWN_FILES[1])

    @property
    def assumed_files(self) -> bool:
        return any(self.unknown_files)

    def with_unknown_files(self, typical_bytes: int) -> tuple[Filling, ...]:
        files = spread_sizes(typical_bytes)
        unknown = zip(self.fillings, self.unknown_files, strict=True)
        return tuple(replace(f, files=files) if is_unknown else f for f, is_unknown in unknown)

    def counted(self, limits: tuple[int, ...], fills: tuple[Filling, ...] | None = None) -> _Counted:
        parts = [f.contents(limit) for f, limit in zip(fills or self.fillings, limits, strict=True)]
        usage = predict_usage(self.capacity, tuple(content for part in parts for content in part))
        found = iter(usage.datasets)
        special: list[Estimate] = []
        moved: list[Estimate] = []
        for part in parts:
            mine = [next(found) for _ in part]
            special.append(_sum([d.special for d in mine]))
            meta = _sum([d.metadata for d in mine])
            moved.append(minus(special[-1], meta))
        return _Counted(limits=limits, usage=usage, per_dataset=tuple(special), moved=tuple(moved))

    def metadata(self) -> Estimate:
        none = self.counted(tuple(0 for _ in self.fillings))
        return _sum(list(none.per_dataset))

    def chosen(self) -> _Counted:
        """Return the limits: what a person chose, else the largest that all together fit on the flash at hand."""
        told = dict(self.setting.choices.small_blocks)
        best = self.counted(self._limits(0, told))
        limit = SMALLEST_LIMIT
        while limit <= LARGEST_LIMIT:
            tried = self.counted(self._limits(limit, told))
            if self.room is not None and _total(tried).typical > self.room * SPECIAL_DATA_SHARE:
                break
            if self.room is None and limit > 32 * KIB:
                break
            best = tried
            limit *= 2
        return best

    def _limits(self, limit: int, told: dict[str, int]) -> tuple[int, ...]:
        """Return the limit for each dataset: below its recordsize, or everything went to the special vdev."""
        return tuple(
            told[f.name] if f.name in told else 0 if f.volume or f.files is None else min(limit, f.block_bytes // 2)
            for f in self.fillings
        )


def flash_room(setting: RoleSetting) -> int | None:
    """Return what a mirror of the flash at hand holds; None where there is too little flash for one."""
    sizes = sorted((sliceable_bytes(disk.size_bytes or 0) for disk in setting.flash), reverse=True)
    width = min(max(1, setting.redundancy + 1), max(2, len(sizes)) if setting.redundancy else 1)
    return sum(sizes[width - 1 :: width]) or None if len(sizes) >= width else None


def _beside(setting: RoleSetting, room: int) -> PoolCapacity:
    """Return the space of the pool with a special vdev of ``room`` bytes beside the data."""
    special = VdevSpec(kind=VdevKind.MIRROR, sizes=(max(room, GIB), max(room, GIB)), vdev_class=VdevClass.SPECIAL)
    return predict_pool((*setting.data, special), ashift=setting.ashift, version=setting.version)


def _verdict(
    setting: RoleSetting, found: _Sizer, metadata: Estimate, files: float
) -> tuple[Verdict, tuple[str, ...], tuple[str, ...]]:
    arc = arc_bytes(setting.host, setting.version)
    words = metadata_words(found.setting, sum(f.logical_bytes for f in found.fillings), metadata, arc)
    if found.assumed_files:
        return (
            Verdict.CANNOT_TELL,
            (_of_general_files(setting, files), words),
            (tell("the typical file (--file-size)"),),
        )
    if files >= MANY_FILES:
        reason = tell(
            "{files} of the files would be read from flash as a whole, without a seek of a hard disk.",
            files=percent(files),
        )
        return Verdict.HELPS, (reason, words), ()
    hot, told = _in_use(setting, found, metadata)
    words = f"{words} {told}" if told else words
    if arc is not None and hot > arc and told is None:
        full = tell(
            "{words} Of volumes only the metadata of the data in use are read, and how much that is nobody said.",
            words=words,
        )
        return Verdict.CANNOT_TELL, (full,), (tell("the size of the data in constant use (--working-set)"),)
    if arc is not None and hot > arc:
        again = tell("{words} They do not fit into RAM and are read from the disks again and again.", words=words)
        return Verdict.HELPS, (again,), ()
    streams = (setting.workload.sequential_percent or 0) >= _STREAMS_PERCENT
    if arc is not None and hot > MOST_ARC_SHARE * arc and not streams:
        crowd = tell(
            "{words} Once the pool is full they take {arc} of it from the data, if all are used.",
            words=words,
            arc=percent(hot / arc),
        )
        return Verdict.CANNOT_TELL, (crowd,), (tell("how much of the metadata is in constant use (arc_summary)"),)
    if files >= FEW_FILES and not streams:
        few = tell("{files} of the files would be read from flash.", files=percent(files))
        return Verdict.CANNOT_TELL, (words, few), ()
    if arc is None:
        unknown = tell("Whether they fit into RAM is not known.")
        return Verdict.CANNOT_TELL, (words, unknown), (tell("the RAM of the machine (--ram)"),)
    volumes = all(f.volume for f in found.fillings)
    read = tell("{words} After the first access they are read from RAM", words=words)
    if volumes:
        return Verdict.DOES_NOT_HELP, (tell("{read}, and volumes have no small files.", read=read),), ()
    few = tell("{read}, and {share} of the files are small enough for it.", read=read, share=percent(files))
    return Verdict.DOES_NOT_HELP, (few,), ()


def _of_general_files(setting: RoleSetting, files: float) -> str:
    """Return what holds while nobody said how large the files are: the answer for general ones, where there is one."""
    if files < MANY_FILES:
        return tell("How large the files are is not known: it decides.")
    return tell(
        "Yes for general files (typically {typical}), as a mirror of {count}: {files} of them would be read from "
        "flash. No for films and the like.",
        typical=size(_UNKNOWN_FILES[1]),
        count=max(1, setting.redundancy) + 1,
        files=percent(files),
    )


def _in_use(setting: RoleSetting, found: _Sizer, metadata: Estimate) -> tuple[float, str | None]:
    """Return the bytes of metadata that are in use, and what to say of it (None: that nobody knows).

    Of volumes those of the data in constant use; trees of files are also walked as a whole, for backups and searches.
    """
    working, logical = setting.working_set_bytes, sum(f.logical_bytes for f in found.fillings)
    if not logical or not all(f.volume for f in found.fillings):
        return metadata.typical, ""
    if working is None:
        return metadata.typical, None
    hot = metadata.typical * min(1.0, working / logical)
    return hot, tell("Those of the {working} in constant use take {hot}.", working=size(working), hot=size(hot))


def overflow(found: _Sizer, chosen: _Counted) -> float:
    """Return how many times what would lie on the special vdev fills the three quarters that small blocks may take."""
    return _total(chosen).typical / (found.room * SPECIAL_DATA_SHARE) if found.room else 0.0


def _too_small(found: _Sizer, chosen: _Counted, metadata: Estimate) -> str:
    room, times = found.room or 0, overflow(found, chosen)
    words = tell(
        "It overflows {times:.1f}-fold: {wanted} are more than three quarters of {room}; "
        "what does not fit lies on the hard disks.",
        times=times,
        wanted=size(_total(chosen).typical),
        room=size(room),
    )
    told = dict(found.setting.choices.small_blocks)
    if not told or metadata.typical > room * SPECIAL_DATA_SHARE:
        return words
    fits = _Sizer(replace(found.setting, choices=replace(found.setting.choices, small_blocks=()))).chosen()
    limits = ", ".join(
        f"{filling.name or tell('the root dataset')}: {limit // KIB}K"
        for filling, limit in zip(found.fillings, fits.limits, strict=True)
        if limit
    )
    return tell(
        "{words} Smaller special_small_blocks would fit ({limits}).",
        words=words,
        limits=limits or tell("metadata alone"),
    )


def _outgrown(chosen: _Counted, found: _Sizer) -> tuple[str, ...]:
    """Return what is to be said of its being full at the stated growth."""
    total = _total(chosen).typical
    if found.room is None or overflow(found, chosen) > 1:
        return ()
    most = found.room * SPECIAL_DATA_SHARE
    growth = found.setting.workload.growth_percent
    if not growth or not is_told(found.setting) or total <= 0:
        return ()
    soon, late = (log(most / total) / log(1 + growth / 100 * (1 + doubt)) for doubt in (GROWTH_DOUBT, -GROWTH_DOUBT))
    return (
        tell(
            "At {growth} % growth a year it overflows in {soon:.1f} to {late:.1f} years; small "
            "blocks then go to disks.",
            growth=growth,
            soon=soon,
            late=late,
        ),
    )


def _wanted(chosen: _Counted, found: _Sizer) -> Estimate:
    total = _total(chosen)
    values = [total.low, total.typical, total.high]
    if found.assumed_files:
        few = found.with_unknown_files(_UNKNOWN_FILES[2])
        many = found.with_unknown_files(_UNKNOWN_FILES[0])
        values[0] = _total(found.counted(chosen.limits, few)).low
        values[2] = _total(found.counted(chosen.limits, many)).high
    wanted = [value / SPECIAL_DATA_SHARE for value in values]
    sizes = found.fillings[0].files.origin.source if found.fillings[0].files is not None else tell("volumes")
    return estimate(
        (wanted[0], wanted[1], wanted[2]),
        limit=tell("metadata and small blocks, a quarter kept free"),
        source=tell(
            "OpenZFS's block arithmetic on the dataset tree; {sizes}; a quarter is kept for "
            "metadata (zfs(4): zfs_special_class_metadata_reserve_pct)",
            sizes=sizes,
        ),
    )


def _gain(setting: RoleSetting, files: float) -> Gain:
    """Return reads of whole small files a second: all from the disks, or ``files`` of them from a flash mirror."""
    around = setting.around
    load = replace(around.load, record_bytes=_SMALL_READ, request_bytes=None)
    media = Media.NVME if any(d.media is Media.NVME for d in setting.flash) else Media.SSD
    slow = circumstances(around.host, around.disks, around.log, load, around.calibration)
    fast = circumstances(around.host, disk_rates(media=media), around.log, load, around.calibration)
    mirror = (VdevSpec(kind=VdevKind.MIRROR, sizes=(TIB, TIB)),)
    disks = predict_groups(groups_of(setting.data), slow).rand_read_iops
    flash = predict_groups(groups_of(mirror), fast).rand_read_iops

    def mixed(a: float, b: float) -> float:
        return 1 / ((1 - files) / a + files / b)

    after = replace(
        flash,
        low=mixed(disks.low, flash.low),
        typical=mixed(disks.typical, flash.typical),
        high=mixed(disks.high, flash.high),
        limit=tell("the files that stay on the disks"),
    )
    return Gain(what=tell("files opened, not in RAM"), unit="IOPS", before=disks, after=after)


def _all_files(fills: tuple[Filling, ...], shares: list[float]) -> float:
    """Return the share of all files that lie on flash as a whole."""
    numbers = [filling.file_count or 0.0 for filling in fills]
    total = sum(numbers)
    return sum(n * s for n, s in zip(numbers, shares, strict=True)) / total if total else 0.0


def _uncompressed(filling: Filling, limit: int) -> int:
    # special_small_blocks compares the size after compression (zfsprops(7)).
    return round(limit * (filling.whole.compress_ratio or 1.0))


def _total(counted_: _Counted) -> Estimate:
    return _sum(list(counted_.per_dataset))


def _sum(parts: list[Estimate]) -> Estimate:
    return replace(
        parts[0], low=sum(p.low for p in parts), typical=sum(p.typical for p in parts), high=sum(p.high for p in parts)
    )


# The judgement of a special vdev where zdb counted the blocks of the pool that will be moved onto it.

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
    verdict, words, missing = _counted_verdict(setting, metadata.typical, blocks)
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


def _counted_verdict(
    setting: RoleSetting, metadata: float, blocks: float
) -> tuple[Verdict, tuple[str, ...], tuple[str, ...]]:
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
    if found.size_bytes * 2 <= limit_bytes:
        return 1.0
    return _exact(found) if found.size_bytes == limit_bytes else 0.0


def _exact(found: BlockClass) -> float:
    mean = found.physical_bytes / found.count / found.size_bytes
    return min(1.0, max(0.0, (_SPREAD_MEAN - mean) / (_SPREAD_MEAN - 1)))


def _small_bytes(found: BlockClass, limit_bytes: int) -> float:
    share = _share(found, limit_bytes)
    return float(found.physical_bytes) if share == 1 else share * found.count * found.size_bytes


def _allocated(found: BlockClass, limit_bytes: int, sector: int) -> float:
    if found.size_bytes < sector:
        return _share(found, limit_bytes) * found.count * sector
    share = _share(found, limit_bytes)
    rounding = 0.0 if share < 1 else (1 - _exact(found)) * found.count * sector / 2
    return _small_bytes(found, limit_bytes) + rounding
