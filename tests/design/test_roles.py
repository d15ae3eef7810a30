"""Which roles are worth a flash drive, and why not."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.design.role_cases import disk, flash, raidz2_design

from poolwright.design.roles.advice import judge_roles, setting_of
from poolwright.design.roles.cache import HEADER_BYTES, LEAST_RAM_BYTES, MOST_HEADER_PERCENT, arc_bytes, warmed_rate
from poolwright.design.roles.dedup_verdict import LEAST_FACTOR, judge_deduplication
from poolwright.design.roles.share import WHOLE_LOG_BYTES
from poolwright.design.roles.verdicts import RoleAdvice, RoleChoices, Verdict
from poolwright.design.support import Role
from poolwright.domain.design import Dataset, Design
from poolwright.domain.disk import Health, Media
from poolwright.domain.host import Host
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.domain.version import ZfsVersion
from poolwright.table_library import load_shipped_tables

GBIT_10 = 1_250_000_000


def advice_for(design: Design, choices: RoleChoices | None = None) -> RoleAdvice:
    return judge_roles(setting_of(design, choices))


def figure(table: str, metric: str, **where: object) -> float:
    found = next(t for t in load_shipped_tables().tables if t.name == table)
    names = [column.name for column in found.columns]
    rows = [dict(zip(names, row.cells, strict=True)) for row in found.rows]
    row = next(r for r in rows if r["metric"] == metric and all(r[k] == v for k, v in where.items()))
    value = row["value"]
    assert isinstance(value, int | float)
    return float(value)


# Log


def test_that_the_gain_of_a_log_follows_the_measured_one() -> None:
    # The thesis: 44 disks, everything synchronous, one SAS SSD as log.
    design = raidz2_design(
        disk(0, media=Media.SSD, size_bytes=100 * 10**9, model="HGST Ultrastar"), width=44, sync_write_percent=100
    )
    gain = advice_for(design).of(Role.LOG).gain
    assert gain is not None
    zil, slog = (figure("slog_sync", "sync_write", setting=s) * MIB for s in ("zil", "slog"))
    assert gain.before.low <= zil <= gain.before.high
    assert gain.after.low <= slog <= gain.after.high
    assert gain.after.typical == pytest.approx(slog, rel=0.1)


def test_that_a_log_holds_fifteen_seconds_of_what_the_network_brings() -> None:
    slow = raidz2_design(*flash(2), sync_write_percent=50, network_bytes_per_second=GBIT_10 // 10, ram=None)
    size = advice_for(slow).of(Role.LOG).size
    assert size is not None
    network = GBIT_10 / 10 * 0.94
    assert (size.low, size.high) == pytest.approx((5 * network, 15 * network))


def test_that_a_log_is_never_larger_than_what_openzfs_lets_be_under_way() -> None:
    size = advice_for(raidz2_design(*flash(2), width=40, sync_write_percent=50)).of(Role.LOG).size
    assert size is not None
    # zfs_wrlog_data_max on a machine of 128 GiB: 8589934592, as kernel modules print it.
    assert size.high == 8589934592
    assert size.limit == "zfs_wrlog_data_max"


# Cache


def test_that_the_warm_rate_of_the_thesis_machine_is_what_it_measured() -> None:
    ram, device = 256 * GIB, 800 * 10**9
    flash_rate = next(
        float(str(row.cells[2]))
        for t in load_shipped_tables().tables
        if t.name == "device_rates"
        for row in t.rows
        if row.cells[1] == "cache"
    )
    low, typical, high = warmed_rate(
        working_bytes=figure("l2arc", "file_size") * TIB,
        arc_bytes=ram / 2,
        cache_bytes=device,
        flash_rate=flash_rate,
        disk_rate=figure("l2arc", "rand_read"),
    )
    measured = figure("l2arc", "rand_read_limit")
    assert low < measured < high
    assert typical == pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize(
    ("ram", "version", "system", "limit"),
    [
        (64 * GIB, ZfsVersion(2, 3, 0), "Debian", 63 * GIB),
        (64 * GIB, ZfsVersion(2, 2, 9), "Debian", 32 * GIB),
        (64 * GIB, ZfsVersion(2, 1, 0), "FreeBSD 14.1", 63 * GIB),
        (2 * GIB, ZfsVersion(2, 3, 0), None, 1280 * MIB),
        (2 * GIB, ZfsVersion(2, 2, 9), None, GIB),
        (None, ZfsVersion(2, 3, 0), "Debian", None),
    ],
)
def test_that_the_limit_of_the_arc_is_the_one_openzfs_takes_by_default(
    ram: int | None, version: ZfsVersion, system: str | None, limit: int | None
) -> None:
    assert arc_bytes(Host(ram_bytes=ram, os_name=system), version) == limit


def test_that_headers_of_small_blocks_bound_a_cache() -> None:
    told = {"working_set_bytes": 4 * TIB, "sequential_percent": 10, "io_size_bytes": 16 * KIB, "volumes": True}
    design = raidz2_design(*flash(1), **told)
    size = advice_for(design).of(Role.CACHE).size
    assert size is not None
    assert size.limit == "RAM for its headers"
    assert size.high / (16 * KIB) * HEADER_BYTES == pytest.approx(128 * GIB / 10)


def test_that_a_complete_cache_still_misses() -> None:
    low, typical, high = warmed_rate(
        working_bytes=100.0, arc_bytes=10.0, cache_bytes=1000.0, flash_rate=1000.0, disk_rate=10.0
    )
    assert low < typical < high <= 10.0 / 0.01


# Dedup


@pytest.mark.parametrize("ram", [8, 16, 48, 256])
def test_that_a_dedup_vdev_never_helps_where_deduplication_is_not_worth_it(ram: int) -> None:
    advice = advice_for(raidz2_design(*flash(3), duplicate_factor=3.0, ram=ram * GIB))
    if advice.of(Role.DEDUP).verdict is Verdict.HELPS:
        assert judge_deduplication(advice.setting).verdict is Verdict.HELPS


def test_that_a_table_of_a_third_of_the_arc_deserves_a_dedup_vdev_as_redundant_as_the_data() -> None:
    judged = advice_for(raidz2_design(*flash(3), duplicate_factor=3.0, ram=48 * GIB)).of(Role.DEDUP)
    assert judged.verdict is Verdict.HELPS
    assert judged.least_redundancy == 2
    assert judged.size is not None


# A pool of their own


# Which drives are free


def test_that_a_failing_or_used_drive_is_not_free() -> None:
    failing = replace(disk(5, media=Media.NVME), health=Health.FAILING)
    setting = setting_of(raidz2_design(*flash(2), failing))
    assert [d.key for d in setting.flash] == ["nvme0", "nvme1"]


def test_that_a_pool_of_its_own_is_judged_for_the_largest_dataset_that_is_random_and_fits() -> None:
    made = raidz2_design(*flash(3), sequential_percent=10)
    sizes = {"small": 10 * GIB, "large": 100 * GIB, "beyond": 900 * GIB}
    datasets = tuple(Dataset(name=name, logical_bytes=size) for name, size in sizes.items())
    judged = judge_roles(setting_of(replace(made, datasets=(*made.datasets, *datasets)))).of(Role.OWN_POOL)
    assert (judged.verdict, judged.dataset) == (Verdict.HELPS, "large")


def test_that_only_allowed_drives_are_free() -> None:
    setting = setting_of(raidz2_design(*flash(2)), allowed=frozenset({"nvme1"}))
    assert [d.key for d in setting.flash] == ["nvme1"]


# The same numbers as the rules


def test_that_advice_and_rules_share_their_limits() -> None:
    text = (Path(__file__).parents[2] / "rules" / "limits.toml").read_text(encoding="utf-8")
    values = {limit["key"]: limit["value"] for limit in tomllib.loads(text)["limit"]}
    assert values["l2arc.header_bytes"] == HEADER_BYTES
    assert values["l2arc.least_ram_bytes"] == LEAST_RAM_BYTES
    assert values["l2arc.most_ram_percent"] == MOST_HEADER_PERCENT
    assert values["dedup.least_factor"] == LEAST_FACTOR
    assert values["log.most_bytes"] == WHOLE_LOG_BYTES
