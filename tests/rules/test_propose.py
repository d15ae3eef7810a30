"""Properties proposed for a pool: the right value for disks, goal, version and workload."""

from dataclasses import replace

import pytest
from tests.rules.machines import design, disk, disks, premises, raidz
from tests.rules.test_datasets_below import _of_preset

from poolwright.domain.dataset_properties import space_bytes, value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Disk, Media
from poolwright.domain.pool_settings import IMPORT_TARGETS
from poolwright.domain.units import GIB, KIB
from poolwright.domain.workload import Budget, Goal, Sharing, Workload
from poolwright.predict.assumptions import usual_record
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.presets import PRESETS
from poolwright.rules.propose import Proposals, proposals_for, propose_properties
from poolwright.rules.rulebook import RuleBook


def _propose(book: RuleBook, workload: Workload | None = None, version: str = "2.3.9", **changes: object) -> Proposals:
    of = disks(8, **changes)  # type: ignore[arg-type]
    return propose_properties(book, premises(of, workload or Goal.SAFETY, version=version))


def _all(proposals: Proposals) -> tuple[Setting, ...]:
    assert proposals.ashift is not None
    return (proposals.ashift, *proposals.pool, *proposals.root)


def _root(proposals: Proposals) -> dict[str, str]:
    return {setting.name: setting.value for setting in proposals.root}


@pytest.mark.parametrize(
    ("physical", "ashift"), [(512, 12), (4096, 12), (8192, 13), (16384, 14), (131072, 12), (None, 12)]
)
def test_that_ashift_follows_the_physical_sector_size(physical: int | None, ashift: int, shipped: RuleBook) -> None:
    assert _all(_propose(shipped, physical_sector_bytes=physical))[0].value == str(ashift)


def test_that_one_unknown_sector_size_gives_the_safe_ashift_and_says_so(shipped: RuleBook) -> None:
    mixed = (*disks(3), disk(3, physical_sector_bytes=None))
    ashift = _all(propose_properties(shipped, premises(mixed)))[0]
    assert (ashift.value, ashift.rule_id) == ("12", "property.ashift-safe")
    assert "unknown" in ashift.reason


@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("asked", [None, 4, 8, 16, 32, 64, 128, 256, 1024, 4096])
@pytest.mark.parametrize("sequential", [None, 10, 90])
def test_that_predictions_take_the_records_that_are_proposed(
    goal: Goal, asked: int | None, sequential: int | None, shipped: RuleBook
) -> None:
    io_size = None if asked is None else asked * KIB
    workload = Workload(goal=goal, io_size_bytes=io_size, sequential_percent=sequential)
    assert usual_record(workload) == space_bytes(_root(_propose(shipped, workload))["recordsize"])


def test_that_no_property_is_proposed_twice_and_each_has_its_reason(shipped: RuleBook) -> None:
    settings = _all(_propose(shipped, Workload(goal=Goal.SPEED, sharing=Sharing.SMB), media=Media.SSD))
    assert len(settings) == len({setting.name for setting in settings})
    assert all(setting.reason and setting.rule_id for setting in settings)


def test_that_the_users_own_proposal_wins_over_the_shipped_one(shipped: RuleBook) -> None:
    ours = next(rule for rule in shipped.properties if rule.id == "property.compression-lz4")
    zstd = next(rule for rule in shipped.properties if rule.id == "property.atime-off")
    own = replace(zstd, id="own.compression", target="dataset.compression", users_own=True)
    book = replace(shipped, properties=(*shipped.properties, own))
    assert _of(_propose(book), "compression") == "own.compression"
    higher = replace(book, properties=(replace(ours, priority=1), own))
    assert _of(_propose(higher), "compression") == "property.compression-lz4"


def _of(proposals: Proposals, name: str) -> str | None:
    """Return the rule that proposes this property of the root."""
    return next(setting.rule_id for setting in proposals.root if setting.name == name)


def test_that_of_proposals_of_one_weight_the_one_for_the_goal_wins_over_the_one_for_all(shipped: RuleBook) -> None:
    ours = next(rule for rule in shipped.properties if rule.id == "property.compression-lz4")
    plain = next(rule for rule in shipped.properties if rule.id == "property.atime-off")
    of_all = replace(plain, id="own.all", target="dataset.compression", priority=9, goals=frozenset())
    of_goal = replace(of_all, id="own.safety", goals=frozenset((Goal.SAFETY,)))
    for rules in ((of_all, of_goal), (of_goal, of_all)):
        book = replace(shipped, properties=(ours, *rules))
        assert _of(_propose(book), "compression") == "own.safety"


TEN = disks(10)


def made(*datasets: Dataset) -> Design:
    return replace(design(raidz(TEN[:8], 2), of=TEN), datasets=datasets)


def values(book: RuleBook, of: Design, dataset: Dataset) -> dict[str, str]:
    return {setting.name: setting.value for setting in proposals_for(book, of, dataset)}


@pytest.mark.parametrize("volume", [None, 10 * GIB])
@pytest.mark.parametrize("key", [known.key for known in PRESETS])
def test_that_each_proposal_can_be_set_and_has_its_reason_rule_and_source(
    key: str, volume: int | None, shipped: RuleBook
) -> None:
    dataset = Dataset(name="new", volume_bytes=volume, workload=_of_preset(key))
    found = proposals_for(shipped, made(dataset), dataset)
    assert found
    for setting in found:
        problem = value_problem(setting.name, setting.value, made().version, volume=volume is not None)
        assert problem is None
        assert setting.reason
        assert setting.rule_id is not None
        rule = shipped.rule(setting.rule_id)
        assert rule is not None
        assert rule.sources


def test_that_a_volume_gets_its_block_and_a_database_its_records(shipped: RuleBook) -> None:
    volume = Dataset(name="vm/disk1", volume_bytes=10 * GIB, workload=_of_preset("vm-images"))
    files = Dataset(name="db", workload=_of_preset("database"))
    assert values(shipped, made(volume), volume)["volblocksize"] == "16K"
    assert values(shipped, made(files), files)["recordsize"] == "16K"


def test_that_a_filesystem_of_disk_images_gets_a_recordsize_and_no_block(shipped: RuleBook) -> None:
    images = Dataset(name="images", workload=_of_preset("vm-images"))
    found = values(shipped, made(images), images)
    assert "volblocksize" not in found
    assert found["recordsize"] in ("16K", "32K", "64K")


def test_that_what_is_inherited_already_is_not_proposed_again(shipped: RuleBook) -> None:
    media = Dataset(name="media", workload=_of_preset("media-archive"))
    alone = values(shipped, made(media), media)
    assert alone["recordsize"] == "1M"
    parent = Dataset(name="", settings=(Setting(name="recordsize", value="1048576"),))
    assert "recordsize" not in values(shipped, made(parent, media), media)
    # What the dataset itself has now does not matter: it is what is being proposed.
    own = replace(media, settings=(Setting(name="recordsize", value="1M"),))
    assert values(shipped, made(own), own)["recordsize"] == "1M"


def test_that_the_judgement_looks_at_the_datasets_own_workload(shipped: RuleBook) -> None:
    numbers = LayoutNumbers(usable_bytes=10**13)
    records = Dataset(name="db", settings=(Setting(name="recordsize", value="1M"),))
    plain = judge_design(shipped, made(records), numbers)
    own = judge_design(shipped, made(replace(records, workload=_of_preset("database"))), numbers)
    told = [{(f.rule_id, f.outcome) for f in findings if f.subject == "tank/db"} for findings in (plain, own)]
    assert told[0] != told[1]


def proposed(book: RuleBook, system: str, version: str = "2.4.1", preset: str | None = None) -> Proposals:
    disks = [Disk(key=f"d{n}", path=f"/dev/sd{n}", size_bytes=10**12, media=Media.HDD) for n in range(4)]
    workload = Workload(goal=Goal.SAFETY, preset=preset)
    return propose_properties(book, premises(disks, workload, version=version, budget=Budget(import_on=system)))


# What the files in cmd/zpool/compatibility.d of OpenZFS are called.
FILES = {
    "0.7": "zol-0.7",
    "0.8": "zol-0.8",
    "2.0": "openzfs-2.0-linux",
    "2.1": "openzfs-2.1-linux",
    "2.2": "openzfs-2.2",
    "2.3": "openzfs-2.3",
    "2.4": "openzfs-2.4",
    "freebsd-13": "openzfs-2.1-freebsd",
    "freebsd-14": "openzfs-2.2",
    "grub2": "grub2",
}


def test_that_every_system_has_its_file_of_features(shipped: RuleBook) -> None:
    assert {target.key for target in IMPORT_TARGETS} == FILES.keys()
    for system, name in FILES.items():
        assert {s.name: s.value for s in proposed(shipped, system).pool}["compatibility"] == name


@pytest.mark.parametrize(("system", "version"), [("2.3", "2.2.4"), ("2.2", "2.1.11"), ("freebsd-14", "2.1.11")])
def test_that_a_system_newer_than_the_host_asks_for_nothing(shipped: RuleBook, system: str, version: str) -> None:
    assert "compatibility" not in {s.name for s in proposed(shipped, system, version).pool}


def test_that_no_newer_compression_is_proposed_where_another_system_must_read_it(shipped: RuleBook) -> None:
    for system in ("0.8", "grub2"):
        backup = proposed(shipped, system, preset="backup-target").datasets[0]
        assert "zstd" not in {s.value for s in backup.settings}
