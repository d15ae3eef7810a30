"""The part of a repeat in which it measured: before, its files are laid out, and after, they are removed.

Both are work of the pool's disks that the application's figures do not have, and may last longer than the test.
"""

from dataclasses import replace

from poolwright.bench.record import Repeat, TestRun
from poolwright.domain.measurement import Recorded, TimeCurve
from poolwright.machine.joined_logs import begins_ms


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
