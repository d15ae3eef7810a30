"""Shelves and controllers in the judgement of a design."""

from dataclasses import replace

import pytest

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.vdev import VdevKind
from poolwright.rule_library import load_rules
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook

SHELF, HBA = "enclosures.loss-takes-pool", "enclosures.controller-takes-pool"


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load_rules(with_own=False)


def mirrors(*pairs: tuple[int, int], shelves: tuple[str | None, ...], hbas: tuple[str | None, ...] = ()) -> Design:
    disks = tuple(
        Disk(key=f"d{n}", size_bytes=10**12, enclosure=shelf, controller=hbas[n] if hbas else None)
        for n, shelf in enumerate(shelves)
    )
    vdevs = tuple(Vdev(kind=VdevKind.MIRROR, members=tuple(Member(disk_key=f"d{n}") for n in pair)) for pair in pairs)
    return Design(key="k", name="n", pool_name="tank", disks=disks, vdevs=vdevs)


def finding(book: RuleBook, design: Design, rule: str) -> Finding:
    return next(f for f in judge_design(book, design, LayoutNumbers()) if f.rule_id == rule)


def test_that_a_mirror_within_one_of_two_shelves_is_pointed_out(book: RuleBook) -> None:
    within = mirrors((0, 1), (2, 3), shelves=("front", "front", "back", "back"))
    across = mirrors((0, 2), (1, 3), shelves=("front", "front", "back", "back"))
    found = finding(book, within, SHELF)
    assert found.outcome is Outcome.VIOLATED
    assert "back, front" in found.text
    assert finding(book, across, SHELF).outcome is Outcome.HOLDS


def test_that_a_single_or_unknown_shelf_is_no_matter(book: RuleBook) -> None:
    for shelves in (("only",) * 4, (None,) * 4):
        assert finding(book, mirrors((0, 1), shelves=shelves), SHELF).outcome is Outcome.NOT_APPLICABLE


def test_that_controllers_are_judged_apart_from_shelves(book: RuleBook) -> None:
    design = mirrors((0, 1), (2, 3), shelves=("a", "b", "a", "b"), hbas=("h0", "h0", "h1", "h1"))
    assert finding(book, design, SHELF).outcome is Outcome.HOLDS
    assert finding(book, design, HBA).outcome is Outcome.VIOLATED


def test_that_a_disk_without_a_place_makes_a_second_shelf_known(book: RuleBook) -> None:
    design = mirrors((0, 1), shelves=("front", "front", "back"))
    assert finding(book, design, SHELF).outcome is Outcome.VIOLATED
    moved = replace(design.vdevs[0], members=(Member(disk_key="d0"), Member(disk_key="d2")))
    assert finding(book, replace(design, vdevs=(moved,)), SHELF).outcome is Outcome.HOLDS
