"""`poolwright bench --verdict`: a run judged by a design, or held against another run; and how both are printed."""

import argparse

from poolwright.bench.judging.against_tables import TableVerdict, against_tables, against_words
from poolwright.bench.judging.expected import Foretold, expected
from poolwright.bench.judging.noise import noise_floor, noise_words
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdict_words import expected_words, factor_words, judgement_words, value_words
from poolwright.bench.judging.verdicts import Limiting, RunVerdict, Spread, TestVerdict
from poolwright.bench.profiles.profile import Effort
from poolwright.bench.record import RunRecord, TestRun
from poolwright.cli.bench_list import effort_document, own_design
from poolwright.cli.bench_read import measurement_document, print_measured
from poolwright.cli.output import check_outputs, print_json, print_line, write_output
from poolwright.cli.predictions import estimate_document
from poolwright.domain.errors import UserError
from poolwright.table_library import load_shipped_tables
from poolwright.texts import tell


def run_document(
    record: RunRecord,
    verdict: RunVerdict,
    foretold: dict[str, Foretold],
    *,
    effort: Effort | None = None,
    file: str | None = None,
    key: str | None = None,
) -> dict[str, object]:
    """Return a run with its verdict as the JSON object of the command line."""
    of_test = {judged.test: judged for judged in verdict.tests}
    place = record.place
    floor = noise_floor(record.idle, place.pool)
    return {
        "name": record.name,
        "profile": record.profile.name,
        "question": record.profile.question,
        "table": record.profile.table,
        "started": record.started.isoformat(),
        "seconds": round(record.seconds, 2),
        "ended": record.ended.value,
        "why": record.why or None,
        "file": file,
        "key": key,
        "effort": None if effort is None else effort_document(effort),
        "place": {
            "directory": place.directory,
            "host": place.host,
            "filesystem": place.filesystem,
            "dataset": place.dataset,
            "pool": place.pool,
            "fio": place.fio,
            "zfs_userland": None if place.userland is None else str(place.userland),
            "zfs_module": None if place.module is None else str(place.module),
            "fill_percent": place.fill_percent,
            "fragmentation_percent": place.fragmentation_percent,
            "properties": dict(place.properties),
            "warnings": list(place.warnings),
        },
        "at_rest": {"cpu": floor.cpu, "pool_read": floor.pool_read, "pool_write": floor.pool_write},
        "judgement": verdict.judgement.value,
        "verdict": verdict.sentence,
        "beside_documents": _beside_document(against_tables(record, verdict, load_shipped_tables())),
        "tests": [_test_document(run, of_test.get(run.test.name), foretold.get(run.test.name)) for run in record.tests],
    }


def _beside_document(beside: TableVerdict) -> dict[str, object]:
    return {
        "tables": list(beside.tables),
        "rows": [
            {
                "test": row.test,
                "what": row.what,
                "unit": "bytes/s" if row.is_rate else "times",
                "measured": row.measured,
                "told": row.told,
                "comparable": row.comparable,
                "ratio": row.ratio,
                "precision": row.said.value,
                "basis": row.basis,
                "source": row.source,
            }
            for row in beside.rows
        ],
        "not_compared": list(beside.why),
    }


def _test_document(run: TestRun, judged: TestVerdict | None, foretold: Foretold | None) -> dict[str, object]:
    test = run.test
    return {
        "name": test.name,
        "title": test.title,
        "x": test.x,
        "cache_proof": test.cache_proof,
        "notes": list(test.notes),
        "job_file": run.job_file,
        "expected": None if foretold is None or foretold.estimate is None else estimate_document(foretold.estimate),
        "not_expected_because": None if foretold is None else foretold.why or None,
        "judgement": None if judged is None else judged.judgement.value,
        "metric": None if test.metric is None else test.metric.value,
        "measured": None if judged is None else _spread_document(judged.measured),
        "limiting": None if judged is None else _limiting_document(judged.limiting),
        "reasons": [] if judged is None else list(judged.reasons),
        "next_steps": [] if judged is None else list(judged.next_steps),
        "marks": [] if judged is None else list(judged.marks),
        "repeats": [
            {
                "number": repeat.number,
                "seconds": round(repeat.seconds, 2),
                "ended": repeat.ended.value,
                "why": repeat.why or None,
                "measured": [
                    measurement_document(measured)
                    for measured in (repeat.application.measured if repeat.application is not None else ())
                ],
            }
            for repeat in run.repeats
        ],
    }


def _spread_document(spread: Spread | None) -> dict[str, object] | None:
    if spread is None:
        return None
    return {
        "values": list(spread.values),
        "median": spread.median,
        "least": spread.least,
        "most": spread.most,
        "spread": spread.known,
    }


def _limiting_document(limiting: Limiting | None) -> dict[str, object] | None:
    if limiting is None:
        return None
    return {
        "factor": limiting.factor.value,
        "evidence": list(limiting.evidence),
        "disk": limiting.disk,
        "serial": limiting.serial,
    }


def print_run(record: RunRecord, verdict: RunVerdict) -> None:
    """Print what was measured, test by test, what the documents measured, and the verdict last."""
    of_test = {judged.test: judged for judged in verdict.tests}
    for run in record.tests:
        print_line(run.test.title)
        measured = [
            each for repeat in run.repeats if repeat.application is not None for each in repeat.application.measured
        ]
        if measured:
            print_measured(measured)
        judged = of_test.get(run.test.name)
        if judged is not None:
            _print_judged(judged)
        print_line()
    _print_beside(against_tables(record, verdict, load_shipped_tables()))
    at_rest = noise_words(noise_floor(record.idle, record.place.pool))
    print_line(tell("At rest before the run: {noise}.", noise=at_rest))
    print_line(verdict.sentence)


def _print_beside(beside: TableVerdict) -> None:
    if not (beside.rows or beside.why):
        return
    print_line(tell("Beside the documents"))
    for row in beside.rows:
        print_line(f"  {row.what}: {against_words(row)}")
        print_line(f"    {row.source}")
    for why in beside.why:
        print_line(f"  {why}")
    print_line()


def _print_judged(judged: TestVerdict) -> None:
    line = judgement_words(judged)
    if judged.measured is not None:
        value, known = value_words(judged.metric, judged.measured.median), judged.measured.known
        if known is None:
            line = tell("{judgement}: {value}, one repeat", judgement=line, value=value)
        else:
            spread = f"{100 * known:.0f} %"
            line = tell("{judgement}: median {value}, spread {spread}", judgement=line, value=value, spread=spread)
    print_line(f"  {line}")
    band = expected_words(judged)
    if band:
        print_line("  " + tell("expected {band}", band=band))
    if judged.limiting is not None:
        print_line("  " + tell("limited by {factor}", factor=factor_words(judged)))
        for said in judged.limiting.evidence:
            print_line(f"    {said}")
    elif judged.measured is not None:
        print_line("  " + tell("limiting factor: {factor}", factor=factor_words(judged)))
    for said in dict.fromkeys((*judged.marks, *judged.reasons, *judged.next_steps)):
        print_line(f"  {said}")


def judge_run(args: argparse.Namespace) -> int:
    """Judge a run that was kept by a design, or compare it with another; return the exit status."""
    run, *designs = args.verdict
    if len(designs) > 1 or not (designs or args.against or args.from_paths):
        raise UserError(
            tell("--verdict takes a run and a design"),
            todo=tell("Write --verdict RUN DESIGN, or --verdict RUN --against RUN."),
        )
    from poolwright.cli.bench_read import compare_runs, read_run_file

    check_outputs(args, "--html", "--pdf", inputs=args.verdict)
    record = read_run_file(run)
    if args.against:
        if args.html or args.pdf:
            raise UserError(
                tell("A report is of one run judged by a design"), todo=tell("Write --verdict RUN DESIGN --html FILE.")
            )
        return compare_runs(record, read_run_file(args.against), as_json=args.json)
    foretold = expected(record.profile, own_design(args, *designs), None, record.place)
    verdict = judge(record, foretold)
    _write_reports(args, record, verdict, foretold)
    if args.json:
        print_json(run_document(record, verdict, foretold, file=run))
    else:
        print_run(record, verdict)
    return 0


def _write_reports(
    args: argparse.Namespace, record: RunRecord, verdict: RunVerdict, foretold: dict[str, Foretold]
) -> None:
    if not (args.html or args.pdf):
        return
    from poolwright.bench.report import run_report

    report = run_report(record, verdict, foretold, against_tables(record, verdict, load_shipped_tables()))
    if args.html:
        from poolwright.emit.report_html import html_text

        write_output(args.html, html_text(report), force=args.force)
    if args.pdf:
        from poolwright.paper.display import pdf_bytes

        write_output(args.pdf, pdf_bytes(report), force=args.force)
