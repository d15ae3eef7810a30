"""What source documents conclude for their own machines, as rules and properties say it.

What layouts and settings follow from that is in `tests/design/test_golden_designs.py`.
"""

from dataclasses import replace

from tests.rules.machines import bare, design, disks, mirror, premises, raidz

from poolwright import paths
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Host, Inventory
from poolwright.domain.units import GIB, TB
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import advice_for
from poolwright.machine.examples import example_file, load_example
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.propose import propose_dataset
from poolwright.rules.rulebook import RuleBook

OLD = ZfsVersion(0, 6, 5)  # what the thesis and the Wikibook measured


def _machine(name: str) -> Inventory:
    text = (paths.resources_folder() / "machines" / example_file(name)).read_text(encoding="utf-8")
    return load_example(name, text)


def _hard_disks(inventory: Inventory) -> tuple[Disk, ...]:
    return tuple(disk for disk in inventory.disks if disk.media is Media.HDD)


def _found(book: RuleBook, planned: Design, usable: int = 100 * TB) -> dict[str, Finding]:
    found = judge_design(book, planned, LayoutNumbers(usable_bytes=usable))
    return {f.rule_id: f for f in found if f.outcome is Outcome.VIOLATED}


def test_that_the_thesis_machine_is_safe_as_raidz2_of_eight_with_spares(shipped: RuleBook) -> None:
    inventory = _machine("thesis")
    data = _hard_disks(inventory)
    assert len(data) == 44
    vdevs = [raidz(data[n : n + 8], 2) for n in range(0, 40, 8)]
    spares = [bare(one, VdevClass.SPARE) for one in data[40:]]
    planned = design(*vdevs, *spares, of=inventory.disks, host=inventory.host)
    assert _found(shipped, planned) == {}
    wide = design(*(raidz(data[n : n + 11], 2) for n in range(0, 44, 11)), of=inventory.disks, host=inventory.host)
    told = _found(shipped, wide).keys()
    assert {"width.group-beyond-usual"} <= told
    assert "width.raidz-beyond-eight" in _found(shipped, replace(wide, version=OLD))
    advised = {advice.rule_id: advice for advice in advice_for(shipped, planned)}
    assert {"advice.scrub-timer", "advice.snapshot", "advice.backup-first", "advice.zed"} <= advised.keys()
    assert "checksum" in (advised["advice.cryptographic-checksum"].command or "")


def test_that_many_clients_of_the_thesis_want_many_vdevs(shipped: RuleBook) -> None:
    inventory = _machine("thesis")
    data = _hard_disks(inventory)
    workload = Workload(goal=Goal.CONCURRENT, clients=1000)
    one = design(raidz(data[:8], 2), of=inventory.disks, workload=workload, host=inventory.host)
    many = design(*(mirror(data[n], data[n + 1]) for n in range(0, 40, 2)), of=inventory.disks, workload=workload,
                  host=inventory.host)  # fmt: skip
    assert "width.one-vdev-many-clients" in _found(shipped, one)
    assert "width.one-vdev-many-clients" not in _found(shipped, many)
    # Rates grew up to 250 jobs; the thesis tried up to 1000.
    assert "250" in _found(shipped, many)["expected.clients-beyond-knee"].advice


def test_that_the_log_of_the_thesis_suits_synchronous_writes_and_nothing_else(shipped: RuleBook) -> None:
    inventory = _machine("thesis")
    data, (cache, log) = _hard_disks(inventory), [one for one in inventory.disks if one.media is Media.SSD]
    vdevs = [raidz(data[n : n + 8], 2) for n in range(0, 40, 8)]
    support = (bare(log, VdevClass.LOG), bare(cache, VdevClass.CACHE))
    for percent, idle in ((0, True), (50, False)):
        workload = Workload(goal=Goal.CONCURRENT, sync_write_percent=percent, sequential_percent=10)
        planned = design(*vdevs, *support, of=inventory.disks, workload=workload, host=inventory.host)
        found = _found(shipped, planned)
        assert ("support.log-without-sync" in found) is idle
        assert "synchronous.no-log" not in found
        assert "cache.little-ram" not in found


def test_that_ashift_9_and_partitions_have_their_price_on_the_mac_blogs_five_disks(shipped: RuleBook) -> None:
    inventory = _machine("macblog")
    nine = design(raidz(inventory.disks, 2), of=inventory.disks, ashift=9, host=inventory.host)
    finding = _found(shipped, nine)["ashift.below-physical"]
    assert finding.severity is Severity.BLOCK
    assert "12 instead of 92" in finding.why
    whole = raidz(inventory.disks, 2)
    cut = replace(whole, members=tuple(replace(m, slice_bytes=2 * TB - 400 * 10**6) for m in whole.members))
    price = _found(shipped, design(cut, of=inventory.disks, host=inventory.host))["members.partitions"]
    assert "5 %" in price.why
    # Whole disks of 2 and 3 TB waste the difference; cut to one size nothing is wasted.
    assert "create.sizes-differ" in _found(shipped, design(whole, of=inventory.disks, host=inventory.host))
    assert "create.sizes-differ" not in _found(shipped, design(cut, of=inventory.disks, host=inventory.host))


def test_that_a_gigabit_network_makes_the_blogs_raidz2_good_enough(shipped: RuleBook) -> None:
    inventory = _machine("macblog")
    workload = Workload(goal=Goal.CONCURRENT, network_bytes_per_second=125_000_000)
    found = _found(shipped, design(raidz(inventory.disks, 2), of=inventory.disks, workload=workload))
    assert "expected.one-gigabit" in found
    assert "30 %" in found["raidz.second-parity-price"].why


def test_that_the_papers_three_disks_hold_three_volumes(shipped: RuleBook) -> None:
    inventory = _machine("paper")
    workload = Workload(
        goal=Goal.CONCURRENT, volumes=True, sync_write_percent=20, io_size_bytes=128 << 10, sequential_percent=0
    )
    striped = design(*(bare(one) for one in inventory.disks), of=inventory.disks, workload=workload, host=Host())
    volume = (Setting(name="volblocksize", value="128K"),)
    three = tuple(Dataset(name=f"vol{n}", volume_bytes=10 * GIB, settings=volume) for n in range(3))
    planned = replace(striped, datasets=(*striped.datasets, *three))
    found = _found(shipped, planned, usable=TB)
    assert "synchronous.no-log" in found
    assert not any(rule_id.startswith("records.volume") for rule_id in found)
    layout: Layout = (VdevSpec(kind=VdevKind.STRIPE, sizes=(inventory.disks[0].size_bytes or 0,) * 3),)
    around = premises(inventory.disks, replace(workload, volumes=True))
    values = {s.name: s.value for s in propose_dataset(shipped, around, layout=layout, volume=True)}
    assert (values["volblocksize"], values["sync"]) == ("128K", "standard")
    assert "advice.synchronous-volumes" in {advice.rule_id for advice in advice_for(shipped, planned)}
    # What the paper changed is what OpenZFS before 0.8 lacked.
    old = replace(planned, version=ZfsVersion(0, 7, 13))
    assert "synchronous.waiting-commits" in _found(shipped, old, usable=TB)
    assert "synchronous.waiting-commits" not in found


def test_that_disks_of_one_example_are_not_taken_for_one_delivery(shipped: RuleBook) -> None:
    data = _hard_disks(_machine("thesis"))
    assert "members.one-delivery" not in _found(shipped, design(raidz(data[:8], 2), of=data))
    assert "members.one-delivery" not in _found(shipped, design(raidz(disks(8), 2), of=disks(8)))
