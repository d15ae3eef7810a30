"""The rules that ship: each is sound, and each is reached by a pool that somebody could really plan."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.rules.machines import NUMBERS, ONE_TB, bare, design, disk, disks, mirror, raidz, vdev
from tests.rules.plans import PLANS

from poolwright.design.edits.reserve import reserve_of, with_reserve
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk, Health, LbaFormat, Media, Use, UseKind
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.host import Controller, ControllerKind, Host
from poolwright.domain.reserve import parse_reserve
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.presets import DETAILS, apply_preset, preset
from poolwright.rules.rulebook import AnyRule, Rule, RuleBasis, RuleBook, RuleStatement, Scope

TEN = disks(10)
FORTY = disks(44)
RAIDZ, DRAID, STRIPE, MIRROR = VdevKind.RAIDZ, VdevKind.DRAID, VdevKind.STRIPE, VdevKind.MIRROR


def _eight(**more: Any) -> Design:
    return design(raidz(TEN[:8], 2), of=TEN, **more)


def _with_root(**properties: str) -> Design:
    return _eight(root=properties)


def _pair(*, ashift: int = 12, version: str | None = None, root: dict[str, str] | None = None, **of: Any) -> Design:
    return design(mirror(*disks(2, **of)), of=disks(2, **of), ashift=ashift, version=version, root=root)


def _one_odd(**changes: Any) -> Design:
    odd = (disk(0, **changes), *disks(8)[1:])
    return design(raidz(odd, 2), of=odd)


def _twos(count: int, **more: Any) -> Design:
    """Return mirrors of two of the first so many of forty-four disks."""
    return design(*(mirror(*FORTY[n : n + 2]) for n in range(0, count, 2)), of=FORTY, **more)


def sliced(members: tuple[Disk, ...], size_bytes: int, part: int) -> Vdev:
    """Return a raidz2 of partitions of these disks."""
    whole = raidz(members, 2)
    return replace(whole, members=tuple(replace(m, slice_bytes=size_bytes, part=part) for m in whole.members))


def _draid(width: int = 10, parity: int = 2, data: int | None = 4, spares: int = 1) -> Design:
    members = disks(width)
    return design(vdev(DRAID, members, parity=parity, draid_data=data, draid_spares=spares), of=members)


def _beside(support: VdevClass, kind: VdevKind = STRIPE, members: int = 1, parity: int = 0, **more: object) -> Design:
    added = tuple(disk(100 + n, 960 * 10**9, media=Media.NVME) for n in range(members))
    extra = vdev(kind, added, role=support, parity=parity)
    return design(raidz(TEN[:8], 2), extra, of=(*TEN, *added), **more)  # type: ignore[arg-type]


def _beside_data(asked: str) -> Design:
    """Return eight disks as raidz2 with this reserved on them."""
    made = design(raidz(TEN[:8], 2), of=TEN)
    return with_reserve(made, (reserve_of(parse_reserve(asked), made),))


# For each rule a design that violates it.
VIOLATIONS: dict[str, Callable[[], Design]] = {
    "ashift.below-physical": lambda: _eight(ashift=9),
    "ashift.flash-page": lambda: _pair(physical_sector_bytes=8192),
    "ashift.nine-locks-out-4k": lambda: _pair(ashift=9, physical_sector_bytes=512),
    "ashift.request-ignored": lambda: _pair(ashift=9, version="2.3.2"),
    "ashift.mixed-physical": lambda: _one_odd(physical_sector_bytes=512),
    "ashift.mixed-logical": lambda: _one_odd(logical_sector_bytes=4096),
    "ashift.sector-unknown": lambda: _one_odd(physical_sector_bytes=None),
    "ashift.offers-4096": lambda: _one_odd(
        media=Media.NVME, lba_formats=(LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096))
    ),
    "capacity.planned-above-eighty": lambda: _eight(budget=Budget(least_usable_bytes=81 * TB)),
    "reserve.swap-not-mirrored": lambda: _beside_data("swap=2GiB"),
    "reserve.one-esp": lambda: _beside_data("esp@1"),
    "reserve.esp-kept-alike": lambda: _beside_data("esp"),
    "reserve.truenas-no-more": lambda: _beside_data("truenas"),
    "create.no-data-vdev": lambda: design(bare(TEN[0], VdevClass.SPARE), of=TEN),
    "create.mirror-members": lambda: design(mirror(TEN[0]), of=TEN),
    "create.support-mirror-members": lambda: design(raidz(TEN[:8], 2), mirror(TEN[8], role=VdevClass.LOG), of=TEN),
    "create.raidz-members": lambda: design(raidz(TEN[:2], 2), of=TEN),
    "create.parity-range": lambda: design(raidz(TEN[:8], 4), of=TEN),
    "create.widest-group": lambda: design(raidz(disks(256), 3), of=disks(256)),
    "create.draid-groups": lambda: _draid(width=10, data=8, spares=1),
    "create.draid-most-spares": lambda: _draid(width=120, data=8, spares=101),
    "create.draid-version": lambda: replace(_draid(), version=replace(_draid().version, major=2, minor=0, patch=7)),
    "create.member-too-small": lambda: _pair(size_bytes=60 << 20),
    "create.support-member-too-small": lambda: design(
        raidz(TEN[:8], 2), bare(disk(50, 60 << 20), VdevClass.LOG), of=(*TEN, disk(50, 60 << 20))
    ),
    "create.sizes-differ": lambda: design(mirror(disk(0), disk(1, ONE_TB)), of=(disk(0), disk(1, ONE_TB))),
    "create.replication-mismatch": lambda: design(raidz(TEN[:6], 2), mirror(*TEN[6:8], role=VdevClass.SPECIAL), of=TEN),
    "create.disk-twice": lambda: design(mirror(TEN[0], TEN[1]), mirror(TEN[1], TEN[2]), of=TEN),
    "create.log-kind": lambda: _beside(VdevClass.LOG, RAIDZ, members=3, parity=1),
    "create.special-kind": lambda: _beside(VdevClass.SPECIAL, RAIDZ, members=4, parity=2, version="2.3.2"),
    "create.plain-devices": lambda: _beside(VdevClass.CACHE, MIRROR, members=2),
    "create.ashift-range": lambda: _eight(ashift=17),
    "create.ashift-below-logical": lambda: _pair(ashift=9, logical_sector_bytes=4096),
    "datasets.checksum-off": lambda: _with_root(checksum="off"),
    "datasets.checksum-sha256": lambda: replace(_with_root(checksum="sha256"), workload=Workload(goal=Goal.SPEED)),
    "datasets.checksum-blake3": lambda: _pair(version="2.1.11", root={"checksum": "blake3"}),
    "datasets.sync-disabled": lambda: _with_root(sync="disabled"),
    "datasets.compression-off": lambda: _with_root(compression="off"),
    "datasets.compression-gzip": lambda: replace(_with_root(compression="gzip"), workload=Workload(goal=Goal.SPEED)),
    "datasets.atime-on": lambda: _with_root(atime="on", relatime="off"),
    "datasets.xattr-dir": lambda: _pair(version="2.2.2", root={"xattr": "on"}),
    "datasets.record-valid": lambda: _with_root(recordsize="100K"),
    "datasets.record-above-1m": lambda: _pair(version="2.1.11", root={"recordsize": "4M"}),
    "datasets.record-small": lambda: _with_root(recordsize="64K"),
    "datasets.record-below-sector": lambda: _with_root(recordsize="512"),
    "datasets.record-one-sector": lambda: _with_root(recordsize="4K", compression="lz4"),
    "datasets.record-wasteful": lambda: _with_root(recordsize="8K"),
    "datasets.dedup": lambda: _with_root(dedup="on"),
    "datasets.dedup-ram": lambda: _eight(root={"dedup": "on"}, host=Host(ram_bytes=16 << 30)),
    "disks.no-by-id": lambda: _one_odd(by_id=()),
    "disks.in-use": lambda: _one_odd(uses=(Use(kind=UseKind.MOUNTED, detail="/home"),)),
    "disks.failing": lambda: _one_odd(health=Health.FAILING),
    "disks.suspect": lambda: _one_odd(health=Health.SUSPECT),
    "disks.worn": lambda: _one_odd(media=Media.SSD, wear_percent=92),
    "disks.hot": lambda: _one_odd(temperature_celsius=58),
    "disks.usb": lambda: _one_odd(transport="usb"),
    "disks.repeated-serial": lambda: _one_odd(serial="Z4D000018KQ"),
    "disks.smr": lambda: _one_odd(smr=True),
    "disks.smr-in-raidz": lambda: _one_odd(smr=True),
    "disks.smr-parity-allowed": lambda: replace(_one_odd(smr=True), budget=Budget(allow=(Allowance.SHINGLED,))),
    "disks.mixed-media": lambda: _one_odd(media=Media.SSD),
    "disks.raid-controller": lambda: _eight(host=Host(controllers=(Controller(name="Broadcom MegaRAID SAS 9361-8i"),))),
    "disks.raid-controller-passes": lambda: design(
        raidz(TEN[:8], 2),
        of=TEN,
        host=Host(controllers=(Controller(name="PERC H730P Mini (03:00.0)", kind=ControllerKind.PASSING),)),
    ),
    "redundancy.none-for-safety": lambda: design(bare(TEN[0]), bare(TEN[1]), of=TEN),
    "redundancy.none-for-clients": lambda: design(bare(TEN[0]), of=TEN, goal=Goal.CONCURRENT),
    "redundancy.none-for-space": lambda: design(bare(TEN[0]), of=TEN, goal=Goal.SPACE),
    "redundancy.none-for-speed": lambda: design(bare(TEN[0]), of=TEN, goal=Goal.SPEED),
    "redundancy.parity-costs-speed": lambda: design(raidz(TEN[:8], 1), of=TEN, goal=Goal.SPEED),
    "redundancy.bare-disk-beside": lambda: design(raidz(TEN[:5], 1), bare(TEN[5]), of=TEN),
    "redundancy.uneven": lambda: design(raidz(TEN[:4], 1), raidz(TEN[4:8], 2), of=TEN),
    "redundancy.mixed-kinds": lambda: design(raidz(TEN[:4], 1), mirror(*TEN[4:6]), of=TEN),
    "redundancy.mixed-widths": lambda: design(raidz(TEN[:4], 1), raidz(TEN[4:10], 1), of=TEN),
    "redundancy.raidz-one-data-disk": lambda: design(raidz(TEN[:2], 1), of=TEN),
    "redundancy.single-parity-large": lambda: design(raidz(TEN[:5], 1), of=TEN),
    "redundancy.one-failure-for-safety": lambda: design(raidz(TEN[:3], 1), of=TEN),
    "redundancy.pair-for-safety": _pair,
    "redundancy.special-bare": lambda: _beside(VdevClass.SPECIAL),
    "redundancy.special-weaker": lambda: _beside(VdevClass.SPECIAL, MIRROR, members=2),
    "spares.none-for-safety": lambda: _twos(12),
    "spares.beside-lone-raidz": lambda: design(raidz(TEN[:8], 2), bare(TEN[8], VdevClass.SPARE), of=TEN),
    "spares.too-few": lambda: design(
        *(raidz(FORTY[n : n + 8], 2) for n in range(0, 40, 8)), bare(FORTY[40], VdevClass.SPARE), of=FORTY
    ),
    "spares.too-many": lambda: design(
        raidz(TEN[:6], 2), *(bare(member, VdevClass.SPARE) for member in TEN[6:]), of=TEN
    ),
    "spares.useless": lambda: design(bare(TEN[0]), bare(TEN[1], VdevClass.SPARE), of=TEN, goal=Goal.SPEED),
    "spares.too-small": lambda: design(
        mirror(*TEN[:2]), bare(disk(70, ONE_TB), VdevClass.SPARE), of=(*TEN, disk(70, ONE_TB))
    ),
    "spares.unused-disks": _eight,
    "support.log-without-sync": lambda: _beside(
        VdevClass.LOG, workload=Workload(goal=Goal.SAFETY, sync_write_percent=0)
    ),
    "support.log-not-mirrored": lambda: _beside(VdevClass.LOG),
    "support.cache-sequential": lambda: _beside(
        VdevClass.CACHE, workload=Workload(goal=Goal.SPEED, sequential_percent=95)
    ),
    "width.raidz-beyond-eight": lambda: design(raidz(TEN[:9], 2), of=TEN, version="0.6.5"),
    "width.group-beyond-usual": lambda: design(raidz(FORTY[:11], 2), of=FORTY),
    "width.group-beyond-usual-for-space": lambda: design(raidz(FORTY[:11], 2), of=FORTY, goal=Goal.SPACE),
    "width.raidz-too-wide": lambda: design(raidz(FORTY[:14], 3), of=FORTY),
    "width.too-many-vdevs": lambda: _twos(42, version="0.6.5"),
    "width.too-many-vdevs-once": lambda: _twos(42),
    "width.one-vdev-many-clients": lambda: _eight(goal=Goal.CONCURRENT),
    "width.small-blocks-on-raidz": lambda: _eight(workload=Workload(goal=Goal.CONCURRENT, io_size_bytes=8192)),
    "draid.whole-stripes": lambda: _draid(width=12, data=8),
    "raidz.many-clients": lambda: design(raidz(TEN[:5], 2), raidz(TEN[5:], 2), of=TEN, goal=Goal.CONCURRENT),
    "draid.for-many-disks": lambda: _draid(width=20, data=8),
    "draid.wide-groups": lambda: _draid(width=20, data=16),
    "draid.no-expansion": _draid,
    "members.shared-disk": lambda: design(*(sliced(TEN[:5], 2 * TB, part) for part in (1, 2)), of=TEN),
    "width.draid-few-disks": lambda: _draid(width=8),
    "width.draid-no-spare": lambda: _draid(spares=0),
    "width.draid-data-power-of-two": lambda: _draid(data=5),
}


@pytest.mark.parametrize("rule_id", sorted(PLANS))
def test_that_a_plan_violates_the_rule_and_is_told_in_full(rule_id: str, shipped: RuleBook) -> None:
    plan = PLANS[rule_id]()
    found = judge_design(shipped, plan.design, plan.numbers, plan.rebuild)
    finding = next((f for f in found if f.rule_id == rule_id and f.outcome is Outcome.VIOLATED), None)
    assert finding is not None
    assert "unknown" not in f"{finding.text} {finding.why} {finding.advice}"


def _with_its_data(rule: Rule) -> Iterator[Design]:
    """Yield the designs above with the data that an example violates the rule with: for a rule that has none."""
    for told in (dict(example.facts) for example in rule.examples if example.outcome is Outcome.VIOLATED):
        work = apply_preset(Workload(goal=Goal(str(told.get("goal", "safety")))), preset(str(told.get("workload.use"))))
        typed = {d: told[f"workload.{d}"] for d in DETAILS if f"workload.{d}" in told and d != "sharing"}
        for made in (*(make() for make in VIOLATIONS.values()), *(make().design for make in PLANS.values())):
            yield replace(made, workload=replace(work, **typed))  # type: ignore[arg-type]


def test_that_a_design_violates_every_rule(shipped: RuleBook) -> None:
    of_pools = {rule.id for rule in shipped.rules if rule.scope is Scope.EXISTING}
    for rule in (r for r in shipped.rules if r.id not in PLANS.keys() | VIOLATIONS.keys() | of_pools):
        judged = (judge_design(shipped, made, NUMBERS) for made in _with_its_data(rule))
        found = (f.rule_id for findings in judged for f in findings if f.outcome is Outcome.VIOLATED)
        assert rule.id in found, f"add a design that violates {rule.id} to tests/rules/plans.py"


def test_that_a_fast_pool_of_twenty_disks_draws_only_the_warning_of_its_risk(shipped: RuleBook) -> None:
    planned = design(*(bare(member) for member in FORTY[:20]), of=FORTY[:20], goal=Goal.SPEED)
    found = judge_design(shipped, planned, LayoutNumbers(usable_bytes=100 * TB))
    told = [(f.rule_id, f.severity) for f in found if f.outcome is Outcome.VIOLATED]
    assert told == [("redundancy.none-for-speed", Severity.WARN)]


def test_that_many_mirrors_for_many_clients_violate_no_rule(shipped: RuleBook) -> None:
    mirrors = [mirror(FORTY[n], FORTY[n + 1]) for n in range(0, 40, 2)]
    spares = [bare(member, VdevClass.SPARE) for member in FORTY[40:]]
    planned = design(*mirrors, *spares, of=FORTY, goal=Goal.CONCURRENT)
    found = judge_design(shipped, planned, LayoutNumbers(usable_bytes=100 * TB))
    assert [f.rule_id for f in found if f.outcome is Outcome.VIOLATED] == []


def test_that_what_was_measured_cites_where(shipped: RuleBook) -> None:
    everything: tuple[AnyRule, ...] = (*shipped.rules, *shipped.properties, *shipped.advice)
    measured = [rule for rule in everything if rule.basis is RuleBasis.MEASURED]
    assert [rule.id for rule in measured if not any(s.kind in ("table", "document") for s in rule.sources)] == []
    assert sum(1 for rule in measured if any(s.kind == "table" for s in rule.sources)) > 30


def test_that_a_prediction_nobody_made_is_no_news(shipped: RuleBook) -> None:
    found = judge_design(shipped, design(raidz(TEN[:8], 2), of=TEN), LayoutNumbers(usable_bytes=TB))
    assert not {f.rule_id for f in found} & {"expected.yearly-loss", "expected.long-rebuild", "expected.scrub-too-long"}


def test_that_what_is_unknown_is_said_in_a_helpful_sentence(shipped: RuleBook) -> None:
    unseen = disks(8, smr=None, transport=None, health=None)
    found = judge_design(shipped, design(raidz(unseen, 2), of=unseen, host=Host()), LayoutNumbers(usable_bytes=TB))
    texts = {f.rule_id: f.text for f in found if f.outcome is Outcome.CANNOT_TELL}
    assert texts["disks.raid-controller"] == "Controller unknown. Use an HBA, not RAID mode."
    assert "and 7 more" not in texts["disks.smr"]
    assert texts["disks.smr"].startswith("8 disks: ")


def test_that_every_rule_has_a_source_and_tells_what_to_do(shipped: RuleBook) -> None:
    assert all(rule.sources for rule in shipped.rules)
    assert [rule.id for rule in shipped.rules if not rule.advice.parts] == []


def test_that_disks_not_bought_yet_are_asked_nothing_that_nobody_can_know(shipped: RuleBook) -> None:
    planned = disks(
        8, planned=True, by_id=(), serial=None, health=None, smr=None, transport=None, temperature_celsius=None
    )
    found = judge_design(shipped, design(raidz(planned, 2), of=planned, host=Host()), LayoutNumbers(usable_bytes=TB))
    assert [f.rule_id for f in found if f.outcome is Outcome.CANNOT_TELL] == []


def test_that_what_was_typed_of_a_planned_disk_counts(shipped: RuleBook) -> None:
    planned = disks(8, planned=True, smr=True, transport="usb")
    found = judge_design(shipped, design(raidz(planned, 2), of=planned), LayoutNumbers(usable_bytes=TB))
    told = {f.rule_id for f in found if f.outcome is Outcome.VIOLATED}
    assert {"disks.usb", "disks.smr", "disks.smr-in-raidz"} <= told


def test_that_no_text_says_a_plural_of_one(shipped: RuleBook) -> None:
    statements: tuple[RuleStatement, ...] = (*shipped.rules, *shipped.properties, *shipped.advice)
    advice = [rule.advice for rule in shipped.rules]
    # Limits are no ones.
    shown = [
        text.fill(lambda name: 7 if name.startswith("limit.") else 1)
        for text in (*(s.text for s in statements), *(s.why for s in statements), *advice)
    ]
    kinds = "data|flash|distributed|redundant|shingled \\(SMR\\)"
    things = "disks|vdevs|spares|devices|failures|days|years|sectors|clients|ones"
    plural = re.compile(rf"(?<!All )\b1 (({kinds}) )?({things})\b")
    assert [text for text in shown if plural.search(text)] == []


def test_that_one_disk_left_over_is_told_as_one(shipped: RuleBook) -> None:
    found = judge_design(shipped, design(raidz(TEN[:9], 2), of=TEN), replace(NUMBERS, unassigned_disks=1))
    assert "1 disk is not used." in [finding.text for finding in found]
