"""Datasets proposed for a preset, and volumes: each with the values of its own data."""

from dataclasses import fields, replace
from itertools import combinations

import pytest
from tests.rules.machines import SIX_TB, design, disks, premises, raidz

from poolwright.domain.dataset_properties import space_bytes
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.finding import Outcome
from poolwright.domain.host import Host
from poolwright.domain.inheritance import Resolver
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.assumptions import load_of, usual_record
from poolwright.rules.dataset_plan import dataset_workload, planned_datasets, root_workload
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.presets import PRESETS, apply_preset, preset
from poolwright.rules.propose import Proposals, fitting_block, propose_dataset, propose_properties, with_workload_of
from poolwright.rules.rulebook import RuleBook, Scope

PAIRS = tuple(combinations([known.key for known in PRESETS], 2))
MIRRORS: Layout = (VdevSpec(kind=VdevKind.MIRROR, sizes=(SIX_TB,) * 2),) * 4
RAIDZ: Layout = (VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 8, parity=2),)
SPECIAL = VdevSpec(kind=VdevKind.MIRROR, sizes=(960197124096,) * 2, vdev_class=VdevClass.SPECIAL)


def _of_preset(key: str) -> Workload:
    chosen = preset(key)
    assert chosen is not None
    return replace(chosen.workload, preset=key)


def _propose(
    book: RuleBook,
    key: str,
    layout: Layout = MIRRORS,
    *,
    version: str = "2.3.9",
    host: Host | None = None,
    budget: Budget | None = None,
    **changes: object,
) -> Proposals:
    workload = replace(_of_preset(key), **changes)  # type: ignore[arg-type]
    around = premises(disks(8), workload, version=version, budget=budget, host=host)
    return propose_properties(book, around, layout=layout)


def _mixed(*keys: str) -> Workload:
    chosen = [preset(key) for key in keys]
    return apply_preset(Workload(goal=Goal.CONCURRENT), *chosen)


def _propose_for(book: RuleBook, workload: Workload, layout: Layout = MIRRORS) -> Proposals:
    return _propose(book, "smb", layout, **{f.name: getattr(workload, f.name) for f in fields(Workload)})


def _below(proposals: Proposals) -> dict[str, dict[str, str]]:
    return {
        dataset.name: {setting.name: setting.value for setting in dataset.settings} for dataset in proposals.datasets
    }


def test_that_every_preset_has_a_dataset_of_its_own() -> None:
    names = [planned_datasets(_of_preset(known.key))[0].name for known in PRESETS]
    assert len(set(names)) == len(PRESETS)


def test_that_a_workload_without_a_preset_leaves_everything_to_the_root(shipped: RuleBook) -> None:
    assert _below(_propose(shipped, "scratch", preset=None)) == {}


def test_that_the_root_stays_general_where_datasets_are_special(shipped: RuleBook) -> None:
    root = {setting.name: setting.value for setting in _propose(shipped, "database").root}
    assert (root["recordsize"], root["compression"], root["sync"], root["dedup"]) == ("128K", "lz4", "standard", "off")
    assert "logbias" not in root
    assert "acltype" not in {setting.name for setting in _propose(shipped, "smb").root}


def test_that_a_database_gets_pages_and_a_log(shipped: RuleBook) -> None:
    assert _below(_propose(shipped, "database")) == {
        "db": {"recordsize": "16K", "logbias": "latency", "primarycache": "all"},
        "db/log": {"recordsize": "128K", "primarycache": "metadata"},  # its parent has records of 16K
    }


@pytest.mark.parametrize("key", [known.key for known in PRESETS])
@pytest.mark.parametrize("asked", [None, 8, 16, 64, 128, 256, 1024])
@pytest.mark.parametrize("layout", [MIRRORS, RAIDZ])
def test_that_predictions_of_a_preset_take_the_records_of_its_main_dataset(
    key: str, asked: int | None, layout: Layout, shipped: RuleBook
) -> None:
    workload = replace(_of_preset(key), io_size_bytes=None if asked is None else asked << 10)
    if workload.volumes:
        return  # the blocks of volumes are chosen with their sizes
    proposals = _propose(shipped, key, layout, io_size_bytes=workload.io_size_bytes)
    datasets = (Dataset(name="", settings=proposals.root), *proposals.datasets)
    planned = replace(design(raidz(disks(8), 2), of=disks(8), workload=workload), datasets=datasets)
    main = datasets[1]
    in_force = space_bytes(Resolver(planned).value(main, "recordsize"))
    assert load_of(planned).record_bytes == usual_record(workload) == in_force


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_that_each_of_two_kinds_of_data_gets_the_datasets_it_would_get_alone(
    first: str, second: str, shipped: RuleBook
) -> None:
    both = _mixed(first, second)
    made = _propose_for(shipped, both)
    alone = [_propose_for(shipped, _mixed(key)) for key in (first, second)]
    root = {setting.name: setting.value for setting in made.root}
    for proposals in alone:
        inherited = {setting.name: setting.value for setting in proposals.root}
        for name, settings in _below(proposals).items():
            assert {**root, **_below(made)[name]} == {**inherited, **settings}, name
    assert len(made.datasets) == sum(len(proposals.datasets) for proposals in alone)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("layout", [MIRRORS, RAIDZ])
def test_that_predictions_of_two_kinds_of_data_take_the_records_of_the_hardest(
    first: str, second: str, layout: Layout, shipped: RuleBook
) -> None:
    workload = _mixed(first, second)
    proposals = _propose_for(shipped, workload, layout)
    datasets = (Dataset(name="", settings=proposals.root), *proposals.datasets)
    planned = replace(design(raidz(disks(8), 2), of=disks(8), workload=workload), datasets=datasets)
    assert load_of(planned).record_bytes == usual_record(workload)
    holds_most = replace(datasets[-1], logical_bytes=10 << 40)
    filled = replace(planned, datasets=(*datasets[:-1], holds_most))
    assert load_of(filled).record_bytes == space_bytes(Resolver(filled).value(holds_most, "recordsize"))


def test_that_the_parent_of_volumes_has_no_properties_of_filesystems(shipped: RuleBook) -> None:
    below = _below(_propose(shipped, "vm-images"))
    assert below["vm"] == {"logbias": "latency", "primarycache": "all"}
    assert below["vm-iso"]["recordsize"] == "1M"


@pytest.mark.parametrize("key", [known.key for known in PRESETS])
def test_that_the_rules_do_not_find_fault_with_what_the_rules_propose(key: str, shipped: RuleBook) -> None:
    host = Host(os_name="Debian 13", ram_bytes=256 << 30)
    members = disks(10)
    proposals = _propose(shipped, key, RAIDZ, host=host)
    planned = replace(
        design(raidz(members[:8], 2), of=members, workload=_of_preset(key), host=host),
        pool_settings=proposals.pool,
        datasets=(Dataset(name="", settings=proposals.root), *proposals.datasets),
    )
    assert "volblocksize" not in {setting.name for dataset in planned.datasets for setting in dataset.settings}
    of_datasets = {rule.id for rule in shipped.rules if rule.scope is Scope.DATASET}
    found = judge_design(shipped, planned, LayoutNumbers(usable_bytes=36 * 10**12))
    assert [(f.rule_id, f.subject) for f in found if f.rule_id in of_datasets and f.outcome is not Outcome.HOLDS] == []


@pytest.mark.parametrize(
    ("layout", "ashift", "block"),
    [(MIRRORS, 12, 16 << 10), (RAIDZ, 12, 16 << 10), (RAIDZ, 14, 64 << 10),
     ((VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 12, parity=3),), 12, 32 << 10),
     ((VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 12, parity=3),), 14, 128 << 10)],
)  # fmt: skip
def test_that_the_block_of_a_volume_keeps_its_share_of_the_space(
    layout: Layout, ashift: int, block: int, shipped: RuleBook
) -> None:
    assert fitting_block(shipped, layout, ashift) == block


def test_that_a_volume_has_no_properties_of_filesystems(shipped: RuleBook) -> None:
    found = propose_dataset(shipped, premises(disks(8), _of_preset("vm-images")), layout=RAIDZ, volume=True)
    values = {setting.name: setting.value for setting in found}
    assert values["volblocksize"] == "16K"
    assert values.keys().isdisjoint({"recordsize", "atime", "xattr", "acltype"})
    assert all(setting.reason for setting in found)


def test_that_a_dataset_below_a_planned_one_holds_its_data_and_any_other_those_of_the_root() -> None:
    database = _of_preset("database")
    main, log = planned_datasets(database)
    assert dataset_workload("db/log/old", database) == (log.workload, "database-log")
    assert dataset_workload("db/tables", database) == (main.workload, "database")
    assert dataset_workload("dbase", database) == (root_workload(database), "")
    untold = replace(database, preset=None)
    assert dataset_workload("db", untold) == (untold, "")


def test_that_another_workload_brings_its_datasets_and_leaves_what_a_person_made(shipped: RuleBook) -> None:
    made = design(raidz(disks(8), 2), of=disks(8))
    bare = replace(made, datasets=(Dataset(name=""), Dataset(name="mine")))
    vms = with_workload_of(shipped, bare, _mixed("vm-images"))
    assert [dataset.name for dataset in vms.datasets] == ["", "vm", "vm-iso", "mine"]
    own = Setting(name="atime", value="on")
    mended = tuple(replace(d, settings=(*d.settings, own)) if d.name == "vm-iso" else d for d in vms.datasets)
    media = with_workload_of(shipped, replace(vms, datasets=mended), _mixed("media-archive"))
    assert {dataset.name for dataset in media.datasets} == {"", "mine", "vm-iso", "media"}
    assert next(dataset for dataset in media.datasets if dataset.name == "vm-iso").settings == (own,)
    assert media.workload == _mixed("media-archive")
