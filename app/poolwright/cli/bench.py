"""`poolwright bench`: measures a pool by profiles, reads what other tools measured, and judges it."""

import argparse
import os
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from errno import EISDIR, ENAMETOOLONG, ENOENT
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from poolwright import __version__
from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.side_by_side import ComparedTest, noise_floor, results_side_by_side, side_by_side
from poolwright.bench.judging.table_comparison import TableVerdict, compare_with_tables
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation, RunVerdict, TestVerdict, value_words
from poolwright.bench.own_profiles import kept_profiles, make_own
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import BUILT_IN, effort_of, make_profile
from poolwright.bench.record import AnswerPlot, BenchTarget, Effort, Profile, RunRecord, TargetDisk, TestRun, time_words
from poolwright.bench.report import answer_parts, run_report
from poolwright.bench.run_file import DESCRIPTION, kept_run, kept_runs, read_run
from poolwright.bench.running.inspection import check_whole, look
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_source import design_of_machine, read_design, read_named, read_this_machine
from poolwright.cli.options import options
from poolwright.cli.output import answer, deliver, say, separated
from poolwright.cli.over_ssh import read_over_ssh, terminal_asker
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import EnvironmentFailure, Refusal, UserError, excluded
from poolwright.domain.measurement import Latency, Measurement, Recorded
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GIB, TIB, binary
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.report import Answer, Blocks, ReportTable, bullets, listed, table, warnings
from poolwright.process.blocking import converse, drive
from poolwright.process.on_host import SshHost, on_host
from poolwright.process.piped import Conversation
from poolwright.process.ssh import arrived
from poolwright.store.read_results import open_results
from poolwright.table_library import load_shipped_tables
from poolwright.texts import _, dated, ngettext, numeral


def configure(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_mutually_exclusive_group()
    options(doing, "--list --profile --own --repeat --read --verdict --runs --paper-volumes")
    options(
        parser,
        "--directory --host --design:bench --from --pool --against --repeats --seconds --max-bytes --max-seconds "
        "--max-celsius --fill --steps --keep --no-dataset --no-keep --yes "
        "--why --all --format -w|--output:bench --force --color --json",
    )


def run(args: argparse.Namespace) -> int:
    if args.list:
        return list_profiles(args)
    if args.runs is not None:
        return list_runs(args)
    if args.profile or args.own or args.repeat:
        from poolwright.cli.bench_run import measure

        return measure(args)
    if args.read:
        return read_files(args)
    if args.verdict:
        return judge_run(args)
    if args.paper_volumes:
        return write_volumes_script(args)
    raise UserError(
        _("Nothing to do"),
        todo=_("Add --list, --profile NAME --directory DIR, --read FILE... or --verdict RUN DESIGN."),
    )


# `poolwright bench --list`: the profiles with their questions, and what each costs at most.

# Where no directory is given, costs are those on this ordinary machine; the list says so.
_ORDINARY = BenchTarget(
    directory="/tank/bench", filesystem="zfs", host="", free_bytes=4 * TIB, ram_bytes=32 * GIB, dataset="tank/bench",
    pool="tank", pool_bytes=8 * TIB, fill_percent=10, arc_most_bytes=16 * GIB, userland=DEFAULT_VERSION,
    module=DEFAULT_VERSION, has_log=True,
    disks=tuple(TargetDisk(name=f"disk{number}", rotational=True) for number in range(1, 7)),
)  # fmt: skip


_EFFORT = "effort@[seconds:1 written_bytes read_bytes space_bytes volume_bytes wear]"  # for machines
_COSTS = f"{_EFFORT} why_not?@"  # for machines


def list_profiles(args: argparse.Namespace) -> int:
    place = looked_at(args.directory) if args.directory is not None else _ORDINARY
    design, wishes = own_design(args), wishes_of(args)
    rows, built_in, own = [], [], []
    for known in BUILT_IN:
        effort, why = _effort(partial(make_profile, known, place, design, wishes), place)
        rows.append((known.name, _(known.question), effort, why))
        built_in.append(json_of(known, f"name title question plot table source? {_COSTS}", effort=effort, why_not=why))
    for kept in kept_profiles():
        effort, why = _effort(partial(make_own, kept, place, wishes), place)
        rows.append((kept.name, kept.name, effort, why))
        own.append(json_of(kept, f"name title=name plot@ {_COSTS}", plot=AnswerPlot.BARS, effort=effort, why_not=why))
    document = {"directory": args.directory, "profiles": built_in, "own": own}
    answer(args, lambda: document, _profiles_blocks(rows, ordinary=args.directory is None))
    return 0


def _profiles_blocks(rows: Sequence[tuple[str, str, Effort | None, str]], *, ordinary: bool) -> Blocks:
    yield Answer(text=_("{count} profiles. The first answers within minutes.", count=len(rows)))
    cells = ((name, question, *_cells(effort)) for name, question, effort, __ in rows)
    lines = [(name, time, question, written, room) for name, question, time, written, room in cells]
    yield table((_("Profile"), _("Time"), _("Question"), _("Written"), _("Room")), lines, (1, 3, 4))
    if ordinary:
        yield _(
            "At most, for {count} hard disks with {size} and {ram} of RAM; --directory says it for your pool.",
            count=len(_ORDINARY.disks),
            size=binary(_ORDINARY.pool_bytes),
            ram=binary(_ORDINARY.ram_bytes),
        )
    yield from warnings(unknown=(f"{name}: {why}" for name, _question, _effort, why in rows if why))


def list_runs(args: argparse.Namespace) -> int:
    found = kept_runs(" ".join(args.runs))
    none = _("No run matches.") if args.runs else _("No run has been kept yet.")
    rows = listed(
        found,
        (_("Run key"), lambda run: run.key),
        (_("Made (UTC)"), lambda run: dated(run.made, "%Y-%m-%d %H:%M")),
        (_("Profile"), lambda run: run.profile),
        (_("Pool"), lambda run: run.pool or ""),
        (_("Host"), lambda run: run.host),
        (_("Verdict"), lambda run: run.judgement),
    )
    blocks = (ngettext("{count} run", "{count} runs", len(found)), rows) if found else (none,)
    answer(args, lambda: {"runs": [asdict(run) | {"made": run.made.isoformat()} for run in found]}, blocks)
    return 0


def _effort(make: Callable[[], Profile], place: BenchTarget) -> tuple[Effort | None, str]:
    try:
        return effort_of(make(), place), ""
    except (Refusal, UserError) as error:
        return None, error.text


def _cells(effort: Effort | None) -> tuple[str, str, str]:
    if effort is None:
        return "-", "-", "-"
    room = effort.space_bytes + effort.volume_bytes
    return time_words(effort.seconds), binary(effort.written_bytes), binary(room)


def write_volumes_script(args: argparse.Namespace) -> int:
    from poolwright.bench.profiles import built_in
    from poolwright.emit.names import Stamp
    from poolwright.emit.script import volumes_script
    from poolwright.store.files import SCRIPT_MODE

    text = volumes_script(
        args.paper_volumes,
        stem=built_in.VOLUME_STEM,
        count=built_in.PAPER_VOLUMES,
        size_bytes=built_in.PAPER_VOLUME_BYTES,
        block_bytes=built_in.PAPER_RECORD_BYTES,
        stamp=Stamp(generated_at=datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC"), program_version=__version__),
    )
    deliver(args, text, lambda: {"pool": args.paper_volumes, "file": args.output, "script": text}, mode=SCRIPT_MODE)
    return 0


# What all uses of the benchmark on the command line share: the place, the design and the wishes.

_T = TypeVar("_T")


def looked_at(directory: str, host: str | None = None) -> BenchTarget:
    if host is not None:
        check_whole(directory, host)
    return run_there(look(directory if host is not None else os.fspath(Path(directory).absolute())), host)


def run_there(conversation: Conversation[_T], host: str | None) -> _T:
    if host is None:
        return converse(conversation)
    visit = drive(arrived(SshHost(name=host), terminal_asker()))
    try:
        return converse(on_host(conversation, visit.host))
    finally:
        visit.leave()


def free_disks(host: str | None) -> tuple[Disk, ...]:
    return (read_this_machine() if host is None else read_over_ssh([host])).usable()


def own_design(args: argparse.Namespace, named: str | None = None) -> Design | None:
    """Return the design that is ``named`` or of ``--design``, else the pool of ``--from``; None without any."""
    name = named or args.design
    if args.from_paths is None:
        return None if name is None else read_design(name)
    if name is not None:
        raise excluded("DESIGN", "--from")
    return design_of_machine(read_named("from_paths", tuple(args.from_paths)), args.pool)


def wishes_of(args: argparse.Namespace) -> BenchWishes:
    return BenchWishes(
        repeats=args.repeats, seconds=args.seconds, most_bytes=args.max_bytes, fill_percent=args.fill, steps=args.steps
    )


# `poolwright bench --read`: what files of measurements hold, whoever wrote them.


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
    return {repr(percent).removesuffix(".0"): ns for percent, ns in latency.percentiles}  # :g makes 99.99999 100


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
    def words_of(of: Callable[[Any], str], value: object) -> str:
        return "" if value is None else of(value)

    def at_99(one: Measurement) -> float | None:
        known = (dict(latency.percentiles).get(99.0) for latency in (one.total, one.completion) if latency is not None)
        return next((ns for ns in known if ns is not None), None)

    return listed(
        measured,
        (_("Job"), lambda each: each.name),
        ("", lambda each: each.direction.value),
        (_("Pattern"), lambda each: each.pattern or ""),
        (_("Block size"), lambda each: words_of(binary, each.block_bytes)),
        (_("Jobs"), lambda each: words_of(str, each.jobs)),
        (_("Rate"), lambda each: words_of(rate_text, each.rate)),
        ("IOPS", lambda each: words_of(partial(numeral, form=",.0f"), each.iops)),
        (_("Latency"), lambda each: words_of(_time, each.total and each.total.mean_ns)),
        ("99 %", lambda each: words_of(_time, at_99(each))),
        right=range(3, 9),
    )


def _time(ns: float) -> str:
    return numeral(ns / 1e6, ".2f", "ms") if ns >= 1e5 else numeral(ns / 1e3, ".1f", "µs")


# `poolwright bench … --against …`: two runs, or what other programs measured, test by test, in per cent.


def read_run_file(name: str) -> RunRecord:
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except OSError as error:
        if error.errno not in (ENOENT, ENAMETOOLONG, EISDIR):
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
    beside: TableVerdict,
    *,
    effort: Effort | None = None,
    file: str | None = None,
    key: str | None = None,
) -> dict[str, object]:
    judged = zip(record.tests, verdict.tests, strict=True)
    return json_of(
        record,
        "name profile=profile.name question=profile.question table=profile.table started seconds:2 ended why? file@ "
        f"key@ {_EFFORT} "
        "place[directory host filesystem dataset pool fio zfs_userland=userland zfs_module=module "
        "fill_percent fragmentation_percent properties@ warnings] at_rest@[cpu pool_read pool_write] "
        "judgement@ verdict@ beside_documents@beside[tables rows[test what unit@ measured told=documented "
        "comparable ratio precision basis source] not_compared=why] tests@",
        file=file,
        key=key,
        effort=effort,
        properties=lambda place: dict(place.properties),
        at_rest=noise_floor(record.idle, record.place.pool),
        judgement=verdict.judgement,
        verdict=verdict.sentence,
        beside=beside,
        unit=lambda row: "bytes/s" if row.is_rate else "times",
        tests=[_test_document(run, test, expectation.get(run.test.name)) for run, test in judged],
    )


def _test_document(run: TestRun, judged: TestVerdict, expectation: Expectation | None) -> dict[str, object]:
    return {
        **json_of(run.test, "name title x cache_proof notes"),
        **json_of(run, "job_file"),
        **json_of(expectation, "expected=estimate not_expected_because?=why"),
        **json_of(
            judged,
            "judgement metric measured[values median least most spread=known] limiting[factor evidence disk serial] "
            "reasons next_steps marks",
        ),
        **json_of(run, f"repeats[number seconds:2 ended why? measured[{_MEASURED}]]", percentiles=_percentiles),
    }


def judge_run(args: argparse.Namespace) -> int:
    run, *designs = args.verdict
    given = [*designs, *filter(None, (args.design, args.against, args.from_paths))]
    if len(given) != 1:
        raise UserError(
            _("--verdict takes a run and a design"),
            todo=_("Write --verdict RUN DESIGN, or --verdict RUN --against RUN."),
        )

    record = read_run_file(run)
    if args.against:
        return compare_runs(args, record, read_run_file(args.against))
    expectation = expected(record.profile, own_design(args, *designs), None, record.place)
    verdict = judge(record, expectation)
    beside = compare_with_tables(record, verdict, load_shipped_tables())
    answer(
        args,
        lambda: run_document(record, verdict, expectation, beside, file=run),
        answer_parts(record, verdict, expectation, beside),
        report=lambda: run_report(record, verdict, expectation, beside),
    )
    return 0
