"""Runs side by side, test by test: each in per cent of the first one, and whether the difference is more than noise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.bench.judging.noise import NoiseFloor, disturbances, noise_floor
from poolwright.bench.judging.verdicts import MOST_SPREAD, Spread, shortest, spread, spread_of
from poolwright.bench.record import Repeat, RunRecord, TestRun
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Measurement, Recorded, TimeCurve
from poolwright.domain.units import binary
from poolwright.machine.fio.log import begins_ms
from poolwright.predict.number_words import share_text
from poolwright.predict.runs import Metric
from poolwright.texts import tell

# With two repeats each, one pair in three of equal pools lies apart by chance; shorter ones tell of the moment.
LEAST_REPEATS, LEAST_SECONDS = 3, 5.0
MOST_RUNS = 6  # whose bars can be told apart; over time there may be any number


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTest:
    """A test of several runs; ``found`` has what each measured in the unit of its metric, None where it did not.

    ``lasted`` is for how long their shortest repeats measured, s; None where that is not known; ``disturbed`` what
    disturbed each, in a sentence, empty where nothing was seen.
    """

    name: str
    title: str
    metric: Metric | None
    found: tuple[Spread | None, ...]
    lasted: tuple[float | None, ...]
    disturbed: tuple[str, ...]

    def percent(self, number: int) -> float | None:
        """Return how much more that run gave than the first, per cent of the first; None where one does not tell."""
        first, other = self.found[0], self.found[number]
        return None if first is None or other is None else 100 * (other.median / first.median - 1)

    def told(self, number: int) -> bool:
        """Tell whether that run differs from the first by more than the repeats of either lie apart."""
        first, other = self.found[0], self.found[number]
        if first is None or other is None or self.doubt(number):
            return False
        apart = max(other.least - first.most, first.least - other.most)
        return apart > 0 and abs(other.median - first.median) > max(first.most - first.least, other.most - other.least)

    def doubt(self, number: int) -> str:
        """Return why no difference between that run and the first can be told, whatever it is; empty where it can."""
        first, other = self.found[0], self.found[number]
        if first is None or other is None:
            return ""
        if min(len(first.values), len(other.values)) < LEAST_REPEATS:
            return tell("cannot tell: fewer than {count} repeats", count=LEAST_REPEATS)
        lasted = [seconds for seconds in (self.lasted[0], self.lasted[number]) if seconds is not None]
        if lasted and min(lasted) < LEAST_SECONDS:
            return tell("cannot tell: repeats of {seconds:.1f} s only", seconds=min(lasted))
        widest = max(first.spread, other.spread)
        if widest > MOST_SPREAD:
            return tell("cannot tell: repeats differ by {spread}", spread=share_text(widest))
        # A run that is marked is not judged: nor does it tell what a change brought.
        why = self.disturbed[0] or self.disturbed[number]
        return tell("cannot tell: disturbed. {why}", why=why) if why else ""


def side_by_side(runs: Sequence[RunRecord]) -> tuple[ComparedTest, ...]:
    """Return the tests of runs by their names, those of the first in its order. Raises UserError for what is no two.

    More than 6 runs are looked at over time only, which those of one profile can be.
    """
    if len(runs) < 2 or (len(runs) > MOST_RUNS and not alike(runs)):
        raise UserError(
            tell("From 2 to {most} runs can stand side by side", most=MOST_RUNS),
            todo=tell("Over time stands any number of runs of one profile."),
        )
    by_name = [{run.test.name: run for run in record.tests} for record in runs]
    floors = [noise_floor(record.idle, record.place.pool) for record in runs]
    names = dict.fromkeys(name for each in by_name for name in each)
    found = []
    for name in names:
        tests = [each.get(name) for each in by_name]
        test = next(run.test for run in tests if run is not None)
        spreads = tuple(None if run is None else spread_of(run) for run in tests)
        lasted = tuple(None if run is None else shortest(run) for run in tests)
        disturbed = tuple(map(_disturbance, tests, runs, floors))
        found.append(
            ComparedTest(
                name=name, title=test.title, metric=test.metric, found=spreads, lasted=lasted, disturbed=disturbed
            )
        )
    return tuple(found)


def results_side_by_side(before: Sequence[Recorded], after: Sequence[Recorded]) -> tuple[ComparedTest, ...]:
    """Return what two results of other programs measured alike: the same job, direction, pattern and block size.

    Of several files of one side each is a repeat. A rate is compared where there is one, else operations.
    """
    sides = [_by_kind(before), _by_kind(after)]
    found = []
    for kind in dict.fromkeys((*sides[0], *sides[1])):
        alike = [side.get(kind, []) for side in sides]
        rated = all(one.rate is not None for one in (*alike[0], *alike[1]))
        values = [[number for one in each if (number := one.rate if rated else one.iops)] for each in alike]
        lasted = [min((one.seconds for one in each if one.seconds is not None), default=None) for each in alike]
        name, *further = kind
        said = " ".join(dict.fromkeys(filter(None, further)))  # "write" is a direction and a pattern
        found.append(
            ComparedTest(
                name=" ".join(filter(None, kind)),
                title=f"{name}, {said}",
                metric=Metric.SEQ_READ if rated else Metric.RAND_READ,  # by which the unit is known
                found=tuple(spread(each) for each in values),
                lasted=tuple(lasted),
                disturbed=("", ""),
            )
        )
    return tuple(found)


def _by_kind(results: Sequence[Recorded]) -> dict[tuple[str, ...], list[Measurement]]:
    found: dict[tuple[str, ...], list[Measurement]] = {}
    for one in (measured for recorded in results for measured in recorded.measured):
        if not one.error and (one.rate or one.iops):
            block = "" if one.block_bytes is None else binary(one.block_bytes)
            found.setdefault((one.name, one.direction.value, one.pattern or "", block), []).append(one)
    return found


def _disturbance(run: TestRun | None, record: RunRecord, floor: NoiseFloor) -> str:
    marks = () if run is None else disturbances(while_measured(run), record.place, floor)
    return marks[0] if marks else ""


def alike(runs: Sequence[RunRecord]) -> bool:
    """Tell whether the runs are of one profile, so that one may look at them over time."""
    return len({record.profile.name for record in runs}) == 1


def in_order(runs: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    """Return the runs as they were made, the oldest first."""
    return tuple(sorted(runs, key=_began))


def _began(record: RunRecord) -> str:
    return record.started.isoformat()


# The part of a repeat in which it measured: before, its files are laid out, and after, they are removed.


def while_measured(run: TestRun) -> TestRun:
    """Return a test with what was watched while it measured, from 0 on, its ramp included.

    Where no clock tells when that was, all that was watched is kept.
    """
    return replace(run, repeats=tuple(_cut(repeat, run.test.ramp_seconds) for repeat in run.repeats))


def _cut(repeat: Repeat, ramp_seconds: float) -> Repeat:
    application = repeat.application
    measured = () if application is None else application.measured
    begins = begins_ms(measured)
    seconds = max((begins[one.name] / 1000 + one.seconds for one in measured if one.seconds), default=0.0)
    if application is None or application.started is None or not seconds:
        return repeat
    until = ramp_seconds + seconds
    return replace(repeat, watched=tuple(_part(watched, application, until) for watched in repeat.watched))


def _part(watched: Recorded, application: Recorded, seconds: float) -> Recorded:
    if watched.started is None or application.started is None:
        return watched
    since = round((application.started - watched.started).total_seconds() * 1000)
    curves = tuple(_part_of(curve, since, since + round(1000 * seconds)) for curve in watched.curves)
    # A clock that was set meanwhile shows nothing at all.
    return replace(watched, curves=curves) if any(curve.ms.size for curve in curves) else watched


def _part_of(curve: TimeCurve, since: int, until: int) -> TimeCurve:
    keep = (curve.ms >= since) & (curve.ms < until)
    return replace(curve, ms=curve.ms[keep] - since, values=curve.values[keep])
