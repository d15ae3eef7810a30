"""A log device (SLOG): worth it for synchronous writes to hard disks, and for nothing else.

The gain is that of all writes: with a share p of synchronous writes at rate s and the rest at rate a, one writer
after the other, the pool takes 1 / (p / s + (1 - p) / a) bytes a second. The rates are those of `predict.syncwrite`,
fitted to the thesis (chapter 5.6.2: 25 MiB/s without, 332 with a log device, limited by the device's 367).
"""

from dataclasses import replace

from poolwright.advise.role_memory import log_bytes
from poolwright.advise.role_model import Gain, Role, RoleJudgement, RoleSetting, Verdict
from poolwright.advise.role_words import estimate, rate, scaled, size
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.inheritance import Resolver
from poolwright.domain.units import GIB
from poolwright.domain.version import ZfsVersion
from poolwright.predict.circumstances import circumstances
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.speed import SpeedPrediction, predict_groups
from poolwright.rules.power_loss import keeps_writes

TXG_SECONDS = 5  # zfs_txg_timeout
# Below a quarter more writes nobody sees a difference beside the spread of any benchmark.
WORTH = 1.25
SPECIAL_TAKES_LOG = ZfsVersion(2, 4, 0)


def judge_log(setting: RoleSetting) -> RoleJudgement:
    """Return whether a log device helps this pool, and how large it should be."""
    share = sync_share(setting)
    without, beside = _speeds(setting)
    wanted = log_size(setting, without)
    if share == 0:
        off = setting.workload.sync_write_percent != 0
        none = "sync=disabled keeps every write off the log" if off else "None of the writes are synchronous"
        return RoleJudgement(
            role=Role.LOG,
            verdict=Verdict.DOES_NOT_HELP,
            because=(
                f"{none}: only those use the log. Without them no difference was measured (thesis, chapter 5.6).",
            ),
        )
    gain = _gain(setting, without, beside, 1.0 if share is None else share / 100)
    times = gain.after.typical / gain.before.typical
    if times < WORTH:
        return RoleJudgement(
            role=Role.LOG,
            verdict=Verdict.DOES_NOT_HELP,
            because=(_no_gain(setting, gain),),
            gain=gain,
            size=wanted,
        )
    return _worth_it(setting, gain, wanted, _size_words(setting, without, wanted))


def _worth_it(setting: RoleSetting, gain: Gain, wanted: Estimate, size_words: str) -> RoleJudgement:
    """Return the judgement of a log that gains something, provided there are synchronous writes and a fit device."""
    share = sync_share(setting)
    risks, reasons = _devices(setting)
    told = f"{share} % of the writes are synchronous" if share is not None else "With nothing but synchronous writes"
    because = [
        (
            f"{told}: {gain.what} rise from {rate(gain.before.typical)} to {rate(gain.after.typical)} "
            f"({gain.after.typical / gain.before.typical:.1f} times; the thesis measured 25 and 332 MiB/s)."
        )
    ]
    verdict, missing = Verdict.HELPS, tuple[str, ...]()
    if share is None:
        verdict, missing = Verdict.CANNOT_TELL, ("how many of the writes are synchronous",)
        because.insert(0, "Nobody said how many of the writes are synchronous; without any, a log stays idle.")
    elif reasons:
        verdict, missing = Verdict.CANNOT_TELL, ("whether the drives keep confirmed writes in a power cut",)
    if setting.version >= SPECIAL_TAKES_LOG:
        because.append("OpenZFS 2.4 puts the log on a special vdev where there is no log device (#17505).")
    return RoleJudgement(
        role=Role.LOG,
        verdict=verdict,
        because=(*because, *reasons, size_words),
        size=wanted,
        gain=gain,
        least_redundancy=0,
        wished_redundancy=1,
        risks=risks,
        missing=missing,
    )


def sync_share(setting: RoleSetting) -> int | None:
    """Return how many of the writes are synchronous, in per cent, as `sync` of the datasets leaves them.

    All are where a dataset has sync=always, none where every dataset has sync=disabled; None where nobody said.
    """
    design = Design(key="", name="", pool_name="", version=setting.version, datasets=setting.datasets)
    resolver = Resolver(design)
    values = {resolver.value(dataset, "sync") for dataset in setting.datasets}
    if "always" in values:
        return 100
    return 0 if values == {"disabled"} else setting.workload.sync_write_percent


def log_size(setting: RoleSetting, speed: SpeedPrediction) -> Estimate:
    """Return the bytes a log holds: seconds of ingest, as far as OpenZFS lets writes be under way.

    Low is one transaction group, typical two thirds of the chosen seconds, high all of them (three groups of 5 s).
    """
    seconds = setting.choices.ingest_seconds
    ingest = speed.seq_write
    bound = log_bytes(setting.host, setting.version)
    values = [
        min(TXG_SECONDS, seconds) * ingest.typical,
        max(min(TXG_SECONDS, seconds), seconds * 2 / 3) * ingest.typical,
        seconds * ingest.typical,
    ]
    source = f"{seconds:g} s of ingest at {rate(ingest.typical)} ({ingest.limit}); transaction groups of 5 s, up to "
    source += "three under way (zfs(4): zfs_txg_timeout)"
    limit = f"{seconds:g} s of ingest"
    if bound is not None:
        if values[2] > bound:
            limit = "zfs_wrlog_data_max"
        values = [min(value, float(bound)) for value in values]
        source += f"; OpenZFS holds writes back at {size(bound)} of log (zfs(4): zfs_wrlog_data_max)"
    return estimate((values[0], values[1], values[2]), limit=limit, source=source)


def log_slice_bytes(wanted: Estimate) -> int:
    """Return the partition to give a log: the high estimate in whole GiB, at least one."""
    return max(1, -int(-wanted.high // GIB)) * GIB


def _speeds(setting: RoleSetting) -> tuple[SpeedPrediction, SpeedPrediction]:
    """Return the speed without a log device and with one of the best flash at hand (an SSD where there is none)."""
    groups = groups_of(setting.data)
    media = Media.NVME if any(d.media is Media.NVME for d in setting.flash) else Media.SSD
    around = setting.around
    beside = circumstances(around.host, around.disks, disk_rates(media=media), around.load, around.calibration)
    return predict_groups(groups, around), predict_groups(groups, beside, log_devices=1)


def _gain(setting: RoleSetting, without: SpeedPrediction, beside: SpeedPrediction, share: float) -> Gain:
    record = setting.around.load.record_bytes
    what = "synchronous writes" if share == 1 else "all writes"
    return Gain(
        what=what,
        unit="bytes/s",
        before=_mixed(without, record, share),
        after=_mixed(beside, record, share),
    )


def _mixed(speed: SpeedPrediction, record: int, share: float) -> Estimate:
    """Return the rate of writes of which ``share`` are synchronous, one after the other."""
    sync, rest = scaled(speed.sync_write_iops, record), speed.seq_write

    def mixed(a: float, b: float) -> float:
        return 1 / (share / min(a, b) + (1 - share) / b)

    return replace(
        sync,
        low=mixed(sync.low, rest.low),
        typical=mixed(sync.typical, rest.typical),
        high=mixed(sync.high, rest.high),
    )


def _no_gain(setting: RoleSetting, gain: Gain) -> str:
    flash = setting.data_media in (Media.SSD, Media.NVME)
    why = "The pool itself is flash" if flash else "The waits of the log are not what limits the writes"
    return (
        f"{why}: {gain.what} would go from {rate(gain.before.typical)} to {rate(gain.after.typical)}; below a quarter "
        "more it is not worth a device."
    )


def _devices(setting: RoleSetting) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the risks of the drives at hand as log, and why the gain is doubtful on them (nothing where it is not)."""
    kept = [keeps_writes(disk) for disk in setting.flash]
    risks: list[str] = []
    if not kept or True in kept:
        return (), ()
    if None in kept:
        risks.append(
            "Whether the drives keep confirmed writes in a power cut is not known: look for power-loss protection in "
            "the data sheet."
        )
        return tuple(risks), ()
    return (
        ("A drive without power-loss protection loses confirmed writes, or must flush each of them to its cells.",),
        (
            (
                "None of the drives has power-loss protection: such a drive writes each commit to its cells before it "
                "answers, and may be no faster than the disks. Measure it with fio --fsync=1 before relying on it."
            ),
        ),
    )


def _size_words(setting: RoleSetting, speed: SpeedPrediction, wanted: Estimate) -> str:
    seconds = setting.choices.ingest_seconds
    text = (
        f"It holds {seconds:g} s of writes at {rate(speed.seq_write.typical)} ({speed.seq_write.limit}): "
        f"{size(wanted.typical)}, at most {size(wanted.high)}"
    )
    bound = log_bytes(setting.host, setting.version)
    if bound is not None and wanted.high >= bound:
        text += f", where OpenZFS holds writes back (twice zfs_dirty_data_max, {size(bound)} with this RAM)"
    return f"{text}. More is never used."
