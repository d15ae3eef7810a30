"""A cache device (L2ARC): worth it for random reads that repeat, of more data than RAM holds.

The rate after warming: of a working set W the ARC holds a, the cache device c, the disks have the rest d (shares of
W). Reads that wait for one after the other take c / flash + d / disks (low); device and disks at full speed side by
side min(flash / c, disks / d) (high); typical is the geometric mean. Nothing in it is fitted. For the thesis' machine
(1 TiB, 128 GiB of ARC, 745 GiB at 396 MiB/s, disks 170 MiB/s) that is 369 to 544, typical 448, where about 450 were
measured (chapter 5.6.1). No cache is complete: at least a hundredth (high) or a tenth (low) of the reads miss it."""

from dataclasses import replace

from poolwright.design.roles import verdicts
from poolwright.design.support import Role
from poolwright.domain.disk import FLASH_MEDIA, Disk, Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Host
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GIB, MIB
from poolwright.domain.version import ZfsVersion
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.number_words import hours_text
from poolwright.predict.speed import predict_groups
from poolwright.texts import N_, _

# The same values as in rules/limits.toml; a test holds them together.
HEADER_BYTES = 96  # HDR_L2ONLY_SIZE, module/zfs/arc.c
LEAST_RAM_BYTES = 60_000_000_000
MOST_HEADER_PERCENT = 10
MOSTLY_SEQUENTIAL_PERCENT = 80
MOSTLY_WRITES_PERCENT = 20
WORTH = 1.25
_LEAST_MISSED = (0.01, 0.1)
_COMPRESSED = 1.5
_MEASURED = N_("measured on 44 disks: 170 MiB/s, after some passes 450")


def judge_cache(setting: verdicts.RoleSetting) -> verdicts.RoleJudgement:
    reason = _pointless(setting)
    if reason is not None:
        return verdicts.no_help(Role.CACHE, reason)
    working, arc = setting.working_set_bytes, arc_bytes(setting.host, setting.pool.version)
    wanted = (
        (working, f"{_('size of the data in constant use')} (--working-set)"),
        (arc, "RAM (--ram)"),
        (setting.workload.sequential_percent, f"{_('share of sequential I/O')} (--sequential-percent)"),
    )
    missing = tuple(name for value, name in wanted if value is None)
    if working is not None and arc is not None:
        return _judge_sizes(setting, working, arc, missing)
    text = _("Only random reads that repeat gain, of more data than the ARC holds ({measured}).", measured=_(_MEASURED))
    return verdicts.RoleJudgement(
        role=Role.CACHE, verdict=verdicts.Verdict.CANNOT_TELL, because=(text,), missing=missing
    )


def header_bytes(cached_bytes: float, block_bytes: int) -> float:
    return cached_bytes / block_bytes * HEADER_BYTES


def warmed_rate(
    *, working_bytes: float, arc_bytes: float, cache_bytes: float, flash_rate: float, disk_rate: float
) -> tuple[float, float, float]:
    """Return low, typical and high rate of random reads (bytes/s) once ARC and cache device are warm."""
    arc = min(1.0, arc_bytes / working_bytes)
    held = min(1.0 - arc, cache_bytes / working_bytes)
    few, many = (max(1.0 - arc - held, least) for least in _LEAST_MISSED)
    low = 1.0 / (max(0.0, 1.0 - arc - many) / flash_rate + many / disk_rate)
    cached = max(0.0, 1.0 - arc - few)
    high = min(disk_rate / few, flash_rate / cached) if cached else disk_rate / few
    return low, (low * high) ** 0.5, high


def _pointless(setting: verdicts.RoleSetting) -> str | None:
    reads, sequential = setting.workload.read_percent, setting.workload.sequential_percent
    if setting.data_media in FLASH_MEDIA:
        return _(verdicts.ON_FLASH)
    if reads is not None and reads < MOSTLY_WRITES_PERCENT:
        return _(
            "Only {read_percent} % of the I/O are reads; a cache device does nothing for writes.", read_percent=reads
        )
    if sequential is not None and sequential >= MOSTLY_SEQUENTIAL_PERCENT:
        return _(
            "{sequential} % of the I/O is sequential: read-ahead passes the cache device by (l2arc_noprefetch).",
            sequential=sequential,
        )
    return None


def _judge_sizes(
    setting: verdicts.RoleSetting, working: int, arc: int, missing: tuple[str, ...]
) -> verdicts.RoleJudgement:
    ram = setting.host.ram_bytes or 0
    if working <= arc:
        because = _(
            "The data in constant use, {working}, fit into the ARC ({arc} of {ram} RAM).",
            working=verdicts.size(working),
            arc=verdicts.size(arc),
            ram=verdicts.size(ram),
        )
        return verdicts.no_help(Role.CACHE, because)
    wanted = _wanted(setting, working, arc)
    headers = _header_words(setting, wanted.typical)
    if ram < LEAST_RAM_BYTES:
        because = _(
            "{ram} of RAM come first: up to 64 GB, RAM does more than a cache device of {typical} and its headers.",
            ram=verdicts.size(ram),
            typical=verdicts.size(wanted.typical),
        )
        return replace(verdicts.no_help(Role.CACHE, because, headers), size=wanted)
    gain = _gain(setting, working, arc, wanted)
    words = _(
        "{working} in constant use, {arc} in the ARC: random reads rise from {before} to {after} ({times:.1f} times; "
        "{measured}).",
        working=verdicts.size(working),
        arc=verdicts.size(arc),
        before=rate_text(gain.before.typical),
        after=rate_text(gain.after.typical),
        times=gain.times(),
        measured=_(_MEASURED),
    )
    fill = cache_fill_rate(setting.pool.version)
    warm = _(
        "It fills at {rate} at most (l2arc_write_max): {time} until it is warm.",
        rate=rate_text(fill),
        time=hours_text(wanted.typical / fill / 3600),
    )
    verdict = verdicts.Verdict.CANNOT_TELL if setting.workload.sequential_percent is None else verdicts.Verdict.HELPS
    verdict = verdict if gain.times() >= WORTH else verdicts.Verdict.DOES_NOT_HELP
    return verdicts.RoleJudgement(
        role=Role.CACHE,
        verdict=verdict,
        because=(words, headers, warm),
        size=wanted,
        gain=gain,
        missing=missing if verdict is verdicts.Verdict.CANNOT_TELL else (),
        risks=(_("None for the data: a cache device may fail, or be removed, at any time."),),
    )


def _header_words(setting: verdicts.RoleSetting, cached_bytes: float) -> str:
    block = setting.inputs.load.record_bytes
    headers = header_bytes(cached_bytes, block)
    return _(
        "Its headers take {headers} of RAM ({header_bytes} bytes for each block of {block}), {share} of it.",
        headers=verdicts.size(headers),
        header_bytes=HEADER_BYTES,
        block=verdicts.size(block),
        share=verdicts.percent(headers / (setting.host.ram_bytes or 1)),
    )


def _wanted(setting: verdicts.RoleSetting, working: int, arc: int) -> Estimate:
    """Return the bytes a cache should have: what the ARC does not hold, bounded by the RAM for headers.

    Low: the data are compressed on it too. High: what is in the ARC ends up on it as well.
    """
    need = working - arc
    low = need / _COMPRESSED if setting.workload.compressible else float(need)
    bound = (setting.host.ram_bytes or 0) * MOST_HEADER_PERCENT / 100 / HEADER_BYTES * setting.inputs.load.record_bytes
    source = _(
        "working set {working} less the ARC's {arc}; at most {most_header_percent} % of RAM "
        "for headers of {header_bytes} bytes (arc.c: HDR_L2ONLY_SIZE)",
        working=verdicts.size(working),
        arc=verdicts.size(arc),
        most_header_percent=MOST_HEADER_PERCENT,
        header_bytes=HEADER_BYTES,
    )
    limit = _("RAM for its headers") if need > bound else _("size of the data in constant use")
    return verdicts.estimate(
        [min(value, bound) for value in (low, float(need), float(working))], limit=limit, source=source
    )


def _gain(setting: verdicts.RoleSetting, working: int, arc: int, wanted: Estimate) -> verdicts.Gain:
    disks = predict_groups(groups_of(setting.data), setting.inputs).rand_read_iops
    record, network = setting.inputs.load.asked_bytes, setting.inputs.network
    flash = flash_rate(setting.flash, record)
    held = min(wanted.typical, float(sum(disk.size_bytes or 0 for disk in setting.flash)) or wanted.typical)

    def rates(disk_iops: float, cache: float) -> list[float]:
        found = warmed_rate(
            working_bytes=working, arc_bytes=arc, cache_bytes=cache, flash_rate=flash, disk_rate=disk_iops * record
        )
        return [min(rate, network) for rate in found]

    source = _("hits of ARC, cache device and disks by their share of the working set; checked against thesis 5.6.1")
    each = (disks.low, disks.typical, disks.high)
    before = [rates(iops, 0.0)[1] for iops in each]
    after = [rates(iops, held)[number] for number, iops in enumerate(each)]
    return verdicts.Gain(
        what=_("random reads, warm"),
        unit="bytes/s",
        before=verdicts.estimate(before, limit=_("the disks"), source=source),
        after=verdicts.estimate(after, limit=_("cache device and disks together"), source=source),
    )


def flash_rate(flash: tuple[Disk, ...], record_bytes: int) -> float:
    """Return what the flash disks read together at random, bytes/s; that of one SSD where there is none."""
    each = [disk_rates(media=disk.media) for disk in flash] or [disk_rates(media=Media.SSD)]
    return sum([min(r.read_bytes_per_second, r.iops * record_bytes) for r in each])


# What OpenZFS keeps in RAM by default: the ARC, and the writes that may be under way.

_V22, _V23 = ZfsVersion(2, 2, 0), ZfsVersion(2, 3, 0)


def arc_bytes(host: Host, version: ZfsVersion) -> int | None:
    """Return the default limit of the ARC; None where the RAM is unknown.

    Linux: half of the RAM, since OpenZFS 2.3 the larger of the RAM less 1 GiB and 5/8 of it. FreeBSD has had the latter
    all along (`arc_default_max`); a system whose installer sets a limit has that.
    """
    ram = host.ram_bytes
    if ram is None:
        return None
    system = host.system
    if system is not None and system.arc_percent is not None:
        limit = ram * system.arc_percent // 100
        return limit if system.arc_most_bytes is None else min(limit, system.arc_most_bytes)
    freebsd = host.os_name is not None and "freebsd" in host.os_name.lower()
    return max(ram - GIB, ram * 5 // 8) if version >= _V23 or freebsd else ram // 2


def dirty_bytes(host: Host) -> int | None:
    """Return `zfs_dirty_data_max`: a tenth of the RAM, at most 4 GiB (zfs(4)); None where the RAM is unknown."""
    return None if host.ram_bytes is None else min(host.ram_bytes // 10, 4 * GIB)


def log_bytes(host: Host, version: ZfsVersion) -> int | None:
    """Return `zfs_wrlog_data_max`, beyond which OpenZFS holds writes back: twice the dirty data (zfs(4), since 2.2)."""
    dirty = dirty_bytes(host)
    return None if dirty is None or version < _V22 else 2 * dirty


def cache_fill_rate(version: ZfsVersion) -> int:
    """Return `l2arc_write_max` in bytes/s: 8 MiB, since OpenZFS 2.3 32 MiB (#15457)."""
    return (32 if version >= _V23 else 8) * MIB
