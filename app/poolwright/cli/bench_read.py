"""`poolwright bench --read`: what files of measurements hold, whoever wrote them."""

import argparse
import zipfile
from collections.abc import Sequence
from errno import ENAMETOOLONG, ENOENT
from pathlib import Path

from poolwright.bench.judging.side_by_side import ComparedTest, results_side_by_side, side_by_side
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import DESCRIPTION, read_run
from poolwright.cli.output import print_json, print_line, print_table, say
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.latency import Latency, Measurement, Recorded
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


# `poolwright bench … --against …`: two runs, or what other programs measured, test by test, in per cent.


def read_run_file(name: str) -> RunRecord:
    """Return the run in a file, or that of a key in the library; raises UserError, EnvironmentFailure."""
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except OSError as error:
        if error.errno not in (ENOENT, ENAMETOOLONG):
            raise EnvironmentFailure(tell("The run cannot be read: {why}", why=error.strerror), where=name) from error
        from poolwright.bench.run_file import kept_run

        found = kept_run(name)
        if found is None:
            raise UserError(
                tell("There is no such file, and no run of that key in the library"),
                where=name,
                todo=tell("Name the file of a run (.zip), or the key that was told when it was kept."),
            ) from None
        return found


def compare_runs(one: RunRecord, other: RunRecord, *, as_json: bool) -> int:
    """Print both runs side by side, the one that was made first as what was before; return the exit status."""
    before, after = sorted((one, other), key=lambda record: record.started)
    tests = side_by_side((before, after))
    if as_json:
        print_json(
            {"before": _of(before), "after": _of(after), "tests": [_bench_compare_document(test) for test in tests]}
        )
        return 0
    print_tests(tests)
    if before.profile.name != after.profile.name:
        print_line(tell("The runs are of different profiles."))
    return 0


def compare_results(before: Sequence[str], after: str, *, as_json: bool) -> int:
    """Print what files of other programs measured beside what another file or folder did; return the exit status."""
    sides = [open_results([Path(name) for name in names]) for names in (before, [after])]
    tests = results_side_by_side(*(side.recorded for side in sides))
    if not any(None not in test.found for test in tests):
        raise UserError(
            tell("Nothing was measured by both: no job has the same name, direction and block size"),
            where=after,
            todo=tell("Name results of the same jobs."),
        )
    for side in sides:
        for error in side.passed_over:
            say(tell("poolwright: passed over: {text}", text=error.text))
        for note in dict.fromkeys(f"{one.where}: {note}" for one in side.recorded for note in one.notes):
            say(note)
    if as_json:
        print_json(
            {"before": list(before), "after": [after], "tests": [_bench_compare_document(test) for test in tests]}
        )
    else:
        print_tests(tests)
    return 0


def print_tests(tests: Sequence[ComparedTest]) -> None:
    """Print tests of two sides as a table."""
    header = (tell("test"), tell("before"), tell("after"), tell("change"), "")
    print_table(header, [_row(test) for test in tests], right=frozenset({1, 2, 3}))


def _row(test: ComparedTest) -> tuple[str, ...]:
    before, after = ("-" if found is None else value_words(test.metric, found.median) for found in test.found)
    percent = test.percent(1)
    if percent is None:
        return test.title, before, after, "-", ""
    said = test.doubt(1) or ("" if test.told(1) else tell("within the spread"))
    return test.title, before, after, f"{percent:+.1f} %", said


def _of(record: RunRecord) -> dict[str, object]:
    return {
        "name": record.name,
        "profile": record.profile.name,
        "started": record.started.isoformat(),
        "host": record.place.host,
        "directory": record.place.directory,
    }


def _bench_compare_document(test: ComparedTest) -> dict[str, object]:
    percent = test.percent(1)
    before, after = (None if found is None else found.median for found in test.found)
    return {
        "name": test.name,
        "title": test.title,
        "metric": None if test.metric is None else test.metric.value,
        "before": before,
        "after": after,
        "percent": None if percent is None else round(percent, 2),
        "beyond_spread": test.told(1),
        "doubt": test.doubt(1) or None,
    }
