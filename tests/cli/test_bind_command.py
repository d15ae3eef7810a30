"""`poolwright bind`: a typed design on the disks of a capture, and then its script."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused, written
from tests.design.binding.at_hand import planned_design

from poolwright.cli.main import run
from poolwright.store.design_file import from_json, to_json

MACHINES = Path(__file__).parents[1] / "machines"
MIXED = str(MACHINES / "vm-mixed-sectors.capture")
MANY = str(MACHINES / "vm-44-disks-512e.capture")


@pytest.fixture
def planned(tmp_path: Path) -> str:
    path = tmp_path / "paper.json"
    design = planned_design("raidz2:6x6TB", "log/mirror:2x960GB", disks="6 x 6TB, 2 x 960GB NVMe PLP")
    path.write_text(to_json(design), encoding="utf-8")
    return str(path)


def test_that_a_script_refused_for_planned_disks_names_the_way_out(planned: str) -> None:
    told = refused("script", planned, status=1)
    assert "poolwright bind DESIGN --from CAPTURE" in told


def test_that_a_planned_design_becomes_a_script_by_way_of_a_capture(planned: str, tmp_path: Path) -> None:
    bound = str(tmp_path / "bound.json")
    told = printed("bind", planned, "--from", MIXED, "-w", bound)
    assert told.startswith("All 8 disks found. Check 2 of them.\n")
    assert "no tool tells: look it up" in told
    assert "usable, as before" in told
    script = printed("script", bound)
    for number in range(4, 10):
        assert f"/dev/disk/by-id/scsi-35000c5000000000{number}" in script
    assert "nvme-QEMU_NVMe_Ctrl_NV09601" in script
    assert "ZA512E01" in script


def test_that_nothing_is_written_where_a_place_stays_open_unless_that_is_wanted(tmp_path: Path) -> None:
    wide, bound = tmp_path / "wide.json", tmp_path / "bound.json"
    wide.write_text(to_json(planned_design("raidz2:16x8TB")), encoding="utf-8")
    err = refused("bind", str(wide), "--from", MIXED, "-w", str(bound), status=1)
    assert "planned-8TB-07, planned-8TB-08, planned-8TB-09 and 7 more in raidz2-0: the 6 disks" in err
    assert "too small" in err
    assert "by 2.00 TB" in err
    assert not bound.exists()
    assert run(["bind", str(wide), "--from", MIXED, "--partly", "-w", str(bound)]) == 0
    made = from_json(bound.read_text(encoding="utf-8"), where=str(bound))
    assert sum(made.disk(key).planned for key in made.used_keys()) == 10
    assert run(["script", str(bound)]) == 1


def test_that_smaller_disks_are_taken_when_that_is_said_and_the_space_is_told(tmp_path: Path) -> None:
    wide = written(tmp_path / "wide.json", to_json(planned_design("raidz2:12x8TB")))
    told = printed("bind", str(wide), "--from", MIXED, "--smaller")
    assert "smaller than planned by 2.00 TB" in told
    assert "usable instead of" in told


def test_that_a_pair_is_chosen_by_any_name_of_its_disks(planned: str) -> None:
    pairs = ["planned-6TB-01=ZA512E06", "planned-6TB-02=scsi-35000c50000000008", "planned-6TB-03="]
    document = answer_of("bind", planned, "--from", MIXED, "--pair", *pairs, "--partly")
    found = {pair["planned"]: (pair["label"], pair["by"]) for pair in document["pairs"]}
    assert found["planned-6TB-01"] == ("scsi-35000c50000000009", "by hand")
    assert found["planned-6TB-02"] == ("scsi-35000c50000000008", "by hand")
    assert found["planned-6TB-03"] == (None, "by hand")
    assert document["complete"] is False
    assert from_json(json.dumps(document["design"]), where="JSON").name == "on paper"


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("planned-6TB-01", "does not fit --pair"),
        ("planned-6TB-99=sda", "“planned-6TB-99” does not exist"),
        ("planned-6TB-01=sdzz", "“sdzz” does not exist"),
        ("planned-6TB-01=ST6000NM0034", "does not exist"),
    ],
)
def test_that_a_pair_that_means_nothing_is_refused(pair: str, said: str, planned: str) -> None:
    assert said in refused("bind", planned, "--from", MIXED, "--pair", pair)


def test_that_a_disk_stands_in_one_pair(planned: str) -> None:
    twice = ["planned-6TB-01=ZA512E01", "planned-6TB-02=ZA512E01"]
    told = refused("bind", planned, "--from", MIXED, "--pair", *twice, status=1)
    assert "planned-6TB-02 in raidz2-0: scsi-35000c50000000004 already has the place of planned-6TB-01" in told


def test_that_typed_disks_are_no_machine(planned: str) -> None:
    assert "of no machine" in refused("bind", planned, "--disks", "8 x 6TB")


def test_that_a_disk_in_use_is_told_and_left(planned: str) -> None:
    assert "/dev/vda (boot disk: /)" in printed("bind", planned, "--from", MIXED)


def test_that_a_design_of_the_machine_finds_its_disks_again_by_serial_number(
    planned: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bound, again = tmp_path / "bound.json", tmp_path / "again.json"
    assert run(["bind", planned, "--from", MIXED, "-w", str(bound)]) == 0
    design = from_json(bound.read_text(encoding="utf-8"), where="bound")
    renamed = tuple(replace(disk, by_id=(), path=None, wwn=None) for disk in design.disks)
    again.write_text(to_json(replace(design, disks=renamed)), encoding="utf-8")
    capsys.readouterr()
    document = answer_of("bind", str(again), "--from", MIXED)
    assert {pair["by"] for pair in document["pairs"]} == {"same serial number"}
    assert from_json(json.dumps(document["design"]), where="JSON").used_keys() == design.used_keys()


def _lsblk_alone(path: Path) -> str:
    """Write what plain lsblk prints of two disks: serial numbers and world-wide names, no links."""
    devices = [
        {"name": name, "kname": name, "path": f"/dev/{name}", "type": "disk", "size": 8001563222016, "rota": True,
         "serial": serial, "wwn": wwn, "model": "ST8000NM0045", "log-sec": 512, "phy-sec": 4096, "ro": False,
         "rm": False, "tran": "sas", "mountpoint": None, "fstype": None}
        for name, serial, wwn in (("sda", "ZA1A0001", "0x5000c50000000aa1"), ("sdb", "ZA1A0002", None))
    ]  # fmt: skip
    path.write_text(json.dumps({"blockdevices": devices}), encoding="utf-8")
    return str(path)


def test_that_lsblk_without_links_binds_and_the_script_says_exactly_what_is_missing(tmp_path: Path) -> None:
    paper, bound, named = tmp_path / "paper.json", tmp_path / "bound.json", tmp_path / "named.json"
    paper.write_text(to_json(planned_design("mirror:2x8TB")), encoding="utf-8")
    lsblk = _lsblk_alone(tmp_path / "lsblk.json")
    assert "its name in /dev/disk/by-id was not read" in printed("bind", str(paper), "--from", lsblk, "-w", str(bound))
    told = refused("script", str(bound), status=1)
    assert "the link to sda" not in told  # its world-wide name makes one
    assert "`ls -l /dev/disk/by-id/ | grep -wF sdb` shows the missing link" in told
    assert "poolwright bind DESIGN --from CAPTURE LISTING" in told
    listing = written(
        tmp_path / "by-id.txt",
        "total 0\n"
        "lrwxrwxrwx 1 root root 9 Jan  1 00:00 wwn-0x5000c50000000aa1 -> ../../sda\n"
        "lrwxrwxrwx 1 root root 9 Jan  1 00:00 ata-ST8000NM0045_ZA1A0002 -> ../../sdb\n",
    )
    assert run(["bind", str(bound), "--from", lsblk, str(listing), "-w", str(named)]) == 0
    assert "/dev/disk/by-id/ata-ST8000NM0045_ZA1A0002" in printed("script", str(named))


def test_that_neither_what_was_read_is_written_over_nor_a_design_without_one_disk_written(
    planned: str, tmp_path: Path
) -> None:
    assert run(["bind", planned, "--from", MIXED, "-w", planned]) == 2
    assert run(["bind", planned, "--example", "paper", "--partly", "-w", str(tmp_path / "none.json")]) == 1
    assert not (tmp_path / "none.json").exists()


SERIALS = ("WD-WCC4M10111", "WD-WCC4M10222")
BY_ID = "total 0\n" + "".join(
    f"lrwxrwxrwx 1 root root 9 Nov 26 10:00 ata-WDC_WD20EFRX-68EUZN0_{serial} -> ../../sd{letter}\n"
    for serial, letter in zip(SERIALS, "ab", strict=True)
)


def _smartctl(letter: str, serial: str, folder: Path) -> str:
    told = {
        "smartctl": {"version": [7, 3], "exit_status": 0},
        "device": {"name": f"/dev/sd{letter}", "type": "sat", "protocol": "ATA"}, "model_name": "WDC WD20EFRX-68EUZN0",
        "serial_number": serial, "user_capacity": {"bytes": 2000398934016}, "logical_block_size": 512,
        "physical_block_size": 4096, "rotation_rate": 5400, "sata_version": {"string": "SATA 3.0", "value": 63},
    }  # fmt: skip
    file = written(folder / f"{letter}.json", json.dumps(told))
    return str(file)


def test_that_smartctl_alone_gives_a_script_and_a_listing_opened_later_adds_to_what_was_read(tmp_path: Path) -> None:
    read = [_smartctl(letter, serial, tmp_path) for letter, serial in zip("ab", SERIALS, strict=True)]
    design, bound, listing = tmp_path / "paper.json", str(tmp_path / "bound.json"), tmp_path / "by-id.txt"
    assert run(["recommend", "--from", *read, "--goal", "safety", "--layout", "mirror:2x2TB",
                "--save-design", str(design)]) == 0  # fmt: skip
    script = printed("script", str(design))
    for serial in SERIALS:
        line = next(
            line for line in script.splitlines() if line.startswith(f"  disk ata-WDC_WD20EFRX-68EUZN0_{serial}")
        )
        assert f"2000398934016 512 {serial}" in line
        assert "name derived, not read" in line
    listing.write_text(BY_ID, encoding="utf-8")
    assert "All 2 disks found." in printed("bind", str(design), "--from", str(listing), "-w", bound)
    assert "name derived" not in printed("script", bound)


def test_that_a_disk_without_a_link_in_the_listing_is_not_asked_for_again(tmp_path: Path) -> None:
    lsblk, listing = tmp_path / "lsblk.txt", tmp_path / "by-id.txt"
    lsblk.write_text(
        "NAME MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\n" + "".join(f"sd{c}    8:16   0  1.8T  0 disk\n" for c in "bc"),
        encoding="utf-8",
    )
    listing.write_text(
        "total 0\nlrwxrwxrwx 1 root root 9 Jul 11 13:41 ata-QEMU_DVD-ROM_QM3 -> ../../sr0\n", encoding="utf-8"
    )
    told = refused("script", "--from", str(lsblk), str(listing), "--layout", "mirror:2x1.8TiB", status=1)
    assert "a virtual disk needs a serial number" in told
    assert "the missing link" not in told
