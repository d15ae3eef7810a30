"""`poolwright bench --read`: what files of measurements hold, whoever wrote them."""

import argparse
import zipfile
from collections.abc import Sequence
from errno import ENAMETOOLONG, ENOENT
from pathlib import Path

from poolwright.bench.judging.against_tables import TableVerdict, against_tables, against_words
from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.noise import noise_floor, noise_words
from poolwright.bench.judging.side_by_side import ComparedTest, results_side_by_side, side_by_side
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdict_words import expected_words, factor_words, judgement_words, value_words
from poolwright.bench.judging.verdicts import Foretold, RunVerdict, TestVerdict
from poolwright.bench.record import Effort, RunRecord, TestRun
from poolwright.bench.run_file import DESCRIPTION, kept_run, read_run
from poolwright.cli.bench import effort_document, own_design
from poolwright.cli.documents import all_picked, picked, plain
from poolwright.cli.output import answer, apart, check_outputs, say, write_reports
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.measurement import Latency, Measurement, Recorded
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.emit.report import Blocks, ReportTable, table
from poolwright.store.read_results import open_results
from poolwright.table_library import load_shipped_tables
from poolwright.texts import tell, tell_counted


def read_files(args: argparse.Namespace) -> int:
    if not all(args.read):
        raise UserError(
            tell("The name of a file is empty"), where="--read", todo=tell("Name a file, or . for this folder.")
        )
    runs = [name for name in args.read if _is_run(Path(name))]
    if runs:
        raise UserError(
            tell("This is a whole run, not the output of a tool"),
            where=runs[0],
            todo=tell("poolwright bench --verdict {run} DESIGN judges it.", run=runs[0]),
        )
    if args.against:
        return compare_results(args)
    opened = open_results([Path(name) for name in args.read])
    for error in opened.passed_over:
        say(tell("poolwright: passed over: {text}", text=error.text))
    document = {
        "results": [recorded_document(recorded) for recorded in opened.recorded],
        "passed_over": all_picked(opened.passed_over, "error=text where"),
    }
    answer(args, lambda: document, apart(map(recorded_blocks, opened.recorded)))
    return 0


def _is_run(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return DESCRIPTION in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def recorded_document(recorded: Recorded) -> dict[str, object]:
    return {
        **picked(recorded, "where tool version host started"),
        "measured": [measurement_document(measured) for measured in recorded.measured],
        "curves": [
            {**picked(curve, "name source what direction detail"), "points": len(curve.ms)} for curve in recorded.curves
        ],
        "facts": dict(recorded.facts),
        **picked(recorded, "notes"),
    }


def measurement_document(measured: Measurement) -> dict[str, object]:
    return {
        **picked(measured, "name direction pattern block_bytes queue_depth jobs sync file_bytes bytes seconds"),
        **picked(measured, "bytes_per_second=rate iops"),
        "submission": _latency(measured.submission),
        "completion": _latency(measured.completion),
        "latency": _latency(measured.total),
        **picked(measured, "cpu_user_percent=cpu_user cpu_system_percent=cpu_system error host"),
    }


def _latency(latency: Latency | None) -> dict[str, object] | None:
    if latency is None:
        return None
    percentiles = {f"{percent:g}": ns for percent, ns in latency.percentiles}
    return {**picked(latency, "mean_ns least_ns most_ns deviation_ns count"), "percentiles": percentiles}


def recorded_blocks(recorded: Recorded) -> Blocks:
    what = " ".join(part for part in (recorded.tool.value, recorded.version) if part)
    yield f"{recorded.where}: {what}"
    if recorded.measured:
        yield from measured_blocks(recorded.measured)
    if recorded.curves:
        yield "  " + tell_counted("{count} curve over time", "{count} curves over time", len(recorded.curves))
    yield from (f"  {name}: {value:g}" for name, value in recorded.facts)
    yield from (f"  {note}" for note in recorded.notes)


def measured_blocks(measured: Sequence[Measurement]) -> Blocks:
    header = (
        tell("job"), "", tell("pattern"), tell("block"), tell("jobs"), tell("rate"), "IOPS", tell("latency"), "99 %",
    )  # fmt: skip
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
    yield table(header, rows, right=range(3, 9))


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
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except OSError as error:
        if error.errno not in (ENOENT, ENAMETOOLONG):
            raise EnvironmentFailure(tell("The run cannot be read: {why}", why=error.strerror), where=name) from error

        found = kept_run(name)
        if found is None:
            raise UserError(
                tell("There is no such file, and no run of that key"),
                where=name,
                todo=tell("Name the file (.zip) or the key of a run."),
            ) from None
        return found


def compare_runs(args: argparse.Namespace, one: RunRecord, other: RunRecord) -> int:
    before, after = sorted((one, other), key=lambda record: record.started)
    tests = side_by_side((before, after))
    document = {"before": _of(before), "after": _of(after), "tests": [_bench_compare_document(test) for test in tests]}
    differ = before.profile.name != after.profile.name
    note = (tell("The runs are of different profiles."),) if differ else ()
    answer(args, lambda: document, (tests_table(tests), *note))
    return 0


def compare_results(args: argparse.Namespace) -> int:
    before, after = args.read, args.against
    sides = [open_results([Path(name) for name in names]) for names in (before, [after])]
    tests = results_side_by_side(*(side.recorded for side in sides))
    if not any(None not in test.found for test in tests):
        raise UserError(
            tell("No job of both has the same name, direction and block size"),
            where=after,
            todo=tell("Name results of the same jobs."),
        )
    for side in sides:
        for error in side.passed_over:
            say(tell("poolwright: passed over: {text}", text=error.text))
        for note in dict.fromkeys(f"{one.where}: {note}" for one in side.recorded for note in one.notes):
            say(note)
    document = {"before": before, "after": [after], "tests": [_bench_compare_document(test) for test in tests]}
    answer(args, lambda: document, (tests_table(tests),))
    return 0


def tests_table(tests: Sequence[ComparedTest]) -> ReportTable:
    header = (tell("test"), tell("before"), tell("after"), tell("change"), "")
    return table(header, map(_row, tests), (1, 2, 3))


def _row(test: ComparedTest) -> tuple[str, ...]:
    before, after = ("-" if found is None else value_words(test.metric, found.median) for found in test.found)
    percent = test.percent(1)
    if percent is None:
        return test.title, before, after, "-", ""
    said = test.doubt(1) or ("" if test.told(1) else tell("within the spread"))
    return test.title, before, after, f"{percent:+.1f} %", said


def _of(record: RunRecord) -> dict[str, object]:
    return picked(record, "name profile=profile.name started host=place.host directory=place.directory")


def _bench_compare_document(test: ComparedTest) -> dict[str, object]:
    percent = test.percent(1)
    before, after = (found and found.median for found in test.found)
    return {
        **picked(test, "name title metric"),
        "before": before,
        "after": after,
        "percent": percent and round(percent, 2),
        "beyond_spread": test.told(1),
        "doubt": test.doubt(1) or None,
    }


# `poolwright bench --verdict`: a run judged by a design, or held against another run; and how both are printed.


def run_document(
    record: RunRecord,
    verdict: RunVerdict,
    foretold: dict[str, Foretold],
    *,
    effort: Effort | None = None,
    file: str | None = None,
    key: str | None = None,
) -> dict[str, object]:
    of_test = {judged.test: judged for judged in verdict.tests}
    place = record.place
    return {
        **picked(record, "name profile=profile.name question=profile.question table=profile.table started seconds:2"),
        **picked(record, "ended why?"),
        "file": file,
        "key": key,
        "effort": effort_document(effort),
        "place": {
            **picked(place, "directory host filesystem dataset pool fio zfs_userland=userland zfs_module=module"),
            **picked(place, "fill_percent fragmentation_percent"),
            "properties": dict(place.properties),
            "warnings": list(place.warnings),
        },
        "at_rest": picked(noise_floor(record.idle, place.pool), "cpu pool_read pool_write"),
        **picked(verdict, "judgement verdict=sentence"),
        "beside_documents": _beside_document(against_tables(record, verdict, load_shipped_tables())),
        "tests": [_test_document(run, of_test.get(run.test.name), foretold.get(run.test.name)) for run in record.tests],
    }


def _beside_document(beside: TableVerdict) -> dict[str, object]:
    rows = [
        {
            **picked(row, "test what"),
            "unit": "bytes/s" if row.is_rate else "times",
            **picked(row, "measured told comparable ratio precision=said basis source"),
        }
        for row in beside.rows
    ]
    return {"tables": list(beside.tables), "rows": rows, "not_compared": list(beside.why)}


def _test_document(run: TestRun, judged: TestVerdict | None, foretold: Foretold | None) -> dict[str, object]:
    limiting = judged and judged.limiting
    return {
        **picked(run.test, "name title x cache_proof notes"),
        "job_file": run.job_file,
        **picked(foretold, "expected=estimate not_expected_because?=why"),
        "judgement": judged and judged.judgement.value,
        "metric": plain(run.test.metric),
        "measured": judged and judged.measured and picked(judged.measured, "values median least most spread=known"),
        "limiting": limiting and picked(limiting, "factor evidence disk serial"),
        **(
            {"reasons": [], "next_steps": [], "marks": []}
            if judged is None
            else picked(judged, "reasons next_steps marks")
        ),
        "repeats": [
            {
                **picked(repeat, "number seconds:2 ended why?"),
                "measured": [
                    measurement_document(measured)
                    for measured in (repeat.application.measured if repeat.application is not None else ())
                ],
            }
            for repeat in run.repeats
        ],
    }


def run_blocks(record: RunRecord, verdict: RunVerdict) -> Blocks:
    """Yield what was measured, test by test, what the documents measured, and the verdict last."""
    of_test = {judged.test: judged for judged in verdict.tests}
    for run in record.tests:
        yield run.test.title
        measured = [
            each for repeat in run.repeats if repeat.application is not None for each in repeat.application.measured
        ]
        if measured:
            yield from measured_blocks(measured)
        judged = of_test.get(run.test.name)
        if judged is not None:
            yield from _judged_blocks(judged)
        yield ""
    yield from _beside_blocks(against_tables(record, verdict, load_shipped_tables()))
    at_rest = noise_words(noise_floor(record.idle, record.place.pool))
    yield tell("At rest before the run: {noise}.", noise=at_rest)
    yield verdict.sentence


def _beside_blocks(beside: TableVerdict) -> Blocks:
    if not (beside.rows or beside.why):
        return
    yield tell("Beside the documents")
    for row in beside.rows:
        yield f"  {row.what}: {against_words(row)}"
        yield f"    {row.source}"
    yield from (f"  {why}" for why in beside.why)
    yield ""


def _judged_blocks(judged: TestVerdict) -> Blocks:
    line = judgement_words(judged)
    if judged.measured is not None:
        value, known = value_words(judged.metric, judged.measured.median), judged.measured.known
        if known is None:
            line = tell("{judgement}: {value}, one repeat", judgement=line, value=value)
        else:
            spread = f"{100 * known:.0f} %"
            line = tell("{judgement}: median {value}, spread {spread}", judgement=line, value=value, spread=spread)
    yield f"  {line}"
    band = expected_words(judged)
    if band:
        yield "  " + tell("expected {band}", band=band)
    if judged.limiting is not None:
        yield "  " + tell("limited by {factor}", factor=factor_words(judged))
        yield from (f"    {said}" for said in judged.limiting.evidence)
    elif judged.measured is not None:
        yield "  " + tell("limiting factor: {factor}", factor=factor_words(judged))
    yield from (f"  {said}" for said in dict.fromkeys((*judged.marks, *judged.reasons, *judged.next_steps)))


def judge_run(args: argparse.Namespace) -> int:
    run, *designs = args.verdict
    if len(designs) > 1 or not (designs or args.against or args.from_paths):
        raise UserError(
            tell("--verdict takes a run and a design"),
            todo=tell("Write --verdict RUN DESIGN, or --verdict RUN --against RUN."),
        )

    check_outputs(args, "--html", "--pdf", inputs=args.verdict)
    record = read_run_file(run)
    if args.against:
        if args.html or args.pdf:
            raise UserError(
                tell("A report is of one run judged by a design"), todo=tell("Write --verdict RUN DESIGN --html FILE.")
            )
        return compare_runs(args, record, read_run_file(args.against))
    foretold = expected(record.profile, own_design(args, *designs), None, record.place)
    verdict = judge(record, foretold)
    _write_reports(args, record, verdict, foretold)
    answer(args, lambda: run_document(record, verdict, foretold, file=run), run_blocks(record, verdict))
    return 0


def _write_reports(
    args: argparse.Namespace, record: RunRecord, verdict: RunVerdict, foretold: dict[str, Foretold]
) -> None:
    if not (args.html or args.pdf):
        return
    from poolwright.bench.report import run_report

    report = run_report(record, verdict, foretold, against_tables(record, verdict, load_shipped_tables()))
    write_reports(args, report)
