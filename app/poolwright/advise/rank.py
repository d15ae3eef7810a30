"""The score of a layout for a goal, in terms a person can read: up to 100 points, less what the rules deduct."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log10

from poolwright.advise.enumerate import DISKS_PER_SPARE
from poolwright.advise.measures import Measures
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.units import binary, counted, decimal
from poolwright.domain.workload import Goal

# What a further pool of its own costs in care: names and quotas, and free space that is no longer shared. A pool of
# left-over space divides no space that could have been shared, so that it costs half.
POINTS_PER_FURTHER_POOL = 2.5
POINTS_PER_REST_POOL = 1.0
# A yearly probability of losing the pool, and hours of a rebuild, from which on better is not worth more points.
SAFE_LOSS = 1e-6
SHORT_REBUILD_HOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One part of a score: ``points`` of at most ``weight``, or a deduction (negative points, weight 0).

    ``value`` is the share reached, 0 to 1; ``why`` says it in numbers.
    """

    name: str
    title: str
    points: float
    weight: float = 0.0
    value: float | None = None
    why: str = ""


# Points that each term can give for a goal; they add up to 100. A goal leaves out what it does not ask for.
WEIGHTS: dict[Goal, tuple[tuple[str, float], ...]] = {
    Goal.SAFETY: (
        ("guarantee", 25),
        ("risk", 30),
        ("capacity", 25),
        ("rebuild", 10),
        ("streaming", 5),
        ("spares", 5),
    ),
    Goal.CONCURRENT: (
        ("guarantee", 20),
        ("risk", 8),
        ("capacity", 15),
        ("reads", 42),
        ("writes", 10),
        ("spares", 5),
    ),
    Goal.SPEED: (("risk", 5), ("capacity", 25), ("streaming", 70)),
}
# Failures that a pool should survive, whichever disks they are, where a goal asks for a guarantee.
FAILURES_WANTED = {Goal.SAFETY: 2, Goal.CONCURRENT: 1, Goal.SPEED: 0}
TITLES = {
    "guarantee": "Failures survived",
    "risk": "Yearly risk of loss",
    "capacity": "Usable capacity",
    "rebuild": "Rebuild time",
    "streaming": "Sequential speed",
    "reads": "Random reads",
    "writes": "Random writes",
    "spares": "Spares",
    "pools": "Further pools",
}


def score(goal: Goal, measures: Measures, findings: Iterable[Finding]) -> float:
    """Return the score: what the terms give, less the deductions. The sum of the points of `score_terms`."""
    points = sum([weight * _value(name, goal, measures) for name, weight in WEIGHTS[goal]])
    return points - _further_pools(measures) - sum([amount for _, amount in _deductions(findings)])


def score_terms(goal: Goal, measures: Measures, findings: Iterable[Finding]) -> tuple[Term, ...]:
    """Return the terms of the score, each with its reason in numbers."""
    terms = []
    for name, weight in WEIGHTS[goal]:
        value = _value(name, goal, measures)
        why = _why(name, goal, measures)
        terms.append(Term(name=name, title=TITLES[name], points=weight * value, weight=weight, value=value, why=why))
    further = _further_pools(measures)
    if further:
        why = f"{1 + measures.peers + measures.rests} pools to look after instead of one"
        terms.append(Term(name="pools", title=TITLES["pools"], points=-further, why=why))
    for finding, amount in _deductions(findings):
        terms.append(Term(name=finding.rule_id, title=finding.title, points=-amount, why=finding.text))
    return tuple(terms)


def protection(goal: Goal, failures_survived: int, yearly_loss: float) -> float:
    """Return how far a pool protects its bytes as the goal wants it, 0 to 1.

    The share of the failures wanted times the share of the risk term. Bytes of a further pool count in the capacity so
    far: they take nothing from the main pool, and are worth less the less they are protected.
    """
    wanted = FAILURES_WANTED[goal]
    if not wanted:
        return 1.0
    return min(1.0, failures_survived / wanted) * _safety(yearly_loss)


def _safety(yearly_loss: float) -> float:
    return min(1.0, log10(max(yearly_loss, SAFE_LOSS)) / log10(SAFE_LOSS))


def _value(name: str, goal: Goal, m: Measures) -> float:
    """Return which share of a term's points the layout earns, 0 to 1."""
    if name == "guarantee":
        value = m.failures_survived / FAILURES_WANTED[goal]
    elif name == "risk":
        value = _safety(m.forecast.yearly_loss)
    elif name == "capacity":
        value = m.credited_bytes / m.raw_bytes
    elif name == "rebuild":
        value = 1.0 if m.forecast.rebuild_hours is None else SHORT_REBUILD_HOURS / m.forecast.rebuild_hours
    elif name == "streaming":
        reading, writing = _ideal_streaming(m)
        value = (m.speed.seq_read / reading + m.speed.seq_write / writing) / 2
    elif name == "reads":
        value = m.speed.rand_read_iops / min(_ideal_operations(m), m.most.rand_read_iops)
    elif name == "writes":
        value = m.speed.rand_write_iops / min(_ideal_operations(m), m.most.rand_write_iops)
    else:
        wanted = _spares_wanted(m)
        value = m.spares / wanted if wanted else 1.0
    return min(1.0, value)


def _why(name: str, goal: Goal, m: Measures) -> str:
    if name == "guarantee":
        return f"{survives(m.failures_survived)}, {FAILURES_WANTED[goal]} wanted{_of_main(m)}"
    if name == "risk":
        return f"{odds(m.forecast.yearly_loss)} that a pool is lost; 1 in {1 / SAFE_LOSS:,.0f} is enough{_of_main(m)}"
    if name == "capacity":
        least = f", counted as {binary(round(m.credited_bytes))}" if m.credited_bytes < m.usable_bytes else ""
        why = ": the further pool protects less than wanted" if least else ""
        return f"{binary(m.usable_bytes)} usable of {binary(m.raw_bytes)} raw{least}{why}"
    if name == "rebuild":
        hours = m.forecast.rebuild_hours
        return "nothing to rebuild from" if hours is None else f"about {hours:.0f} h; {SHORT_REBUILD_HOURS} h is enough"
    if name == "streaming":
        reading, writing = (decimal(int(rate)) for rate in _ideal_streaming(m))
        read, write = (decimal(int(rate)) for rate in (m.speed.seq_read, m.speed.seq_write))
        return f"about {read}/s read and {write}/s written; {counted(m.disks, 'disk')} alone: {reading}/s, {writing}/s"
    if name == "reads":
        ideal = min(_ideal_operations(m), m.most.rand_read_iops)
        return f"about {m.speed.rand_read_iops:,.0f} random reads a second; the disks alone, on this host: {ideal:,.0f}"
    if name == "writes":
        ideal = min(_ideal_operations(m), m.most.rand_write_iops)
        return (
            f"about {m.speed.rand_write_iops:,.0f} random writes a second; the disks alone, on this host: {ideal:,.0f}"
        )
    return f"{counted(m.spares, 'spare')}, {_spares_wanted(m)} wanted for {m.data_members} disks"


def _of_main(m: Measures) -> str:
    return " (main pool)" if m.rests else ""


def _ideal_streaming(m: Measures) -> tuple[float, float]:
    """Return what all ticked disks would read and write one by one, in bytes/s."""
    return m.rates.read_bytes_per_second * m.disks, m.rates.write_bytes_per_second * m.disks


def _ideal_operations(m: Measures) -> float:
    """Return the operations a second of all ticked disks, kept busy by the clients there are (a closed queue)."""
    clients = m.clients
    busy = m.disks if clients is None else m.disks * clients / (m.disks + clients - 1)
    return m.rates.iops * max(1.0, busy)


def odds(probability: float) -> str:
    """Return a yearly probability in words: 3 % a year, 1 in 2,300,000 a year."""
    if probability >= 0.01:
        return f"{100 * probability:.0f} % a year"
    if probability < 1e-15:
        return "less than 1 in 10^15 a year"
    return f"1 in {float(f'{1 / probability:.2g}'):,.0f} a year"


def survives(survived: int) -> str:
    """Return in words how many failures a pool survives, whichever disks they are."""
    return "survives no failure" if survived == 0 else f"survives any {counted(survived, 'failure')}"


def _spares_wanted(m: Measures) -> int:
    return m.data_members // DISKS_PER_SPARE


def _further_pools(m: Measures) -> float:
    return POINTS_PER_FURTHER_POOL * m.peers + POINTS_PER_REST_POOL * m.rests


def _deductions(findings: Iterable[Finding]) -> Iterator[tuple[Finding, float]]:
    """Yield what violated rules deduct. A rule counts once, where it weighs most: vdevs of several sizes repeat it."""
    worst: dict[str, tuple[Finding, float]] = {}
    for finding in findings:
        if finding.outcome is Outcome.VIOLATED and finding.weight:
            amount = sum([amount for _, amount in finding.weight])
            known = worst.get(finding.rule_id)
            if known is None or amount > known[1]:
                worst[finding.rule_id] = (finding, amount)
    yield from worst.values()
