"""No cliffs: a disk more, a larger disk or a smaller wish never leaves noticeably less room, unless it buys protection.

What is compared are the first choices of neighbouring requests. A fall is one by more than 3 % of both what `zfs list`
will tell and the room for the workload's own blocks: compression, which only the latter counts, is an assumption. What
makes up for it is one failure more that is survived, or, where many clients are asked for, a third more random reads;
of a smaller wish either, whatever the goal, or that a rule is kept which only the larger wish made break: who asks for
more room than layouts of usual width have is given wider ones, and who fills raidz above 80 % is given a dRAID.
"""

from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.design.test_recommend import disks

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.units import TB
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped
from poolwright.rules.presets import PRESETS, apply_preset, preset

BOOK = load_shipped()
# The room that may be lost where nothing is gained.
LEAST_ROOM = 0.97
# The gain of random reads that is worth room: a third.
WORTH_IOPS = 4 / 3


class Machine(NamedTuple):
    """Equal disks, what is asked of them, and the share of the raw space that is wished (percent; None: no wish)."""

    number: int
    size_bytes: int
    goal: Goal
    preset: str | None = None
    wish_percent: int | None = None
    clients: int | None = None
    network_bytes_per_second: int | None = None

    def first(self) -> Candidate | None:
        answer = self.answer()
        return None if answer is None else answer.best

    def answer(self) -> Recommendation | None:
        """Return what is recommended; None where the request is refused."""
        workload = apply_preset(Workload(goal=self.goal), preset(self.preset))
        if self.clients is not None:
            workload = replace(workload, clients=self.clients)
        if self.network_bytes_per_second is not None:
            workload = replace(workload, network_bytes_per_second=self.network_bytes_per_second)
        wish = None if self.wish_percent is None else self.number * self.size_bytes * self.wish_percent // 100
        request = Request(
            disks=disks(self.number, size_bytes=self.size_bytes),
            workload=workload,
            budget=Budget(least_usable_bytes=wish),
        )
        try:
            return recommend(request, judge_maker(BOOK, request.host))
        except Refusal:
            return None


def _told(one: Candidate) -> str:
    return f"{one.words} ({one.measures.held_bytes / TB:.1f} TB, {one.measures.speed.rand_read_iops:.0f} reads/s)"


def fall(
    before: Candidate | None, after: Candidate | None, goal: Goal, larger: Recommendation | None = None
) -> str | None:
    """Return what is lost from a machine, or of a ``larger`` wish, without a gain; None where nothing is."""
    if before is None:
        return None
    if after is None:
        return f"{_told(before)} -> refused"
    if after.measures.held_bytes >= before.measures.held_bytes * LEAST_ROOM:
        return None
    if after.measures.usable_bytes >= before.measures.usable_bytes * LEAST_ROOM:
        return None
    safer = after.measures.failures_survived > before.measures.failures_survived
    faster = after.measures.speed.rand_read_iops >= before.measures.speed.rand_read_iops * WORTH_IOPS
    # A smaller wish that a layout could not meet before is met by a safer or faster one now, whatever the goal.
    if (before.below or before.missed) and not after.missed:
        return None
    if larger is not None:
        # The same layout as that wish would fill it.
        filled = next((one for one in larger.candidates if one.words == after.words), after)
        warned = {rule for rule, severity in _broken(filled).items() if severity is Severity.WARN}
        gained = (
            safer or faster or _broken(after).keys() < _broken(before).keys() or bool(warned - _broken(before).keys())
        )
    else:
        gained = faster if goal is Goal.CONCURRENT else safer
    return None if gained else f"{_told(before)} -> {_told(after)}"


def _broken(one: Candidate) -> dict[str, Severity]:
    """Return the rules that count in the choice: what they deduct, or that they warn."""
    broken = (finding for finding in one.findings if finding.outcome is Outcome.VIOLATED)
    return {one.rule_id: one.severity for one in broken if one.weight or one.severity is Severity.WARN}


def idle(machine: Machine, first: Candidate | None) -> str | None:
    """Return what is wrong where a first choice leaves disks idle that a layout of its kind could use."""
    if first is None or not first.unassigned:
        return None
    return f"{machine}: {first.words} leaves {first.unassigned} idle"


# What is changed by little, in the order of more, for each detail of a machine or workload.
RAMPS: dict[str, tuple[int, ...]] = {
    "clients": (1, 2, 3, 5, 8, 12, 20, 40, 100),
    "network_bytes_per_second": tuple(gigabits * 10**9 // 8 for gigabits in (1, 2, 5, 10, 25, 100)),
    "size_bytes": tuple(8 * TB * (100 + 6 * step) // 100 for step in range(9)),
}


def _changed(machine: Machine, detail: str, value: int) -> Machine:
    if detail == "clients":
        return machine._replace(clients=value)
    if detail == "network_bytes_per_second":
        return machine._replace(network_bytes_per_second=value)
    return machine._replace(size_bytes=value)


def there_and_back(machine: Machine, detail: str) -> str | None:
    """Return the families of first choices where one comes back after another while ``detail`` grows; None else."""
    families = []
    for value in RAMPS[detail]:
        first = _changed(machine, detail, value).first()
        families.append("refused" if first is None else first.family)
    runs = [family for family, _ in groupby(families)]
    return None if len(set(runs)) == len(runs) else f"{machine}, {detail}: {' -> '.join(runs)}"


def _with_a_disk_more(machine: Machine) -> str | None:
    return fall(machine.first(), machine._replace(number=machine.number + 1).first(), machine.goal)


def _with_larger_disks(machine: Machine) -> str | None:
    larger = machine._replace(size_bytes=machine.size_bytes * 5 // 4)
    return fall(machine.first(), larger.first(), machine.goal)


def _with_a_smaller_wish(machine: Machine) -> str | None:
    smaller, larger = machine._replace(wish_percent=(machine.wish_percent or 10) - 5), machine.answer()
    return fall(None if larger is None else larger.best, smaller.first(), machine.goal, larger)


# Places at which one disk more did cost room: between widths of raidz1, of raidz2, spares, dRAID and uneven vdevs.
ONCE = (
    Machine(12, 8 * TB, Goal.SPACE),
    Machine(12, 8 * TB, Goal.SPACE, "media-archive"),
    Machine(26, TB, Goal.CONCURRENT, "media-archive"),
    Machine(9, 16 * TB, Goal.SAFETY, "media-archive"),
    Machine(11, 8 * TB, Goal.SAFETY, "home-directories"),
)
ONCE_LARGE = (
    Machine(38, 8 * TB, Goal.SAFETY, "media-archive"),
    Machine(45, 8 * TB, Goal.CONCURRENT, "media-archive"),
    Machine(53, 8 * TB, Goal.CONCURRENT, "media-archive"),
    Machine(87, 30 * TB, Goal.SAFETY, "media-archive"),
    Machine(95, 8 * TB, Goal.SAFETY),
    Machine(105, 30 * TB, Goal.CONCURRENT, "media-archive"),
)
MOST_QUICK = 16  # disks up to which every machine of one size is looked at


@pytest.mark.parametrize(
    "machine",
    [*ONCE, *(pytest.param(machine, marks=pytest.mark.slow) for machine in ONCE_LARGE)],
    ids=lambda m: f"{m.number}-{m.goal.value}-{m.preset}",
)
def test_that_a_disk_more_leaves_no_less_room(machine: Machine) -> None:
    assert _with_a_disk_more(machine) is None


@pytest.mark.parametrize(
    "goal",
    [goal if goal is Goal.SAFETY else pytest.param(goal, marks=pytest.mark.slow) for goal in Goal],
    ids=lambda goal: goal.value,
)
def test_that_no_disk_of_a_small_machine_leaves_less_room_or_is_idle(goal: Goal) -> None:
    machines = [Machine(number, 8 * TB, goal) for number in range(2, MOST_QUICK + 1)]
    firsts = [machine.first() for machine in machines]
    assert [idle(machine, first) for machine, first in zip(machines, firsts, strict=True) if first] == [None] * 15
    assert [told for before, after in pairwise(firsts) if (told := fall(before, after, goal))] == []


def test_that_a_larger_disk_leaves_no_less_room() -> None:
    assert _with_larger_disks(Machine(9, 8 * TB, Goal.SAFETY)) is None


@pytest.mark.parametrize(
    "machine", [Machine(12, 16 * TB, Goal.SAFETY, None, 70), Machine(62, TB, Goal.SPACE, None, 61)]
)
def test_that_a_smaller_wish_leaves_no_less_room(machine: Machine) -> None:
    assert _with_a_smaller_wish(machine) is None


def test_that_what_is_lost_is_told() -> None:
    one = Machine(6, 8 * TB, Goal.CONCURRENT).first()
    less = Machine(4, 8 * TB, Goal.CONCURRENT).first()
    assert fall(one, less, Goal.CONCURRENT) is not None
    assert fall(one, one, Goal.CONCURRENT) is None
    assert one is not None
    assert less is not None
    fast = replace(less.measures, speed=one.measures.speed._replace(rand_read_iops=10**6))
    assert fall(one, replace(less, measures=fast), Goal.CONCURRENT) is None


@pytest.mark.slow
@pytest.mark.parametrize("detail", list(RAMPS))
@pytest.mark.parametrize("goal", [Goal.SAFETY, Goal.CONCURRENT], ids=lambda goal: goal.value)
def test_that_a_little_more_of_a_detail_never_leads_to_another_family_and_back(goal: Goal, detail: str) -> None:
    assert there_and_back(Machine(9, 4 * TB, goal, "smb"), detail) is None


MACHINES = st.builds(
    Machine,
    number=st.integers(2, 110),
    size_bytes=st.sampled_from([1, 2, 4, 6, 8, 12, 16, 18, 20, 24, 30]).map(lambda size: size * TB),
    goal=st.sampled_from(list(Goal)),
    preset=st.sampled_from([None, *(one.key for one in PRESETS)]),
    # Each test changes one of these itself; left out they would be any number.
    wish_percent=st.none(),
    clients=st.none(),
    network_bytes_per_second=st.none(),
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(machine=MACHINES)
def test_that_nowhere_a_disk_more_or_a_larger_one_leaves_less_room_or_disks_idle(machine: Machine) -> None:
    assert idle(machine, machine.first()) is None
    assert _with_a_disk_more(machine) is None, machine
    assert _with_larger_disks(machine) is None, machine


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(machine=MACHINES, percent=st.integers(15, 90))
def test_that_nowhere_a_smaller_wish_leaves_less_room(machine: Machine, percent: int) -> None:
    assert _with_a_smaller_wish(machine._replace(wish_percent=percent)) is None, machine


@pytest.mark.slow
@settings(max_examples=6, deadline=None, derandomize=True)
@given(machine=MACHINES, detail=st.sampled_from(list(RAMPS)))
def test_that_nowhere_a_little_more_of_a_detail_leads_to_another_family_and_back(machine: Machine, detail: str) -> None:
    assert there_and_back(machine._replace(number=min(machine.number, 48)), detail) is None, machine
