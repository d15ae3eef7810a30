"""Properties proposed for a pool: the right value for disks, goal, version and workload."""

from dataclasses import replace

import pytest
from tests.rules.machines import disk, disks

from poolwright.domain.dataset_values import space_bytes
from poolwright.domain.disk import Media
from poolwright.domain.host import Host
from poolwright.domain.units import KIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Sharing, Workload
from poolwright.predict.assumptions import usual_record
from poolwright.rules.model import RuleBook
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import Proposals, propose_properties


def _propose(book: RuleBook, workload: Workload | None = None, version: str = "2.3.9", **changes: object) -> Proposals:
    chosen = workload or Workload(goal=Goal.SAFETY)
    return propose_properties(
        book,
        goal=chosen.goal,
        version=ZfsVersion.parse(version),
        profile=DiskProfile.from_disks(disks(8, **changes)),  # type: ignore[arg-type]
        workload=chosen,
        budget=Budget(),
        host=Host(),
    )


def _root(proposals: Proposals) -> dict[str, str]:
    return {setting.name: setting.value for setting in proposals.root}


@pytest.mark.parametrize(
    ("physical", "ashift"), [(512, 12), (4096, 12), (8192, 13), (16384, 14), (131072, 12), (None, 12)]
)
def test_that_ashift_follows_the_physical_sector_size(physical: int | None, ashift: int, shipped: RuleBook) -> None:
    assert _propose(shipped, physical_sector_bytes=physical).ashift == ashift


def test_that_one_unknown_sector_size_gives_the_safe_ashift_and_says_so(shipped: RuleBook) -> None:
    mixed = (*disks(3), disk(3, physical_sector_bytes=None))
    proposals = propose_properties(
        shipped,
        goal=Goal.SAFETY,
        version=ZfsVersion(2, 3, 9),
        profile=DiskProfile.from_disks(mixed),
        workload=Workload(goal=Goal.SAFETY),
        budget=Budget(),
        host=Host(),
    )
    ashift = proposals.details[0]
    assert (ashift.setting.value, ashift.setting.rule_id) == ("12", "property.ashift-safe")
    assert ashift.untold == ("property.ashift",)
    assert "unknown" in ashift.setting.reason


@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("asked", [None, 4, 8, 16, 32, 64, 128, 256, 1024, 4096])
@pytest.mark.parametrize("sequential", [None, 10, 90])
def test_that_predictions_take_the_records_that_are_proposed(
    goal: Goal, asked: int | None, sequential: int | None, shipped: RuleBook
) -> None:
    io_size = None if asked is None else asked * KIB
    workload = Workload(goal=goal, io_size_bytes=io_size, sequential_percent=sequential)
    assert usual_record(workload) == space_bytes(_root(_propose(shipped, workload))["recordsize"])


def test_that_no_property_is_proposed_twice_and_each_has_reason_and_source(shipped: RuleBook) -> None:
    details = _propose(shipped, Workload(goal=Goal.SPEED, sharing=Sharing.SMB), media=Media.SSD).details
    names = [(detail.target, detail.setting.name) for detail in details]
    assert len(names) == len(set(names))
    assert all(detail.setting.reason and detail.sources and detail.setting.rule_id for detail in details)


def test_that_the_users_own_proposal_wins_over_the_shipped_one(shipped: RuleBook) -> None:
    ours = next(rule for rule in shipped.properties if rule.id == "property.compression-lz4")
    zstd = next(rule for rule in shipped.properties if rule.id == "property.atime-off")
    own = replace(zstd, id="own.compression", target="dataset.compression", users_own=True)
    book = replace(shipped, properties=(*shipped.properties, own))
    chosen = next(d for d in _propose(book).details if d.setting.name == "compression")
    assert chosen.setting.rule_id == "own.compression"
    assert chosen.users_own
    higher = replace(book, properties=(replace(ours, priority=1), own))
    assert _propose(higher).details[0].setting.rule_id == "property.compression-lz4"


def test_that_of_proposals_of_one_weight_the_one_for_the_goal_wins_over_the_one_for_all(shipped: RuleBook) -> None:
    ours = next(rule for rule in shipped.properties if rule.id == "property.compression-lz4")
    plain = next(rule for rule in shipped.properties if rule.id == "property.atime-off")
    of_all = replace(plain, id="own.all", target="dataset.compression", priority=9, goals=frozenset())
    of_goal = replace(of_all, id="own.safety", goals=frozenset((Goal.SAFETY,)))
    for rules in ((of_all, of_goal), (of_goal, of_all)):
        book = replace(shipped, properties=(ours, *rules))
        chosen = next(d for d in _propose(book).details if d.setting.name == "compression")
        assert chosen.setting.rule_id == "own.safety"
