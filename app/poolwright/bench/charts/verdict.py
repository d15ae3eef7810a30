"""What a run measured against what was expected of it, as charts: a row for each test, one chart a unit."""

from collections.abc import Mapping, Sequence

from poolwright.bench.judging.expected import Foretold
from poolwright.bench.judging.spread import RATES
from poolwright.bench.judging.verdict_words import expected_words, value_words
from poolwright.bench.judging.verdicts import Judgement, RunVerdict, TestVerdict
from poolwright.bench.profiles.profile import Profile
from poolwright.bench.record import RunRecord
from poolwright.domain.rates import rate_unit
from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind, axis_over, log_axis
from poolwright.emit.drawing import Marker, ShapeRole
from poolwright.texts import tell

# Values further apart than this factor are not seen side by side from zero.
_MOST_APART = 20.0


def verdict_charts(record: RunRecord, verdict: RunVerdict) -> tuple[Chart, ...]:
    """Return a chart of bytes a second and one of operations a second, each where a test measured such.

    A disc is the median with least and most of the repeats as its whisker; a ring is the typical expected value with
    its band. Values far apart stand on a logarithmic axis.
    """
    titles = {run.test.name: run.test.title for run in record.tests}
    return _charts(verdict.tests, titles)


def expected_charts(profile: Profile, foretold: Mapping[str, Foretold]) -> tuple[Chart, ...]:
    """Return the same charts before anything was measured: what is expected, with its band."""
    titles = {test.name: test.title for test in profile.tests}
    tests = [
        TestVerdict(
            test=test.name, judgement=Judgement.CANNOT_TELL, metric=test.metric, expected=foretold[test.name].estimate
        )
        for test in profile.tests
    ]
    return _charts(tests, titles)


def _charts(tests: Sequence[TestVerdict], titles: dict[str, str]) -> tuple[Chart, ...]:
    known = [test for test in tests if test.measured is not None or test.expected is not None]
    rates = [test for test in known if _is_rate(test)]
    counts = [test for test in known if not _is_rate(test)]
    found = []
    if rates:
        unit = rate_unit(max(_values(rates)))
        found.append(_chart("run-rates", tell("Bytes a second"), unit, rates, titles))
    if counts:
        found.append(_chart("run-operations", tell("Operations a second"), (1, "1/s"), counts, titles))
    return tuple(found)


def _is_rate(test: TestVerdict) -> bool:
    return test.metric is None or test.metric in RATES


def _values(tests: Sequence[TestVerdict]) -> list[float]:
    found: list[float] = []
    for test in tests:
        if test.measured is not None:
            found += [test.measured.least, test.measured.median, test.measured.most]
        if test.expected is not None:
            found += [test.expected.low, test.expected.typical, test.expected.high]
    return found


def _chart(
    stem: str, title: str, scale: tuple[int, str], tests: Sequence[TestVerdict], titles: dict[str, str]
) -> Chart:
    size, unit = scale
    values = [value / size for value in _values(tests)]
    apart = min(values) > 0 and max(values) > _MOST_APART * min(values)
    measured = [mark for row, test in enumerate(tests) for mark in _measured(row, test, size)]
    expected = [mark for row, test in enumerate(tests) for mark in _expected(row, test, size)]
    series = (
        ChartSeries(name=tell("Measured"), kind=SeriesKind.DOTS, marks=tuple(measured), size=11.0),
        ChartSeries(
            name=tell("Expected"),
            kind=SeriesKind.DOTS,
            marks=tuple(expected),
            role=ShapeRole.TWO,
            marker=Marker.RING,
            size=11.0,
        ),
    )
    return Chart(
        stem=stem,
        title=title,
        x=log_axis(title, values, unit=unit) if apart else axis_over(title, values, unit=unit),
        y=ChartAxis(title="", low=0.5 - len(tests), high=0.5),
        series=tuple(one for one in series if one.marks),
        rows=tuple(titles.get(test.test, test.test) for test in tests),
    )


def _measured(row: int, test: TestVerdict, size: int) -> list[ChartMark]:
    spread = test.measured
    if spread is None:
        return []
    low, middle, high = (value_words(test.metric, value) for value in (spread.least, spread.median, spread.most))
    told = tell("measured {median}, {low} to {high}", median=middle, low=low, high=high)
    return [
        ChartMark(
            x=spread.median / size, y=row, low=spread.least / size, high=spread.most / size, label=middle, told=told
        )
    ]


def _expected(row: int, test: TestVerdict, size: int) -> list[ChartMark]:
    band = test.expected
    if band is None:
        return []
    told = tell("expected {band}", band=expected_words(test))
    label = value_words(test.metric, band.typical) if test.measured is None else ""
    return [ChartMark(x=band.typical / size, y=row, low=band.low / size, high=band.high / size, label=label, told=told)]
