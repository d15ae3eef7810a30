"""`poolwright bench … --against …`: two runs, or what other programs measured, test by test, in per cent."""

from collections.abc import Sequence
from errno import ENAMETOOLONG, ENOENT
from pathlib import Path

from poolwright.bench.judging.side_by_side import ComparedTest, results_side_by_side, side_by_side
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import read_run
from poolwright.cli.output import print_json, print_line, print_table
from poolwright.cli.streams import say
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.store.read_results import open_results
from poolwright.texts import tell


def read_run_file(name: str) -> RunRecord:
    """Return the run in a file, or that of a key in the library; raises UserError, EnvironmentFailure."""
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except OSError as error:
        if error.errno not in (ENOENT, ENAMETOOLONG):
            raise EnvironmentFailure(tell("The run cannot be read: {why}", why=error.strerror), where=name) from error
        from poolwright.bench.run_library import kept_run

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
        print_json({"before": _of(before), "after": _of(after), "tests": [_document(test) for test in tests]})
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
        print_json({"before": list(before), "after": [after], "tests": [_document(test) for test in tests]})
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


def _document(test: ComparedTest) -> dict[str, object]:
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
