"""A special vdev: metadata and small blocks on flash. How large, with which limit, and whether it is worth it.

Space is counted by `predict.usage` on the real data vdevs with a special mirror beside them, or comes from the blocks
of an existing pool. A special vdev takes small blocks until it is three quarters full
(`zfs_special_class_metadata_reserve_pct`), so it wants a third more than lies on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import log

from poolwright.capacity.pool import predict_pool
from poolwright.design.roles import verdicts
from poolwright.design.roles.cache import arc_bytes
from poolwright.design.support import Role
from poolwright.domain.block_counts import BlockClass, BlockCount
from poolwright.domain.dataset_properties import space_bytes
from poolwright.domain.disk import FLASH_MEDIA, Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import speed_inputs
from poolwright.predict.groups import added, band_of, groups_of, times
from poolwright.predict.media import disk_rates
from poolwright.predict.space import GROWTH_DOUBT
from poolwright.predict.speed import predict_groups
from poolwright.predict.usage import SPECIAL_DATA_SHARE, predict_usage
from poolwright.texts import N_, _

# What the typical file may be while nobody said: from mail and source text to films.
_FEWEST_BYTES, _USUAL_FILE_BYTES, _MOST_BYTES = 64 * KIB, 2 * MIB, 1 << 30
_SMALL_READ = 16 * KIB
# Who reads files from start to end asks for little metadata at a time.
_STREAMS_PERCENT = 80
# Metadata that do not all fit help with those that do; a special vdev for less than half of them is too small.
_MOST_OVERFLOW = 2.0
# Metadata that take more of the ARC than this are read from the disks again and again.
MOST_ARC_SHARE = 0.25
# From a fifth of the files on, opening them from flash is noticed; below a twentieth it is not.
MANY_FILES, FEW_FILES = 0.2, 0.05
SMALLEST_LIMIT, LARGEST_LIMIT = 4 * KIB, MIB
# Without flash at hand to fill, a usual limit.
_USUAL_LIMIT = 32 * KIB
_VOLUMES_SINCE = ZfsVersion(2, 4, 0)

_FROM_FLASH = N_("{share} of the files or blocks would be read from flash.")
_FROM_RAM = N_("After the first access RAM holds them, and {share} of the files or blocks are small enough for flash.")
_CROWD = N_("They crowd the data out of RAM, or are read from the disks again and again.")
_ARC_HAS = N_("The ARC has {arc}.")

_RAM = ("RAM (--ram)",)  # what is missing

# A verdict with its reasons and what somebody would have to tell for another.
_Said = tuple[verdicts.Verdict, tuple[str, ...], tuple[str, ...]]


def judge_special(setting: verdicts.RoleSetting) -> verdicts.RoleJudgement:
    """Return whether a special vdev helps this pool, how large it should be and which small blocks it should take."""
    if setting.data_media in FLASH_MEDIA:
        return verdicts.no_help(Role.SPECIAL, _(verdicts.ON_FLASH))
    blocks = setting.choices.blocks
    found = _of_datasets(setting) if blocks is None else _of_blocks(setting, blocks)
    risks = [_("Its loss is the loss of the pool: it must survive as many failures as the data vdevs.")]
    if any(spec.kind in (VdevKind.RAIDZ, VdevKind.DRAID) for spec in setting.data):
        risks.append(_("It can never be taken out of this pool again, because the pool has raidz or dRAID vdevs."))
    risks.append(_("Only data written after it is added goes to it."))
    redundancy = setting.redundancy
    return replace(found, least_redundancy=redundancy, wished_redundancy=redundancy, risks=tuple(risks))


def flash_room(setting: verdicts.RoleSetting) -> int | None:
    """Return what a mirror of the flash at hand holds; None where there is too little flash for one."""
    sizes = sorted((sliceable_bytes(disk.size_bytes or 0) for disk in setting.flash), reverse=True)
    width = min(max(1, setting.redundancy + 1), max(2, len(sizes)) if setting.redundancy else 1)
    return sum(sizes[width - 1 :: width]) or None if len(sizes) >= width else None


def _overflow(total: Estimate, room: int | None) -> float:
    """Return how many times what would lie on the special vdev fills the three quarters that small blocks may take."""
    return total.typical / (room * SPECIAL_DATA_SHARE) if room else 0.0


def _overflow_words(total: Estimate, room: int) -> str:
    return _(
        "Too small: metadata and small blocks need {wanted}, and only three quarters of {room} can hold them. "
        "The rest would go to the hard disks.",
        wanted=verdicts.size(total.typical),
        room=verdicts.size(room),
    )


def _fitting_words(room: int | None) -> str:
    if room is None:
        return _("a usual start")
    return _("the largest that fits on three quarters of {room}", room=verdicts.size(room))


def _largest(fits: Callable[[int], bool], most: int) -> int:
    """Return the largest limit up to ``most`` with which everything fits, 0 where even the smallest is too large."""
    best, limit = 0, SMALLEST_LIMIT
    while limit <= most and fits(limit):
        best, limit = limit, limit * 2
    return best


# From the dataset tree, with the sizes of files that are counted or assumed.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A dataset with a limit: what of it lies on the special vdev then, and how much of that are data."""

    filling: verdicts.Filling
    limit: int
    special: Estimate
    moved: Estimate

    @property
    def shares(self) -> tuple[float, float]:
        """Return which share of the files, and of their bytes, goes to the special vdev as a whole."""
        if self.filling.files is None or not self.limit:
            return 0.0, 0.0
        # special_small_blocks compares the size after compression (zfsprops(7)).
        return self.filling.files.share_up_to(round(self.limit * (self.filling.whole.compress_ratio or 1.0)))


class _Sizer:
    """Counts what lies on a special vdev; files of unknown sizes are usual ones."""

    def __init__(self, setting: verdicts.RoleSetting) -> None:
        self.setting = setting
        self.room = flash_room(setting)
        room = max(self.room or TIB, GIB)
        special = VdevSpec(kind=VdevKind.MIRROR, sizes=(room, room), vdev_class=VdevClass.SPECIAL)
        pool = setting.pool
        self._capacity = predict_pool((*setting.data, special), ashift=pool.ashift, version=pool.version)
        self._known = verdicts.fillings(setting, self._capacity)
        self.assumed_files = any(f.files is None and not f.volume for f in self._known)
        self.volumes = all(f.volume for f in self._known)
        self.logical_bytes = sum(f.whole.logical_bytes for f in self._known)

    def counted(self, limits: Iterable[int], typical_bytes: int = _USUAL_FILE_BYTES) -> tuple[_Part, ...]:
        usual = verdicts.spread_sizes(typical_bytes)
        fills = [f if f.volume or f.files is not None else replace(f, files=usual) for f in self._known]
        limited = [(f, limit, f.contents(limit)) for f, limit in zip(fills, limits, strict=True)]
        usage = predict_usage(self._capacity, tuple(content for *__, contents in limited for content in contents))
        found = iter(usage.datasets)
        parts = []
        for filling, limit, contents in limited:
            own = [next(found) for __ in contents]
            special = added([one.special for one in own])
            moved = _minus(special, added([one.metadata for one in own]))
            parts.append(_Part(filling=filling, limit=limit, special=special, moved=moved))
        return tuple(parts)

    def metadata(self) -> Estimate:
        return _total(self.counted(0 for __ in self._known))

    def chosen(self) -> tuple[_Part, ...]:
        """Return the limits: what a person chose, else the largest that all together fit on the flash at hand."""
        choices = dict(self.setting.choices.small_blocks)

        def counted(limit: int) -> tuple[_Part, ...]:
            # Below its recordsize, or everything went to the special vdev.
            return self.counted(
                choices.get(f.name, 0 if f.volume else min(limit, f.whole.block_bytes // 2)) for f in self._known
            )

        most = _USUAL_LIMIT if self.room is None else LARGEST_LIMIT
        return counted(_largest(lambda limit: _overflow(_total(counted(limit)), self.room) <= 1, most))


def _of_datasets(setting: verdicts.RoleSetting) -> verdicts.RoleJudgement:
    found = _Sizer(setting)
    chosen, metadata = found.chosen(), found.metadata()
    files = _share_of_all_files(chosen)
    verdict, because, missing = _verdict(found, metadata, files)
    filled = _overflow(_total(chosen), found.room)
    if (filled > 1 and any(part.limit for part in chosen)) or filled > _MOST_OVERFLOW:
        verdict, missing = verdicts.Verdict.DOES_NOT_HELP, ()
        because = (_too_small(found, chosen, metadata), *because)
    elif filled > 1:
        because = (*because, _too_small(found, chosen, metadata))
    blocks = tuple(
        verdicts.SmallBlocks(
            dataset=part.filling.name,
            limit_bytes=part.limit,
            moved=part.moved,
            share_of_files=part.shares[0],
            share_of_bytes=part.shares[1],
            reason=_limit_words(part, found.room, setting.pool.version),
        )
        for part in chosen
    )
    said = () if verdict is verdicts.Verdict.DOES_NOT_HELP else _block_words(blocks)
    return verdicts.RoleJudgement(
        role=Role.SPECIAL,
        verdict=verdict,
        because=(*because, *said, *_outgrown(chosen, found)),
        size=_wanted(chosen, found),
        gain=_gain(setting, files) if files else None,
        missing=missing,
        small_blocks=blocks,
    )


def _share_of_all_files(parts: Iterable[_Part]) -> float:
    counts = [(p.filling.whole.logical_bytes / p.filling.files.mean_bytes, p) for p in parts if p.filling.files]
    total = sum(count for count, __ in counts)
    return sum(count * part.shares[0] for count, part in counts) / total if total else 0.0


def _verdict(found: _Sizer, metadata: Estimate, files: float) -> _Said:
    setting = found.setting
    arc = arc_bytes(setting.host, setting.pool.version)
    words = _metadata_words(found, metadata, arc)
    if found.assumed_files:
        reason = _of_general_files(setting, files)
        return verdicts.Verdict.CANNOT_TELL, (reason, words), (_("the typical file (--file-size)"),)
    if files >= MANY_FILES:
        return verdicts.Verdict.HELPS, (_(_FROM_FLASH, share=verdicts.percent(files)), words), ()
    hot, said = _in_use(found, metadata)
    words = f"{words} {said}" if said else words
    if arc is not None and hot > arc:
        if said is None:
            full = _("For volumes only those of the data in use are read, and how much that is is unknown.")
            return (
                verdicts.Verdict.CANNOT_TELL,
                (f"{words} {full}",),
                (f"{_('size of the data in constant use')} (--working-set)",),
            )
        return verdicts.Verdict.HELPS, (f"{words} {_(_CROWD)}",), ()
    streams = (setting.workload.sequential_percent or 0) >= _STREAMS_PERCENT
    if arc is not None and hot > MOST_ARC_SHARE * arc and not streams:
        crowd = _(
            "Once the pool is full they take {arc} of it from the data, if all are used.",
            arc=verdicts.percent(hot / arc),
        )
        return (
            verdicts.Verdict.CANNOT_TELL,
            (f"{words} {crowd}",),
            (_("how much of the metadata is in constant use (arc_summary)"),),
        )
    if files >= FEW_FILES and not streams:
        return verdicts.Verdict.CANNOT_TELL, (words, _(_FROM_FLASH, share=verdicts.percent(files))), ()
    if arc is None:
        return verdicts.Verdict.CANNOT_TELL, (words, _("Whether they fit into RAM is not known.")), _RAM
    return verdicts.Verdict.DOES_NOT_HELP, (f"{words} {_(_FROM_RAM, share=verdicts.percent(files))}",), ()


def _metadata_words(found: _Sizer, metadata: Estimate, arc: int | None) -> str:
    logical = found.logical_bytes
    data = verdicts.size(logical)
    if not verdicts.knows_datasets(found.setting):
        data = _("{logical} (80 % of the pool)", logical=data)
    share = verdicts.percent(metadata.typical / max(1, logical))
    taken = _(
        "Metadata of {data} take about {taken} ({share}).",
        data=data,
        taken=verdicts.size(metadata.typical),
        share=share,
    )
    return taken if arc is None else f"{taken} {_(_ARC_HAS, arc=verdicts.size(arc))}"


def _of_general_files(setting: verdicts.RoleSetting, files: float) -> str:
    """Return what holds while nobody said how large the files are: the answer for general ones, where there is one."""
    if files < MANY_FILES:
        return _("How large the files are is not known: it decides.")
    return _(
        "With general files (typically {typical}) it helps: {files} of them would be read from flash; with films and "
        "the like it does not. It takes a mirror of {count}; flash drives there: {there}.",
        typical=verdicts.size(_USUAL_FILE_BYTES),
        files=verdicts.percent(files),
        count=max(1, setting.redundancy) + 1,
        there=len(setting.flash),
    )


def _in_use(found: _Sizer, metadata: Estimate) -> tuple[float, str | None]:
    """Return the bytes of metadata that are in use, and what to say of it (None: that nobody knows).

    Of volumes those of the data in constant use; trees of files are also walked as a whole, for backups and searches.
    """
    working = found.setting.working_set_bytes
    if not found.logical_bytes or not found.volumes:
        return metadata.typical, ""
    if working is None:
        return metadata.typical, None
    hot = metadata.typical * min(1.0, working / found.logical_bytes)
    return hot, _(
        "Those of the {working} in constant use take {hot}.", working=verdicts.size(working), hot=verdicts.size(hot)
    )


def _too_small(found: _Sizer, chosen: tuple[_Part, ...], metadata: Estimate) -> str:
    words = _overflow_words(_total(chosen), found.room or 0)
    choices = found.setting.choices
    if not choices.small_blocks or _overflow(metadata, found.room) > 1:
        return words
    fits = _Sizer(replace(found.setting, choices=replace(choices, small_blocks=()))).chosen()
    limits = ", ".join(
        f"{part.filling.name or _('the root dataset')}: {part.limit // KIB}K" for part in fits if part.limit
    )
    return _(
        "{words} Smaller special_small_blocks would fit ({limits}).", words=words, limits=limits or _("metadata alone")
    )


def _outgrown(chosen: tuple[_Part, ...], found: _Sizer) -> tuple[str, ...]:
    filled, growth = _overflow(_total(chosen), found.room), found.setting.workload.growth_percent
    if not growth or not verdicts.knows_datasets(found.setting) or not 0 < filled <= 1:
        return ()
    soon, late = (-log(filled) / log(1 + growth / 100 * (1 + doubt)) for doubt in (GROWTH_DOUBT, -GROWTH_DOUBT))
    text = _(
        "At {growth} % growth a year it overflows in {soon:.1f} to {late:.1f} years; small blocks then go to disks.",
        growth=growth,
        soon=soon,
        late=late,
    )
    return (text,)


def _wanted(chosen: tuple[_Part, ...], found: _Sizer) -> Estimate:
    total, limits = _total(chosen), [part.limit for part in chosen]
    low, high = total.low, total.high
    if found.assumed_files:
        low = _total(found.counted(limits, _MOST_BYTES)).low
        high = _total(found.counted(limits, _FEWEST_BYTES)).high
    files = chosen[0].filling.files
    source = _(
        "OpenZFS's block arithmetic on the dataset tree; {sizes}; a quarter is kept for "
        "metadata (zfs(4): zfs_special_class_metadata_reserve_pct)",
        sizes=_("volumes") if files is None else files.origin.source,
    )
    wanted = (value / SPECIAL_DATA_SHARE for value in (low, total.typical, high))
    return verdicts.estimate(wanted, limit=_("metadata and small blocks"), source=source)


def _gain(setting: verdicts.RoleSetting, files: float) -> verdicts.Gain:
    """Return reads of whole small files a second: all from the disks, or ``files`` of them from a flash mirror."""
    inputs = setting.inputs
    load = replace(inputs.load, record_bytes=_SMALL_READ, request_bytes=None)
    media = Media.NVME if any(d.media is Media.NVME for d in setting.flash) else Media.SSD
    slow = speed_inputs(inputs.host, inputs.disks, inputs.log, load, inputs.calibration)
    fast = speed_inputs(inputs.host, disk_rates(media=media), inputs.log, load, inputs.calibration)
    mirror = (VdevSpec(kind=VdevKind.MIRROR, sizes=(TIB, TIB)),)
    disks = predict_groups(groups_of(setting.data), slow).rand_read_iops
    flash = predict_groups(groups_of(mirror), fast).rand_read_iops

    def mixed(b: float, a: float) -> float:
        return 1 / ((1 - files) / a + files / b)

    after = replace(verdicts.each_of(mixed, flash, disks), limit=_("the files that stay on the disks"))
    return verdicts.Gain(what=_("files opened, not in RAM"), unit="IOPS", before=disks, after=after)


def _block_words(blocks: tuple[verdicts.SmallBlocks, ...]) -> tuple[str, ...]:
    return tuple(
        _(
            "{dataset}: special_small_blocks={limit}K puts {files} of the files or blocks and {bytes} of the bytes on "
            "flash, {moved}.",
            dataset=block.dataset or _("the root dataset"),
            limit=block.limit_bytes // KIB,
            files=verdicts.percent(block.share_of_files),
            bytes=verdicts.percent(block.share_of_bytes),
            moved=verdicts.size(block.moved.typical),
        )
        for block in blocks
        if block.limit_bytes and block.share_of_files
    )


def _limit_words(part: _Part, room: int | None, version: ZfsVersion) -> str:
    record = part.filling.whole.block_bytes
    if part.filling.volume:
        text = _("volumes have blocks of one size, all or none would go there")
        if version >= _VOLUMES_SINCE:
            return text
        return _("{text}; blocks of volumes go there only since OpenZFS 2.4", text=text)
    if not part.limit:
        return _("metadata alone fill it")
    if part.limit >= record:
        return _("every block goes to the special vdev")
    if part.limit == record // 2:
        return _("the largest below the recordsize of {block_bytes}", block_bytes=verdicts.size(record))
    return _fitting_words(room)


def _total(parts: tuple[_Part, ...]) -> Estimate:
    return added([part.special for part in parts])


def _minus(whole: Estimate, part: Estimate) -> Estimate:
    """Return what is left of ``whole`` without ``part`` in whole bytes, never below 0."""
    left = verdicts.each_of(lambda a, b: float(max(0, round(a - b))), whole, part)
    low, typical, high = sorted(band_of(left))
    return replace(left, low=low, typical=typical, high=high)


# From the blocks of an existing pool that will be moved onto it, as `zdb -Lbbbs` counted them.

_SPREAD_MEAN = 1.44  # 1 / ln 2: the mean of sizes spread evenly over their logarithm, in units of the least
_DOUBT = 0.15


def _of_blocks(setting: verdicts.RoleSetting, count: BlockCount) -> verdicts.RoleJudgement:
    """Return whether a special vdev helps these blocks.

    Where the datasets say how much will lie in them, the count is scaled to that. One limit serves all datasets, for
    the count does not tell them apart: it is set at the root.
    """
    room, ashift = flash_room(setting), setting.pool.ashift
    logical = sum(dataset.logical_bytes or 0 for dataset in setting.pool.datasets)
    scale = logical / count.data_logical_bytes if logical and count.data_logical_bytes else 1.0
    limit, reason = _limit(setting, count, room, scale)
    metadata, total = (special_bytes(count, up_to, ashift=ashift, scale=scale) for up_to in (0, limit))
    blocks, data = share_of_blocks(count, limit), share_of_bytes(count, limit)
    verdict, words, missing = _verdict_of_blocks(setting, metadata.typical, blocks)
    if room is not None and _overflow(total, room) > 1:
        verdict, words, missing = verdicts.Verdict.DOES_NOT_HELP, (_overflow_words(total, room), *words), ()
    moved = _minus(total, metadata)
    found = verdicts.SmallBlocks(
        dataset="", limit_bytes=limit, moved=moved, share_of_files=blocks, share_of_bytes=data, reason=reason
    )
    return verdicts.RoleJudgement(
        role=Role.SPECIAL,
        verdict=verdict,
        because=(*words, *_block_words((found,))),
        size=times(total, 1 / SPECIAL_DATA_SHARE),
        missing=missing,
        small_blocks=(found,),
    )


def _limit(setting: verdicts.RoleSetting, count: BlockCount, room: int | None, scale: float) -> tuple[int, str]:
    """Return the limit: what a person chose, else the largest below the largest blocks that fits on the flash."""
    chosen = dict(setting.choices.small_blocks).get("")
    if chosen is not None:
        return chosen, _("as chosen")
    largest = max((found.size_bytes for found in count.classes), default=SMALLEST_LIMIT)
    # A limit that reaches a recordsize set in the tree would put everything on flash.
    records = [space_bytes(s.value) for d in setting.pool.datasets for s in d.settings if s.name == "recordsize"]
    record = min((size for size in records if size), default=2 * LARGEST_LIMIT)
    most = min(largest // 2, record // 2, LARGEST_LIMIT if room is not None else _USUAL_LIMIT)

    def fits(limit: int) -> bool:
        return _overflow(special_bytes(count, limit, ashift=setting.pool.ashift, scale=scale), room) <= 1

    return _largest(fits, most), _fitting_words(room)


def _verdict_of_blocks(setting: verdicts.RoleSetting, metadata: float, blocks: float) -> _Said:
    arc = arc_bytes(setting.host, setting.pool.version)
    words = _("zdb counted metadata of {metadata} with all their copies.", metadata=verdicts.size(metadata))
    words = words if arc is None else f"{words} {_(_ARC_HAS, arc=verdicts.size(arc))}"
    flash = _(_FROM_FLASH, share=verdicts.percent(blocks))
    if blocks >= MANY_FILES:
        return verdicts.Verdict.HELPS, (flash, words), ()
    if arc is None:
        return verdicts.Verdict.CANNOT_TELL, (words, _("Whether they fit into RAM is not known.")), _RAM
    if metadata > MOST_ARC_SHARE * arc:
        return verdicts.Verdict.HELPS, (f"{words} {_(_CROWD)}",), ()
    if blocks >= FEW_FILES:
        return verdicts.Verdict.CANNOT_TELL, (words, flash), ()
    return verdicts.Verdict.DOES_NOT_HELP, (f"{words} {_(_FROM_RAM, share=verdicts.percent(blocks))}",), ()


def special_bytes(count: BlockCount, limit_bytes: int, *, ashift: int, scale: float = 1.0) -> Estimate:
    """Return the bytes that metadata and blocks up to ``limit_bytes`` take on one side of a special mirror.

    ``scale`` is how many times the data of the counted pool there will be.
    """
    small = sum(_allocated(found, limit_bytes, 1 << ashift) for found in count.classes)
    once = max(count.metadata_physical_bytes, count.metadata_blocks << ashift)
    typical = (count.metadata_bytes + max(0.0, small - (once if limit_bytes else small))) * scale
    return verdicts.estimate(
        (typical * (1 - _DOUBT), typical, typical * (1 + _DOUBT)),
        limit=_("metadata and small blocks"),
        source=_("blocks of an existing pool, counted by zdb -Lbbbs"),
    )


def share_of_blocks(count: BlockCount, limit_bytes: int) -> float:
    """Return which share of the data blocks is no larger than ``limit_bytes``, 0 to 1."""
    small = sum(found.count * _share(found, limit_bytes) for found in count.classes)
    total = sum(found.count for found in count.classes)
    return _of_data(small, total, count.metadata_blocks) if limit_bytes else 0.0


def share_of_bytes(count: BlockCount, limit_bytes: int) -> float:
    """Return which share of the bytes of data, after compression, lies in those blocks."""
    small = sum(_small_bytes(found, limit_bytes) for found in count.classes)
    total = sum(found.physical_bytes for found in count.classes)
    return _of_data(small, total, count.metadata_physical_bytes) if limit_bytes else 0.0


def _of_data(small: float, total: int, metadata: int) -> float:
    """Return a share of the data where both numbers count the metadata, which are small."""
    return min(1.0, max(0.0, (small - metadata) / (total - metadata))) if total > metadata else 0.0


def _share(found: BlockClass, limit_bytes: int) -> float:
    if found.size_bytes * 2 <= limit_bytes:
        return 1.0
    return _exact(found) if found.size_bytes == limit_bytes else 0.0


def _exact(found: BlockClass) -> float:
    """Return which share of the blocks of a class has the least size of it, as whole records have."""
    mean = found.physical_bytes / found.count / found.size_bytes
    return min(1.0, max(0.0, (_SPREAD_MEAN - mean) / (_SPREAD_MEAN - 1)))


def _small_bytes(found: BlockClass, limit_bytes: int) -> float:
    share = _share(found, limit_bytes)
    return float(found.physical_bytes) if share == 1 else share * found.count * found.size_bytes


def _allocated(found: BlockClass, limit_bytes: int, sector: int) -> float:
    share = _share(found, limit_bytes)
    if found.size_bytes < sector:
        return share * found.count * sector
    # Blocks between two powers of two lose half a sector on average; those of exactly the limit lose nothing.
    rounding = 0.0 if share < 1 else (1 - _exact(found)) * found.count * sector / 2
    return _small_bytes(found, limit_bytes) + rounding
