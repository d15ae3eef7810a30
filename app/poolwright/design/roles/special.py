"""A special vdev: metadata and small blocks on flash. How large, with which limit, and whether it is worth it.

Space is counted by `predict.usage` on the real data vdevs with a special mirror beside them. A special vdev takes small
blocks until it is three quarters full (`zfs_special_class_metadata_reserve_pct`), so it wants a third more than lies
on it.
"""

from dataclasses import dataclass, replace
from math import log

from poolwright.capacity.pool import PoolCapacity, predict_pool
from poolwright.design.roles.content import Filling, fillings, is_told, share_up_to, spread_sizes
from poolwright.design.roles.counted import (
    FEW_FILES,
    LARGEST_LIMIT,
    MANY_FILES,
    MOST_ARC_SHARE,
    SMALLEST_LIMIT,
    judge_counted,
    special_risks,
)
from poolwright.design.roles.memory import arc_bytes
from poolwright.design.roles.model import Gain, Role, RoleJudgement, RoleSetting, SmallBlocks, Verdict
from poolwright.design.roles.words import block_words, estimate, limit_words, metadata_words, minus, percent, size
from poolwright.domain.disk import FLASH_MEDIA, Media
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.steps import Estimate
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
        """Tell whether the files of a dataset are of unknown size."""
        return any(self.unknown_files)

    def with_unknown_files(self, typical_bytes: int) -> tuple[Filling, ...]:
        """Return the data with this typical file where nobody said."""
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
    """Return by how much it would overflow, and what would fit."""
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
