"""`poolwright bench --read`: what files of measurements hold, whoever wrote them."""

import argparse
import zipfile
from collections.abc import Sequence
from pathlib import Path

from poolwright.bench.run_file import DESCRIPTION
from poolwright.cli.output import print_json, print_line, print_table
from poolwright.cli.streams import say
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Latency, Measurement, Recorded
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.store.read_results import OpenedResults, open_results
from poolwright.texts import tell, tell_counted


def read_files(args: argparse.Namespace) -> int:
    """Print what the files hold; return the exit status. Raises UserError where none can be read."""
    if not all(args.read):
        raise UserError(
            tell("The name of a file is empty"), where="--read", todo=tell("Name a file, or . for this folder.")
        )
    runs = [name for name in args.read if _is_run(Path(name))]
    if runs:
        raise UserError(
            tell("This is a run that was kept whole, not the output of a tool"),
            where=runs[0],
            todo=tell("Judge it: poolwright bench --verdict {run} DESIGN.", run=runs[0]),
        )
    if args.against:
        from poolwright.cli.bench_compare import compare_results

        return compare_results(args.read, args.against, as_json=args.json)
    opened = open_results([Path(name) for name in args.read])
    for error in opened.passed_over:
        say(tell("poolwright: passed over: {text}", text=error.text))
    if args.json:
        print_json(_document(opened))
        return 0
    for number, recorded in enumerate(opened.recorded):
        if number:
            print_line()
        print_recorded(recorded)
    return 0


def _is_run(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return DESCRIPTION in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def _document(opened: OpenedResults) -> dict[str, object]:
    return {
        "results": [recorded_document(recorded) for recorded in opened.recorded],
        "passed_over": [{"error": error.text, "where": error.where} for error in opened.passed_over],
    }


def recorded_document(recorded: Recorded) -> dict[str, object]:
    """Return what one file told as a JSON object; of curves what they are, not their points."""
    return {
        "where": recorded.where,
        "tool": recorded.tool.value,
        "version": recorded.version,
        "host": recorded.host,
        "started": None if recorded.started is None else recorded.started.isoformat(),
        "measured": [measurement_document(measured) for measured in recorded.measured],
        "curves": [
            {
                "name": curve.name,
                "source": curve.source.value,
                "what": curve.what.value,
                "direction": None if curve.direction is None else curve.direction.value,
                "detail": curve.detail,
                "points": len(curve.ms),
            }
            for curve in recorded.curves
        ],
        "facts": dict(recorded.facts),
        "notes": list(recorded.notes),
    }


def measurement_document(measured: Measurement) -> dict[str, object]:
    """Return one direction of a job as a JSON object."""
    return {
        "name": measured.name,
        "direction": measured.direction.value,
        "pattern": measured.pattern,
        "block_bytes": measured.block_bytes,
        "queue_depth": measured.queue_depth,
        "jobs": measured.jobs,
        "sync": measured.sync,
        "file_bytes": measured.file_bytes,
        "bytes": measured.bytes,
        "seconds": measured.seconds,
        "bytes_per_second": measured.rate,
        "iops": measured.iops,
        "submission": _latency(measured.submission),
        "completion": _latency(measured.completion),
        "latency": _latency(measured.total),
        "cpu_user_percent": measured.cpu_user,
        "cpu_system_percent": measured.cpu_system,
        "error": measured.error,
        "host": measured.host,
    }


def _latency(latency: Latency | None) -> dict[str, object] | None:
    if latency is None:
        return None
    return {
        "mean_ns": latency.mean_ns,
        "least_ns": latency.least_ns,
        "most_ns": latency.most_ns,
        "deviation_ns": latency.deviation_ns,
        "count": latency.count,
        "percentiles": {f"{percent:g}": ns for percent, ns in latency.percentiles},
    }


def print_recorded(recorded: Recorded) -> None:
    what = " ".join(part for part in (recorded.tool.value, recorded.version) if part)
    print_line(f"{recorded.where}: {what}")
    if recorded.measured:
        print_measured(recorded.measured)
    if recorded.curves:
        print_line("  " + tell_counted("{count} curve over time", "{count} curves over time", len(recorded.curves)))
    for name, value in recorded.facts:
        print_line(f"  {name}: {value:g}")
    for note in recorded.notes:
        print_line(f"  {note}")


def print_measured(measured: Sequence[Measurement]) -> None:
    header = (
        tell("job"),
        "",
        tell("pattern"),
        tell("block"),
        tell("jobs"),
        tell("rate"),
        "IOPS",
        tell("latency"),
        "99 %",
    )
    rows = [
        (
            each.name,
            each.direction.value,
            each.pattern or "",
            "" if each.block_bytes is None else binary(each.block_bytes),
            "" if each.jobs is None else str(each.jobs),
            "" if each.rate is None else rate_text(each.rate),
            "" if each.iops is None else f"{each.iops:,.0f}",
            _time(each.total.mean_ns if each.total is not None else None),
            _time(_percentile(each, 99.0)),
        )
        for each in measured
    ]
    print_table(header, rows, right=frozenset(range(3, 9)))


def _percentile(measured: Measurement, wanted: float) -> float | None:
    for latency in (measured.total, measured.completion):
        found = dict(latency.percentiles).get(wanted) if latency is not None else None
        if found is not None:
            return found
    return None


def _time(ns: float | None) -> str:
    if ns is None:
        return ""
    return f"{ns / 1e6:.2f} ms" if ns >= 1e5 else f"{ns / 1e3:.1f} µs"
