"""`poolwright bench --verdict RUN --against RUN`: two runs test by test, in per cent."""

from errno import ENAMETOOLONG, ENOENT
from pathlib import Path

from poolwright.bench.judging.side_by_side import ComparedTest, side_by_side
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import read_run
from poolwright.cli.output import print_json, print_line, print_table
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.texts import tell


def read_run_file(name: str) -> RunRecord:
    """Return the run in a file, or that of a key in the library; raises UserError, EnvironmentFailure."""
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except OSError as error:
        if error.errno not in (ENOENT, ENAMETOOLONG):
            raise EnvironmentFailure(tell("The run cannot be read: {why}", why=error.strerror), where=name) from error
        from poolwright.run_library import kept_run

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
    rows = [_row(test) for test in tests]
    header = (tell("test"), tell("before"), tell("after"), tell("change"), "")
    print_table(header, rows, right=frozenset({1, 2, 3}))
    if before.profile.name != after.profile.name:
        print_line(tell("The runs are of different profiles."))
    return 0


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
