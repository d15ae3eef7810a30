"""`poolwright bench --verdict RUN --against RUN`: two runs test by test, in per cent."""

from dataclasses import dataclass
from pathlib import Path

from poolwright.bench.judging.spread import spread_of
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import read_run
from poolwright.cli.output import print_json, print_line, print_table
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.predict.runs import Metric
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTest:
    """A test of both runs; medians in the unit of its metric, None where a run does not have it.

    ``told`` says that the difference is larger than the repeats of either run lie apart.
    """

    name: str
    title: str
    metric: Metric | None
    before: float | None
    after: float | None
    told: bool = False

    @property
    def percent(self) -> float | None:
        """Return how much more the second run gave, per cent of the first."""
        return None if not self.before or self.after is None else 100 * (self.after / self.before - 1)


def read_run_file(name: str) -> RunRecord:
    """Return the run in a file; raises UserError where it is none, EnvironmentFailure where it cannot be read."""
    try:
        return read_run(Path(name).read_bytes(), where=name)
    except FileNotFoundError:
        raise UserError(tell("There is no such file"), where=name) from None
    except OSError as error:
        raise EnvironmentFailure(tell("The run cannot be read: {why}", why=error.strerror), where=name) from error


def compared(before: RunRecord, after: RunRecord) -> tuple[ComparedTest, ...]:
    """Return the tests of both runs by their names, those of the first in its order."""
    first, second = ({run.test.name: run for run in record.tests} for record in (before, after))
    found = []
    for name in dict.fromkeys((*first, *second)):
        test = (first.get(name) or second[name]).test
        one, other = (spread_of(runs[name]) if name in runs else None for runs in (first, second))
        found.append(
            ComparedTest(
                name=name,
                title=test.title,
                metric=test.metric,
                before=None if one is None else one.median,
                after=None if other is None else other.median,
                told=one is not None and other is not None and (one.most < other.least or other.most < one.least),
            )
        )
    return tuple(found)


def compare_runs(before: RunRecord, after: RunRecord, *, as_json: bool) -> int:
    """Print both runs side by side; return the exit status."""
    tests = compared(before, after)
    if as_json:
        print_json({"before": _of(before), "after": _of(after), "tests": [_document(test) for test in tests]})
        return 0
    rows = [
        (
            test.title,
            "-" if test.before is None else value_words(test.metric, test.before),
            "-" if test.after is None else value_words(test.metric, test.after),
            "-" if test.percent is None else f"{test.percent:+.1f} %",
            "" if test.told or test.percent is None else tell("within the spread"),
        )
        for test in tests
    ]
    header = (tell("test"), tell("before"), tell("after"), tell("change"), "")
    print_table(header, rows, right=frozenset({1, 2, 3}))
    if before.profile.name != after.profile.name:
        print_line(tell("The runs are of different profiles."))
    return 0


def _of(record: RunRecord) -> dict[str, object]:
    return {
        "name": record.name,
        "profile": record.profile.name,
        "started": record.started.isoformat(),
        "host": record.place.host,
        "directory": record.place.directory,
    }


def _document(test: ComparedTest) -> dict[str, object]:
    return {
        "name": test.name,
        "title": test.title,
        "metric": None if test.metric is None else test.metric.value,
        "before": test.before,
        "after": test.after,
        "percent": None if test.percent is None else round(test.percent, 2),
        "beyond_spread": test.told,
    }
