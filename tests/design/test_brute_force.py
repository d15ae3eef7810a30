"""The first choice of small inventories against every division of the disks that a plain search can think of.

The search below shares nothing with the program but the arithmetic of one given design: it divides the disks one by
one, judges the whole design by all rules, and knows no groups, stocks or shortcuts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.design.test_recommend import disk, request

from poolwright.capacity.pool import predict_design
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate
from poolwright.design.choose import NEARLY_POINTS
from poolwright.design.equal_layouts import EqualLayout
from poolwright.design.evaluator import PlanEvaluator, judged
from poolwright.design.floors import failures_wanted, floors_of
from poolwright.design.groups import Packing, equal_groups, layerings
from poolwright.design.plan import Plan, PoolPlan, Purpose
from poolwright.design.rank import Ideal, Measures, score
from poolwright.design.recommend import recommend
from poolwright.design.request import Terms
from poolwright.design.search import by_medium
from poolwright.design.survival import survival_of_sets
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.domain.workload import Budget, Goal
from poolwright.judging import judge_maker
from poolwright.predict.assessment import Outlook, outlook_for, together
from poolwright.predict.drives import read_drive_book
from poolwright.rule_library import load_shipped
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers

BOOK = load_shipped()
SIZES = (2 * TB, 3 * TB, 8 * TB)


def set_partitions(items: Sequence[Disk]) -> Iterator[list[list[Disk]]]:
    """Yield every way to divide the items into non-empty sets."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in set_partitions(rest):
        yield [[first], *parts]
        for at, part in enumerate(parts):
            yield [*parts[:at], [first, *part], *parts[at + 1 :]]


def kinds(width: int) -> list[tuple[VdevKind, int]]:
    found = [(VdevKind.RAIDZ, parity) for parity in (1, 2, 3) if width > parity]
    if 2 <= width <= 4:
        found.append((VdevKind.MIRROR, 0))
    if width == 1:
        found.append((VdevKind.STRIPE, 0))
    return found


def typed(parts: Sequence[Sequence[Disk]]) -> Iterator[tuple[Vdev, ...]]:
    """Yield the parts as vdevs of every kind they can be."""
    if not parts:
        yield ()
        return
    ordered = sorted(parts[0], key=lambda d: -(d.size_bytes or 0))
    for kind, parity in kinds(len(ordered)):
        for others in typed(parts[1:]):
            vdev = Vdev(kind=kind, parity=parity, members=tuple(Member(disk_key=d.key) for d in ordered))
            yield (vdev, *others)


def every_pool(disks: tuple[Disk, ...]) -> Iterator[tuple[Vdev, ...]]:
    """Yield every pool of whole disks: those left idle, those kept as spares, and the rest in vdevs of all kinds.

    No spare is smaller than every disk it could stand in for.
    """
    seen: set[tuple[object, ...]] = set()
    size = {d.key: d.size_bytes for d in disks}
    for number in range(1, len(disks) + 1):
        for used in combinations(disks, number):
            for spares in range(number):
                for held in combinations(used, spares):
                    data = [d for d in used if d not in held]
                    least = min(d.size_bytes or 0 for d in data)
                    if any((d.size_bytes or 0) < least for d in held):
                        continue  # spares that can take the place of no disk
                    for parts in set_partitions(data):
                        for vdevs in typed(parts):
                            # Disks of one size are alike: one of all such designs is enough.
                            told = [f"{v.kind} {v.parity} {[size[m.disk_key] for m in v.members]}" for v in vdevs]
                            key = (tuple(sorted(told)), tuple(sorted(d.size_bytes or 0 for d in held)))
                            if key not in seen:
                                seen.add(key)
                                yield (*vdevs, *(bare(d) for d in held))


def bare(key: Disk) -> Vdev:
    return Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key=key.key),), vdev_class=VdevClass.SPARE)


def floors_broken(design: Design, data: Sequence[Vdev], survived: int) -> bool:
    """Tell whether a pool falls below what the goal asks for at least."""
    counted = [(design.spec(vdev), 1) for vdev in data]
    floors = floors_of(design.workload.goal, design.budget, design.disks)
    spares = len(design.vdevs) - len(data)
    return any(floors.broken(counted, survived=survived, hot_spares=spares, shingled=False))


def _ideal(design: Design, outlook: Outlook) -> Ideal:
    raw = sum(d.size_bytes or 0 for d in design.disks)
    return Ideal(
        goal=design.workload.goal,
        clients=design.workload.clients,
        sequential_percent=None,
        block_bytes=128 << 10,
        disks=len(design.disks),
        most_disks=len(design.disks),
        raw_bytes=raw,
        own_bytes=raw,
        rates=outlook.inputs.disks,
        outpaced=False,
        most=outlook.of_stripes(len(design.disks)),
        network=outlook.inputs.network,
    )


def points(design: Design) -> float | None:
    """Return the score of a design by itself, less 1000 below the floors; None where OpenZFS or a rule refuses it."""
    try:
        usable = predict_design(design).available_bytes
    except Refusal:
        return None
    idle = len(design.disks) - len(design.used_keys())
    findings = judge_design(BOOK, design, LayoutNumbers(usable_bytes=usable, unassigned_disks=idle))
    violated = [f for f in findings if f.outcome is Outcome.VIOLATED]
    if any(f.severity is Severity.BLOCK for f in violated):
        return None
    data = [v for v in design.vdevs if v.vdev_class is VdevClass.DATA]
    holding = {member.disk_key for vdev in data for member in vdev.members}
    outlook = outlook_for(
        [disk for disk in design.disks if disk.key in holding],
        workload=design.workload,
        host=design.host,
        drives=read_drive_book({}),
        ashift=design.ashift,
    )
    forecast = together([outlook.assess(design.layout())], shared=False)
    tolerances = [len(v.members) - 1 if v.kind is VdevKind.MIRROR else v.parity for v in data]
    measures = Measures(
        ideal=_ideal(design, outlook),
        draid=any(spec.kind is VdevKind.DRAID for spec in design.layout()),
        usable_bytes=usable,
        held_bytes=usable,  # blocks of 128 KiB, as `zfs list` counts
        failures_survived=min(tolerances),
        pool_count=1,
        spare_count=len(design.vdevs) - len(data),
        data_members=sum(len(v.members) for v in data),
        yearly_failures=len(holding) * outlook.risk.drive.typical / 100,
        forecast=forecast,
        speed=forecast.speed,
        any_loss=forecast.yearly_loss,
        any_disk_loss=forecast.disk_loss,
    )
    below = 1000 if floors_broken(design, data, min(tolerances)) else 0
    return score(measures, violated) - below


def check_first_choice(goal: Goal, counts: Sequence[int]) -> None:
    disks = tuple(
        disk(10 * at + n, size_bytes=size) for at, size in enumerate(SIZES[: len(counts)]) for n in range(counts[at])
    )
    # Of unlike disks one failure is taken for enough unless two are asked for: the search is told what is compared.
    usual = failures_wanted(goal, Budget(), len(disks))
    asked = request(goal, disks, survive=usual if usual > 1 else None)
    try:
        found = recommend(asked, judge_maker(BOOK))
    except Refusal:
        base = Design(key="k", name="n", pool_name="tank", workload=asked.workload, disks=disks)
        assert all(points(replace(base, vdevs=vdevs)) is None for vdevs in every_pool(disks))
        return
    assert any("Every division" in text for text in found.searched)
    one_pool = next(c for c in found.candidates if c.measures.pool_count == 1 and not c.partitioned)
    assert found.best.score >= one_pool.score - NEARLY_POINTS
    chosen = design_of(one_pool, asked, Identity(key="k", name="n"))
    mine = points(chosen)
    assert mine is not None
    best, at = -inf, chosen
    for vdevs in every_pool(disks):
        design = replace(chosen, vdevs=vdevs, further_pools=())
        value = points(design)
        if value is not None and value > best:
            best, at = value, design
    # Nearly equal scores are decided by simplicity.
    assert best <= mine + NEARLY_POINTS + 0.01, describe(at.layout())


@pytest.mark.parametrize(
    ("goal", "counts"), [(Goal.SAFETY, (3, 1)), (Goal.CONCURRENT, (1, 2)), (Goal.SPEED, (1, 1, 1))]
)
def test_that_no_pool_of_a_few_disks_is_better_than_the_one_that_is_chosen(goal: Goal, counts: tuple[int, ...]) -> None:
    check_first_choice(goal, counts)


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(
    goal=st.sampled_from(Goal), counts=st.lists(st.integers(1, 3), min_size=1, max_size=3).filter(lambda c: sum(c) <= 6)
)
def test_that_no_pool_of_up_to_six_disks_is_better_than_the_one_that_is_chosen(goal: Goal, counts: list[int]) -> None:
    check_first_choice(goal, counts)


def every_shape(pieces: int) -> Iterator[EqualLayout]:
    """Yield every number of vdevs of one kind and width, whatever it leaves unused."""
    for width in range(1, pieces + 1):
        for count in range(1, pieces // width + 1):
            for kind, parity in kinds(width):
                if kind is VdevKind.STRIPE:
                    if width == 1:
                        yield EqualLayout(kind=kind, parity=0, width=1, narrow=count)
                else:
                    yield EqualLayout(kind=kind, parity=parity, width=width, narrow=count)


@pytest.mark.parametrize("goal", [Goal.SAFETY, Goal.CONCURRENT])
@pytest.mark.parametrize("counts", [(2, 3), (1, 4)])
def test_that_no_two_layers_of_partitions_are_better_than_the_best_that_was_found(
    goal: Goal, counts: tuple[int, int]
) -> None:
    large, small = counts
    disks = (
        *(disk(n, size_bytes=3 * TB) for n in range(large)),
        *(disk(10 + n, size_bytes=2 * TB) for n in range(small)),
    )
    asked = request(goal, disks)
    make_judge = judge_maker(BOOK)
    found = recommend(asked, make_judge)
    terms = Terms(
        request=asked,
        floors=floors_of(goal, asked.budget, asked.disks),
        ashift=found.ashift,
        disks=len(disks),
        most_disks=len(disks),
        raw_bytes=large * 3 * TB + small * 2 * TB,
        make_judge=make_judge,
    )
    evaluator = PlanEvaluator(terms, by_medium(equal_groups(disks))[0])
    workshop = evaluator.workshop
    (layers,) = layerings(workshop.sizes, counts)
    best = 0.0
    for first in every_shape(large + small):
        for second in every_shape(large):
            pools = [
                PoolPlan((workshop.runs(stock, shape)[0],), (), purpose)
                for stock, shape, purpose in zip(layers, (first, second), (Purpose.MAIN, Purpose.REST), strict=True)
            ]
            outcome = evaluator.evaluate(Plan(Packing.LAYERED, tuple(pools)))
            if isinstance(outcome, Candidate):
                outcome = judged(outcome, lambda medium, kinds: make_judge(asked, medium.disks(kinds), medium.ashift))
            if isinstance(outcome, Candidate):
                best = max(best, outcome.score)
    mine = max((c.score for c in found.candidates if c.way is Packing.LAYERED), default=0.0)
    assert best <= mine + 1e-9


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(
    vdevs=st.lists(
        st.tuples(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True), st.integers(0, 3)),
        min_size=1,
        max_size=4,
    )
)
def test_that_survival_of_vdevs_that_share_disks_equals_trying_every_set(vdevs: list[tuple[list[str], int]]) -> None:
    placed = [(tuple(disks), min(tolerance, len(disks) - 1)) for disks, tolerance in vdevs]
    everything = sorted({name for names, _ in placed for name in names})
    for failures, share in enumerate(survival_of_sets(placed), start=1):
        sets = [set(failed) for failed in combinations(everything, failures)]
        survived = sum(all(len(failed & set(names)) <= most for names, most in placed) for failed in sets)
        assert share == pytest.approx(survived / len(sets) if sets else 0.0)


def test_that_the_survival_of_the_blogs_two_pools_is_counted_by_disks() -> None:
    disks = (*(disk(n, size_bytes=3 * TB) for n in range(2)), *(disk(10 + n, size_bytes=2 * TB) for n in range(3)))
    found = recommend(request(Goal.SAFETY, disks), judge_maker(BOOK)).candidates
    best = next(
        c
        for c in found
        if c.way is Packing.LAYERED and c.main.layout[0].word == "raidz2" and c.main.layout[0].width == 5
    )
    # Any two of five disks but the two large ones, which hold the mirror; any three lose the raidz2.
    assert best.survival == pytest.approx((1.0, 9 / 10, 0.0, 0.0))
