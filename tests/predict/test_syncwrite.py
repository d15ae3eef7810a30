"""The model of synchronous writes against what people measured (rules/tables/flush_latency.csv)."""

from dataclasses import replace

import pytest

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.units import KIB, MB, MIB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.groups import groups_of
from poolwright.predict.media import DiskRates, disk_rates
from poolwright.predict.number_words import operations_text, speed_text
from poolwright.predict.speed import predict_speed
from poolwright.predict.throughput import NVME_PROTECTED, SSD_PROTECTED, UNPROTECTED, flush_of, sync_writes
from poolwright.table_library import load_shipped_tables

DISKS = disk_rates(media=Media.HDD)
SAFE_NVME = disk_rates(media=Media.NVME, power_loss_protected=True)
SAFE_SSD = disk_rates(media=Media.SSD, power_loss_protected=True)
PLAIN_NVME = disk_rates(media=Media.NVME, power_loss_protected=False)
OLD, TODAY = ZfsVersion(2, 1, 15), DEFAULT_VERSION


def rows(**where: object) -> list[float]:
    return [
        row.number_of("per_second") or 0.0
        for row in load_shipped_tables().named("flush_latency").rows
        if all(row.cell(name) == it for name, it in where.items())
    ]


def writes(
    disks: DiskRates,
    *,
    log: DiskRates | None = None,
    clients: int = 1,
    block: int = 4 * KIB,
    version: ZfsVersion = TODAY,
    sequential: float = 1400.0 * MIB,
) -> float:
    groups = groups_of((parse_spec("raidz2:6x6TB"),))
    return sync_writes(
        groups, disks, record_bytes=block, clients=clients, sequential=sequential, log=log,
        log_devices=0 if log is None else 1, version=version,
    ).per_second  # fmt: skip


def test_that_one_writer_on_hard_disks_or_a_good_log_gets_what_was_measured() -> None:
    disks, logs = rows(media="hdd", through="pool"), rows(media="nvme", through="log", writers=1)
    assert len(disks) == len(logs) == 2
    for measured in disks:
        assert writes(DISKS) == pytest.approx(measured, rel=0.35)
    for measured in logs:
        assert writes(DISKS, log=SAFE_NVME) == pytest.approx(measured, rel=0.35)


def test_that_many_writers_on_nvme_meet_the_time_of_the_host() -> None:
    for measured in rows(writers=32):
        assert writes(SAFE_NVME, clients=32, sequential=2e9) == pytest.approx(measured, rel=0.35)


def test_that_every_measured_drive_lies_in_the_band_of_its_kind() -> None:
    for media, protected, flush in (
        ("nvme", "yes", NVME_PROTECTED),
        ("ssd", "yes", SSD_PROTECTED),
        ("nvme", "no", UNPROTECTED),
        ("ssd", "no", UNPROTECTED),
    ):
        measured = rows(media=media, protected=protected, through="raw", writers=1)
        assert measured
        for each in measured:
            assert flush.low <= 1 / each <= flush.high, (media, protected, each)


def test_that_flash_of_unknown_protection_has_the_band_of_both() -> None:
    unknown = flush_of(disk_rates(media=Media.SSD))
    assert (unknown.low, unknown.high) == (SSD_PROTECTED.low, UNPROTECTED.high)
    assert SSD_PROTECTED.typical < unknown.typical < UNPROTECTED.typical
    layout = (parse_spec("mirror:2x1TB"),)
    told = predict_speed(layout, disks=SAFE_SSD).sync_write_iops
    untold = predict_speed(layout, disks=disk_rates(media=Media.SSD)).sync_write_iops
    assert untold.high / untold.low > 2 * told.high / told.low


def test_that_pool_members_without_protection_make_every_synchronous_write_wait_for_their_cells() -> None:
    assert writes(SAFE_NVME, clients=10) > 8 * writes(PLAIN_NVME, clients=10)
    assert writes(PLAIN_NVME, log=SAFE_NVME, clients=10) > 8 * writes(PLAIN_NVME, clients=10)


def test_that_a_log_made_large_writes_slower_until_zil_slog_bulk_was_raised() -> None:
    # openzfs/zfs pull request 14378: 1M from 16 writers, 1292 a second without, 438 with a log device, 1278 since.
    fast = replace(SAFE_NVME, write_bytes_per_second=1400.0 * MB)

    def asked(log: DiskRates | None, version: ZfsVersion) -> float:
        return writes(SAFE_NVME, log=log, clients=16, block=MIB, version=version, sequential=1400.0 * MIB)

    (without,), (bulk, raised) = rows(through="pool", block_kib=1024), rows(through="log", block_kib=1024)
    old, since, none = asked(fast, OLD), asked(fast, ZfsVersion(2, 2, 0)), asked(None, OLD)
    assert old / none == pytest.approx(bulk / without, rel=0.25)
    assert old / since == pytest.approx(bulk / raised, rel=0.25)
    assert asked(None, TODAY) == none


@pytest.mark.parametrize("media", list(Media))
def test_that_a_synchronous_write_of_part_of_a_record_reaches_as_low_as_the_same_asynchronous_write(
    media: Media,
) -> None:
    """The record has to be read first; the low end was ten times that of the asynchronous write."""
    load = PoolLoad(request_bytes=4 << 10, clients=1)
    for log in ((), ("log/stripe:1x100GB",)):
        layout = tuple(parse_spec(spec) for spec in ("raidz2:8x1TB", *log))
        found = predict_speed(layout, disks=disk_rates(media=media, power_loss_protected=True), load=load)
        assert found.sync_write_iops.low <= found.rand_write_iops.low
        assert "read from the disks first" in found.sync_write_iops.origin.source


def test_that_both_answers_are_said_where_nobody_knows_whether_flash_keeps_its_writes() -> None:
    layout = (parse_spec("mirror:2x1TB"),)

    def of(protected: bool | None) -> Estimate:
        disks = disk_rates(media=Media.NVME, power_loss_protected=protected)
        return predict_speed(layout, disks=disks).sync_write_iops

    unknown = of(None)
    assert [case.value for case in unknown.cases] == [of(True).typical, of(False).typical]
    assert unknown.low < unknown.cases[1].value < unknown.cases[0].value < unknown.high
    assert not of(True).cases
    text = speed_text(unknown, operations_text)
    assert "with power-loss protection" in text
    assert "unpredictable" not in text
