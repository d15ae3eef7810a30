"""Whole answers to small machines, as a person read them: every layout with its figures, every sentence.

The files in `answers` are what somebody looked at; `python -m tests.design.test_answers_in_words` writes them anew
where an answer is meant to change, and the difference is then read.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.design.design_answers import blast_answers, compared_answers, edit_answers, place_answers, wish_answers
from tests.design.in_words import written
from tests.design.ranking_in_words import ranking_in_words
from tests.design.request_answers import buying_answers, floor_answers, group_answers, shape_answers
from tests.design.role_answers import role_answers

from poolwright.design.request import Request
from poolwright.domain.disk import Health, Use, UseKind
from poolwright.domain.money import money
from poolwright.domain.units import KIB, TB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped
from poolwright.rules.presets import apply_preset, preset

FOLDER = Path(__file__).with_name("answers")
# Of these it is told what would change the answer: each change is a search of its own.
_CHANGED = {"four-equal", "money"}


def _ask(goal: Goal, *disks: str, budget: Budget | None = None, **workload: object) -> Request:
    work = Workload(goal=goal, **workload)  # type: ignore[arg-type]
    return Request(disks=read_typed(disks).disks, workload=work, budget=budget or Budget())


def _in_shelves(request: Request) -> Request:
    """Return the request with disks in three shelves behind two controllers."""
    placed = (
        replace(disk, enclosure=f"shelf {number % 3}", controller=f"hba {number % 2}")
        for number, disk in enumerate(request.disks)
    )
    return replace(request, disks=tuple(placed))


def _not_all_usable(request: Request) -> Request:
    """Return the request with disks that fail, are in use, are seen twice, or of which nobody looked what uses them."""
    first, second, third, fourth, fifth, sixth, *others = request.disks
    mounted = Use(kind=UseKind.MOUNTED, detail="/")
    disks = (
        replace(first, health=Health.FAILING),
        replace(second, uses=(mounted,)),
        replace(third, serial="S1", planned=False),
        replace(fourth, serial="S1", planned=False),
        replace(fifth, uses=(mounted,)),
        replace(sixth, use_known=False),
        *others,
    )
    return replace(request, disks=disks)


@cache
def _requests() -> dict[str, Request]:
    wish = Budget(least_usable_bytes=13 * TB, spares=1, allow=(Allowance.PARTITIONS,))
    bought = Budget(money=money(400, "EUR"), price_per_disk=money(95, "EUR"), most_rebuild_hours=9, survive=1)
    hard = Budget(least_usable_bytes=40 * TB, survive=3, spares=2, bays=5)
    old = replace(_ask(Goal.SPEED, "22 x 1TB hdd"), version=ZfsVersion(0, 6, 5))
    of_both = apply_preset(Workload(goal=Goal.SAFETY), preset("vm-images"), preset("media-archive"))
    return {
        "four-equal": _ask(Goal.CONCURRENT, "4 x 4TB hdd", clients=4),
        "two-pairs": _ask(Goal.SAFETY, "2 x 4TB hdd", "2 x 2TB hdd"),
        "nine-for-space": _ask(Goal.SPACE, "5 x 4TB hdd", "4 x 2TB hdd"),
        "shingled-and-flash": _ask(Goal.CONCURRENT, "3 x 8TB hdd", "2 x 6TB hdd smr", "2 x 4TB ssd", clients=20),
        "three-sizes-wish": _ask(Goal.SAFETY, "3 x 6TB hdd", "2 x 4TB hdd", "2 x 1TB hdd", budget=wish),
        "too-much-wished": _ask(Goal.SAFETY, "4 x 6TB hdd", "2 x 4TB hdd", budget=hard),
        "one-kind-short": _ask(Goal.SAFETY, "5 x 4TB hdd", "2 x 1TB ssd", budget=Budget(least_usable_bytes=12 * TB)),
        "two-kinds-short": _ask(Goal.SAFETY, "3 x 4TB hdd", "2 x 2TB hdd", budget=Budget(least_usable_bytes=9 * TB)),
        "shelves": _in_shelves(_ask(Goal.SAFETY, "12 x 8TB hdd", budget=Budget(least_usable_bytes=60 * TB))),
        "money": _ask(Goal.CONCURRENT, "6 x 4TB hdd", budget=bought, sequential_percent=80, io_size_bytes=16 * KIB),
        "not-all-usable": _not_all_usable(_ask(Goal.SPEED, "9 x 2TB hdd")),
        "old-stripes": old,
        "two-pools": replace(_ask(Goal.SAFETY, "6 x 4TB hdd", "2 x 1TB ssd plp"), workload=of_both),
        "too-little-flash": replace(_ask(Goal.SAFETY, "4 x 4TB hdd", "2 x 200GB ssd"), workload=of_both),
        "volumes": _ask(Goal.CONCURRENT, "4 x 2TB nvme", "6 x 4TB hdd", volumes=True, compressible=True),
    }


VALUES: dict[str, Callable[[], dict[str, object]]] = {
    "roles": role_answers,
    "losses": blast_answers,
    "edits": edit_answers,
    "comparison": compared_answers,
    "places": place_answers,
    "wishes": wish_answers,
    "shapes": shape_answers,
    "floors": floor_answers,
    "groups": group_answers,
    "purchases": buying_answers,
}
_SLOW = {"four-equal", "three-sizes-wish", "two-kinds-short", "money", "old-stripes"}
_WITHOUT = ("setting", "question", "grown", "capacity")


def answer(name: str) -> str:
    if name in VALUES:
        return written(VALUES[name](), without=_WITHOUT)
    return ranking_in_words(_requests()[name], judge_maker(load_shipped()), with_changes=name in _CHANGED)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in _SLOW else ()) for name in _requests()]
)
def test_that_an_answer_is_the_one_that_was_read(name: str) -> None:
    assert answer(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", VALUES)  # apart from the searches, so that they need not wait for these
def test_that_values_are_those_that_were_read(name: str) -> None:
    assert answer(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for each in (*_requests(), *VALUES):
        (FOLDER / f"{each}.txt").write_text(answer(each), encoding="utf-8")
