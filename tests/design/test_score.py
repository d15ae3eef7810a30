"""The points of a score: what each term gives, what further pools and rules take away."""

from dataclasses import replace
from itertools import pairwise

import pytest
from tests.design.test_recommend import disks, no_rules

from poolwright.design.rank import (
    POINTS_PER_FURTHER_POOL,
    SAFE_LOSS,
    WEIGHTS,
    Measures,
    block_bytes,
    odds,
    score,
    score_terms,
    weights_for,
)
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.disk import Media
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.units import GB, KIB, MIB, TB
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book


@pytest.fixture(scope="module")
def measures() -> Measures:
    return recommend(Request(disks=disks(12), workload=Workload(goal=Goal.SAFETY)), no_rules).best.measures


def finding(rule: str, *amounts: float, outcome: Outcome = Outcome.VIOLATED, text: str = "") -> Finding:
    weight = tuple((f"w{number}", amount) for number, amount in enumerate(amounts))
    return Finding(rule_id=rule, title=rule, severity=Severity.WARN, basis="", subject="pool", outcome=outcome,
                   text=text, weight=weight)  # fmt: skip


def points(goal: Goal, name: str, measures: Measures) -> float:
    (term,) = (
        term
        for term in score_terms(replace(measures, ideal=replace(measures.ideal, goal=goal)), ())
        if term.name == name
    )
    return term.points


def step(goal: Goal, name: str) -> float:
    return WEIGHTS[goal][name][1]


def test_that_a_rule_deducts_once_where_it_weighs_most(measures: Measures) -> None:
    found = [finding("a", 2, text="some"), finding("a", 4, 1, text="most"), finding("a", 3), finding("b", 1)]
    for order in (found, found[::-1]):
        taken = {t.name: (t.points, t.why) for t in score_terms(measures, order) if t.points < 0}
        assert taken == {"a": (-5, "most"), "b": (-1, "")}
        assert score(measures, ()) - score(measures, order) == pytest.approx(6)


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.VIOLATED])
def test_that_only_what_is_violated_deducts(outcome: Outcome, measures: Measures) -> None:
    found = [finding("a", 9, outcome=outcome), finding("b")]  # the second has no weight
    assert [*score_terms(measures, found)] == [*score_terms(measures, ())]


@pytest.mark.parametrize("pools", [2, 6])
def test_that_every_further_pool_takes_points(pools: int, measures: Measures) -> None:
    several = replace(measures, pool_count=pools)
    lost = score(measures, ()) - score(several, ())
    assert lost == pytest.approx(POINTS_PER_FURTHER_POOL * (pools - 1))
    (term,) = (term for term in score_terms(several, ()) if term.name == "pools")
    assert (term.points, term.why) == (-lost, f"{pools} pools to look after instead of one")


@pytest.mark.parametrize("goal", list(Goal))
def test_that_half_the_space_costs_a_step(goal: Goal, measures: Measures) -> None:
    ideal = replace(measures, held_bytes=measures.ideal.raw_bytes)
    weight, __ = WEIGHTS[goal]["capacity"]
    assert points(goal, "capacity", ideal) == weight
    half = replace(ideal, held_bytes=measures.ideal.raw_bytes / 2)
    assert points(goal, "capacity", half) == pytest.approx(weight - step(goal, "capacity"))
    assert points(goal, "capacity", replace(ideal, held_bytes=0.0)) == 0


def test_that_ten_times_the_risk_costs_a_step_down_to_what_counts_as_safe(measures: Measures) -> None:
    def at(loss: float, floor: float = 0.0) -> float:
        forecast = replace(measures.forecast, floor=floor)
        return points(Goal.SAFETY, "risk", replace(measures, any_loss=loss, forecast=forecast))

    assert at(SAFE_LOSS) == at(SAFE_LOSS / 50) == 20
    assert at(SAFE_LOSS) - at(10 * SAFE_LOSS) == pytest.approx(step(Goal.SAFETY, "risk"))
    # Nothing is safer than what threatens the whole machine.
    assert at(1e-3, floor=1e-3) == 20
    assert at(1e-3) < 20


def test_that_twice_the_hours_of_rebuild_in_a_year_cost_a_step(measures: Measures) -> None:
    def at(hours: float | None) -> float:
        forecast = replace(measures.forecast, rebuild_hours=hours)
        busy = replace(measures, yearly_failures=6, forecast=forecast)
        return points(Goal.SAFETY, "rebuild", busy)

    assert at(None) == at(1) == at(4) == 15  # 12 disks x 0.5 x 4 h = 24 h
    assert at(4) - at(8) == pytest.approx(step(Goal.SAFETY, "rebuild"))


def test_that_half_of_reading_or_of_writing_costs_half_a_step(measures: Measures) -> None:
    disks, rates = measures.ideal.disks, measures.ideal.rates
    full = measures.speed._replace(seq_read=rates.read_bytes_per_second * disks,
                   seq_write=rates.write_bytes_per_second * disks)  # fmt: skip
    halved = full._replace(seq_write=full.seq_write / 2)
    best, less = (points(Goal.SPEED, "streaming", replace(measures, speed=speed)) for speed in (full, halved))
    assert best == pytest.approx(65)
    assert best - less == pytest.approx(step(Goal.SPEED, "streaming") / 2)


def test_that_few_clients_keep_fewer_disks_busy(measures: Measures) -> None:
    ideal, one = measures.ideal, measures.ideal.rates.iops
    speed = measures.speed._replace(rand_read_iops=one)

    def of(clients: int | None, most: float) -> float:
        at_most = ideal.most._replace(rand_read_iops=most)
        held_against = replace(ideal, most=at_most, clients=clients)
        return points(Goal.CONCURRENT, "reads", replace(measures, speed=speed, ideal=held_against))

    shares = [of(clients, one * ideal.disks) for clients in (1, 2, None)]
    assert shares[0] == 40  # one client keeps one disk busy: nothing could be faster
    assert shares[0] > shares[1] > shares[2]
    assert of(None, one) == 40  # on a slow host


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.034, "3 %"),
        (0.01, "1 %"),
        (0.004, "1 in 250"),
        (4.3e-7, "1 in 2,300,000"),
        (1e-16, "less than 1 in 1000 trillion"),
    ],
)
def test_that_odds_are_told_in_words(probability: float, words: str) -> None:
    assert odds(probability) == words


def test_that_flash_beside_hard_disks_is_no_room_that_they_lack() -> None:
    alone, beside = (
        recommend(Request(disks=read_typed(typed).disks, workload=Workload(goal=Goal.SAFETY)), no_rules).best
        for typed in (["8 x 8TB hdd"], ["8 x 8TB hdd", "2 x 1TB nvme"])
    )
    assert alone.words == beside.words
    assert alone.score == beside.score
    assert [term.why for term in alone.terms] == [term.why for term in beside.terms]
    assert "usable of 58.2 TiB raw" in next(term.why for term in beside.terms if term.name == "capacity")


def test_that_a_small_medium_is_held_against_the_large_one() -> None:
    disks = read_typed(["8 x 8TB hdd", "4 x 1TB nvme"]).disks
    found = recommend(Request(disks=disks, workload=Workload(goal=Goal.SAFETY)), no_rules)
    small = next(c for c in found.candidates if c.words == "raidz2 of 4 (1 TB NVMe)")
    why = next(term.why for term in small.terms if term.name == "capacity")
    assert "usable of 3.64 TiB raw" in why
    assert "halving of the 58.2 TiB of other disks" in why
    # What stands on the large medium has no other disks to be held against.
    large = next(c for c in found.candidates if "8 TB" in c.words)
    assert next(term.why for term in large.terms if term.name == "capacity").endswith("per halving")


# What is weighed for a goal: by what the clients do, and by the disks that the data lie on.


@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("percent", [None, 0, 50, 75, 95, 100])
def test_that_the_weights_of_a_goal_add_up_to_100(goal: Goal, percent: int | None) -> None:
    assert sum(most for most, __ in weights_for(goal, percent).values()) == pytest.approx(100)


def test_that_what_clients_do_in_order_passes_over_smoothly_from_random_reads_to_streams() -> None:
    assert weights_for(Goal.CONCURRENT, 50) == weights_for(Goal.CONCURRENT, None) == WEIGHTS[Goal.CONCURRENT]
    steps = [weights_for(Goal.CONCURRENT, percent) for percent in range(50, 101)]
    for before, after in pairwise(steps):
        assert 0 < before["reads"][1] - after["reads"][1] < 0.5
        assert 0 < after["risk"][1] - before["risk"][1] < 0.5
    assert weights_for(Goal.SAFETY, 100) == WEIGHTS[Goal.SAFETY]


def test_that_films_for_many_clients_do_not_lie_behind_one_parity_of_large_disks() -> None:
    request = Request(
        disks=disks(12, size_bytes=14 * TB),
        workload=Workload(goal=Goal.CONCURRENT, sequential_percent=95, io_size_bytes=1 << 20),
        budget=Budget(least_usable_bytes=100 * TB),
        drives=load_drive_book(),
    )
    assert recommend(request, judge_maker(load_shipped(), request.host)).best.words == "2 × raidz2 of 6"


def test_that_flash_beside_hard_disks_asks_for_no_more_protection_of_them() -> None:
    alone = disks(3, size_bytes=4 * TB)
    beside = (*alone, replace(disks(1, size_bytes=500 * GB)[0], key="nvme0n1", media=Media.NVME))
    for of in (alone, beside):
        request = Request(disks=of, workload=Workload(goal=Goal.SAFETY), budget=Budget())
        assert recommend(request, no_rules).best.words.startswith("raidz1 of 3")


# In which blocks the data of a workload lie: what OpenZFS's defaults make of it.

PLAIN = Workload(goal=Goal.CONCURRENT)


@pytest.mark.parametrize(
    ("workload", "size"),
    [
        (PLAIN, 128 * KIB),
        (replace(PLAIN, typical_file_bytes=4 * KIB), 4 * KIB),
        (replace(PLAIN, typical_file_bytes=2 * MIB), 128 * KIB),
        (replace(PLAIN, io_size_bytes=MIB), MIB),
        (replace(PLAIN, io_size_bytes=MIB, typical_file_bytes=4 * KIB), MIB),
        (replace(PLAIN, io_size_bytes=MIB - KIB), 128 * KIB),
        (replace(PLAIN, io_size_bytes=8 * KIB), 128 * KIB),  # a file that is read in pieces has records of the default
    ],
)
def test_that_files_lie_in_records_that_fit_what_reads_them(workload: Workload, size: int) -> None:
    assert block_bytes(workload) == size


@pytest.mark.parametrize(("io", "size"), [(8 * KIB, 8 * KIB), (128 * KIB, 128 * KIB), (MIB, 128 * KIB)])
def test_that_volumes_and_databases_lie_in_blocks_of_their_io_up_to_the_default_of_files(io: int, size: int) -> None:
    assert block_bytes(replace(PLAIN, preset="database", io_size_bytes=io)) == size
    assert block_bytes(replace(PLAIN, volumes=True, io_size_bytes=io)) == size


def test_that_volumes_without_an_io_size_have_blocks_of_16_kib_as_since_openzfs_2_2() -> None:
    volumes = replace(PLAIN, volumes=True, typical_file_bytes=MIB)
    assert block_bytes(volumes) == 16 * KIB
    assert block_bytes(replace(volumes, volumes=False, preset="database")) == 128 * KIB
