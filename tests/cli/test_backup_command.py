"""`poolwright backup` as a person and a program use it, and the room that a recommendation leaves for snapshots."""

import json
from pathlib import Path

import pytest
from tests.command_line import answer_of, poolwright, printed, refused

from poolwright.domain.retention import parse_change, parse_retention
from poolwright.domain.units import TIB

POOL = ("--layout", "2*raidz2:6x16TB")
ASKED = ("--used", "40TiB", "--change", "0.3%", "--keep", "24h 30d 12m")


def test_that_both_pools_are_told_with_what_they_hold() -> None:
    there = ("--backup-to", "8 x 22TB", "--keep-there", "30d 6m", "--line", "1Gbit")
    told = answer_of("backup", *POOL, *ASKED, *there)
    here, copy = told["pools"]
    held = parse_retention("24h 30d 12m").held(40 * TIB, parse_change("0.3%")).typical
    assert here["used_bytes"] == pytest.approx(40 * TIB + held, abs=2)
    assert here["usable_bytes"] == answer_of("capacity", "--vdev", "2*raidz2:6x16TB")["available_bytes"]
    assert copy["snapshots_bytes"]["typical"] < here["snapshots_bytes"]["typical"]
    assert (copy["name"], len(copy["layout"]), told["answer"]["fits"]) == ("copy", 1, True)
    assert told["first_transfer_hours"]["typical"] == pytest.approx(40 * TIB / (0.85 * 125e6) / 3600, rel=1e-5)
    assert told["daily_transfer_bytes"] == pytest.approx(0.003 * 40 * TIB, abs=1)


def test_that_new_data_cross_the_line_too_and_hold_no_snapshot() -> None:
    still, grown = (answer_of("backup", *POOL, *ASKED, "--growth", percent) for percent in ("0", "36.525"))
    assert grown["daily_transfer_bytes"] - still["daily_transfer_bytes"] == pytest.approx(0.001 * 40 * TIB, abs=2)
    assert grown["pools"] == still["pools"]


def test_that_what_does_not_fit_or_get_through_is_status_1_and_said_first() -> None:
    done = poolwright("backup", *POOL, *ASKED, "--backup-to", "raidz1:3x16TB")
    assert (done.returncode, done.stdout.startswith("copy: Does not fit: 82.0 TiB need ")) == (1, True)
    slow = poolwright("backup", *POOL, *ASKED, "--line", "10Mbit")
    assert slow.returncode == 1
    assert "! What changes in a day does not get through in a day." in slow.stdout
    much = ("--used", "40TiB", "--change", "1%", "--keep", "30d 24m", "--backup-to", "8 x 22TB")
    assert "raidz2 of 8: 114 TiB usable, 294 TiB with snapshots wanted" in refused("backup", *POOL, *much, status=1)


def test_that_what_is_missing_is_named_and_what_is_assumed_is_said() -> None:
    assert "--change 1%" in refused("backup", *POOL, "--used", "1TiB")
    assert "--used 10TiB" in refused("backup", *POOL, "--change", "1GB")
    assert "--keep" in refused("recommend", "--disks", "6 x 8TB", "--capacity", "9TB", "--change", "1%")
    done = poolwright("backup", *POOL, "--used", "1TiB", "--change", "1GB")
    assert 'understood: --keep "24h 14d 6m"' in done.stderr


def test_that_a_recommendation_has_room_for_the_snapshots_and_the_script_keeps_them(tmp_path: Path) -> None:
    disks = ("recommend", "--disks", "12 x 8TB", "--capacity", "30TB", "--top", "1")
    kept = ("--keep", "24h 30d", "--change", "1%", "--save-design", str(tmp_path / "tank.json"))
    bare, roomy = answer_of(*disks), answer_of(*disks, *kept)
    room = 30e12 + parse_retention("24h 30d").held(30 * 10**12, parse_change("1%")).typical
    assert bare["answer"]["usable_bytes"] >= 30e12
    assert roomy["answer"]["usable_bytes"] >= room
    design = json.loads((tmp_path / "tank.json").read_text(encoding="utf-8"))["design"]
    assert design["budget"]["least_usable_bytes"] == 30 * 10**12
    script = printed("script", str(tmp_path / "tank.json"), "--format", "backup", "--keep-there", "9w")
    assert "readonly keep='hourly=24 daily=30 weekly=0 monthly=0 yearly=0'" in script
    assert "readonly keep_there='hourly=0 daily=0 weekly=9 monthly=0 yearly=0'" in script
    again = answer_of("backup", str(tmp_path / "tank.json"))
    assert again["pools"][0]["data_bytes"] == 30 * 10**12
