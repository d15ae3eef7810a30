"""`poolwright usage` as a person and a program use it on a design file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, own_process, poolwright, written
from tests.predict.dataset_designs import dataset, design

from poolwright.domain.design import Design, FurtherPool, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.money import money
from poolwright.domain.units import GIB, TIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.store.design_file import to_json

MADE = replace(
    design(
        dataset("", compression="off"),
        replace(
            dataset("home", data=2 * TIB),
            settings=(Setting(name="recordsize", value="1M", reason="large files", rule_id="r1"),),
        ),
        dataset("vm/disk1", volume=10 * TIB, data=10 * TIB, volblocksize="8K", refreservation="none"),
        dataset("later"),
    ),
    workload=Workload(goal=Goal.SAFETY, compressible=False, growth_percent=10),
    budget=Budget(price_per_disk=money(120, "EUR")),
)


def asked(made: Design, *args: str) -> dict[str, Any]:
    done = poolwright("usage", "-", *args, "--json", stdin=to_json(made))
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def of(answer: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(d for d in answer["datasets"] if d["name"] == name)
    return found


def test_that_the_json_has_the_promised_keys() -> None:
    answer = asked(MADE)
    assert answer["available_bytes"] == 33987955261440  # zfs list USED + AVAIL of this pool on OpenZFS 2.3.2
    used = answer["used_bytes"]
    assert 0 < used["low"] <= used["typical"] <= used["high"]
    assert used["typical"] == sum(d["used_bytes"]["typical"] for d in answer["datasets"] if d["used_bytes"])
    assert answer["fill_percent"]["typical"] == pytest.approx(
        100 * used["typical"] / answer["available_bytes"], abs=0.01
    )
    dates = answer["eighty_percent_at"]
    assert dates["earliest"] <= dates["typical"] <= dates["latest"]
    assert answer["growth_percent"] == 10
    assert answer["not_counted"] == ["later"]  # vm only holds the volume


def test_that_a_volume_of_small_blocks_says_its_efficiency_and_its_bill() -> None:
    volume = of(asked(MADE), "tank/vm/disk1")
    assert volume["kind"] == "volume"
    assert volume["efficiency"] == pytest.approx(1 / 3)
    assert volume["nominal_efficiency"] == 0.75
    assert volume["waste_disk_bytes"] == pytest.approx(30 * TIB - 10 * TIB / 0.75, rel=1e-6)
    paid = volume["waste_money"]
    assert paid["currency"] == "EUR"
    assert float(paid["amount"]) == pytest.approx(volume["waste_disk_bytes"] / 6001175126016 * 120, abs=0.01)


def test_that_what_lies_in_a_dataset_can_be_told_on_the_command_line() -> None:
    plain, told = asked(MADE), asked(MADE, "--data", "later=3TiB", "--data", "tank/home=0")
    assert of(plain, "tank/later")["used_bytes"] is None
    assert of(told, "tank/later")["used_bytes"]["typical"] == pytest.approx(3 * TIB, rel=0.01)
    assert of(told, "tank/home")["used_bytes"]["typical"] == 0


def test_that_faster_growth_reaches_80_percent_earlier() -> None:
    slow, fast = (asked(MADE, "--growth", g)["eighty_percent_at"]["typical"] for g in ("5", "50"))
    assert fast < slow


@pytest.mark.slow
def test_that_without_a_growth_there_is_no_date() -> None:
    made = replace(MADE, workload=Workload(goal=Goal.SAFETY))
    assert asked(made)["eighty_percent_at"] is None
    text = own_process("usage", "-", stdin=to_json(made)).stdout
    assert "--growth PERCENT" in text


def test_that_properties_tell_where_they_come_from() -> None:
    home = of(asked(MADE, "--properties"), "tank/home")
    properties = {p["name"]: p for p in home["properties"]}
    assert properties["recordsize"]["source"] == "local"
    assert properties["recordsize"]["changed"] is True
    assert (properties["recordsize"]["reason"], properties["recordsize"]["rule"]) == ("large files", "r1")
    assert (properties["compression"]["source"], properties["compression"]["inherited_from"]) == ("inherited", "tank")
    assert properties["checksum"]["source"] == "default"


def test_that_each_pool_of_a_design_is_told() -> None:
    disks = tuple(Disk(key=f"x{n}", size_bytes=6001175126016) for n in range(2))
    second = FurtherPool(
        pool_name="fast",
        vdevs=(Vdev(kind=VdevKind.MIRROR, members=tuple(Member(disk_key=d.key) for d in disks)),),
        datasets=(dataset("scratch", data=100 * GIB),),
    )
    made = replace(MADE, disks=(*MADE.disks, *disks), further_pools=(second,))
    answer = asked(made, "--data", "fast/scratch=200GiB")
    other = answer["further_pools"][0]
    assert (answer["pool"], other["pool"]) == ("tank", "fast")
    assert of(other, "fast/scratch")["used_bytes"]["typical"] == pytest.approx(200 * GIB, rel=0.01)
    assert asked(made, "--pool", "fast")["pool"] == "fast"


# `poolwright growth`: the time line of a design on the command line.


SIX = 6001175126016


@pytest.fixture
def design_file(tmp_path: Path) -> str:
    disks = tuple(Disk(key=f"d{n}", by_id=(f"ata-X_{n}",), size_bytes=SIX) for n in range(8))
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=d.key) for d in disks))
    growth = (parse_growth_step(f"attach:{SIX} at 80%"),)
    design = Design(key="k", name="Office", pool_name="tank", disks=disks, vdevs=(vdev,), growth=growth)
    path = written(tmp_path / "design.json", to_json(design))
    return str(path)


def test_that_the_steps_of_the_design_are_told(design_file: str) -> None:
    stages = answer_of("growth", design_file, "--used", "15TB", "--growth", "20", "--begin", "2026-11-20")["stages"]
    assert stages[1]["step"] == "attach:6TB at 80%"
    assert stages[1]["used_bytes"] + stages[1]["avail_bytes"] == stages[1]["available_bytes"]
    assert stages[1]["begins"] == stages[0]["full_on"]
    assert 0 < stages[0]["predictions"]["yearly_loss_probability"] < stages[1]["predictions"]["yearly_loss_probability"]
    assert any("raidz_expand" in command["text"] for command in stages[1]["commands"])
