"""What the advice on support devices proposes, judged by the rules: never blocked, and its risks are told."""

from dataclasses import replace

import pytest
from tests.rules.machines import NUMBERS, design, disk, disks, raidz

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.support import Role
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.rule_library import load_rules
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.rulebook import RuleBook

BUSY = Workload(
    goal=Goal.CONCURRENT, sync_write_percent=50, sequential_percent=20, read_percent=60, typical_file_bytes=200 << 10
)


def flash(count: int) -> tuple[Disk, ...]:
    return tuple(
        disk(100 + n, 960197124096, media=Media.NVME, model="INTEL SSDPE2KX010T8", transport="nvme")
        for n in range(count)
    )


def with_helpful_roles(count: int) -> tuple[Design, tuple[Role, ...]]:
    drives = flash(count)
    members = disks(8)
    bare = design(raidz(members, 2), of=(*members, *drives), workload=BUSY)
    advice = judge_roles(setting_of(bare))
    return apply_roles(bare, advice, advice.helpful), advice.helpful


def violated(book: RuleBook, made: Design, severity: Severity) -> set[str]:
    found = judge_design(book, made, NUMBERS)
    return {f.rule_id for f in found if f.outcome is Outcome.VIOLATED and f.severity is severity}


def test_that_what_is_proposed_is_never_blocked(shipped: RuleBook) -> None:
    for count in range(1, 7):
        made, roles = with_helpful_roles(count)
        assert Role.LOG in roles
        assert violated(shipped, made, Severity.BLOCK) == set(), count


def test_that_drives_of_their_own_draw_no_warning_on_support_devices(shipped: RuleBook) -> None:
    made, _ = with_helpful_roles(5)
    told = violated(shipped, made, Severity.WARN)
    assert {rule for rule in told if rule.startswith(("support.", "special.", "synchronous.", "cache."))} == set()


@pytest.mark.parametrize(("drives", "rule"), [(2, "redundancy.special-weaker"), (3, "special.shared-disk")])
def test_that_drives_that_are_split_or_fewer_than_the_data_bear_are_warned_of(
    drives: int, rule: str, shipped: RuleBook
) -> None:
    assert rule in violated(shipped, with_helpful_roles(drives)[0], Severity.WARN)


def test_that_a_log_partition_beside_a_special_vdev_is_noted_from_2_4_on(shipped: RuleBook) -> None:
    made, _ = with_helpful_roles(3)
    newer = replace(made, version=replace(made.version, minor=4, patch=0))
    assert "support.log-beside-special" in violated(shipped, newer, Severity.NOTE)
    assert "support.log-beside-special" not in violated(shipped, made, Severity.NOTE)


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
    (found,) = (f for f in judge_design(book, design, LayoutNumbers()) if f.rule_id == rule)
    return found


def test_that_a_mirror_within_one_of_two_shelves_is_pointed_out(book: RuleBook) -> None:
    within = mirrors((0, 1), (2, 3), shelves=("front", "front", "back", "back"))
    across = mirrors((0, 2), (1, 3), shelves=("front", "front", "back", "back"))
    found = finding(book, within, SHELF)
    assert found.outcome is Outcome.VIOLATED
    assert "back, front" in found.text
    assert finding(book, across, SHELF).outcome is Outcome.HOLDS


def test_that_a_single_or_unknown_shelf_is_no_matter(book: RuleBook) -> None:
    for shelves in (("only",) * 4, (None,) * 4):
        found = judge_design(book, mirrors((0, 1), shelves=shelves), LayoutNumbers())
        assert SHELF not in {f.rule_id for f in found}


def test_that_controllers_are_judged_apart_from_shelves(book: RuleBook) -> None:
    design = mirrors((0, 1), (2, 3), shelves=("a", "b", "a", "b"), hbas=("h0", "h0", "h1", "h1"))
    assert finding(book, design, SHELF).outcome is Outcome.HOLDS
    assert finding(book, design, HBA).outcome is Outcome.VIOLATED


def test_that_a_disk_without_a_place_makes_a_second_shelf_known(book: RuleBook) -> None:
    design = mirrors((0, 1), shelves=("front", "front", "back"))
    assert finding(book, design, SHELF).outcome is Outcome.VIOLATED
    moved = replace(design.vdevs[0], members=(Member(disk_key="d0"), Member(disk_key="d2")))
    assert finding(book, replace(design, vdevs=(moved,)), SHELF).outcome is Outcome.HOLDS
