"""A log device (SLOG): worth it for synchronous writes to hard disks, and for nothing else.

The gain is that of all writes: with a share p of synchronous writes at rate s and the rest at rate a, one writer
after the other, the pool takes 1 / (p / s + (1 - p) / a) bytes a second. The rates are those of `predict.throughput`,
fitted to the thesis (chapter 5.6.2: 25 MiB/s without, 332 with a log device, limited by the device's 367).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.design.roles.cache import log_bytes
from poolwright.design.roles.verdicts import Gain, RoleJudgement, RoleSetting, Verdict, each_of, estimate, no_help, size
from poolwright.design.support import Role
from poolwright.domain.disk import FLASH_MEDIA, Disk, Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.grouping import grouped
from poolwright.domain.inheritance import Resolver
from poolwright.domain.rates import rate_text
from poolwright.domain.units import MIB
from poolwright.domain.workload import Sharing, Workload
from poolwright.predict.assumptions import rates_of_disks, speed_inputs
from poolwright.predict.groups import groups_of, times
from poolwright.predict.media import DiskRates, disk_rates
from poolwright.predict.number_words import SPEED_TITLES
from poolwright.predict.speed import SpeedPrediction, predict_groups
from poolwright.predict.throughput import DEFAULT_CLIENTS, flush_of, is_bulk, passes_log_by, special_as_log, sync_writes
from poolwright.rules.presets import has_trait
from poolwright.rules.profile import keeps_writes
from poolwright.texts import N_, _, inside

TXG_SECONDS = 5  # zfs_txg_timeout
# Below a quarter more writes nobody sees a difference beside the spread of any benchmark.
WORTH = 1.25
# In front of flash that answers at once more is asked for: what both gain from lies inside the spread of such drives.
WORTH_BEFORE_FLASH = 1.5
# A file that streams: from there on one wait for each no longer counts.
_LARGE_FILE_BYTES = 32 * MIB
# No client holds more than this back before it asks.
_LARGEST_COMMIT_BYTES = 64 * MIB


def judge_log(setting: RoleSetting) -> RoleJudgement:
    share = sync_share(setting)
    if share == 0:
        stops = setting.workload.sync_write_percent != 0
        text = _("sync=disabled: no write uses a log.") if stops else _("No write is synchronous, so none uses a log.")
        return no_help(Role.LOG, text)
    speeds = log_speeds(setting)
    wanted = log_size(setting, speeds.without)
    least, most = commit_sizes(setting.workload, setting.inputs.load.asked_bytes)
    part = 1.0 if share is None else share / 100
    gain, small = _gain(setting, speeds, part, most), _gain(setting, speeds, part, least)
    worth, bulk = worth_of_log(setting), _bulk_words(setting, most)
    if small.times() < worth:
        return replace(no_help(Role.LOG, _no_gain(setting, gain), *bulk), gain=gain, size=wanted)
    if gain.times() < worth:
        found = _by_file_size(setting, gain, small)
    else:
        found = _worth_it(setting, gain, share, (*bulk, _size_words(speeds.without, wanted)))
    return replace(found, gain=gain, size=wanted, wished_redundancy=1)


def worth_of_log(setting: RoleSetting) -> float:
    return WORTH_BEFORE_FLASH if setting.data_media in FLASH_MEDIA else WORTH


def _by_file_size(setting: RoleSetting, gain: Gain, small: Gain) -> RoleJudgement:
    """Return the judgement where small files gain and large ones do not; large where the files are known."""
    known = setting.workload.typical_file_bytes
    text = _(
        "A client of NFS waits once for each file that it closes: with files of {large} {what} would go from "
        "{before} to {after}, with a wait for each request from {small_before} to {small_after}.",
        large=size(known or _LARGE_FILE_BYTES),
        what=gain.what,
        before=rate_text(gain.before.typical),
        after=rate_text(gain.after.typical),
        small_before=rate_text(small.before.typical),
        small_after=rate_text(small.after.typical),
    )
    if known is not None:
        return no_help(Role.LOG, text)
    missing = (_("typical file size"),)
    return RoleJudgement(role=Role.LOG, verdict=Verdict.CANNOT_TELL, because=(text,), missing=missing)


def _bulk_words(setting: RoleSetting, commit: int) -> tuple[str, ...]:
    """Return what old versions do with large commits; nothing where they are treated as any other."""
    version, total = setting.pool.version, (setting.inputs.load.clients or DEFAULT_CLIENTS) * commit
    if is_bulk(version, total):
        text = N_(
            "Before OpenZFS 2.2 commits over 768 KiB wait behind all other writes of the log (zil_slog_bulk, #14378)."
        )
    elif passes_log_by(version, total):
        text = N_("Before OpenZFS 0.7 commits over 1 MiB pass a log device by (zil_slog_limit, #1012).")
    else:
        return ()
    return (_(text),)


def _worth_it(setting: RoleSetting, gain: Gain, share: int | None, last_words: tuple[str, ...]) -> RoleJudgement:
    risks, doubts = _doubts(setting)
    text = (
        _("{share} % of the writes are synchronous", share=share)
        if share is not None
        else _("With nothing but synchronous writes")
    )
    because = [
        _(
            "{told}: {what} rise from {before} to {after} ({times:.1f} times; measured on 44 disks: 25 and 332 MiB/s).",
            told=text,
            what=gain.what,
            before=rate_text(gain.before.typical),
            after=rate_text(gain.after.typical),
            times=gain.times(),
        )
    ]
    missing: tuple[str, ...] = ()
    if share is None:
        missing = (f"{_('share of synchronous writes')} (--sync-percent)",)
        because.insert(0, _("The share of synchronous writes is unknown; without any, a log stays idle."))
    elif doubts:
        missing = (_("power-loss protection"),)
    if by_itself := special_as_log(setting.pool.version):
        because.append(by_itself)
    return RoleJudgement(
        role=Role.LOG,
        verdict=Verdict.CANNOT_TELL if missing else Verdict.HELPS,
        because=(*because, *doubts, *last_words),
        risks=risks,
        missing=missing,
    )


def sync_share(setting: RoleSetting) -> int | None:
    """Return how many of the writes are synchronous, in per cent, as `sync` of the datasets leaves them.

    All are where a dataset has sync=always, none where every dataset has sync=disabled; None where nobody said.
    """
    resolver = Resolver(setting.pool)
    values = {resolver.value(dataset, "sync") for dataset in setting.pool.datasets}
    if "always" in values:
        return 100
    return 0 if values == {"disabled"} else setting.workload.sync_write_percent


def log_size(setting: RoleSetting, speed: SpeedPrediction) -> Estimate:
    """Return the bytes a log holds: seconds of ingest, as far as OpenZFS lets writes be under way.

    Low is one transaction group, typical two thirds of the chosen seconds, high all of them (three groups of 5 s).
    """
    seconds, ingest = setting.choices.ingest_seconds, speed.seq_write
    least = min(TXG_SECONDS, seconds)
    values = [held * ingest.typical for held in (least, max(least, seconds * 2 / 3), seconds)]
    source = _(
        "{seconds:g} s of ingest at {rate} ({limit}); transaction groups of 5 s, up to three under way (zfs(4): "
        "zfs_txg_timeout)",
        seconds=seconds,
        rate=rate_text(ingest.typical),
        limit=ingest.limit,
    )
    limit = _("{seconds:g} s of ingest", seconds=seconds)
    bound = log_bytes(setting.host, setting.pool.version)
    if bound is not None:
        if values[2] > bound:
            limit = "zfs_wrlog_data_max"
        values = [min(value, float(bound)) for value in values]
        held = _("OpenZFS holds writes back at {bound} of log (zfs(4): zfs_wrlog_data_max)", bound=size(bound))
        source = f"{source}; {held}"
    return estimate(values, limit=limit, source=source)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSpeeds:
    without: SpeedPrediction
    beside: SpeedPrediction
    log: DiskRates


def log_speeds(setting: RoleSetting) -> LogSpeeds:
    """Return the speed without a log device and on the flash at hand: a good SSD where there is none."""
    groups, inputs = groups_of(setting.data), setting.inputs
    drives = log_drives(setting.flash)
    log = rates_of_disks(drives) if drives else disk_rates(media=Media.SSD, power_loss_protected=True)
    beside = speed_inputs(inputs.host, inputs.disks, log, inputs.load, inputs.calibration)
    return LogSpeeds(
        without=predict_groups(groups, inputs), beside=predict_groups(groups, beside, log_devices=1), log=log
    )


def log_drives(flash: Sequence[Disk], width: int = 2) -> list[Disk]:
    """Return the ``width`` of ``flash`` that carry a log best, one where no two are alike: the smallest that keep
    their writes, for a log needs little room. A mirror answers when its slower half does, so both are of one kind.
    """
    by_size = sorted(flash, key=lambda d: (d.size_bytes or 0, d.key))
    kinds = grouped(((disk.media, keeps_writes(disk) is True), disk) for disk in by_size)

    def order(disks: list[Disk]) -> tuple[bool, bool, float, int]:
        # A log of one drive leaves those that are alike together, for the mirror of another role.
        other = len(disks) < width or (width == 1 and len(disks) > 1)
        waits = flush_of(rates_of_disks(disks[:1])).typical if len(disks) < width or width == 1 else 0.0
        return keeps_writes(disks[0]) is not True, other, waits, disks[:width][-1].size_bytes or 0

    return min(kinds.values(), key=order, default=[])[:width]


def commit_sizes(workload: Workload, record_bytes: int) -> tuple[int, int]:
    """Return the bytes that one wait makes safe, least and most: as large as a request, but for files over NFS.

    A client of NFS writes a file without waiting and asks for all of it to be made safe when it closes it (RFC 1813,
    COMMIT); guests and databases on a share wait for each write.
    """
    waits_each = workload.volumes or has_trait(workload, "guests", "pages")
    if workload.sharing is not Sharing.NFS or waits_each:
        return record_bytes, record_bytes
    usual = workload.typical_file_bytes
    if usual is None:
        return record_bytes, max(record_bytes, _LARGE_FILE_BYTES)
    return min(usual, record_bytes), max(record_bytes, min(usual, _LARGEST_COMMIT_BYTES))


def _gain(setting: RoleSetting, speeds: LogSpeeds, share: float, commit: int) -> Gain:
    """Return the writes of which ``share`` are synchronous, each making ``commit`` bytes safe, one after the other."""

    def mixed(speed: SpeedPrediction, log: DiskRates | None) -> Estimate:
        sync = _sync_rate(setting, speed, commit, log)
        return each_of(lambda a, b: 1 / (share / min(a, b) + (1 - share) / b), sync, speed.seq_write)

    what = inside(_(SPEED_TITLES["sync_write_iops"])) if share == 1 else _("all writes")
    before, after = mixed(speeds.without, None), mixed(speeds.beside, speeds.log)
    return Gain(what=what, unit="bytes/s", before=before, after=after)


def _sync_rate(setting: RoleSetting, speed: SpeedPrediction, commit: int, log: DiskRates | None) -> Estimate:
    inputs = setting.inputs
    record = inputs.load.asked_bytes

    def each(size: int) -> float:
        found = sync_writes(
            groups_of(setting.data), inputs.disks, record_bytes=size, clients=inputs.load.clients,
            sequential=speed.seq_write.typical, log=log, log_devices=0 if log is None else 1,
            version=inputs.load.version,
        )  # fmt: skip
        return size * found.per_second

    return times(speed.sync_write_iops, record * (1.0 if commit == record else each(commit) / each(record)))


def _no_gain(setting: RoleSetting, gain: Gain) -> str:
    return _(
        "With a log device {what} would go from {before} to {after}: it is worth it from {times:g} times on.",
        what=gain.what,
        before=rate_text(gain.before.typical),
        after=rate_text(gain.after.typical),
        times=worth_of_log(setting),
    )


def _doubts(setting: RoleSetting) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the risks of the drives at hand as log, and why the gain is doubtful on them (nothing where it is not)."""
    kept = [keeps_writes(disk) for disk in setting.flash]
    if not kept or True in kept:
        return (), ()
    if None in kept:
        unknown = _("Whether the drives keep confirmed writes in a power cut is not known: the data sheet tells.")
        return (unknown,), ()
    loses = _("A drive without power-loss protection loses confirmed writes, or must flush each to its cells.")
    slow = _(
        "None of the drives has power-loss protection: each commit waits for their cells (0.8 to 7 ms) and wears "
        "them. Measure with fio --fsync=1 first."
    )
    return (loses,), (slow,)


def _size_words(speed: SpeedPrediction, wanted: Estimate) -> str:
    rate = speed.seq_write.typical
    return _(
        "At {rate} ({limit}) it holds {seconds:.0f} s of writes, {typical}, and never more than {high}.",
        rate=rate_text(rate),
        limit=speed.seq_write.limit,
        seconds=wanted.typical / rate,
        typical=size(wanted.typical),
        high=size(wanted.high),
    )
