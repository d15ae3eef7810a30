"""md RAID 6 beside raidz2: held to the rows of the thesis' tables, which ship with the program."""

from dataclasses import replace

import pytest
from tests.design.side_by_side import TODAY, column, one_vdev

from poolwright.design.compare import compare
from poolwright.design.md_column import md_column, md_raid6_of
from poolwright.domain.design import Design
from poolwright.domain.estimate import OriginKind
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assessment import Assessment, assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.md_raid import MdPrediction, predict_md, zfs_creation
from poolwright.table_library import load_drive_book, load_shipped_tables

# Before 0.8 a resilver did not sort what it reads.
THESIS_POOL = replace(one_vdev(), version=ZfsVersion.parse("0.6.5"))

# ZFS on Linux of 2016: a resilver did not sort what it reads.
THESIS_ZFS = ZfsVersion(0, 6, 5)


def row(table: str, **cells: str) -> float:
    found = load_shipped_tables().named(table).one(**cells).number_of("value")
    assert found is not None
    return found


def expected_of(design: Design, fill_percent: int = 80) -> Assessment:
    old = replace(design, version=THESIS_ZFS)
    return assess(old, None, load_drive_book(), Assumptions(fill_percent=fill_percent), today=TODAY)


def predictions(design: Design, fill_percent: int = 80) -> tuple[Assessment, MdPrediction]:
    expected = expected_of(design, fill_percent)
    found = predict_md(md_raid6_of(design), expected.itself, expected.conditions, network=float("inf"))
    return expected, found


@pytest.mark.parametrize("metric", ["seq_read", "seq_write"])
def test_that_raidz2_of_eight_is_faster_by_what_the_thesis_measured(metric: str) -> None:
    expected, md = predictions(one_vdev())
    gain = row("raid6_comparison", spec="raidz2:8", state="intact", metric=metric)
    ratio = getattr(expected.itself, metric).typical / getattr(md, metric).typical
    assert 100 * (ratio - 1) == pytest.approx(gain)


def test_that_creation_takes_18_hours_against_2_seconds() -> None:
    _, md = predictions(one_vdev())
    assert md.creation.typical == pytest.approx(row("raid6_comparison", spec="raid6:8", metric="creation"))
    assert zfs_creation().typical * 3600 == row("raid6_comparison", spec="raidz2:8", metric="creation")


def test_that_the_comparison_has_the_rebuild_of_the_empty_and_of_the_full_array() -> None:
    design = replace(one_vdev(), version=THESIS_ZFS)
    found = compare((column(design), md_column(design, load_drive_book(), today=TODAY)))
    empty, full = ([cell.value for cell in found.row(name).cells] for name in ("rebuild_empty", "rebuild_full"))
    assert empty == [pytest.approx(2 / 3600), pytest.approx(18)]
    assert full == [pytest.approx(30, rel=0.02), pytest.approx(18)]


def test_that_a_failed_disk_costs_md_what_the_thesis_measured() -> None:
    shares = {name: 100 * share.typical for name, share in predictions(one_vdev())[1].degraded_losses.items()}
    degraded = row("raid6_comparison", spec="raid6:8", state="degraded", metric="seq_read_lost")
    rebuilding = row("rebuild", metric="seq_read_lost_during_rebuild")
    assert shares == {"degraded_read": degraded, "degraded_write": 0, "rebuild_read": rebuilding, "rebuild_write": 0}


def test_that_only_eight_disks_count_as_measured() -> None:
    kinds = [predictions(one_vdev(width))[1].degraded_losses["degraded_read"].origin.kind for width in (8, 10)]
    assert kinds == [OriginKind.MEASURED, OriginKind.PREDICTED]


def test_that_a_shorter_rebuild_makes_md_safer_than_a_full_raidz2_by_the_same_chain() -> None:
    full_ours, full_md = predictions(THESIS_POOL, fill_percent=100)
    empty_ours, empty_md = predictions(THESIS_POOL, fill_percent=1)
    assert full_md.loss.typical < full_ours.risk.probability
    assert empty_md.loss.typical > empty_ours.risk.probability
    assert full_md.loss.typical == pytest.approx(empty_md.loss.typical)
    assert full_md.loss.low < full_md.loss.typical < full_md.loss.high
