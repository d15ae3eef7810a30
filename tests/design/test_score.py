"""The points of a score: what each term gives, what further pools and rules take away."""

from dataclasses import replace

import pytest
from tests.design.test_recommend import disks, no_rules

from poolwright.design.measures import Measures
from poolwright.design.rank import POINTS_PER_FURTHER_POOL, SAFE_LOSS, WEIGHTS, odds, score, score_terms
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.workload import Goal, Workload
from poolwright.machine.typed.read import read_typed


@pytest.fixture(scope="module")
def measures() -> Measures:
    return recommend(Request(disks=disks(12), workload=Workload(goal=Goal.SAFETY)), no_rules).best.measures


def finding(rule: str, *amounts: float, outcome: Outcome = Outcome.VIOLATED, text: str = "") -> Finding:
    weight = tuple((f"w{number}", amount) for number, amount in enumerate(amounts))
    return Finding(rule_id=rule, title=rule, severity=Severity.WARN, basis="", subject="pool", outcome=outcome,
                   text=text, weight=weight)  # fmt: skip


def points(goal: Goal, name: str, measures: Measures) -> float:
    (term,) = (term for term in score_terms(goal, measures, ()) if term.name == name)
    return term.points


def step(goal: Goal, name: str) -> float:
    return next(weighing.step for weighing in WEIGHTS[goal] if weighing.name == name)


def test_that_a_rule_deducts_once_where_it_weighs_most(measures: Measures) -> None:
    found = [finding("a", 2, text="some"), finding("a", 4, 1, text="most"), finding("a", 3), finding("b", 1)]
    for order in (found, found[::-1]):
        taken = {t.name: (t.points, t.why) for t in score_terms(Goal.SAFETY, measures, order) if t.points < 0}
        assert taken == {"a": (-5, "most"), "b": (-1, "")}
        assert score(Goal.SAFETY, measures, ()) - score(Goal.SAFETY, measures, order) == pytest.approx(6)


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.VIOLATED])
def test_that_only_what_is_violated_deducts(outcome: Outcome, measures: Measures) -> None:
    unweighed = finding("b")
    assert score_terms(Goal.SAFETY, measures, [finding("a", 9, outcome=outcome), unweighed]) == score_terms(
        Goal.SAFETY, measures, ()
    )


@pytest.mark.parametrize(("peers", "rests"), [(1, 0), (0, 1), (2, 3)])
def test_that_every_further_pool_takes_points_whatever_it_is_made_of(
    peers: int, rests: int, measures: Measures
) -> None:
    several = replace(measures, peers=peers, rests=rests)
    lost = score(Goal.SPACE, measures, ()) - score(Goal.SPACE, several, ())
    assert lost == pytest.approx(POINTS_PER_FURTHER_POOL * (peers + rests))
    (term,) = (term for term in score_terms(Goal.SPACE, several, ()) if term.name == "pools")
    assert (term.points, term.why) == (-lost, f"{1 + peers + rests} pools to look after instead of one")


@pytest.mark.parametrize("goal", list(Goal))
def test_that_the_score_is_the_sum_of_its_terms(goal: Goal, measures: Measures) -> None:
    several, found = replace(measures, peers=1), [finding("a", 2.5)]
    terms = score_terms(goal, several, found)
    assert sum(term.points for term in terms) == pytest.approx(score(goal, several, found))
    assert all(term.value == term.points / term.weight for term in terms if term.weight)


@pytest.mark.parametrize("goal", list(Goal))
def test_that_half_the_space_costs_a_step(goal: Goal, measures: Measures) -> None:
    ideal = replace(measures, held_bytes=measures.raw_bytes)
    (weight,) = (weighing.weight for weighing in WEIGHTS[goal] if weighing.name == "capacity")
    assert points(goal, "capacity", ideal) == weight
    half = replace(ideal, held_bytes=measures.raw_bytes / 2)
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
        busy = replace(measures, data_members=12, yearly_failures=0.5, forecast=forecast)
        return points(Goal.SAFETY, "rebuild", busy)

    assert at(None) == at(1) == at(4) == 15  # 12 disks x 0.5 x 4 h = 24 h
    assert at(4) - at(8) == pytest.approx(step(Goal.SAFETY, "rebuild"))


def test_that_half_of_reading_or_of_writing_costs_half_a_step(measures: Measures) -> None:
    disks, rates = measures.disks, measures.rates
    full = measures.speed._replace(seq_read=rates.read_bytes_per_second * disks,
                   seq_write=rates.write_bytes_per_second * disks)  # fmt: skip
    halved = full._replace(seq_write=full.seq_write / 2)
    best, less = (points(Goal.SPEED, "streaming", replace(measures, speed=speed)) for speed in (full, halved))
    assert best == pytest.approx(65)
    assert best - less == pytest.approx(step(Goal.SPEED, "streaming") / 2)


def test_that_few_clients_keep_fewer_disks_busy(measures: Measures) -> None:
    speed = measures.speed._replace(rand_read_iops=measures.rates.iops)
    most = measures.most._replace(rand_read_iops=measures.rates.iops * measures.disks)
    plenty = replace(measures, speed=speed, most=most, clients=None)
    lone = replace(plenty, clients=1)
    two = replace(plenty, clients=2)
    shares = [points(Goal.CONCURRENT, "reads", m) for m in (lone, two, plenty)]
    assert shares[0] == 40  # one client keeps one disk busy: nothing could be faster
    assert shares[0] > shares[1] > shares[2]
    slow_host = replace(plenty, most=most._replace(rand_read_iops=measures.rates.iops))
    assert points(Goal.CONCURRENT, "reads", slow_host) == 40


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.034, "3 % a year"),
        (0.01, "1 % a year"),
        (0.004, "1 in 250 a year"),
        (4.3e-7, "1 in 2,300,000 a year"),
        (1e-16, "less than 1 in 10^15 a year"),
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
    assert next(term.why for term in large.terms if term.name == "capacity").endswith("for each halving")
