"""A layout that was looked at, with all that is known of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

from poolwright.capacity.anyraid import AnyraidVdev
from poolwright.design.floors import Floor
from poolwright.design.groups import DiskKind, Packing
from poolwright.design.plan import CandidatePool, PackedVdev, PoolPlan
from poolwright.design.rank import Measures, score_terms, survives
from poolwright.design.request import Medium, spare_specs
from poolwright.design.slots import failing_sets
from poolwright.design.survival import survival_of_sets, survival_shares, units_of_pools
from poolwright.design.wishes import BrokenWish
from poolwright.domain.design import ScoreTerm
from poolwright.domain.disk import Note
from poolwright.domain.finding import Finding
from poolwright.domain.money import Money
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe, short_words
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assessment import Assessment
from poolwright.rules.presets import presets_of
from poolwright.texts import N_, _, listed, per_language

if TYPE_CHECKING:
    from poolwright.design.roles.verdicts import RoleAdvice

# What was not chosen, and why.


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A family that was not chosen, with its best layout where one exists, and why not.

    ``rule_id`` names the rule that speaks against it, ``feasible`` tells whether the request admits it at all.
    ``unmet`` counts the wishes a refused layout does not meet; ``usable_bytes`` is what it would offer.
    """

    family: str
    reason: str
    layout: Layout | None = None
    score: float | None = None
    rule_id: str | None = None
    feasible: bool = False
    unmet: int = 0
    usable_bytes: int | None = None

    @classmethod
    def of(cls, candidate: "Candidate", reason: str, **more: Any) -> Self:
        """Return that a layout which was looked at is not chosen, and why."""
        return cls(family=candidate.family, reason=reason, layout=candidate.main.layout, score=candidate.score, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPool:
    """A pool for some of the data: the layout that is best for them alone, on disks of its own."""

    candidate: "Candidate"
    workload: Workload

    @property
    def words(self) -> str:
        """Return which data lie on which medium: VM images on SSD."""
        data = listed([_(preset.title) for preset in presets_of(self.workload)])
        medium = self.candidate.main.disks[0].media
        return _("{data} on {medium}", data=data, medium=medium.words) if medium else data


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A feasible way to place the disks, evaluated and scored for a goal.

    ``main`` is the pool that the goal is about; several such pools may be made of equal disks. ``further`` pools
    stand beside it, of other disks or of left-over slices. ``unassigned`` disks have no place, ``idle_disks`` of them
    are of the same medium and hold ``idle_bytes``; ``stranded_bytes`` are those of assigned disks that no vdev can use.
    ``cost`` is in the budget's currency, in the prices' own without a rate, None without a price. ``below`` are the
    floors that it does not keep to, ``missed`` the wishes. ``of_data`` are its pools with their data where these are
    of unlike kinds.
    """

    way: Packing
    family: str
    main: CandidatePool
    further: tuple[CandidatePool, ...] = ()
    unassigned: int
    stranded_bytes: int = 0
    idle_bytes: int = 0
    idle_disks: int = 0
    cost: Money | None
    findings: tuple[Finding, ...]
    measures: Measures
    score: float
    below: tuple[Floor, ...] = ()
    missed: tuple[BrokenWish, ...] = ()
    of_data: tuple[DataPool, ...] = ()

    @property
    def missing_share(self) -> float:
        return max((missed.share for missed in self.missed), default=0.0)

    @property
    def pools(self) -> tuple[CandidatePool, ...]:
        """Return the pools that differ: the main one first, its copies not repeated."""
        return (self.main, *self.further)

    @property
    def vdev_count(self) -> int:
        """Return the number of top-level data vdevs of the main pool; a stripe of N counts as N."""
        return sum(spec.width if spec.kind is VdevKind.STRIPE else 1 for spec in self.main.plan.layout)

    @property
    def widths(self) -> tuple[int, int]:
        widths = [1 if spec.kind is VdevKind.STRIPE else spec.width for spec in self.main.plan.layout]
        return min(widths), max(widths)

    @property
    def spare_count(self) -> int:
        held = [
            sum(s.width if s.vdev_class is VdevClass.SPARE else s.draid_spares for s in pool.layout)
            for pool in self.pools
        ]
        return held[0] * self.main.copies + sum(held[1:])

    @property
    def used_count(self) -> int:
        return self.measures.ideal.disks - self.unassigned

    @property
    def partitioned(self) -> bool:
        return self.way in (Packing.LAYERED, Packing.STACKED)

    @property
    def predictions(self) -> Assessment:
        """Return speed, rebuild, scrub and risk of the main pool, with bands. Worked out when asked for."""
        if self.of_data:
            return self.of_data[0].candidate.predictions
        found = self.main.predictions
        if not self.measures.single_points:
            return found
        units = units_of_pools(self.pools)[0]
        return replace(found, risk=found.risk.with_units(units))

    @property
    def predictions_of_pools(self) -> tuple[Assessment, ...]:
        if self.of_data:
            return tuple(part.candidate.predictions for part in self.of_data)
        return (*(self.predictions,) * self.main.copies, *(pool.predictions for pool in self.further))

    @property
    def survives_counts(self) -> str:
        """Return how many disks may fail: one number, or that of each pool where they differ."""
        counts = [str(pool.plan.failures_survived) for pool in self.pools]
        return " / ".join(counts[:1] if len(set(counts)) == 1 else counts)

    @property
    def survives_words(self) -> str:
        """Return in words what may fail: disks, and any one shelf or controller where several were told."""
        text, unit = survivors(self.pools), self.unit_survived
        return _("{told}, or {unit}", told=text, unit=unit) if unit else text

    @property
    def unit_survived(self) -> str:
        """Return in words which of the shelves and controllers that were told may fail; empty where none may."""
        measures = self.measures
        if measures.single_points or measures.more_single_points or not measures.failures_survived:
            return ""
        known = [_known_units(pool.medium, pool.plan.kinds) for pool in self.pools]
        shelf, controller = (len(frozenset[str]().union(*level)) > 1 for level in zip(*known, strict=True))
        both = shelf and controller
        unit = N_("any one shelf or controller") if both else N_("any one shelf") if shelf else N_("any one controller")
        return _(unit) if shelf or controller else ""

    @property
    def survival(self) -> tuple[float, ...]:
        """Return the share of all sets of 1 to 4 failing disks that no pool is lost with. Worked out when asked for."""
        if self.further or self.main.copies > 1 or self.partitioned:
            return survival_of_sets(failing_sets(self.pools))
        return survival_shares(self.main.plan.tops)

    @property
    def terms(self) -> tuple[ScoreTerm, ...]:
        """Return what the score is made of; the points add up to it. Worked out when asked for."""
        return tuple(score_terms(self.measures, self.findings))

    @property
    def main_words(self) -> str:
        words, of_kind = plan_words(self.main.plan, self.main.medium), self.main.medium.of_kind
        return f"{words} ({of_kind})" if of_kind else words

    @property
    def words(self) -> str:
        """Return the layout in words, with sizes where disks of several sizes take part."""
        if self.of_data:
            return "; ".join(f"{part.words}: {part.candidate.main_words}" for part in self.of_data)
        main = self.main_words
        if self.main.copies > 1:
            return _("{copies} pools: {main}", copies=self.main.copies, main=main)
        others = (
            _("pool {number}: {pool}", number=number, pool=plan_words(pool.plan, pool.medium))
            for number, pool in enumerate(self.further, start=2)
        )
        return "; ".join((main, *others))

    @property
    def short_words(self) -> str:
        """Return the layout in the form for cards and rows: shorter where all disks are equal and there is one pool."""
        if self.of_data or self.measures.pool_count > 1 or not self.main.medium.equal or self.main.medium.of_kind:
            return self.words
        return short_words(self.main.layout)


@per_language
@lru_cache(maxsize=64)  # thousands of disks are the same ones for every layout
def _known_units(medium: Medium, kinds: frozenset[int]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the shelves and the controllers that are known of the disks of these kinds."""
    disks = medium.disks(kinds)
    return frozenset(d.enclosure for d in disks if d.enclosure), frozenset(d.controller for d in disks if d.controller)


class AnswerName(StrEnum):
    """What a named layout beside the others is best at. The values stand in JSON and stay; ``words`` are for people."""

    BALANCED = "balanced"
    ONE_POOL = N_("one pool")
    SPACE = N_("more space")
    PROTECTION = N_("more protection")
    FASTEST = N_("fastest")
    CHEAPEST = N_("cheapest")
    FEWEST = N_("fewest disks")
    WHOLE = N_("whole disks")

    @property
    def words(self) -> str:
        return _("first choice") if self is AnswerName.BALANCED else _(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAnswer:
    """A named layout; ``trade_off``: what it has more than the first choice, and the cost; that itself has none."""

    name: AnswerName
    candidate: Candidate
    trade_off: str = ""


@dataclass(frozen=True, slots=True)
class MoreDisks:
    """How many ``disks`` more than there are would reach the wished space, and as which layout (in ``words``).

    ``size_bytes`` is that of the further disks where those at hand are of several kinds.
    """

    disks: int
    words: str
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The feasible candidates that are listed, best first, and the families not chosen.

    ``as_good`` are layouts as good as the first choice, ``decided_by`` says what speaks for it all the same; ``near``
    would come before it and miss a wish by little. ``answers`` are the named layouts, the first choice before them;
    ``survives`` is how many failures a layout above the floors survives, ``reach`` what would reach a wish for space
    that none of them meets.
    ``examined`` counts every layout looked at, ``feasible`` those that keep to the wishes: of those that stand behind
    the ones that are listed no rule was asked. ``searched`` says in sentences of what every layout was looked at, and
    ``left_out`` what nobody looked at; ``partial`` tells that the search goes on or was stopped. ``roles`` are what
    flash drives without a place are worth beside the first choice, None where there are none. ``anyraid`` is what
    unequal disks would hold in vdevs that no release has: no candidates, and without scores.
    """

    goal: Goal
    ashift: int
    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[Note, ...]
    examined: int
    feasible: int = 0
    searched: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    roles: "RoleAdvice | None" = None
    as_good: tuple[Candidate, ...] = ()
    decided_by: str = ""
    near: tuple[Candidate, ...] = ()
    answers: tuple[NamedAnswer, ...] = ()
    survives: int = 0
    reach: MoreDisks | None = None
    partial: bool = False
    anyraid: tuple[AnyraidVdev, ...] = ()

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    def rank_of(self, candidate: Candidate) -> int | None:
        """Return the place of this very candidate, from 1 on; None where it is not one of them."""
        return next((rank for rank, one in enumerate(self.candidates, start=1) if one is candidate), None)


# Layouts in words, with which disks where several kinds take part.

Members = tuple[tuple[str, int], ...]  # disks in words, such as 8 TB SMR, with their number


def plan_words(plan: PoolPlan, medium: Medium) -> str:
    """Return a pool in words: ``raidz2 of 5 (2 × 3 TB, 3 × 2 TB), 1 spare``; which disks where they were packed."""
    if medium.equal:
        return describe(plan.layout + spare_specs(medium, plan.spares))
    kinds, spares = medium.kinds, plan.spares
    vdevs = [(made.spec, _members(made, kinds)) for made, count in plan.runs for __ in range(count)]
    vdevs += [
        (spec, ((kinds[group].words, count),))
        for spec, (group, count) in zip(spare_specs(medium, spares), spares, strict=True)
    ]
    return ", ".join(_part(spec, members, len(tuple(run))) for (spec, members), run in groupby(vdevs))


def survivors(pools: Sequence[CandidatePool]) -> str:
    """Return in words how many failures pools survive, whichever disks they are; each by its number where they differ.

    A pool of left-over slices often survives fewer than the main one: its loss is not that of the main pool.
    """
    counts = [pool.plan.failures_survived for pool in pools]
    if len(set(counts)) == 1:
        return survives(counts[0])
    return ", ".join(
        _("pool {number} {survives}", number=number, survives=survives(count))
        for number, count in enumerate(counts, start=1)
    )


def _members(made: PackedVdev, kinds: Sequence[DiskKind]) -> Members:
    if made.slice_bytes is None:
        return tuple((kinds[group].words, count) for group, count in made.taken)
    size = drive_size(made.slice_bytes)
    shingled = all(kinds[group].shingled for group, __ in made.taken)
    text = _("{size} SMR partitions", size=size) if shingled else _("{size} partitions", size=size)
    return ((text, made.spec.width),)


def _part(spec: VdevSpec, made_of: Members, count: int) -> str:
    words, which = describe((spec,) * count), Counter[str]()
    for name, number in made_of:
        which[name] += number
    if len(which) == 1:
        return f"{words} ({next(iter(which))})"
    members = ", ".join(f"{number} × {name}" for name, number in which.items())
    if count > 1 and spec.kind is not VdevKind.STRIPE:
        return _("{words} ({members} each)", words=words, members=members)
    return f"{words} ({members})"
