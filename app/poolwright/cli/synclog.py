"""`poolwright synclog`: IOPS, latency and load per disk of synchronous writes, for the paper's four combinations."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace

from poolwright import paths
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.options import REPORT, options, without_none
from poolwright.cli.output import answer
from poolwright.domain import units
from poolwright.domain.errors import excluded
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.report import WHY, Answer, Behind, Blocks, ReportTable, bullets, listed
from poolwright.predict import synclog_advice
from poolwright.predict.synclog_advice import LogComparison, LogRun, Reproduced
from poolwright.predict.synclog_model import DEVICES, HOST_SECONDS, POLICIES, REQUESTS, SEED, Drive, Setup
from poolwright.texts import _, ngettext, numeral, sentence

# What options say by the name that it has in `Setup`.
_OF_SETUP = ("volumes", "disks", "requests_per_sync", "block_bytes", "depth")


def configure(parser: argparse.ArgumentParser) -> None:
    given = Setup()
    options(
        parser,
        "--volumes:synclog --disks:synclog --fsync --block --depth --log-device --disk --zfs --requests "
        f"--seed --paper {REPORT}",
        volumes={"volumes": given.volumes}, disks={"disks": given.disks}, depth={"depth": given.depth},
        log_device={"const": Drive.SSD.value, "choices": [Drive.SSD.value, Drive.NVME.value, Drive.PLAIN_FLASH.value]},
        disk={"choices": [drive.value for drive in Drive]},
        requests={"requests": REQUESTS}, seed={"default": SEED, "seed": SEED},
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    if args.paper:
        return _paper(args)
    log = DEVICES[Drive(args.log_device)] if args.log_device else None
    given = without_none({name: getattr(args, name) for name in _OF_SETUP})
    setup = replace(Setup(disk=DEVICES[Drive(args.disk or Drive.CACHED_DISK)], log=log), **given)
    comparison = synclog_advice.compare(setup, requests=args.requests or REQUESTS, seed=args.seed)
    version = DEFAULT_VERSION if args.zfs is None else args.zfs.version
    answer(args, lambda: _document(comparison, version), _blocks(comparison, version))
    return 0


def _paper(args: argparse.Namespace) -> int:
    if any(getattr(args, name) is not None for name in (*_OF_SETUP, "disk")):
        raise excluded("--paper", "--volumes, --disks, --fsync, --block, --depth, --disk")
    table = paths.shipped_text(paths.rules_folder() / "tables" / "fsync_paper.csv")
    requests = synclog_advice.PAPER_REQUESTS if args.requests is None else args.requests
    rows = synclog_advice.reproduce(synclog_advice.paper_rows(table), requests=requests, seed=args.seed)
    document = {
        "rows": json_list(
            rows,
            "fsync=row.requests_per_sync block_size_bytes=row.block_bytes paper_gain_percent=row.gain_percent "
            "gain_percent:2 error_points:2 iops_before:1=before.iops iops_after:1=after.iops "
            "latency_before_seconds=before.latency_seconds latency_after_seconds=after.latency_seconds",
        ),
        "model": _model(Setup()),
        "seed": args.seed,
    }
    answer(args, lambda: document, _paper_blocks(rows))
    return 0


def _paper_blocks(rows: Sequence[Reproduced]) -> Blocks:
    worst = max(abs(done.error_points) for done in rows if done.error_points is not None)
    yield Answer(
        text=_("The model misses the paper's gains by {points:.1f} points at most.", points=worst),
        figures={"worst_error_points": round(worst, 2)},
    )
    yield listed(
        rows,
        ("fsync", lambda done: done.row.requests_per_sync),
        (_("Block"), lambda done: units.binary(done.row.block_bytes)),
        (_("Paper gain"), lambda done: "-" if (gain := done.row.gain_percent) is None else numeral(gain, ".2f", "%")),
        (_("Model gain"), lambda done: numeral(done.gain_percent, ".1f", "%")),
        (_("Error"), lambda done: "-" if done.error_points is None else numeral(done.error_points, "+.1f")),
        (_("IOPS before"), lambda done: numeral(done.before.iops, ",.0f")),
        (_("After"), lambda done: numeral(done.after.iops, ",.0f")),
        (_("Latency before"), lambda done: _time(done.before.latency_seconds)),
        (_("After"), lambda done: _time(done.after.latency_seconds)),
        right=range(9),
    )
    yield _("The paper prints gains only. IOPS and latency rest on the assumed 100 MB/s of a disk; gains do not.")


def _document(comparison: LogComparison, version: ZfsVersion) -> dict[str, object]:
    setup, of = comparison.setup, synclog_advice
    run = (
        "commit=policy.commit placement=policy.placement iops:1 bytes_per_second@ latency_seconds latency_p99_seconds "
        "requests_per_commit:3 lopsided_percent@ limit@ devices@"
    )  # for machines

    def figures_of(of_run: LogRun) -> dict[str, object]:
        return json_of(
            of_run, run, bytes_per_second=round(of_run.iops * setup.block_bytes),
            lopsided_percent=round(100 * of_run.lopsided, 2), limit=of.limit_of(of_run),
            devices=[
                {"busy_percent": round(100 * share, 2), "written_bytes": size}
                for share, size in zip(of_run.busy, of_run.written_bytes, strict=True)
            ],
        )  # fmt: skip

    return json_of(
        comparison,
        "volumes=setup.volumes disks=setup.disks fsync=setup.requests_per_sync block_size_bytes=setup.block_bytes "
        "depth=setup.depth log_device@ model@ combinations@ gain[low:2 typical:2 high:2 limit origin] with_log_device@ "
        "zfs@ advice@",
        log_device=setup.log is not None,
        model=_model(setup),
        combinations=[
            figures_of(each) | {"gain_percent": round(comparison.gain_percent(policy), 2)}
            for policy, each in zip(POLICIES, comparison.runs, strict=True)
        ],
        with_log_device=comparison.with_log and figures_of(comparison.with_log),
        zfs=version,
        advice=[asdict(advice) for advice in of.advise(comparison, version)],
    )


def _model(setup: Setup) -> dict[str, object]:
    of_drive = "[write_seconds spread bytes_per_second origin]"  # for machines
    return json_of(setup, f"disk{of_drive} log_device=log{of_drive} host_seconds_per_request@cost", cost=HOST_SECONDS)


def _blocks(comparison: LogComparison, version: ZfsVersion) -> Blocks:
    setup = comparison.setup
    where = _("one log device") if setup.log is not None else ngettext("{count} disk", "{count} disks", setup.disks)
    gains = tuple(map(comparison.gain_percent, POLICIES))
    volumes = ngettext("{count} volume", "{count} volumes", setup.volumes)
    best = comparison.runs[-1]
    yield Answer(
        text=_("{volumes} on {where}: {iops:,.0f} sync IOPS, {gain:+.0f} % by committing together what waits.",
               volumes=volumes, where=where, iops=best.iops, gain=gains[-1]),
        figures={"sync_iops": round(best.iops, 1), "gain_percent": round(gains[-1], 2)},
    )  # fmt: skip
    advice = synclog_advice.advise(comparison, version)
    yield from bullets(*(sentence(one.title) for one in advice))
    yield Behind(WHY, (_table(comparison, gains), *(f"{one.title}: {one.text}" for one in advice)))
    yield Behind(WHY, (_(
        "Requests of {size}, a sync after {requests}, {depth} handed over at most.",
        size=units.binary(setup.block_bytes), requests=setup.requests_per_sync, depth=setup.depth,
    ),))  # fmt: skip


def _table(comparison: LogComparison, gains: Sequence[float]) -> ReportTable:
    return listed(
        tuple(zip(comparison.runs, gains, strict=True)),
        (_("Commits"), lambda pair: _(pair[0].policy.commit.value)),
        (_("Pointer"), lambda pair: _(pair[0].policy.placement.value)),
        ("IOPS", lambda pair: numeral(pair[0].iops, ",.0f")),
        (_("Gain"), lambda pair: numeral(pair[1], "+.1f", "%")),
        (_("Latency"), lambda pair: _time(pair[0].latency_seconds)),
        ("99 %", lambda pair: _time(pair[0].latency_p99_seconds)),
        (_("Per commit"), lambda pair: numeral(pair[0].requests_per_commit, ".1f")),
        (_("Lopsided"), lambda pair: f"{100 * pair[0].lopsided:.0f} %"),
        (_("Busy per device"), lambda pair: " ".join(f"{100 * share:.0f} %" for share in pair[0].busy)),
        right=range(2, 8),
    )


def _time(seconds: float) -> str:
    return numeral(seconds * 1e3, ".2f", "ms") if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
