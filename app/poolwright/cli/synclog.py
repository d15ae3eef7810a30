"""`poolwright synclog`: IOPS, latency and load per disk of synchronous writes, for the paper's four combinations."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from poolwright import paths
from poolwright.cli.documents import picked
from poolwright.cli.options import options
from poolwright.cli.output import answer
from poolwright.domain import units
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.steps import at_once
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.report import Blocks, table
from poolwright.predict import synclog_advice
from poolwright.predict.synclog_advice import LogComparison, Reproduced
from poolwright.predict.synclog_model import DEVICES, HOST_SECONDS, POLICIES, REQUESTS, SEED, Drive, LogRun, Setup
from poolwright.texts import tell, tell_counted

PAPER_TABLE = "fsync_paper.csv"


def configure(parser: argparse.ArgumentParser) -> None:
    given = Setup()
    options(
        parser,
        "--volumes:synclog --disks:synclog --fsync --block --depth --log-device --disk --zfs:default --requests "
        "--seed --paper --json",
        volumes={"volumes": given.volumes}, disks={"disks": given.disks}, depth={"depth": given.depth},
        log_device={"const": Drive.SSD.value, "choices": [Drive.SSD.value, Drive.NVME.value, Drive.PLAIN_FLASH.value]},
        disk={"choices": [drive.value for drive in Drive]}, zfs={"version": DEFAULT_VERSION},
        requests={"requests": REQUESTS}, seed={"default": SEED, "seed": SEED},
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    if args.paper:
        return _paper(args)
    comparison = at_once(synclog_advice.compare(_setup(args), requests=args.requests or REQUESTS, seed=args.seed))
    version = ZfsVersion.parse(args.zfs) if args.zfs is not None else DEFAULT_VERSION
    answer(args, lambda: _document(comparison, version), _blocks(comparison, version))
    return 0


def _setup(args: argparse.Namespace) -> Setup:
    given = Setup()
    return Setup(
        volumes=given.volumes if args.volumes is None else args.volumes,
        disks=given.disks if args.disks is None else args.disks,
        requests_per_sync=given.requests_per_sync if args.fsync is None else args.fsync,
        block_bytes=given.block_bytes
        if args.block is None
        else units.parse_block_size(args.block, what=tell("block size")),
        depth=given.depth if args.depth is None else args.depth,
        disk=DEVICES[Drive(args.disk or Drive.CACHED_DISK)],
        log=DEVICES[Drive(args.log_device)] if args.log_device else None,
    )


def _paper(args: argparse.Namespace) -> int:
    if any(value is not None for value in (args.volumes, args.disks, args.fsync, args.block, args.depth, args.disk)):
        raise UserError(
            tell("--paper has its own volumes, disks and sizes"), todo=tell("Leave the other options away.")
        )
    path = paths.rules_folder() / "tables" / PAPER_TABLE
    try:
        table = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(
            tell("The paper's table cannot be read: {strerror}", strerror=error.strerror), where=str(path)
        ) from error
    requests = synclog_advice.PAPER_REQUESTS if args.requests is None else args.requests
    rows = at_once(synclog_advice.reproduce(synclog_advice.paper_rows(table), requests=requests, seed=args.seed))
    document = {"rows": [_row(row) for row in rows], "model": _model(Setup()), "seed": args.seed}
    answer(args, lambda: document, _paper_blocks(rows))
    return 0


def _paper_blocks(rows: Sequence[Reproduced]) -> Blocks:
    header = (
        "fsync", "block", tell("paper gain"), tell("model gain"), tell("error"), tell("IOPS before"), tell("after"),
        tell("latency before"), tell("after"),
    )  # fmt: skip
    lines = [
        (
            str(done.row.requests_per_sync),
            units.binary(done.row.block_bytes),
            "-" if done.row.gain_percent is None else f"{done.row.gain_percent:.2f} %",
            f"{done.gain_percent:.1f} %",
            "-" if done.error_points is None else f"{done.error_points:+.1f}",
            f"{done.iops_before:,.0f}",
            f"{done.iops_after:,.0f}",
            _time(done.latency_before_seconds),
            _time(done.latency_after_seconds),
        )
        for done in rows
    ]
    yield table(header, lines, range(len(header)))
    yield ""
    yield tell("The paper prints gains only. IOPS and latency rest on the assumed 100 MB/s of a disk; gains do not.")


def _row(done: Reproduced) -> dict[str, object]:
    return picked(
        done,
        "fsync=row.requests_per_sync block_size_bytes=row.block_bytes paper_gain_percent=row.gain_percent "
        "gain_percent:2 error_points:2 iops_before:1 iops_after:1 latency_before_seconds latency_after_seconds",
    )


def _document(comparison: LogComparison, version: ZfsVersion) -> dict[str, object]:
    setup = comparison.setup
    return {
        **picked(setup, "volumes disks fsync=requests_per_sync block_size_bytes=block_bytes depth"),
        "log_device": setup.log is not None,
        "model": _model(setup),
        "combinations": [
            _run(run) | {"gain_percent": round(comparison.gain_percent(policy), 2)}
            for policy, run in zip(POLICIES, comparison.runs, strict=True)
        ],
        "gain": picked(comparison.gain(), "low:2 typical:2 high:2 limit origin"),
        "with_log_device": None if comparison.with_log is None else _run(comparison.with_log),
        "zfs": str(version),
        "advice": [asdict(advice) for advice in synclog_advice.advise(comparison, version)],
    }


def _run(run: LogRun) -> dict[str, object]:
    return {
        **picked(run, "commit=policy.commit placement=policy.placement iops:1"),
        "bytes_per_second": round(run.bytes_per_second),
        **picked(run, "latency_seconds"),
        "latency_p99_seconds": run.latency_at(0.99),
        "requests_per_commit": round(run.requests_per_commit, 3),
        "lopsided_percent": round(100 * synclog_advice.lopsided_share(run), 2),
        "limit": synclog_advice.limit_of(run),
        "devices": [
            {"busy_percent": round(100 * share, 2), "written_bytes": size}
            for share, size in zip(synclog_advice.busy_shares(run), synclog_advice.written_bytes(run), strict=True)
        ],
    }


def _model(setup: Setup) -> dict[str, object]:
    words = "write_seconds spread bytes_per_second origin"  # for machines
    return {
        "disk": picked(setup.disk, words),
        "log_device": None if setup.log is None else picked(setup.log, words),
        "host_seconds_per_request": HOST_SECONDS,
    }


def _blocks(comparison: LogComparison, version: ZfsVersion) -> Blocks:
    setup = comparison.setup
    where = (
        tell("one log device") if setup.log is not None else tell_counted("{count} disk", "{count} disks", setup.disks)
    )
    yield tell(
        "{volumes} on {where}, requests of {size}, a sync after {requests}, {depth} handed over at most",
        volumes=tell_counted("{count} volume", "{count} volumes", setup.volumes), where=where,
        size=units.binary(setup.block_bytes), requests=setup.requests_per_sync, depth=setup.depth,
    )  # fmt: skip
    yield ""
    header = (
        tell("commits"), tell("pointer"), "IOPS", tell("gain"), tell("latency"), "99 %", tell("per commit"),
        tell("lopsided"), tell("busy per device"),
    )  # fmt: skip
    lines = [
        (
            tell(run.policy.commit.value),
            tell(run.policy.placement.value),
            f"{run.iops:,.0f}",
            f"{comparison.gain_percent(policy):+.1f} %",
            _time(run.latency_seconds),
            _time(run.latency_at(0.99)),
            f"{run.requests_per_commit:.1f}",
            f"{100 * synclog_advice.lopsided_share(run):.0f} %",
            " ".join(f"{100 * share:.0f} %" for share in synclog_advice.busy_shares(run)),
        )
        for policy, run in zip(POLICIES, comparison.runs, strict=True)
    ]
    yield table(header, lines, right=range(2, 8))
    yield ""
    yield from (f"{advice.title}: {advice.text}" for advice in synclog_advice.advise(comparison, version))


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
