"""`poolwright outage`: what a design's pools bear, on the command line."""

import json
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, written

from poolwright.cli.main import run
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevKind
from poolwright.store.design_file import to_json


@pytest.fixture
def design_file(tmp_path: Path) -> str:
    disks = tuple(
        Disk(key=f"d{n}", by_id=(f"ata-X_{n}",), serial=f"S{n}", size_bytes=10**12, enclosure=f"shelf {n % 2}",
             controller=f"hba {n // 2}")
        for n in range(4)
    )  # fmt: skip
    vdevs = tuple(
        Vdev(kind=VdevKind.MIRROR, members=(Member(disk_key=f"d{n}"), Member(disk_key=f"d{n + 1}"))) for n in (0, 2)
    )
    path = written(
        tmp_path / "design.json", to_json(Design(key="k", name="n", pool_name="tank", disks=disks, vdevs=vdevs))
    )
    return str(path)


def test_that_every_shelf_controller_and_disk_is_gone_through(
    capsys: pytest.CaptureFixture[str], design_file: str
) -> None:
    assert run(["outage", design_file, "--json"]) == 0
    losses = {entry["loss"]: entry["state"] for entry in json.loads(capsys.readouterr().out)["losses"]}
    assert losses["enclosure shelf 0"] == "degraded"
    assert losses["controller hba 1"] == "suspended"
    assert losses["disk ata-X_3"] == "degraded"
    assert len(losses) == 8
    told = printed("outage", design_file)
    assert "is suspended until its disks are back; no data are lost" in told
    assert "Any 1 disk may fail" in told


def test_that_each_loss_names_the_vdevs_that_it_hurts_and_whole_all_of_them(design_file: str) -> None:
    told = answer_of("outage", design_file)
    hurt = {loss["loss"]: [vdev["name"] for vdev in loss["pools"][0]["vdevs"]] for loss in told["losses"]}
    assert hurt["disk ata-X_3"] == ["mirror-1"]
    assert hurt["enclosure shelf 0"] == ["mirror-0", "mirror-1"]
    assert [vdev["name"] for vdev in told["whole"]["pools"][0]["vdevs"]] == ["mirror-0", "mirror-1"]
    assert told["whole"]["state"] == "online"


@pytest.mark.slow
@pytest.mark.parametrize("disks", [200, 400])
def test_that_the_document_grows_with_the_number_of_disks(disks: int, tmp_path: Path) -> None:
    design = Design(
        key="k",
        name="n",
        pool_name="tank",
        disks=tuple(Disk(key=f"d{n:04}", size_bytes=10**12) for n in range(disks)),
        vdevs=(Vdev(kind=VdevKind.STRIPE, members=tuple(Member(disk_key=f"d{n:04}") for n in range(disks))),),
    )
    path = written(tmp_path / "design.json", to_json(design))
    assert len(printed("outage", str(path), "--json")) < 2500 * disks


def test_that_a_loss_that_takes_the_pool_ends_with_status_1(design_file: str) -> None:
    assert "1 of 2" in printed("outage", design_file, "--lose", "S0", "--lose", "ata-X_3")
    answer = answer_of("outage", design_file, "--lose", "hba 0", status=1)
    assert answer["lost_disks"] == ["d0", "d1"]
    assert [vdev["state"] for vdev in answer["pools"][0]["vdevs"]] == ["suspended", "online"]
    assert "tank is lost with mirror-0" in printed("outage", design_file, "--lose", "S0", "--lose", "S1", status=1)
