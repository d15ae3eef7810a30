"""`poolwright bench --read`: what files of measurements hold, whoever wrote them."""

import argparse
import zipfile
from collections.abc import Callable, Sequence
from errno import ENAMETOOLONG, ENOENT
from functools import partial
from pathlib import Path
from typing import Any

from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.side_by_side import ComparedTest, noise_floor, results_side_by_side, side_by_side
from poolwright.bench.judging.table_comparison import compare_with_tables
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation, RunVerdict, TestVerdict, value_words
from poolwright.bench.record import Effort, RunRecord, TestRun
from poolwright.bench.run_file import DESCRIPTION, kept_run, read_run
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.bench import effort_document, own_design
from poolwright.cli.output import answer, say, separated
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.measurement import Latency, Measurement, Recorded
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.emit.report import Blocks, Report, ReportTable, bullets, listed, table
from poolwright.store.read_results import open_results
from poolwright.table_library import load_shipped_tables
from poolwright.texts import _, ngettext, numeral


def read_files(args: argparse.Namespace) -> int:
    if not all(args.read):
        raise UserError(_("The name of a file is empty"), where="--read", todo=_("Name a file, or . for this folder."))
    runs = [name for name in args.read if _is_run(Path(name))]
    if runs:
        raise UserError(
            _("This is a whole run, not the output of a tool"),
            where=runs[0],
            todo=_("poolwright bench --verdict {run} DESIGN judges it.", run=runs[0]),
        )
    if args.against:
        return compare_results(args)
    opened = open_results([Path(name) for name in args.read])
    for error in opened.passed_over:
        say(_("poolwright: passed over: {text}", text=error.text))
    document = {
        "results": [recorded_document(recorded) for recorded in opened.recorded],
        "passed_over": json_list(opened.passed_over, "error=text where"),
    }
    answer(args, lambda: document, separated(map(recorded_blocks, opened.recorded)))
    return 0


def _is_run(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return DESCRIPTION in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


_LATENCY = "[mean_ns least_ns most_ns deviation_ns count percentiles@]"  # for machines
_MEASURED = (
    "name direction pattern block_bytes queue_depth jobs sync file_bytes bytes seconds bytes_per_second=rate iops "
    f"submission{_LATENCY} completion{_LATENCY} latency=total{_LATENCY} cpu_user_percent=cpu_user "
    "cpu_system_percent=cpu_system error host"
)  # for machines


def _percentiles(latency: Latency) -> dict[str, object]:
    return {f"{percent:g}": ns for percent, ns in latency.percentiles}


def recorded_document(recorded: Recorded) -> dict[str, object]:
    return json_of(
        recorded,
        f"where tool version host started measured[{_MEASURED}] curves[name source what direction detail points@] "
        "facts@ notes",
        percentiles=_percentiles,
        points=lambda curve: len(curve.ms),
        facts=dict(recorded.facts),
    )


def recorded_blocks(recorded: Recorded) -> Blocks:
    what = " ".join(part for part in (recorded.tool.value, recorded.version) if part)
    yield f"{recorded.where}: {what}"
    if recorded.measured:
        yield measured_table(recorded.measured)
    if recorded.curves:
        curves = ngettext("{count} curve over time", "{count} curves over time", len(recorded.curves))
        yield from bullets(curves)
    yield from bullets(*(f"{name}: {numeral(value, 'g')}" for name, value in recorded.facts))
    yield from bullets(*recorded.notes)


def measured_table(measured: Sequence[Measurement]) -> ReportTable:
    def told(of: Callable[[Any], str], value: object) -> str:
        return "" if value is None else of(value)

    return listed(
        measured,
        (_("Job"), lambda each: each.name),
        ("", lambda each: each.direction.value),
        (_("Pattern"), lambda each: each.pattern or ""),
        (_("Block size"), lambda each: told(binary, each.block_bytes)),
        (_("Jobs"), lambda each: told(str, each.jobs)),
        (_("Rate"), lambda each: told(rate_text, each.rate)),
        ("IOPS", lambda each: told(partial(numeral, form=",.0f"), each.iops)),
        (_("Latency"), lambda each: told(_time, each.total and each.total.mean_ns)),
        ("99 %", lambda each: told(_time, _percentile(each, 99.0))),
        right=range(3, 9),
    )


def _percentile(measured: Measurement, wanted: float) -> float | None:
    for latency in (measured.total, measured.completion):
        found = dict(latency.percentiles).get(wanted) if latency is not None else None
        if found is not None:
            return found
    return None


def _time(ns: float) -> str:
    return numeral(ns / 1e6, ".2f", "ms") if ns >= 1e5 else numeral(ns / 1e3, ".1f", "µs")


# `poolwright bench … --against …`: two runs, or what other programs measured, test by test, in per cent.


def read_run_file(name: str) -> RunRecord:
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except OSError as error:
        if error.errno not in (ENOENT, ENAMETOOLONG):
            raise EnvironmentFailure(_("The file cannot be read: {why}", why=error.strerror), where=name) from error

        found = kept_run(name)
        if found is None:
            raise UserError(
                _("There is no such file or folder"), where=name, todo=_("Name the file (.zip) or the key of a run.")
            ) from None
        return found


def compare_runs(args: argparse.Namespace, one: RunRecord, other: RunRecord) -> int:
    before, after = sorted((one, other), key=lambda record: record.started)
    tests = side_by_side((before, after))
    document = {"before": _run_head(before), "after": _run_head(after), "tests": _tests_document(tests)}
    differ = before.profile.name != after.profile.name
    note = (_("The runs are of different profiles."),) if differ else ()
    answer(args, lambda: document, (tests_table(tests), *note))
    return 0


def compare_results(args: argparse.Namespace) -> int:
    before, after = args.read, args.against
    sides = [open_results([Path(name) for name in names]) for names in (before, [after])]
    tests = results_side_by_side(*(side.recorded for side in sides))
    if not any(None not in test.found for test in tests):
        raise UserError(
            _("No job of both has the same name, direction and block size"),
            where=after,
            todo=_("Name results of the same jobs."),
        )
    for side in sides:
        for error in side.passed_over:
            say(_("poolwright: passed over: {text}", text=error.text))
        for note in dict.fromkeys(f"{one.where}: {note}" for one in side.recorded for note in one.notes):
            say(note)
    document = {"before": before, "after": [after], "tests": _tests_document(tests)}
    answer(args, lambda: document, (tests_table(tests),))
    return 0


def tests_table(tests: Sequence[ComparedTest]) -> ReportTable:
    header = (_("Test"), _("Before"), _("After"), _("Change"), "")
    return table(header, map(_row, tests), (1, 2, 3))


def _row(test: ComparedTest) -> tuple[str, ...]:
    before, after = ("-" if found is None else value_words(test.metric, found.median) for found in test.found)
    percent = test.percent(1)
    if percent is None:
        return test.title, before, after, "-", ""
    said = test.doubt(1) or ("" if test.told(1) else _("within the spread"))
    return test.title, before, after, numeral(percent, "+.1f", "%"), said


def _run_head(record: RunRecord) -> dict[str, object]:
    return json_of(record, "name profile=profile.name started host=place.host directory=place.directory")


def _tests_document(tests: Sequence[ComparedTest]) -> list[dict[str, object]]:
    return json_list(
        tests,
        "name title metric before@ after@ percent@ beyond_spread@ doubt@",
        before=lambda test: test.found[0] and test.found[0].median,
        after=lambda test: test.found[1] and test.found[1].median,
        percent=lambda test: test.percent(1) and round(test.percent(1), 2),
        beyond_spread=lambda test: test.told(1),
        doubt=lambda test: test.doubt(1) or None,
    )


# `poolwright bench --verdict`: a run judged by a design, or held against another run; and how both are printed.


def run_document(
    record: RunRecord,
    verdict: RunVerdict,
    expectation: dict[str, Expectation],
    *,
    effort: Effort | None = None,
    file: str | None = None,
    key: str | None = None,
) -> dict[str, object]:
    of_test = {judged.test: judged for judged in verdict.tests}
    beside = compare_with_tables(record, verdict, load_shipped_tables())
    return json_of(
        record,
        "name profile=profile.name question=profile.question table=profile.table started seconds:2 ended why? file@ "
        "key@ effort@ place[directory host filesystem dataset pool fio zfs_userland=userland zfs_module=module "
        "fill_percent fragmentation_percent properties@ warnings] at_rest@[cpu pool_read pool_write] "
        "judgement@ verdict@ beside_documents@beside[tables rows[test what unit@ measured told=documented "
        "comparable ratio precision basis source] not_compared=why] tests@",
        file=file,
        key=key,
        effort=effort_document(effort),
        properties=lambda place: dict(place.properties),
        at_rest=noise_floor(record.idle, record.place.pool),
        judgement=verdict.judgement,
        verdict=verdict.sentence,
        beside=beside,
        unit=lambda row: "bytes/s" if row.is_rate else "times",
        tests=[_test_document(run, of_test.get(run.test.name), expectation.get(run.test.name)) for run in record.tests],
    )


def _test_document(run: TestRun, judged: TestVerdict | None, expectation: Expectation | None) -> dict[str, object]:
    of_verdict = "reasons next_steps marks"  # for machines
    return {
        **json_of(
            run, "name=test.name title=test.title x=test.x cache_proof=test.cache_proof notes=test.notes job_file"
        ),
        **json_of(expectation, "expected=estimate not_expected_because?=why"),
        **json_of(judged, "judgement"),
        **json_of(run, "metric=test.metric"),
        **json_of(judged, "measured[values median least most spread=known] limiting[factor evidence disk serial]"),
        **({key: [] for key in of_verdict.split()} if judged is None else json_of(judged, of_verdict)),
        "repeats": json_list(
            run.repeats,
            f"number seconds:2 ended why? measured@[{_MEASURED}]",
            measured=lambda repeat: repeat.measured,
            percentiles=_percentiles,
        ),
    }


def run_blocks(record: RunRecord, verdict: RunVerdict, expectation: dict[str, Expectation]) -> Blocks:
    from poolwright.bench.report import answer_parts

    yield from answer_parts(record, verdict, expectation, compare_with_tables(record, verdict, load_shipped_tables()))


def judge_run(args: argparse.Namespace) -> int:
    run, *designs = args.verdict
    if len(designs) > 1 or not (designs or args.against or args.from_paths):
        raise UserError(
            _("--verdict takes a run and a design"),
            todo=_("Write --verdict RUN DESIGN, or --verdict RUN --against RUN."),
        )

    record = read_run_file(run)
    if args.against:
        return compare_runs(args, record, read_run_file(args.against))
    expectation = expected(record.profile, own_design(args, *designs), None, record.place)
    verdict = judge(record, expectation)

    def report() -> Report:
        from poolwright.bench.report import run_report

        return run_report(record, verdict, expectation, compare_with_tables(record, verdict, load_shipped_tables()))

    blocks = run_blocks(record, verdict, expectation)
    answer(args, lambda: run_document(record, verdict, expectation, file=run), blocks, report=report)
    return 0
