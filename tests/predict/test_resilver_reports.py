"""The rebuild time since OpenZFS 0.8 against resilvers that people reported: fitted anew, and each left out once."""

from dataclasses import replace
from math import exp, log
from statistics import median

import pytest

from poolwright.domain.estimate import Estimate
from poolwright.domain.units import TB, TIB
from poolwright.domain.vdev import VdevSpec, parse_spec
from poolwright.predict.rebuild import FIND_SECONDS, SORTED_FIND_SHARE, RebuildConditions, piece_bytes, rebuild_hours
from poolwright.predict.tables import Row
from poolwright.table_library import load_shipped_tables

FULL = RebuildConditions(fill_percent=100)
ANY_DISK = 8 * TB


def reports(**where: str) -> list[Row]:
    rows = load_shipped_tables().named("resilver_reports").rows
    return [row for row in rows if all(row.text(name) == value for name, value in where.items())]


def resilvered(row: Row) -> float:
    return (row.number_of("resilvered_tib") or 0) * TIB


def vdev(row: Row) -> VdevSpec:
    word, _, width = row.text("spec").partition(":")
    size = row.number_of("disk_tb")
    return parse_spec(f"{word}:{width}x{ANY_DISK if size is None else round(size * TB)}")


def as_full(row: Row, how: RebuildConditions = FULL) -> RebuildConditions:
    """As full as the disk was: a member holds what was resilvered."""
    return replace(how, fill_percent=100 * resilvered(row) / vdev(row).sizes[0])


def predicted(row: Row, how: RebuildConditions = FULL) -> Estimate:
    found = rebuild_hours(vdev(row), as_full(row, how))
    assert found is not None
    return found


def took(row: Row) -> float:
    hours = row.number_of("hours")
    assert hours is not None
    return float(hours)


def hours_with(row: Row, share: float) -> float:
    """The model's formula, with another share of the finding."""
    spec = vdev(row)
    finding = resilvered(row) / piece_bytes(spec, FULL) * FIND_SECONDS[FULL.media] * share
    return (resilvered(row) / FULL.rates(spec.sizes[0])[1] + finding) / 3600


def best_share(rows: list[Row]) -> float:
    """The share from 0 to 1, in steps of 0.01, with the least sum of absolute errors (of logarithms)."""

    def error(share: float) -> float:
        return sum(abs(log(hours_with(row, share) / took(row))) for row in rows)

    return min((step / 100 for step in range(101)), key=error)


def test_that_at_least_ten_machines_were_fitted_to() -> None:
    fitted = reports(fit="yes")
    assert len({row.provenance.document for row in fitted}) >= 10
    assert {row.text("scan") for row in fitted} == {"sorted"}
    assert {row.text("recording") for row in fitted} == {"CMR"}
    assert "server" not in {row.text("load") for row in fitted}


def test_that_the_share_is_the_one_that_fits_best() -> None:
    assert best_share(reports(fit="yes")) == pytest.approx(SORTED_FIND_SHARE, abs=0.011)


def test_that_the_errors_are_those_that_are_stated() -> None:
    errors = [abs(log(predicted(row).typical / took(row))) for row in reports(fit="yes")]
    assert exp(median(errors)) - 1 == pytest.approx(0.15, abs=0.015)
    assert exp(max(errors)) - 1 < 1.0


def test_that_a_report_left_out_is_foretold_nearly_as_well() -> None:
    rows = reports(fit="yes")
    errors = []
    for row in rows:
        share = best_share([other for other in rows if other is not row])
        errors.append(abs(log(hours_with(row, share) / took(row))))
    assert exp(median(errors)) - 1 == pytest.approx(0.15, abs=0.02)
    assert exp(sum(errors) / len(errors)) < 1.19  # one rate for all sizes: 1.27
    assert exp(max(errors)) - 1 < 1.0


def test_that_every_machine_without_a_known_load_lies_in_the_band() -> None:
    rows = [row for row in reports(scan="sorted", recording="CMR") if row.text("load") != "server"]
    outside = [row.text("document") for row in rows if not predicted(row).low <= took(row) <= predicted(row).high]
    assert len(rows) == 12
    assert outside == []


def test_that_servers_at_work_take_three_to_seven_times_as_long() -> None:
    ratios = [took(row) / predicted(row).typical for row in reports(scan="sorted", load="server")]
    assert len(ratios) == 4
    assert all(3 < ratio < 7 for ratio in ratios)


def test_that_sorting_makes_the_typical_value_better_for_these_reports() -> None:
    unsorted = RebuildConditions(fill_percent=100, sorted_scan=False)
    rows = reports(fit="yes")
    before, since = (sum(abs(log(predicted(row, how).typical / took(row))) for row in rows) for how in (unsorted, FULL))
    assert since < before
