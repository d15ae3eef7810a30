"""Rebuild and scrub times against the thesis, and how they move with what they depend on."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright import paths
from poolwright.domain.estimate import Estimate
from poolwright.domain.units import MIB, TB, TIB
from poolwright.domain.vdev import VdevSpec, parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.rebuild import (
    THESIS_DISK,
    RebuildConditions,
    expansion_hours,
    md_rebuild_hours,
    rebuild_hours,
    scrub_hours,
)
from poolwright.predict.risk_conditions import rebuild_conditions

THESIS = parse_spec("raidz2:8x6001175126016")
# The rates of the thesis' own disk; it ran ZFS on Linux 0.6.
FULL = RebuildConditions(
    fill_percent=100,
    read_bytes_per_second=THESIS_DISK.read_bytes_per_second,
    write_bytes_per_second=THESIS_DISK.write_bytes_per_second,
)
THEN = replace(FULL, sorted_scan=False)


def hours(spec: VdevSpec | str, how: RebuildConditions = FULL, *, onto_spare: bool = False) -> Estimate:
    found = rebuild_hours(parse_spec(spec) if isinstance(spec, str) else spec, how, onto_spare=onto_spare)
    assert found is not None
    return found


def table(name: str) -> list[dict[str, str]]:
    path: Path = paths.rules_folder() / "tables" / name
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_that_the_thesis_rebuilds_are_met() -> None:
    measured = {(r["spec"], r["fill"]): float(r["value"]) for r in table("rebuild.csv") if r["metric"] == "rebuild"}
    empty = replace(THEN, fill_percent=0)
    assert hours(THESIS, THEN).typical == pytest.approx(measured["raidz2:8", "full"], rel=0.001)
    assert hours(THESIS, empty).typical * 3600 == pytest.approx(measured["raidz2:8", "empty"])
    size = THESIS.sizes[0]
    assert md_rebuild_hours(size, RebuildConditions()).typical == pytest.approx(measured["raid6:8", "full"], rel=0.001)
    assert md_rebuild_hours(size, empty) == md_rebuild_hours(size, THEN)


def test_that_raidz2_rebuilds_faster_than_raid_6_up_to_a_little_over_half_full() -> None:
    raid6 = md_rebuild_hours(THESIS.sizes[0], RebuildConditions()).typical
    assert hours(THESIS, replace(THEN, fill_percent=50)).typical < raid6
    assert hours(THESIS, replace(THEN, fill_percent=65)).typical > raid6


def test_that_a_sorted_scan_rebuilds_a_full_raidz2_of_the_thesis_in_about_the_time_of_raid_6() -> None:
    raid6 = md_rebuild_hours(THESIS.sizes[0], RebuildConditions()).typical
    assert 0.8 * raid6 < hours(THESIS).typical < 1.1 * raid6
    assert rebuild_conditions((), version=ZfsVersion.parse("0.8.0")).sorted_scan
    assert not rebuild_conditions((), version=ZfsVersion.parse("0.7.13")).sorted_scan


def test_that_the_thesis_scrub_is_met() -> None:
    row = table("scrub.csv")[0]
    read = scrub_hours(allocated_bytes=int(row["data_tib"]) * TIB, disks=int(row["disks"]), how=FULL)
    assert read.typical == pytest.approx(float(row["hours"]), rel=0.001)
    assert read.low < read.typical < read.high


def test_that_a_shingled_mirror_takes_as_long_as_was_reported() -> None:
    rows = [row for row in table("resilver_reports.csv") if row["recording"] == "SMR"]
    assert [row["spec"] for row in rows] == ["mirror:2", "mirror:2"]
    for row in rows:
        size = float(row["disk_tb"]) * TB
        fill = 100 * float(row["resilvered_tib"]) * TIB / size
        found = hours(f"mirror:2x{round(size)}", RebuildConditions(fill_percent=fill, smr=True))
        assert found.typical == pytest.approx(float(row["hours"]), rel=0.08)


def test_that_the_reported_expansions_lie_in_the_band_and_two_of_three_near_its_middle() -> None:
    ratios = []
    for row in table("expansion_reports.csv"):
        width = int(row["spec"].partition(":")[2])
        copied = float(row["copied_tib"]) * TIB
        size = round(float(row["disk_tb"]) * TB)
        found = expansion_hours(
            old_width=width, disk_bytes=size, allocated_bytes=copied, how=RebuildConditions(fill_percent=100)
        )
        took = float(row["hours"])
        assert found.low < took < found.high
        assert copied / took / 3600 / MIB == pytest.approx(float(row["mib_s"]), rel=0.01)
        ratios.append(took / found.typical)
    assert [0.7 < ratio < 1.0 for ratio in ratios] == [True, True, False]


@given(
    spec=st.sampled_from(["mirror:2x4TB", "raidz1:5x8TB", "raidz3:12x16TB", "draid2:8d:1s:20x10TB"]),
    fill=st.floats(0, 100),
    load=st.floats(0, 95),
    onto_spare=st.booleans(),
    sorted_scan=st.booleans(),
)
def test_that_a_band_holds_its_typical_value(
    spec: str, fill: float, load: float, onto_spare: bool, sorted_scan: bool
) -> None:
    how = RebuildConditions(fill_percent=fill, load_percent=load, sorted_scan=sorted_scan)
    found = hours(spec, how, onto_spare=onto_spare)
    assert 0 < found.low <= found.typical <= found.high
