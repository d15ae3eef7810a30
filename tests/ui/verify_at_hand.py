"""Runs for the window that were never run: made in a moment, told as real ones are."""

from dataclasses import replace
from datetime import timedelta

from pytestqt.qtbot import QtBot
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of

from poolwright.bench.judging.verdict import judge
from poolwright.bench.record import AnswerPlot, RunRecord
from poolwright.domain.measurement import Latency
from poolwright.predict.measured_runs import Metric
from poolwright.ui.verify.earlier import KeptRuns

LATENCY = Latency(
    mean_ns=2e6,
    count=300,
    percentiles=((50.0, 2_000_000), (99.0, 9_000_000)),
    histogram=((2_000_000, 250), (9_000_000, 50)),
)


def made_run(iops: float = 1000.0, *, hours: int = 0) -> RunRecord:
    """Return a sweep of random reads by 1 to 250 jobs, with latency, begun so many hours later."""
    tests = []
    for jobs, share in ((1, 0.1), (10, 0.9), (50, 1.0), (100, 1.01), (250, 1.02)):
        test = replace(
            bench_test(Metric.RAND_READ), name=f"randread-{jobs}", title=f"{jobs} at once", x=float(jobs), line="Reads"
        )
        run = run_of(test, place_of(), Made(value=iops * share))
        repeats = tuple(
            replace(
                repeat,
                application=replace(
                    repeat.application,
                    measured=tuple(replace(one, completion=LATENCY) for one in repeat.application.measured),
                ),
            )
            for repeat in run.repeats
            if repeat.application is not None
        )
        tests.append(replace(run, repeats=repeats))
    made = record_of(tests, place_of())
    return replace(
        made, started=made.started + timedelta(hours=hours), profile=replace(made.profile, plot=AnswerPlot.AGAINST_JOBS)
    )


def keep_runs(kept: KeptRuns, qtbot: QtBot, *runs: RunRecord) -> None:
    """Keep these in the library, one after the other."""
    for run in runs:
        before = len(kept.entries())
        with qtbot.waitSignal(kept.changed, timeout=20_000):
            kept.keep(run, judge(run, {}), None)
        assert len(kept.entries()) == before + 1
