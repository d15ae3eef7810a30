"""What the advice on support devices proposes, judged by the rules: never blocked, and its risks are told."""

from dataclasses import replace

from tests.rules.machines import NUMBERS, design, disk, disks, raidz

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.model import Role
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.design_judge import judge_design
from poolwright.rules.model import RuleBook

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


def test_that_split_drives_are_warned_of(shipped: RuleBook) -> None:
    made, _ = with_helpful_roles(3)
    assert "special.shared-disk" in violated(shipped, made, Severity.WARN)


def test_that_two_drives_for_a_raidz2_are_told_to_be_weaker(shipped: RuleBook) -> None:
    made, _ = with_helpful_roles(2)
    assert "redundancy.special-weaker" in violated(shipped, made, Severity.WARN)


def test_that_a_log_partition_beside_a_special_vdev_is_noted_from_2_4_on(shipped: RuleBook) -> None:
    made, _ = with_helpful_roles(3)
    newer = replace(made, version=replace(made.version, minor=4, patch=0))
    assert "support.log-beside-special" in violated(shipped, newer, Severity.NOTE)
    assert "support.log-beside-special" not in violated(shipped, made, Severity.NOTE)
