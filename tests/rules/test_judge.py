"""The judge of layouts: same answers as for a whole design, one finding for equal vdevs, facts with their origin."""

from dataclasses import replace

import pytest
from tests.cases import cases
from tests.rules.machines import SIX_TB, SMARTCTL, bare, design, disk, disks, premises, raidz, vdev

from poolwright.domain.dataset_properties import meaning
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, mixed, parse_spec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.dataset_plan import defaults
from poolwright.rules.design_judge import judge_design
from poolwright.rules.judge import Judge
from poolwright.rules.layout_facts import LayoutNumbers, trade_bytes
from poolwright.rules.profile import DiskProfile, keeps_writes
from poolwright.rules.rulebook import RuleBook
from poolwright.rules.texts import parse_template

NUMBERS = LayoutNumbers(usable_bytes=100 * 10**12)


def _raidz(width: int, parity: int, count: int = 1, size: int = SIX_TB) -> Layout:
    return (VdevSpec(kind=VdevKind.RAIDZ, sizes=(size,) * width, parity=parity),) * count


def _spares(count: int) -> Layout:
    return (VdevSpec(kind=VdevKind.STRIPE, sizes=(SIX_TB,) * count, vdev_class=VdevClass.SPARE),)


def _judge(book: RuleBook, goal: Goal = Goal.SAFETY, *, of: int = 44, ashift: int = 12, **changes: object) -> Judge:
    members = disks(of, **changes)  # type: ignore[arg-type]
    return Judge(book, premises(members, goal, host=Host(ram_bytes=256 << 30)), ashift=ashift)


def _violated(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.rule_id for finding in findings if finding.outcome is Outcome.VIOLATED]


def test_that_five_equal_vdevs_share_one_finding_that_names_them(shipped: RuleBook) -> None:
    found = _judge(shipped).layout(_raidz(11, 2, 4) + _spares(2), NUMBERS)
    wide = [finding for finding in found if finding.rule_id == "width.group-beyond-usual"]
    assert [finding.subject for finding in wide] == ["4 × raidz2 of 11"]


def test_that_a_512e_disk_with_ashift_9_is_blocked(shipped: RuleBook) -> None:
    found = _judge(shipped, ashift=9).layout(_raidz(8, 2), NUMBERS)
    assert found[0].rule_id == "ashift.below-physical"
    assert found[0].severity is Severity.BLOCK


def test_that_an_unknown_sector_size_is_told_and_not_taken_for_good(shipped: RuleBook) -> None:
    found = _judge(shipped, ashift=9, physical_sector_bytes=None).layout(_raidz(8, 2), NUMBERS)
    untold = {finding.rule_id: finding for finding in found if finding.outcome is Outcome.CANNOT_TELL}
    assert untold["ashift.below-physical"].missing == ("pool.physical_sector_bytes",)
    assert "physical sector size" in untold["ashift.below-physical"].text


def test_that_a_stripe_of_more_than_twenty_counts_as_so_many_vdevs(shipped: RuleBook) -> None:
    judge = _judge(shipped, Goal.SPEED)
    for count, expected in ((20, False), (21, True)):
        stripe = (VdevSpec(kind=VdevKind.STRIPE, sizes=(SIX_TB,) * count),)
        assert ("width.too-many-vdevs-once" in _violated(judge.layout(stripe, NUMBERS))) is expected


def test_that_a_goal_asks_only_its_own_rules(shipped: RuleBook) -> None:
    stripe = (VdevSpec(kind=VdevKind.STRIPE, sizes=(SIX_TB,) * 4),)
    told = {goal: _violated(_judge(shipped, goal, of=4).layout(stripe, NUMBERS)) for goal in Goal}
    assert told == {
        Goal.SAFETY: ["redundancy.none-for-safety"],
        Goal.CONCURRENT: ["redundancy.none-for-clients"],
        Goal.SPEED: ["redundancy.none-for-speed"],
        Goal.SPACE: ["redundancy.none-for-space"],
    }


def test_that_a_layout_judged_twice_gets_the_very_same_findings(shipped: RuleBook) -> None:
    judge = _judge(shipped)
    first = judge.layout(_raidz(13, 1, 2), NUMBERS)
    judge.layout(_raidz(6, 2, 7), NUMBERS)
    assert judge.layout(_raidz(13, 1, 2), NUMBERS) == first


def test_that_the_gravest_finding_comes_first_and_the_untold_last(shipped: RuleBook) -> None:
    found = _judge(shipped, ashift=9, smr=None).layout(_raidz(13, 1, 2), NUMBERS)
    order = [(finding.outcome is Outcome.CANNOT_TELL, list(Severity).index(finding.severity)) for finding in found]
    assert order == sorted(order)
    assert len(set(order)) > 2


def test_that_a_text_tells_the_numbers_of_its_own_layout(shipped: RuleBook) -> None:
    judge = _judge(shipped)
    texts: list[str] = []
    for unassigned in (1, 3):
        found = judge.layout(_raidz(8, 2, 5) + _spares(2), LayoutNumbers(usable_bytes=1, unassigned_disks=unassigned))
        texts.extend(finding.text for finding in found if finding.rule_id == "spares.unused-disks")
    assert [text.split()[0] for text in texts] == ["1", "3"]


def test_that_a_text_told_again_of_another_layout_has_no_stale_number(shipped: RuleBook) -> None:
    (rule,) = (rule for rule in shipped.rules if rule.id == "spares.unused-disks")
    template = parse_template("{pool.unassigned_disks} left over beside {pool.usable_bytes:size}")
    # The size is shown and decides nothing: the answer is known already, the words are not.
    judge = _judge(
        replace(shipped, rules=(replace(rule, text=template, shows=("pool.unassigned_disks", "pool.usable_bytes")),))
    )
    for tib in (3, 5, 3):
        numbers = LayoutNumbers(usable_bytes=tib << 40, unassigned_disks=1)
        (told,) = judge.layout(_raidz(8, 2, 5) + _spares(2), numbers)
        assert told.text == f"1 left over beside {tib}.00 TiB"


def test_that_a_finding_names_where_its_facts_come_from(shipped: RuleBook) -> None:
    found = _judge(shipped, ashift=9).layout(_raidz(8, 2), NUMBERS)
    facts = {fact.name: fact for fact in found[0].facts}
    assert facts["pool.physical_sector_bytes"].value == 4096
    assert facts["pool.physical_sector_bytes"].origin == SMARTCTL
    limit = next(f for f in _judge(shipped).layout(_raidz(13, 2), NUMBERS) if f.rule_id == "width.raidz-too-wide")
    assert {fact.name: fact.value for fact in limit.facts}["limit.raidz.widest"] == 12


def test_that_alike_disks_share_one_finding(shipped: RuleBook) -> None:
    found = _judge(shipped, transport="usb").layout(_raidz(8, 2), NUMBERS)
    usb = [finding for finding in found if finding.rule_id == "disks.usb"]
    assert len(usb) == 1
    assert usb[0].subject.endswith("and 40 more")
    assert usb[0].text.startswith("44 disks are connected by USB")


@pytest.mark.parametrize(("width", "parity", "spares"), [(8, 2, 4), (9, 1, 0), (13, 3, 2), (2, 1, 1), (4, 2, 0)])
@pytest.mark.parametrize("goal", list(Goal))
def test_that_layout_and_design_are_judged_alike(
    goal: Goal, width: int, parity: int, spares: int, shipped: RuleBook
) -> None:
    members = disks(2 * width + spares)
    vdevs = [raidz(members[:width], parity), raidz(members[width : 2 * width], parity)]
    spare_vdevs = [bare(member, VdevClass.SPARE) for member in members[2 * width :]]
    host = Host(ram_bytes=256 << 30)
    planned = design(*vdevs, *spare_vdevs, of=members, goal=goal, host=host)
    of_design = judge_design(shipped, planned, NUMBERS)
    layout = _raidz(width, parity, 2) + (_spares(spares) if spares else ())
    of_layout = _judge(shipped, goal, of=len(members)).layout(layout, NUMBERS)
    datasets = {rule.id for rule in shipped.rules if rule.scope.value == "dataset"}
    assert sorted(_violated(of_layout)) == sorted(r for r in _violated(of_design) if r not in datasets)


def test_that_vdevs_of_a_design_are_named_as_zpool_status_names_them(shipped: RuleBook) -> None:
    members = disks(28)
    planned = design(raidz(members[:13], 2), raidz(members[13:26], 2), of=members)
    found = judge_design(shipped, planned, NUMBERS)
    wide = next(finding for finding in found if finding.rule_id == "width.raidz-too-wide")
    assert wide.subject == "raidz2-0, raidz2-1"
    assert wide.text.startswith("Each of raidz2-0, raidz2-1 has 13 disks")


def test_that_what_holds_of_a_design_is_told_too(shipped: RuleBook) -> None:
    found = judge_design(shipped, design(raidz(disks(8), 2), of=disks(8)), NUMBERS)
    assert "ashift.mixed-logical" in {finding.rule_id for finding in found if finding.outcome is Outcome.HOLDS}


def test_that_a_rule_of_older_versions_does_not_apply(shipped: RuleBook) -> None:
    members = disks(8)
    planned = design(raidz(members, 2), of=members, ashift=9, version="2.4.0")
    for version, told in (("2.3.5", True), ("2.3.6", False)):
        found = judge_design(shipped, replace(planned, version=ZfsVersion.parse(version)), NUMBERS)
        assert ("ashift.request-ignored" in {f.rule_id for f in found}) is told


def test_that_a_disk_in_two_vdevs_is_named_once_among_the_disks(shipped: RuleBook) -> None:
    odd = disk(0, by_id=())
    members = (odd, *disks(4)[1:])
    planned = design(raidz(members[:3], 1), raidz((odd, *members[3:]), 1), of=members)
    found = judge_design(shipped, planned, NUMBERS)
    names = [f.subject for f in found if f.rule_id == "disks.no-by-id" and f.outcome is Outcome.VIOLATED]
    assert names == ["/dev/sd0"]


@pytest.mark.parametrize("kind", list(VdevKind))
def test_that_a_vdev_without_disks_is_refused_and_not_tripped_over(kind: VdevKind, shipped: RuleBook) -> None:
    planned = design(vdev(kind, (), parity=2 if kind in (VdevKind.RAIDZ, VdevKind.DRAID) else 0), of=disks(4))
    found = judge_design(shipped, planned, LayoutNumbers())
    assert any(finding.severity is Severity.BLOCK for finding in found if finding.outcome is Outcome.VIOLATED)


@pytest.mark.parametrize(
    ("model", "media", "keeps"),
    [
        ("Samsung SSD 960 EVO 250GB", Media.NVME, False),
        ("CT1000MX500SSD1", Media.SSD, False),
        ("INTEL SSDPED1K375GA Optane", Media.NVME, True),
        ("Ultrastar800 100GB", Media.SSD, True),
        ("SAMSUNG MZ7LH960HAJR-00005", Media.SSD, True),
        ("Some New Drive", Media.NVME, None),
        (None, Media.SSD, None),
        ("ST6000NM0034", Media.HDD, True),
    ],
)
def test_that_the_model_tells_of_power_loss_protection_or_nobody_knows(
    model: str | None, media: Media, keeps: bool | None
) -> None:
    assert keeps_writes(Disk(key="k", model=model, media=media)) is keeps


@pytest.mark.parametrize(("specs", "refused"), cases(__file__, "mixes"))
def test_that_a_mix_is_refused_where_zpool_create_refuses_it(specs: list[str], refused: bool) -> None:
    assert mixed(map(parse_spec, specs), DEFAULT_VERSION) is refused


@pytest.mark.parametrize("serial", ["", "0000000000", "unknown", "None", None])
def test_that_a_serial_that_is_none_is_not_taken_for_a_repeated_one(serial: str | None) -> None:
    profile = DiskProfile.from_disks((disk(0, serial=serial), disk(1, serial=serial)))
    assert [facts["disk.serial_repeated"] for facts in profile.disks] == [False, False]


@pytest.mark.parametrize(
    ("version", "compression", "xattr", "relatime"),
    [("2.1", "off", "dir", "off"), ("2.2", "on", "dir", "on"), ("2.3", "on", "sa", "on")],
)
def test_that_defaults_are_those_of_the_version(version: str, compression: str, xattr: str, relatime: str) -> None:
    parsed = ZfsVersion.parse(version)
    found = defaults(parsed)
    assert (found["compression"], found["relatime"]) == (compression, relatime)
    assert meaning("xattr", found["xattr"], parsed) == xattr


@pytest.mark.parametrize(
    ("size", "agreed"),
    [
        (59 * 10**9, 59 * 10**9), (60_022_480_896, 60_022_480_896), (64_023_257_087, 64_023_257_087),
        (64_023_257_088 + 512, 64_023_257_088), (8_161_594_486_456, 8_001_563_222_016),
        (8_161_594_486_457, 8_161_594_486_457),  # 2 % more than the label says: none of that label
    ],
)  # fmt: skip
def test_that_a_disk_counts_as_the_largest_trade_size_that_it_reaches(size: int, agreed: int) -> None:
    assert trade_bytes(size) == agreed
