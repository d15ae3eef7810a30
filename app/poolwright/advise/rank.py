"""The score of a layout for a goal, in terms a person can read: up to 100 points, less what the rules deduct."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from poolwright.advise.measures import Measures
from poolwright.advise.scaling import FULL_SPEED_WIDTH, random_reads, random_writes, shape_streaming
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.units import binary, counted
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal

# Disks for which one hot spare is wanted.
DISKS_PER_SPARE = 20
# What a further pool of its own costs in care: names, quotas and free space no longer shared.
POINTS_PER_FURTHER_POOL = 7.0
# How much the share of survived sets counts for 1, 2, 3 and 4 disks failing at once: each further one is far rarer.
FAILURE_WEIGHTS = (0.45, 0.45, 0.08, 0.02)


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
        ("survival", 30),
        ("capacity", 25),
        ("rebuild", 10),
        ("streaming", 5),
        ("spares", 5),
    ),
    Goal.CONCURRENT: (
        ("guarantee", 20),
        ("survival", 8),
        ("capacity", 12),
        ("reads", 35),
        ("writes", 20),
        ("spares", 5),
    ),
    Goal.SPEED: (("survival", 5), ("capacity", 25), ("streaming", 70)),
}
# Failures that a pool should survive, whichever disks they are, where a goal asks for a guarantee.
FAILURES_WANTED = {Goal.SAFETY: 2, Goal.CONCURRENT: 1, Goal.SPEED: 0}
TITLES = {
    "guarantee": "Failures survived",
    "survival": "Survival of several failures",
    "capacity": "Usable capacity",
    "rebuild": "Disks read for a rebuild",
    "streaming": "Sequential speed",
    "reads": "Random reads",
    "writes": "Random writes",
    "spares": "Hot spares",
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
        why = f"{measures.shape.pools} pools to look after instead of one"
        terms.append(Term(name="pools", title=TITLES["pools"], points=-further, why=why))
    for finding, amount in _deductions(findings):
        terms.append(Term(name=finding.rule_id, title=finding.title, points=-amount, why=finding.text))
    return tuple(terms)


def _value(name: str, goal: Goal, m: Measures) -> float:
    """Return which share of a term's points the layout earns, 0 to 1."""
    shape = m.shape
    if name == "guarantee":
        value = m.failures_survived / FAILURES_WANTED[goal]
    elif name == "survival":
        value = sum([w * share for w, share in zip(FAILURE_WEIGHTS, m.survival, strict=True)])
    elif name == "capacity":
        value = m.usable_bytes / m.raw_bytes
    elif name == "rebuild":
        value = FULL_SPEED_WIDTH / _rebuild_width(m)
    elif name == "streaming":
        value = shape_streaming(shape) / m.disks
    elif name == "reads":
        value = random_reads(shape) / m.disks
    elif name == "writes":
        value = random_writes(shape) / m.disks
    else:
        wanted = _spares_wanted(m)
        value = shape.spares / wanted if wanted else 1.0
    return min(1.0, value)


def _why(name: str, goal: Goal, m: Measures) -> str:
    shape = m.shape
    if name == "guarantee":
        return f"{survives(m.failures_survived)}, {FAILURES_WANTED[goal]} wanted"
    if name == "survival":
        shares = ", ".join(f"{100 * share:.0f} %" for share in m.survival)
        return f"of all sets of 1, 2, 3, 4 failing disks it survives {shares}"
    if name == "capacity":
        return f"{binary(m.usable_bytes)} usable of {binary(m.raw_bytes)} raw"
    if name == "rebuild":
        return f"a rebuild involves {_rebuild_width(m)} disks; up to {FULL_SPEED_WIDTH} cost nothing"
    if name == "streaming":
        return f"about {shape_streaming(shape):.1f} disks’ worth of sequential speed from {counted(m.disks, 'disk')}"
    if name == "reads":
        return f"{counted(random_reads(shape), 'small read')} at a time from {counted(m.disks, 'disk')}"
    if name == "writes":
        return f"{counted(random_writes(shape), 'small write')} at a time, one a vdev"
    return f"{counted(shape.spares, 'hot spare')}, {_spares_wanted(m)} wanted for {shape.data_members} disks"


def survives(survived: int) -> str:
    """Return in words how many failures a pool survives, whichever disks they are."""
    return "survives no failure" if survived == 0 else f"survives any {counted(survived, 'failure')}"


def _rebuild_width(m: Measures) -> int:
    return m.shape.width + (1 if m.shape.wide else 0)


def _spares_wanted(m: Measures) -> int:
    return 0 if m.shape.kind is VdevKind.STRIPE else m.shape.data_members // DISKS_PER_SPARE


def _further_pools(m: Measures) -> float:
    return POINTS_PER_FURTHER_POOL * (m.shape.pools - 1)


def _deductions(findings: Iterable[Finding]) -> Iterator[tuple[Finding, float]]:
    for finding in findings:
        if finding.outcome is Outcome.VIOLATED and finding.weight:
            yield finding, sum([amount for _, amount in finding.weight])
