"""`predict` and `risk` for the disks and the host of a machine, instead of numbers typed one by one."""

import json
from pathlib import Path

import pytest
from tests.command_line import answer_of, refused, written
from tests.machines.writing import block, lsblk

from poolwright.cli.main import run

CAPTURE = Path(__file__).parents[1] / "machines" / "vm-44-disks-512e.capture"


def test_that_speeds_take_class_and_limits_from_the_machine() -> None:
    plain = answer_of("predict", "--vdev", "raidz2:8x6TB")
    there = answer_of("predict", "--vdev", "raidz2:8x6TB", "--example", "thesis")
    told = answer_of("predict", "--vdev", "raidz2:8x6TB", "--cores", "8", "--hba", "9.6GB/s", "--network", "10Gbit/s")
    limits = ("HBA", "CPU", "network")
    of_machine, of_options, of_none = ([c for c in one["chain"] if c["name"] in limits] for one in (there, told, plain))
    assert of_machine == of_options != of_none
    assert "measured of ST6000NM0034" in there["seq_read"]["origin"]
    assert "usual for a hard disk of 6 TB" in told["seq_read"]["origin"]


def test_that_flash_of_a_machine_is_predicted_as_flash() -> None:
    flash = answer_of("predict", "--vdev", "mirror:2x250GB", "--example", "tunables")
    disks = answer_of("predict", "--vdev", "mirror:2x6TB", "--example", "tunables")
    assert flash["rand_read_iops"]["typical"] > 20 * disks["rand_read_iops"]["typical"]


def test_that_what_is_told_comes_before_the_machine() -> None:
    words = ("predict", "--vdev", "raidz2:8x6TB", "--example", "thesis", "--network", "1Gbit/s")
    assert answer_of(*words)["seq_read"]["typical"] <= 125e6


def test_that_risk_takes_the_failure_rate_of_the_models(tmp_path: Path) -> None:
    model = "HGST HUH721212ALE600"
    seen = written(
        tmp_path / "lsblk.json",
        lsblk(*(block(f"sd{letter}", model=model, size=12000138625024) for letter in "abcdefgh")),
    )
    there = answer_of("risk", "--vdev", "raidz2:8x12TB", "--from", str(seen))
    named = answer_of("risk", "--vdev", "raidz2:8x12TB", "--model", model)
    fleet = answer_of("risk", "--vdev", "raidz2:8x12TB")
    rates = [document["terms"][0]["afr_percent"]["typical"] for document in (there, named, fleet)]
    assert rates[0] == rates[1] != rates[2]


def test_that_shingled_disks_of_a_machine_rebuild_slowly() -> None:
    shingled = answer_of("risk", "--vdev", "raidz1:4x8TB", "--disks", "4 x 8TB SMR hdd")
    plain = answer_of("risk", "--vdev", "raidz1:4x8TB", "--disks", "4 x 8TB CMR hdd")
    hours = [document["terms"][0]["rebuild_hours"]["typical"] for document in (shingled, plain)]
    assert hours[0] > 10 * hours[1]


@pytest.mark.parametrize("command", ["predict", "risk"])
def test_that_sizes_the_machine_has_not_are_refused(command: str) -> None:
    said = refused(command, "--vdev", "raidz2:8x16TB", "--example", "thesis")
    assert "no disks of 16 TB" in said
    assert "6 TB" in said


@pytest.mark.parametrize("command", ["predict", "risk"])
def test_that_a_line_of_a_batch_may_name_a_machine(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"vdev": "raidz2:8x6TB", "example": "thesis"}, {"vdev": "raidz2:8x6TB", "example": "x"}]
    batch = written(tmp_path / "batch.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert run([command, "--batch", str(batch)]) == 0
    good, bad = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert good["vdev"]
    assert "example" in bad["error"]
