"""`poolwright growth`: the time line of a design on the command line."""

from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, written

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.vdev import VdevKind
from poolwright.store.design_file import to_json

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
    assert isinstance(stages, list)
    assert stages[1]["step"] == f"attach:{SIX} at 80%"
    assert stages[1]["used_bytes"] + stages[1]["avail_bytes"] == stages[1]["available_bytes"]
    assert stages[1]["begins"] == stages[0]["full_on"]
    assert 0 < stages[0]["predictions"]["yearly_loss_probability"] < stages[1]["predictions"]["yearly_loss_probability"]
    assert any("raidz_expand" in command["text"] for command in stages[1]["commands"])


def test_that_other_steps_can_be_tried(design_file: str) -> None:
    told = printed("growth", design_file, "--then", "add:raidz2:8x8TB on 2028-01", "--price", "100", "--commands")
    assert "zpool add" in told
    assert "1,600" in told
    assert "the new vdev" in told


def test_that_an_impossible_step_ends_with_status_1(design_file: str) -> None:
    assert "too small" in printed("growth", design_file, "--then", "attach:1TB", status=1)


def test_that_the_usual_ways_stand_side_by_side(design_file: str) -> None:
    found = answer_of("growth", design_file, "--compare", "--used", "15TB", "--growth", "20", "--price", "100")
    ways = found["strategies"]
    assert isinstance(ways, list)
    assert ways[0]["spent"] == {"amount": "800.00", "currency": None}
    assert len(ways) == 5
    assert "Nothing more is bought" in printed("growth", design_file, "--compare", "--used", "15TB", "--growth", "20")
