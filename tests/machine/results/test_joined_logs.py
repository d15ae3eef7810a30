"""Logs of several jobs as one application."""

import numpy as np

from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio.log import together


def log(what: What, ms: list[int], values: list[float], detail: str = "") -> Recorded:
    curve = TimeCurve(
        name="job", source=Observer.APPLICATION, what=what, ms=np.array(ms), values=np.array(values),
        direction=Direction.WRITE, detail=detail,
    )  # fmt: skip
    return Recorded(tool=BenchTool.FIO, where="x", curves=(curve,))


def test_that_rates_of_jobs_are_summed_where_their_steps_are_the_same() -> None:
    logs = [log(What.RATE, [500, 1001, 1502], [10.0, 20.0, 30.0]), log(What.RATE, [499, 1000], [1.0, 2.0])]
    (rate,) = together(logs, 500)
    assert rate.ms.tolist() == [500, 1000, 1500]
    assert rate.values.tolist() == [11.0, 22.0, 30.0]


def test_that_a_step_that_a_job_tells_twice_counts_once() -> None:
    (rate,) = together([log(What.RATE, [990, 1010, 1500], [10.0, 20.0, 5.0])], 500)
    assert rate.values.tolist() == [15.0, 5.0]


def test_that_latencies_are_averaged_and_the_whole_one_counts() -> None:
    logs = [
        log(What.LATENCY, [500], [100.0], "lat"),
        log(What.LATENCY, [500], [300.0], "lat"),
        log(What.LATENCY, [500], [9.0], "slat"),
    ]
    (latency,) = together(logs, 500)
    assert latency.values.tolist() == [200.0]
