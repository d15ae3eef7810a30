"""What is known of a design: the numbers first, then the same with predictions and findings."""

from dataclasses import replace
from datetime import date

import pytest

from poolwright.design.evaluate import assess_in_steps, evaluate
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Outcome
from poolwright.domain.steps import at_once
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevKind
from poolwright.drive_library import load_drive_book
from poolwright.rule_library import load_rules
from poolwright.rules.model import RuleBook

KEYS = tuple(f"d{n}" for n in range(6))


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load_rules(with_own=False)


def design(keys: tuple[str, ...] = KEYS, size_bytes: int | None = 8 * TB) -> Design:
    disks = tuple(Disk(key=key, media=Media.HDD, size_bytes=size_bytes) for key in KEYS)
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=key) for key in keys))
    return Design(key="one", name="one", pool_name="tank", disks=disks, vdevs=(vdev,))


def test_that_the_numbers_are_there_at_once_and_stay_when_predictions_and_findings_join_them(book: RuleBook) -> None:
    steps = assess_in_steps(design(), book)
    numbers = next(steps)
    assert (numbers.survived, numbers.disks_used, numbers.findings) == (2, 6, None)
    whole = at_once(steps)
    assert whole.usable_bytes == numbers.usable_bytes
    assert whole.survived == 2
    assert whole.findings


def test_that_window_and_report_find_the_same_of_a_design(book: RuleBook) -> None:
    report = evaluate(design(), drives=load_drive_book(), today=date(2026, 11, 2), rules=book)
    predicted = {report.main.design.pool_name: report.main.expected}
    window = at_once(assess_in_steps(design(), book, 0, lambda pool, _capacity, _among: predicted[pool.pool_name]))
    assert window == replace(report, cost=None, survives_two=None, survives_three=None)


def test_that_a_disk_that_holds_two_members_counts_as_both_wherever_failures_are_told(book: RuleBook) -> None:
    twice = at_once(assess_in_steps(design((*KEYS[:5], KEYS[0])), book))
    assert (twice.survived, twice.main.survived) == (1, 1)


def test_that_of_a_disk_without_a_size_the_failures_are_known_and_the_rest_has_its_reason(book: RuleBook) -> None:
    found = at_once(assess_in_steps(design(size_bytes=None), book))
    assert (found.survived, found.capacity, found.findings) == (2, None, None)
    assert "size" in found.problem
    assert not [f for f in found.findings or () if f.outcome is Outcome.VIOLATED]
