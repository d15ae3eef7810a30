"""Every rule, property and piece of advice is reached from the disks and the host of a recorded or shipped machine.

The designs are those of `plans` and `test_shipped_rules`, seated on a machine: its disks in its order, its host as it
is. Predictions come from the models. Where such a design does not fit, one is made here by hand.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import pytest
from tests.rules.machines import bare, design, mirror, premises, raidz
from tests.rules.plans import BAD_CABLE, FAILED, PLANS
from tests.rules.recorded import MACHINES, machine, machine_names, seated
from tests.rules.test_shipped_rules import VIOLATIONS

from poolwright.design.evaluate import DEFAULTS, evaluate, unassigned_of
from poolwright.domain.burn_in import BurnIn
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Inventory
from poolwright.domain.pool import PropertyValue
from poolwright.domain.pool_settings import IMPORT_TARGETS
from poolwright.domain.units import GIB, TB
from poolwright.domain.vdev import VdevClass
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Allowance, Budget, Goal, Sharing, Workload
from poolwright.machine.zpool.existing import PoolReadings, existing_pools
from poolwright.machine.zpool.status import read_zpool_status
from poolwright.predict.assumptions import Assumptions
from poolwright.rules.dataset_plan import planned_datasets
from poolwright.rules.existing_judge import judge_existing
from poolwright.rules.presets import PRESETS, apply_preset, preset
from poolwright.rules.propose import advise_host, propose_dataset, propose_properties
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book

TODAY = date(2026, 11, 20)
THESIS = "example/thesis"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """A design made for a machine, and what a person says of its use."""

    on: str
    made: Callable[[Inventory], Design]
    assumed: Assumptions = DEFAULTS


def _disks(on: Inventory, count: int, *media: Media | None) -> tuple[Disk, ...]:
    fitting = [disk for disk in on.disks if disk.size_bytes and (not media or disk.media in media)]
    return tuple(fitting[:count])


def _raidz(count: int, parity: int = 2, **more: Any) -> Callable[[Inventory], Design]:
    return lambda on: replace(design(raidz(_disks(on, count), parity), of=on.disks, **more), host=on.host)


def _mirror(count: int = 2, **more: Any) -> Callable[[Inventory], Design]:
    return lambda on: replace(design(mirror(*_disks(on, count)), of=on.disks, **more), host=on.host)


def _beside(role: VdevClass, count: int) -> Callable[[Inventory], Design]:
    """Two hard disks as a mirror, and so many flash drives beside it."""

    def made(on: Inventory) -> Design:
        flash = _disks(on, count, Media.SSD, Media.NVME)
        extra = bare(flash[0], role) if count == 1 else mirror(*flash, role=role)
        return replace(design(mirror(*_disks(on, 2, Media.HDD)), extra, of=on.disks), host=on.host)

    return made


GROWING = Assumptions(used_bytes=20 * TB, growth_percent=60)


def _log_before_flash(on: Inventory) -> Design:
    data, log = _disks(on, 2, Media.SSD)
    return replace(design(bare(data), bare(log, VdevClass.LOG), of=on.disks), host=on.host)


def _after(burn_in: BurnIn) -> Callable[[Inventory], Design]:
    return lambda on: replace(_mirror()(on), disks=tuple(replace(disk, burn_in=burn_in) for disk in on.disks))


BY_HAND: dict[str, ByHand] = {
    "support.log-before-flash": ByHand(on=THESIS, made=_log_before_flash),
    "ashift.flash-page": ByHand(on="designs/flash-pages-8k", made=_mirror()),
    "ashift.mixed-logical": ByHand(on="cases/4kn-with-512e", made=_raidz(6)),
    "ashift.sector-unknown": ByHand(on="example/paper", made=_mirror(3)),
    "disks.worn": ByHand(on="cases/worn-ssd", made=_mirror()),
    "disks.hot": ByHand(on="cases/hot-disk", made=_raidz(4)),
    "disks.smr": ByHand(on="cases/smr-three", made=_mirror()),
    "disks.smr-in-raidz": ByHand(on="cases/smr-three", made=_raidz(3, 1)),
    "disks.smr-parity-allowed": ByHand(
        on="cases/smr-three", made=_raidz(3, 1, budget=Budget(allow=(Allowance.SHINGLED,)))),
    "disks.burn-in": ByHand(on=THESIS, made=_after(FAILED)),
    "disks.burn-in-watch": ByHand(on=THESIS, made=_after(BAD_CABLE)),
    "members.old": ByHand(on="cases/old-disks", made=_mirror()),
    "members.exported-pool": ByHand(on="cases/exported-pool", made=_raidz(4)),
    "special.small": ByHand(on=THESIS, made=lambda on: replace(
        design(raidz(_disks(on, 40, Media.HDD), 3), mirror(*_disks(on, 2, Media.SSD), role=VdevClass.SPECIAL),
               of=on.disks), host=on.host)),
    "synchronous.log-power-loss": ByHand(on="example/tunables", made=_beside(VdevClass.LOG, 1)),
    "expected.days-of-rebuild": ByHand(on="cases/smr-six", made=_raidz(6)),
    "expected.yearly-loss": ByHand(on="cases/ninety-two-shelves", made=_raidz(90, 1)),
    "expected.one-gigabit": ByHand(
        on=THESIS, made=_raidz(8, workload=Workload(goal=Goal.SAFETY, network_bytes_per_second=125_000_000))
    ),
    "expected.scrub-too-long": ByHand(
        on="cases/ninety-two-shelves", made=_raidz(8), assumed=Assumptions(load_percent=80)
    ),
    "expected.full-soon": ByHand(on=THESIS, made=_raidz(8), assumed=GROWING),
    "datasets.overcommitted": ByHand(on=THESIS, made=lambda on: replace(_raidz(8)(on), datasets=(
        Dataset(name="vm", volume_bytes=90 * TB, settings=(Setting(name="refreservation", value="none"),)),))),
    "datasets.quotas-beyond": ByHand(on=THESIS, made=lambda on: replace(_raidz(8)(on), datasets=(
        Dataset(name="home", settings=(Setting(name="quota", value="90T"),)),))),
}  # fmt: skip
# Where most rules are reached, then what was made for one of them; a case has fewer disks the later it was told.
ORDER = (THESIS, *sorted(set(machine_names()) - {THESIS}, key=lambda name: (name.partition("/")[0] != "designs", name)))


def _told(book: RuleBook, made: Design, on: Inventory, assumed: Assumptions = DEFAULTS) -> dict[str, Finding]:
    offered = [disk.key for disk in on.disks]
    found = evaluate(
        made, drives=load_drive_book(), today=TODAY, rules=book, assumed=assumed,
        unassigned_disks=unassigned_of(made, offered),
    ).findings  # fmt: skip
    assert found is not None
    return {finding.rule_id: finding for finding in found if finding.outcome is Outcome.VIOLATED}


@pytest.mark.parametrize("rule_id", sorted((VIOLATIONS.keys() | PLANS.keys()) - BY_HAND.keys()))
def test_that_a_machine_reaches_the_rule(rule_id: str, shipped: RuleBook) -> None:
    recipe = PLANS[rule_id]().design if rule_id in PLANS else VIOLATIONS[rule_id]()
    seats = ((seated(recipe, on), on) for on in map(machine, ORDER))
    tried = (True for made, on in seats if made is not None and rule_id in _told(shipped, made, on))
    assert any(tried), "choose other disks, or record a machine"


@pytest.mark.parametrize("rule_id", sorted(BY_HAND))
def test_that_a_design_made_by_hand_on_a_machine_reaches_the_rule(rule_id: str, shipped: RuleBook) -> None:
    plan = BY_HAND[rule_id]
    on = machine(plan.on)
    assert rule_id in _told(shipped, plan.made(on), on, plan.assumed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A machine with what its owner wants of it."""

    on: str = THESIS
    goal: Goal = Goal.SAFETY
    use: str | None = None
    sharing: Sharing | None = None
    import_on: str | None = None
    system: str | None = None
    version: str = "2.3.9"
    special: bool = False
    bare: bool = False
    spare: bool = False
    encrypted: bool = False
    more: tuple[tuple[str, Any], ...] = ()

    def workload(self) -> Workload:
        plain = Workload(goal=self.goal)
        told = plain if self.use is None else apply_preset(plain, preset(self.use))
        return replace(told, sharing=self.sharing or told.sharing, **dict(self.more))


WISHES = (
    Wish(), Wish(system="proxmox-9"), Wish(system="ubuntu-24.04", version="2.2.2"),
    Wish(on="example/paper"), Wish(on="cases/ssd-only"),
    Wish(on="designs/freebsd-14"), Wish(on="designs/freebsd-14", sharing=Sharing.SMB),
    Wish(goal=Goal.SPEED), Wish(version="2.1.11"), Wish(spare=True), Wish(bare=True),
    Wish(encrypted=True),
    Wish(sharing=Sharing.NFS), Wish(sharing=Sharing.SMB), Wish(goal=Goal.CONCURRENT, sharing=Sharing.SMB),
    *(Wish(import_on=system.key) for system in IMPORT_TARGETS),
    *(Wish(use=use.key) for use in PRESETS),
    Wish(use="home-directories", version="2.2.2"),
    Wish(use="home-directories", on="designs/six-flash-drives", special=True),
    Wish(use="home-directories", goal=Goal.SPEED), Wish(use="database", goal=Goal.SPEED),
    Wish(use="database", more=(("working_set_bytes", 50 * GIB),)),
    Wish(more=(("duplicate_factor", 3.0),)),
    Wish(more=(("io_size_bytes", 16384), ("sequential_percent", 10))),
)  # fmt: skip


def _pool(wish: Wish) -> Design:
    on = machine(wish.on)
    hard = _disks(on, 8, Media.HDD, None) or _disks(on, 8)
    spare, members = hard[-1:], hard[:-1] if wish.spare else hard
    data = raidz(members, 2) if len(members) > 4 else mirror(*members)
    vdevs = [data, *(bare(disk, VdevClass.SPARE) for disk in spare if wish.spare)]
    if wish.bare:
        vdevs = [bare(disk) for disk in members]
    if wish.special:
        vdevs.append(mirror(*_disks(on, 3, Media.SSD, Media.NVME), role=VdevClass.SPECIAL))
    budget = Budget(import_on=wish.import_on, system=wish.system)
    made = design(*vdevs, of=on.disks, version=wish.version, workload=wish.workload(), budget=budget)
    if wish.encrypted:
        words = {"encryption": "on", "keyformat": "passphrase"}
        settings = tuple(Setting(name=name, value=value) for name, value in words.items())
        made = replace(made, datasets=(Dataset(name="", settings=settings),))
    return replace(made, host=on.host)


def _proposed(book: RuleBook, wish: Wish) -> Iterator[str | None]:
    made = _pool(wish)
    members, layout = [made.disk(member.disk_key) for member in made.vdevs[0].members], made.layout()
    around = premises(members, made.workload, version=str(made.version), budget=made.budget, host=made.host)
    found = propose_properties(book, around, layout=layout)
    # Of a dataset all that it asks for, what it inherits from the root as well.
    kinds = [*((one.workload, one.use) for one in planned_datasets(made.workload)), (made.workload, None)]
    asked = [(replace(around, workload=replace(w, volumes=use is None or w.volumes)), use) for w, use in kinds]
    own = (s for a, use in asked for s in propose_dataset(book, a, layout=layout, volume=use is None, use=use))
    every = (found.ashift, *found.pool, *found.root, *own)
    yield from (setting.rule_id for setting in every if setting is not None)


def test_that_every_property_is_proposed_for_a_machine(shipped: RuleBook) -> None:
    proposed = {rule_id for wish in WISHES for rule_id in _proposed(shipped, wish)}
    assert sorted({rule.id for rule in shipped.properties} - proposed) == []


def test_that_every_piece_of_advice_is_given_for_a_machine(shipped: RuleBook) -> None:
    given = {advice.rule_id for wish in WISHES for advice in advise_host(shipped, _pool(wish))}
    assert sorted({rule.id for rule in shipped.advice} - given) == []


# Pools made in a virtual machine with OpenZFS 2.3.2: `zpool status`, and name, capacity and fragmentation below it.
# Whole machines with pools made wrong on purpose: tests/design/test_audit_recorded.py, tests/changes/test_audit.py.
POOLS = {
    "existing.not-online": "not-online",
    "existing.errors": "errors",
    "existing.damaged-files": "damaged-files",
    "existing.spare-in-use": "spare-in-use",
    "existing.small-sectors": "small-sectors",
    "existing.full": "full",
    "existing.fragmented": "fragmented",
    "existing.scrub-overdue": "well",
    "existing.never-scrubbed": "never-scrubbed",
    "existing.unstable-names": "never-scrubbed",
}
LONG_AFTER = date(2027, 3, 1)
READ = Origin(kind=OriginKind.READ, source="a recording")


def _existing(book: RuleBook, name: str, today: date) -> set[str]:
    *status, listed = (MACHINES / "pools" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    _, fill, fragmentation = listed.split("\t")
    (pool,) = read_zpool_status("\n".join(status))
    (known,) = existing_pools((pool,), PoolReadings(), READ)
    told = {"capacity": fill, "fragmentation": fragmentation}
    known = replace(known, properties=tuple(PropertyValue(name=key, value=value) for key, value in told.items()))
    found = judge_existing(
        book, pool, known, workload=Workload(goal=Goal.SAFETY), version=ZfsVersion(2, 3, 2), today=today
    )
    return {finding.rule_id for finding in found if finding.outcome is Outcome.VIOLATED}


@pytest.mark.parametrize("rule_id", sorted(POOLS))
def test_that_a_pool_we_made_reaches_the_rule(rule_id: str, shipped: RuleBook) -> None:
    today = LONG_AFTER if rule_id == "existing.scrub-overdue" else TODAY
    assert rule_id in _existing(shipped, POOLS[rule_id], today)


def test_that_no_rule_speaks_of_a_pool_that_is_well(shipped: RuleBook) -> None:
    assert _existing(shipped, "well", TODAY) == set()
