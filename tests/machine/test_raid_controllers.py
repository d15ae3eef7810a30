"""Drives behind a RAID controller, and the table of `nvme list`: read as people paste them."""

from pathlib import Path

import pytest
from tests.cases import table

from poolwright.cli.main import run
from poolwright.domain.disk import Media
from poolwright.domain.host import Inventory
from poolwright.domain.units import TB
from poolwright.store.capture_files import open_captures

STORCLI: str = table(__file__, "storcli")
SSACLI: str = table(__file__, "ssacli")


def read(tmp_path: Path, text: str) -> Inventory:
    file = tmp_path / "pasted.txt"
    file.write_text(text, encoding="utf-8")
    return open_captures([file])


def test_that_drives_behind_storcli_are_told_with_what_hba_mode_would_give(tmp_path: Path) -> None:
    found = read(tmp_path, STORCLI)
    assert [disk.slot for disk in found.disks] == ["252:0", "252:1", "252:2", "252:3", ":4"]
    assert [disk.key for disk in found.disks] == ["252:0", "252:1", "252:2", "252:3", ":4"]
    assert found.disks[0].label == "WDC WD4000FYYZ-01UL1B1 252:0"
    assert [disk.in_use for disk in found.disks] == [True, True, False, False, True]  # the last is its hot spare
    assert found.disks[0].model == "WDC WD4000FYYZ-01UL1B1"
    assert abs((found.disks[0].size_bytes or 0) - 4 * TB) < TB // 100
    assert found.disks[3].logical_sector_bytes == 4096
    assert "protection information" in " ".join(note.text for note in found.disks[3].notes)
    assert found.disks[4].media is Media.SSD
    assert "HBA mode" in " ".join(note.text for note in found.notes)


def test_that_drives_behind_ssacli_are_told_with_their_array(tmp_path: Path) -> None:
    found = read(tmp_path, SSACLI)
    assert [(disk.slot, disk.size_bytes, disk.in_use) for disk in found.disks] == [
        ("1I:1:1", 300 * 10**9, True), ("1I:1:2", 300 * 10**9, True), ("2I:1:5", 960 * 10**9, False),
    ]  # fmt: skip
    assert "Array A" in found.disks[0].refusals()[0]


def test_that_drives_of_a_controller_are_no_second_disks_beside_what_the_system_sees(tmp_path: Path) -> None:
    lsblk = tmp_path / "lsblk.txt"
    lsblk.write_text('NAME="sda" TYPE="disk" SIZE="4000787030016" MODEL="LOGICAL VOLUME"\n', encoding="utf-8")
    (tmp_path / "storcli.txt").write_text(STORCLI, encoding="utf-8")
    found = open_captures([lsblk, tmp_path / "storcli.txt"])
    assert [disk.path for disk in found.disks] == ["/dev/sda"]
    assert "HBA mode" in " ".join(note.text for note in found.notes)


def test_that_a_plan_can_be_made_of_drives_that_a_controller_would_pass_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "storcli.txt"
    file.write_text(STORCLI.replace("Onln   0", "UGood  -"), encoding="utf-8")
    assert run(["recommend", "--from", str(file), "--goal", "safety", "--why"]) == 0
    assert "raidz1" in capsys.readouterr().out


CASES = Path(__file__).parents[2].parent / "shared" / "cases"


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases lie beside the project")
@pytest.mark.parametrize(("name", "count"), [("A3_storcli.txt", 2), ("90_nvme_list_metadata.txt", 4)])
def test_that_what_was_reported_is_read(name: str, count: int) -> None:
    assert len(open_captures([CASES / name]).disks) == count
