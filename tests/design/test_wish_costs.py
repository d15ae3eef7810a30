"""What wishes cost: the best layout with each beside the best without it."""

from dataclasses import replace

from poolwright.design.changes import WishesWeighed, wishes_weighed
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped

RULES = load_shipped()


def weighed(**wishes: int) -> tuple[WishesWeighed, list[WishesWeighed], Request]:
    told: list[WishesWeighed] = []
    disks = read_typed(["8x8TB"]).disks
    request = Request(disks=disks, workload=Workload(goal=Goal.SAFETY), budget=Budget(**wishes))  # type: ignore[arg-type]
    return wishes_weighed(request, judge_maker(RULES, request.host), told.append), told, request


def test_that_a_wish_costs_the_difference_to_the_best_layout_without_it() -> None:
    found, told, request = weighed(spares=1, bays=8)
    judge = judge_maker(RULES, request.host)
    kept = recommend(request, judge)
    free = recommend(replace(request, budget=Budget(bays=8)), judge)
    spare, bays = found.costs
    assert (spare.wish, spare.usable_bytes) == ("spares", kept.best.usable_bytes - free.best.usable_bytes)
    assert spare.loss == kept.best.yearly_loss / free.best.yearly_loss
    assert (bays.wish, bays.usable_bytes, bays.loss) == ("bays", 0, 1.0)
    assert (found.fit, spare.fit) == (kept.feasible, free.feasible)
    assert found.every == free.feasible, "bays for all disks limit nothing"
    assert [len(one.costs) for one in told] == [0, 1, 2]


def test_that_of_wishes_that_no_layout_meets_each_says_how_many_would_fit_without_it() -> None:
    free, __, __ = weighed()
    assert free.fit == free.every
    assert free.costs == ()
    none, __, __ = weighed(least_usable_bytes=100 << 40, bays=8)
    assert (none.fit, none.largest_bytes, bool(none.refused)) == (0, None, True)
    space, bays = none.costs
    assert (space.fit, space.usable_bytes) == (free.fit, None)
    assert bays.fit == 0
