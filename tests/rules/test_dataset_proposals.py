"""What is proposed for one dataset of a design."""

from dataclasses import replace

import pytest
from tests.rules.machines import design, disks, raidz

from poolwright.domain.dataset_values import value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.units import GIB
from poolwright.domain.workload import Workload
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook
from poolwright.rules.presets import PRESETS, preset
from poolwright.rules.propose import proposals_for

TEN = disks(10)


def made(*datasets: Dataset) -> Design:
    return replace(design(raidz(TEN[:8], 2), of=TEN), datasets=datasets)


def of_preset(key: str) -> Workload:
    chosen = preset(key)
    assert chosen is not None
    return replace(chosen.workload, preset=key)


def values(book: RuleBook, of: Design, dataset: Dataset) -> dict[str, str]:
    return {p.setting.name: p.setting.value for p in proposals_for(book, of, dataset)}


@pytest.mark.parametrize("volume", [None, 10 * GIB])
@pytest.mark.parametrize("key", [known.key for known in PRESETS])
def test_that_each_proposal_can_be_set_and_has_its_reason_rule_and_source(
    key: str, volume: int | None, shipped: RuleBook
) -> None:
    dataset = Dataset(name="new", volume_bytes=volume, workload=of_preset(key))
    found = proposals_for(shipped, made(dataset), dataset)
    assert found
    for proposal in found:
        setting = proposal.setting
        problem = value_problem(setting.name, setting.value, made().version, volume=volume is not None)
        assert problem is None
        assert setting.reason
        assert setting.rule_id is not None
        assert shipped.rule(setting.rule_id) is not None
        assert proposal.sources


def test_that_a_volume_gets_its_block_and_a_database_its_records(shipped: RuleBook) -> None:
    volume = Dataset(name="vm/disk1", volume_bytes=10 * GIB, workload=of_preset("vm-images"))
    files = Dataset(name="db", workload=of_preset("database"))
    assert values(shipped, made(volume), volume)["volblocksize"] == "16K"
    assert values(shipped, made(files), files)["recordsize"] == "16K"


def test_that_a_filesystem_of_disk_images_gets_a_recordsize_and_no_block(shipped: RuleBook) -> None:
    images = Dataset(name="images", workload=of_preset("vm-images"))
    found = values(shipped, made(images), images)
    assert "volblocksize" not in found
    assert found["recordsize"] in ("16K", "32K", "64K")


def test_that_what_is_inherited_already_is_not_proposed_again(shipped: RuleBook) -> None:
    media = Dataset(name="media", workload=of_preset("media-archive"))
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
    own = judge_design(shipped, made(replace(records, workload=of_preset("database"))), numbers)
    told = [{(f.rule_id, f.outcome) for f in findings if f.subject == "tank/db"} for findings in (plain, own)]
    assert told[0] != told[1]
