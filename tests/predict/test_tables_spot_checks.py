"""Figures of the shipped tables by their exact value, and that the tables hold as many rows as the documents."""

import pytest
from tests.cases import cases

from poolwright.predict.tables import Precision, Tables


def test_that_every_table_is_here_with_all_its_rows(tables: Tables) -> None:
    assert (len(tables.names), sum(len(table.rows) for table in tables)) == (43, 785)


@pytest.mark.parametrize(("table", "cells", "column", "value"), cases(__file__, "figures"))
def test_that_a_figure_is_what_the_document_says(
    tables: Tables, table: str, cells: dict[str, str | int | float | None], column: str, value: float
) -> None:
    assert tables.named(table).one(**cells).number_of(column) == value


def test_that_rebuild_times_compare_across_units(tables: Tables) -> None:
    rebuild = tables.named("rebuild")
    hours = {(row.text("spec"), row.text("fill")): row.base("value") for row in rebuild.where(metric="rebuild")}
    assert hours == {
        ("raidz2:8", "empty"): 2,
        ("raidz2:8", "full"): 30 * 3600,
        ("raid6:8", "empty"): 18 * 3600,
        ("raid6:8", "full"): 18 * 3600,
    }


def test_that_layouts_of_equal_usable_space_can_be_picked_out(tables: Tables) -> None:
    rows = [row for row in tables.named("pool_throughput").rows if "usable_24" in row.text("series").split()]
    assert [row.text("spec") for row in rows] == ["stripe:24", "8*raidz2:5", "4*raidz2:8", "2*raidz2:14", "raidz2:26"]
    assert {row.shape().data_disks for row in rows} == {24}
    twenty = [row for row in tables.named("pool_throughput").rows if "usable_20" in row.text("series").split()]
    assert {row.shape().data_disks for row in twenty} == {20}


def test_that_the_columns_of_a_layout_agree_with_its_name(tables: Tables) -> None:
    for name in ("pool_throughput", "pool_theory"):
        for row in tables.named(name).rows:
            shape = row.shape()
            assert shape.disks == int(row.text("vdevs")) * int(row.text("width"))


def test_that_changes_in_per_cent_follow_from_the_rates_beside_them(tables: Tables) -> None:
    pairs = [
        ("ashift_effect", "ashift_9_mib_s", "ashift_12_mib_s", "change_percent"),
        ("raidz_levels", "raidz1_mib_s", "raidz2_mib_s", "change_percent"),
        ("partition_effect", "whole_disk_mib_s", "full_partition_mib_s", "full_partition_change_percent"),
        ("partition_effect", "whole_disk_mib_s", "partition_2tb_mib_s", "partition_2tb_change_percent"),
        ("kernel_effect", "old_mb_s", "new_mb_s", "change_percent"),
    ]
    for table, before, after, change in pairs:
        for row in tables.named(table).rows:
            values = [row.number_of(column) for column in (before, after, change)]
            if values[2] is None:
                continue
            assert values[0] is not None
            assert values[1] is not None
            ratio = values[1] / values[0]
            rounded = 0.06 + 100 * ratio * (0.006 / values[0] + 0.006 / values[1])  # the rates are rounded as well
            if table == "kernel_effect":
                rounded = 0.2
            assert 100 * (ratio - 1) == pytest.approx(values[2], abs=rounded), (table, row.cells)


def test_that_failure_rates_follow_from_the_counts(tables: Tables) -> None:
    for row in tables.named("drive_afr").rows:
        failures, days = row.number_of("failures"), row.number_of("drive_days")
        assert failures is not None
        assert days
        assert row.number_of("afr_percent") == pytest.approx(100 * failures / (days / 365.25), abs=0.006)


def test_that_a_growth_of_the_tunables_blog_is_the_later_rate_over_the_first(tables: Tables) -> None:
    table = tables.named("tunables_before_after")
    for row in table.where(state="growth"):
        same = {name: row.cell(name) for name in ("file_gib", "operation", "cached")}
        before = table.one(state="before", **same).base("value")
        later = table.one(state="after_24h", **same).base("value")
        assert before
        assert later
        assert row.number_of("value") == pytest.approx(100 * later / before, abs=0.01)


def test_that_words_such_as_about_are_kept_beside_the_figures(tables: Tables) -> None:
    assert tables.named("l2arc").one(metric="rand_read_limit").provenance.precision is Precision.ABOUT
    assert tables.named("recordsize").one(metric="seq_read").provenance.precision is Precision.UP_TO
    assert tables.named("fsync_paper").one(fsync=1).provenance.precision is Precision.NO_CHANGE


def test_that_todays_facts_name_a_source_with_a_version(tables: Tables) -> None:
    for name in ("feature_facts", "workload_advice"):
        versions = {external.key: external.version for external in tables.named(name).externals}
        for row in tables.named(name).rows:
            assert versions[row.provenance.document]


@pytest.mark.parametrize(("feature", "since"), cases(__file__, "introduced"))
def test_that_each_feature_names_the_release_that_brought_it(tables: Tables, feature: str, since: str) -> None:
    rows = [row for row in tables.named("feature_facts").where(feature=feature) if "introduced" in row.text("fact")]
    assert [row.text("since") for row in rows] == [since]
