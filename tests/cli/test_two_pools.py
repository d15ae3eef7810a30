"""Unlike drives for unlike data: two pools as the first choice, from the ranking to the script and the report."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, poolwright, printed

from poolwright.cli.main import run
from poolwright.cli.workload_options import WORKLOAD_KEYS
from poolwright.domain.disk import Media
from poolwright.domain.vdev import VdevClass
from poolwright.store.design_file import from_json

MACHINE = "8 x 16TB hdd, 8 x 1.92TB ssd plp, 1 x 480GB nvme plp"
BOTH = ("vm-images", "media-archive")
FIRST = "VM images on SSD: 4 × mirror of 2; Media archive on HDD: raidz2 of 8: "


def told(disks: str, presets: Sequence[str], *options: str) -> str:
    """Return what `recommend` prints of these disks for data of these presets."""
    return printed("recommend", "--disks", disks, *(f"--preset={preset}" for preset in presets), *options)


def test_that_machines_go_on_flash_and_films_on_hard_disks_each_with_its_numbers() -> None:
    lines = told(MACHINE, BOTH).splitlines()
    assert lines[0].startswith(FIRST)
    assert "  pool tank, VM images on SSD: 4 × mirror of 2" in lines
    assert "      goal concurrent, usable 6.81 TiB, survives any 1 failure" in lines
    assert "  pool tank-bulk, Media archive on HDD: raidz2 of 8" in lines
    assert "      goal safety, usable 82.6 TiB, survives any 2 failures" in lines
    assert sum(line.startswith("      Random 1M: per second: reads ") for line in lines) == 1
    assert sum(line.startswith("      Random 16K: per second: reads ") for line in lines) == 1
    assert sum(line.startswith("      pool loss: ") for line in lines) == 2
    row, _in_the_whole_list = (line for line in lines if re.match(r" *1 .*VM images on SSD", line))
    assert "  1 / 2  " in row
    # The best single pool stands beside them, with its price in one clause.
    assert any(line.endswith("4 × mirror of 2: one pool") for line in lines)


def test_that_what_stands_behind_fewer_points_says_what_decided() -> None:
    lines = told("24 x 16TB, 2 x 960GB NVMe", BOTH, "--goal=safety").splitlines()
    assert "2: Scores higher; number 1 wins by own drives for each kind of data." in lines
    assert "  Resilver   22 h" in lines  # the slower one's


def test_that_the_json_has_each_pool_with_its_data_its_goal_and_its_predictions() -> None:
    found = json.loads(told(MACHINE, BOTH, "--json"))
    fast, large = found["candidates"][0]["pools"]
    assert (fast["data"], fast["goal"], fast["failures_survived"]) == (["vm-images"], "concurrent", 1)
    assert (large["data"], large["goal"], large["failures_survived"]) == (["media-archive"], "safety", 2)
    reads = [pool["predictions"]["rand_read_iops"]["typical"] for pool in (fast, large)]
    assert reads[0] > 50 * reads[1]
    assert [answer["name"] for answer in found["answers"]][:2] == ["balanced", "one pool"]
    assert [one["name"] for one in found["properties"]["further_pools"][0]["datasets"]] == ["media"]


def test_that_design_script_report_and_comparison_hold_both_pools(tmp_path: Path) -> None:
    both, one = tmp_path / "both.json", tmp_path / "one.json"
    told(MACHINE, BOTH, "--save-design", str(both))
    told(MACHINE, BOTH, "--take", "2", "--save-design", str(one))
    design = json.loads(both.read_text())["design"]
    (bulk,) = design["further_pools"]
    assert (design["pool_name"], bulk["pool_name"]) == ("tank", "tank-bulk")
    assert (design["main_workload"]["preset"], bulk["workload"]["preset"]) == BOTH
    assert design["workload"]["presets_beside"] == ["media-archive"]
    assert [d["name"] for d in design["datasets"]] == ["", "vm", "vm-iso"]
    assert [d["name"] for d in bulk["datasets"]] == ["", "media"]
    written = tmp_path / "report.md"
    assert poolwright("report", str(both), "--format", "md", "-w", str(written)).returncode == 0
    report = written.read_text()
    assert "goal concurrent (tank-bulk: safety)" in report
    assert "Space of tank-bulk" in report
    compared = poolwright("compare", str(both), str(one)).stdout
    assert "89.4 TiB" in compared
    assert "58.1 TiB" in compared


@pytest.mark.parametrize(
    ("disks", "presets"),
    [
        (MACHINE, ("vm-images", "database")),
        (MACHINE, ("vm-images", "nfs")),
        (MACHINE, ("media-archive",)),
        ("8 x 16TB hdd", BOTH),
        ("8 x 16TB hdd, 1 x 480GB nvme plp", BOTH),
        ("1 x 16TB hdd, 8 x 1.92TB ssd", BOTH),
    ],
)
def test_that_one_kind_of_data_or_of_drives_is_one_pool(disks: str, presets: Sequence[str]) -> None:
    first = told(disks, presets).splitlines()[0]
    assert " on HDD: " not in first


def test_that_flash_too_small_for_a_pool_is_said_and_serves_the_hard_disks() -> None:
    small = told("12 x 20TB hdd, 2 x 240GB ssd plp", BOTH)
    assert "note: No pool of its own for VM images on SSD: 215 GiB are little" in small
    assert "On flash beside it: log mirror of 2" in small
    working = told(MACHINE, BOTH, "--working-set", "10TiB")
    assert "the data in constant use, 10.0 TiB, do not fit on 80 % of 6.81 TiB" in working


def test_that_capacity_is_asked_of_both_pools_together() -> None:
    assert told(MACHINE, BOTH, "--capacity", "88TiB").startswith(FIRST)
    beyond = poolwright("recommend", "--disks", MACHINE, *(f"--preset={one}" for one in BOTH), "--capacity=95TiB")
    assert (beyond.returncode, beyond.stdout.startswith("VM images on SSD: ")) == (1, True)


# What `recommend` says of findings and of flash drives is what the design that it saves has, each said once.


SERVER = ("--disks", "12 x 8TB CMR SAS", "2 x 960GB nvme plp", "--ram", "128GiB", "--network", "10GbE")
HOMES = ("--preset", "nfs", "--preset", "home-directories", "--clients", "200")


@pytest.mark.parametrize("goal", ["concurrent", "safety"])
def test_that_the_log_of_the_saved_design_is_told_and_no_log_is_no_longer_missed(goal: str, tmp_path: Path) -> None:
    saved = tmp_path / "design.json"
    told = poolwright("recommend", *SERVER, *HOMES, "--goal", goal, "--save-design", str(saved)).stdout
    classes = {vdev.vdev_class for vdev in from_json(saved.read_text(encoding="utf-8")).vdevs}
    assert classes == {VdevClass.DATA, VdevClass.LOG}
    assert "On flash beside it: log mirror of 2" in told
    assert "has no log device" not in told


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
    assert answer_of("recommend", *asked)["flash_beside"] is None


def test_that_what_holds_for_mirrors_of_two_sizes_is_said_once() -> None:
    told = poolwright("recommend", "--disks", "2 x 12TB CMR", "2 x 4TB CMR", "--goal", "safety").stdout
    assert told.count("[redundancy.pair-for-safety]") == 1


# Commands that are told a workload take the same words for it.


@pytest.mark.parametrize("command", ["recommend", "buy", "predict", "roles"])
def test_that_every_command_that_takes_a_workload_takes_all_of_it(command: str) -> None:
    text = printed(command, "--help")
    assert {key for key in WORKLOAD_KEYS if f"--{key}" not in text} == set()


def test_that_predict_asks_for_what_the_preset_and_the_workload_say() -> None:
    def asked(*options: str) -> dict[str, Any]:
        found: dict[str, Any] = answer_of("predict", "--vdev", "raidz2:8x6TB", *options)
        return found

    guests = asked("--preset", "vm-images", "--network", "10GbE", "--sync-percent", "50")
    assert guests["request_bytes"] == 16384
    assert any(link["name"] == "network" and link["read_bytes_per_second"] for link in guests["chain"])
    assert guests["sync_write_iops"] != asked("--network", "10GbE")["sync_write_iops"]
    assert asked("--preset", "vm-images", "--recordsize", "64K")["recordsize_bytes"] == 65536
    assert asked("--io-size", "32K")["request_bytes"] == 32768


@pytest.mark.slow
def test_that_several_presets_give_a_dataset_each_and_the_hardest_demand_decides(tmp_path: Path) -> None:
    file = tmp_path / "both.json"
    words = ["recommend", "--disks", "12 x 6TB hdd", "--goal", "concurrent", "--save-design", str(file)]
    told = printed(*words, "--preset", "media-archive", "--preset", "vm-images")
    assert told.startswith("6 × mirror of 2: ")
    assert "tank/media: recordsize=1M" in told
    assert "tank/vm-iso: recordsize=1M" in told
    design = from_json(file.read_text(encoding="utf-8"))
    assert design.workload.uses == ("vm-images", "media-archive")
    assert {dataset.name for dataset in design.datasets} == {"", "vm", "vm-iso", "media"}
    assert (design.workload.sequential_percent, design.workload.io_size_bytes) == (10, 16384)
    assert run(["roles", str(file)]) == 0


def test_that_a_line_of_a_batch_takes_one_preset_or_several() -> None:
    presets: list[object] = ["smb", ["smb", "database"], "database", ["smb", "tapes"]]
    lines = "".join(json.dumps({"vdev": "raidz2:8x6TB", "preset": preset}) + "\n" for preset in presets)
    one, both, hardest, unknown = map(json.loads, printed("predict", "--batch", "-", stdin=lines).splitlines())
    assert one["request_bytes"] != both["request_bytes"] == hardest["request_bytes"]
    assert "“tapes” does not fit --preset" in unknown["error"]


@pytest.mark.slow
def test_that_a_design_of_before_several_presets_opens_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    words = ["recommend", "--disks", "4 x 6TB hdd", "--goal", "concurrent", "--save-design", str(file)]
    assert run([*words, "--preset", "database"]) == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["design"]["workload"]["presets_beside"]
    assert from_json(json.dumps(document)) == from_json(file.read_text(encoding="utf-8"))
