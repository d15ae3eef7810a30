"""Disks that were read alone, before they become a pool: each held against those of its size."""

from collections.abc import Iterator
from statistics import median

from poolwright.bench.judging.spread import spread_of, whole
from poolwright.bench.judging.verdicts import Factor, Judgement, Limiting, TestVerdict
from poolwright.bench.profiles.profile import Engine
from poolwright.bench.record import RunRecord, TestRun
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GB
from poolwright.texts import tell

# Healthy disks of one model differ by a tenth; a port at half the speed, a weak head or a stall shows more.
LEAST_SHARE = 0.75
_LEAST_SIBLINGS = 2
Zones = dict[str, float]


def sibling_verdicts(record: RunRecord) -> dict[str, TestVerdict]:
    """Return the verdict on each disk that was read alone, by the name of its test; nothing of other tests.

    A disk is slow where a zone of it gives less than three quarters of the median of its siblings' same zone. Disks of
    another size are no siblings; with fewer than two of them nothing is said.
    """
    alone = [run for run in record.tests if run.test.engine is Engine.SIBLINGS and _is_alone(run)]
    rates = {run.test.name: _rates(run) for run in alone}
    found = {}
    for run in alone:
        others = [rates[one.test.name] for one in alone if one is not run and _size(one) == _size(run)]
        if len(others) >= _LEAST_SIBLINGS and rates[run.test.name]:
            found[run.test.name] = _verdict(run, tuple(_slow(rates[run.test.name], others)))
    return found


def _is_alone(run: TestRun) -> bool:
    return len({dict(job.options).get("filename") for job in run.test.jobs}) == 1


def _size(run: TestRun) -> int:
    """Return the size of the disk to a GB, from that of a zone, which is a share of it."""
    return round(int(dict(run.test.jobs[0].options).get("size", "0")) / GB)


def _rates(run: TestRun) -> Zones:
    found: dict[str, list[float]] = {}
    for repeat in whole(run):
        for one in () if repeat.application is None else repeat.application.measured:
            if one.rate:
                found.setdefault(one.name.rpartition("-")[2], []).append(one.rate)
    return {zone: median(values) for zone, values in found.items()}


def _slow(own: Zones, others: list[Zones]) -> Iterator[str]:
    for zone, rate in own.items():
        usual = median([other[zone] for other in others if zone in other] or [0.0])
        if rate < LEAST_SHARE * usual:
            yield tell(
                "{zone} zone: {own}, its siblings {others} in the median.",
                zone=zone,
                own=rate_text(rate),
                others=rate_text(usual),
            )


def _verdict(run: TestRun, evidence: tuple[str, ...]) -> TestVerdict:
    if not evidence:
        return TestVerdict(test=run.test.name, judgement=Judgement.PASSED, measured=spread_of(run))
    serial = run.test.jobs[0].name.split("-")
    limiting = Limiting(
        factor=Factor.ONE_DISK, evidence=evidence, disk=run.test.title, serial=serial[1] if len(serial) > 2 else None
    )
    return TestVerdict(
        test=run.test.name,
        judgement=Judgement.SLOWER,
        measured=spread_of(run),
        limiting=limiting,
        reasons=(tell("It reads slower than disks of its size beside it."), *evidence),
        next_steps=(tell("Look at that disk with smartctl -x; put it at another port; replace it if it stays slow."),),
    )
