"""Unlike drives for unlike data: two pools as the first choice, from the ranking to the script and the report."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.command_line import poolwright, printed

MACHINE = "8 x 16TB hdd, 8 x 1.92TB ssd plp, 1 x 480GB nvme plp"
BOTH = ("vm-images", "media-archive")
FIRST = "First choice: VM images on SSD: 4 × mirror of 2; Media archive on HDD: raidz2 of 8, ashift 12"


def told(disks: str, presets: Sequence[str], *options: str) -> str:
    """Return what `recommend` prints of these disks for data of these presets."""
    return printed("recommend", "--disks", disks, *(f"--preset={preset}" for preset in presets), *options)


def test_that_machines_go_on_flash_and_films_on_hard_disks_each_with_its_numbers() -> None:
    lines = told(MACHINE, BOTH).splitlines()
    assert FIRST in lines
    assert "  pool tank, VM images on SSD: 4 × mirror of 2" in lines
    assert "    goal concurrent, usable 6.81 TiB, survives any 1 failure" in lines
    assert "  pool tank-bulk, Media archive on HDD: raidz2 of 8" in lines
    assert "    goal safety, usable 82.6 TiB, survives any 2 failures" in lines
    assert sum(line.startswith("    random, a second: reads ") for line in lines) == 2
    assert sum(line.startswith("    lost within a year: ") for line in lines) == 2
    (row,) = (line for line in lines if line.lstrip().startswith("1 ") and "VM images on SSD" in line)
    assert "  1 / 2  " in row
    # The best single pool stands beside them, with its price in one clause.
    (rival,) = (line for line in lines if line.startswith("  one pool: "))
    assert rival.startswith("  one pool: 4 × mirror of 2 (2), 58.1 TiB: one pool to look after")
    assert "less random I/O" in rival
    # The NVMe drive is no log of SSDs that keep their writes, and is mirrored with none of them.
    assert any(line.startswith("  log: does not help; The pool itself is flash") for line in lines)


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
    assert poolwright("report", str(both), "--format", "md", "-o", str(written)).returncode == 0
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
    (first,) = (line for line in told(disks, presets).splitlines() if line.startswith("First choice: "))
    assert " on HDD: " not in first


def test_that_flash_too_small_for_a_pool_is_said_and_serves_the_hard_disks() -> None:
    small = told("12 x 20TB hdd, 2 x 240GB ssd plp", BOTH)
    assert "note: No pool of its own for VM images on SSD: 215 GiB are little" in small
    assert "in the design that is saved: log mirror of 2" in small
    working = told(MACHINE, BOTH, "--working-set", "10TiB")
    assert "the data in constant use, 10.0 TiB, do not fit on 80 % of 6.81 TiB" in working


def test_that_capacity_is_asked_of_both_pools_together() -> None:
    assert FIRST in told(MACHINE, BOTH, "--capacity", "88TiB").splitlines()
    more = told(MACHINE, BOTH, "--capacity", "95TiB").splitlines()
    (first,) = (line for line in more if line.startswith("First choice: "))
    assert first.startswith("First choice: VM images on SSD: ")
    assert "wanted" not in first
