"""What `recommend` says of findings and of flash drives is what the design that it saves has, each said once."""

from pathlib import Path

import pytest
from tests.command_line import answer_of, poolwright

from poolwright.domain.disk import Media
from poolwright.domain.vdev import VdevClass
from poolwright.store.design_file import from_json

SERVER = ("--disks", "12 x 8TB CMR SAS", "2 x 960GB nvme plp", "--ram", "128GiB", "--network", "10GbE")
HOMES = ("--preset", "nfs", "--preset", "home-directories", "--clients", "200")


@pytest.mark.parametrize(
    ("goal", "why"), [("concurrent", "share its drives with the log"), ("safety", "bear less than")]
)
def test_that_the_log_of_the_saved_design_is_told_and_no_log_is_no_longer_missed(
    goal: str, why: str, tmp_path: Path
) -> None:
    saved = tmp_path / "design.json"
    told = poolwright("recommend", *SERVER, *HOMES, "--goal", goal, "--save-design", str(saved)).stdout
    classes = {vdev.vdev_class for vdev in from_json(saved.read_text(encoding="utf-8")).vdevs}
    assert classes == {VdevClass.DATA, VdevClass.LOG}
    assert "beside it on flash, in the design that is saved: log mirror of 2" in told
    assert "has no log device" not in told
    assert "log: helps, in the design" in told
    assert f"special: helps, not in the design (It would {why}" in told


@pytest.mark.parametrize(
    ("flash", "carry"),
    [
        ("8 x 1.92TB ssd plp, 1 x 480GB nvme plp", [Media.SSD, Media.SSD]),
        ("1 x 480GB ssd plp, 1 x 960GB nvme plp", [Media.NVME]),
        ("2 x 480GB ssd plp, 2 x 960GB nvme plp", [Media.SSD, Media.SSD]),
    ],
)
def test_that_a_log_is_never_a_mirror_of_unlike_drives(flash: str, carry: list[Media], tmp_path: Path) -> None:
    saved = tmp_path / "design.json"
    asked = ("--disks", f"8 x 16TB hdd, {flash}", "--preset", "vm-images", "--save-design", str(saved))
    told = poolwright("recommend", *asked).stdout
    design = from_json(saved.read_text(encoding="utf-8"))
    (log,) = (vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.LOG)
    assert [design.disk(member.disk_key).media for member in log.members] == carry
    assert ("support.log-not-mirrored" in told) == (len(carry) == 1)


def test_that_nothing_is_told_of_flash_that_the_design_does_not_use() -> None:
    asked = ("--disks", "8 x 10TB CMR SATA", "2 x 500GB nvme", "--preset", "smb", "--goal", "safety")
    told = poolwright("recommend", *asked).stdout
    assert "beside it on flash" not in told
    assert "log: does not help;" in told
    assert answer_of("recommend", *asked)["flash_beside"] is None


def test_that_what_holds_for_mirrors_of_two_sizes_is_said_once() -> None:
    told = poolwright("recommend", "--disks", "2 x 12TB CMR", "2 x 4TB CMR", "--goal", "safety").stdout
    assert told.count("[redundancy.pair-for-safety]") == 1
