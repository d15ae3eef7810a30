"""What is said of several pools of one design: each thing once, and where it belongs."""

from dataclasses import replace
from functools import cache

from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.disk import Disk, Health
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Host
from poolwright.domain.vdev import VdevKind
from poolwright.rule_library import load_rules
from poolwright.rules.design_judge import judge_design
from poolwright.rules.existing_judge import apart, united
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook

TB = 10**12
GIB = 1 << 30


@cache
def book() -> RuleBook:
    return load_rules(with_own=False)


def disk(number: int, size: int) -> Disk:
    return Disk(key=f"d{number}", serial=f"S{number}", size_bytes=size, by_id=(f"ata-X_S{number}",), health=Health.GOOD)


def two_pools(*, sick: str = "") -> Design:
    """Return a raidz1 over 2 TB of three disks, and a mirror of what two of them have left."""
    disks: tuple[Disk, ...] = (disk(1, 3 * TB), disk(2, 3 * TB), disk(3, 2 * TB))
    disks = tuple(replace(d, health=Health.FAILING) if d.key == sick else d for d in disks)
    low = [Member(disk_key=d.key, slice_bytes=2 * TB - GIB, part=1) for d in disks]
    high = [Member(disk_key=d.key, slice_bytes=TB - GIB, part=2) for d in disks[:2]]
    beside = FurtherPool(pool_name="rest", vdevs=(Vdev(kind=VdevKind.MIRROR, members=tuple(high)),))
    return Design(
        key="k",
        name="two",
        pool_name="tank",
        host=Host(ram_bytes=GIB),
        disks=disks,
        vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=1, members=tuple(low)),),
        further_pools=(beside,),
    )


def judged(design: Design) -> list[tuple[Design, tuple[Finding, ...]]]:
    numbers = LayoutNumbers(usable_bytes=None, unassigned_disks=0)
    return [(pool, judge_design(book(), pool, numbers)) for pool in design.pools()]


def violated(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.outcome is Outcome.VIOLATED]


def test_that_the_host_is_judged_once_for_all_pools() -> None:
    design = two_pools()
    of_each = judged(design)
    assert all(any(f.subject == "host" for f in violated(found)) for _, found in of_each)
    every = united(of_each)
    assert not [f for f in every if f.subject == "rest: host" and f.outcome is Outcome.VIOLATED]
    assert len({(f.rule_id, f.outcome) for f in every if f.subject == "host"}) == sum(
        f.subject == "host" for f in every
    )


def test_that_a_failing_disk_of_two_pools_is_told_once() -> None:
    design = two_pools(sick="d1")
    failing = [f for f in violated(united(judged(design))) if f.title == "Disk that is failing"]
    assert len(failing) == 1


def test_that_alike_vdevs_of_two_pools_are_both_told() -> None:
    design = two_pools()
    mirror = design.further_pools[0].vdevs[0]
    twin = replace(design, vdevs=(replace(mirror, members=tuple(replace(m, part=1) for m in mirror.members)),))
    subjects = [f.subject for f in violated(united(judged(twin))) if f.rule_id == "redundancy.one-failure-of-few"]
    assert subjects == ["mirror-0", "rest: mirror-0"]


def test_that_every_pool_gets_its_own_findings_back() -> None:
    design = two_pools()
    of_each = judged(design)
    main, beside = apart(design, united(of_each))
    assert main == of_each[0][1]
    assert set(beside) <= set(of_each[1][1])
    said_before = {f.subject for f in of_each[1][1]} - {f.subject for f in beside}
    assert said_before == {"host", ", ".join(d.label for d in design.disks[:2])}


def test_that_one_pool_keeps_all_that_was_said_of_it() -> None:
    design = replace(two_pools(), further_pools=())
    found = judged(design)
    assert united(found) == found[0][1]
    assert apart(design, found[0][1]) == (found[0][1],)
