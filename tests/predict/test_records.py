"""Requests smaller and larger than the records: writes of one-drive pools as measured, reads by what they take."""

import csv
from dataclasses import replace
from math import exp, log
from statistics import median

import pytest
from tests.predict.shipped import table

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Media
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assumptions import PoolLoad, load_of, usual_record
from poolwright.predict.media import HostCaps, disk_rates
from poolwright.predict.speed import SpeedPrediction, predict_speed

# What the drives wrote and read in order, MiB/s: writes of 1M in records of 1M (128K where a cache was too small).
RATES = {"nvme": (3500, 1981), "ssd": (500, 226), "hdd": (150, 137)}


def at(record_kib: int, request_kib: int, media: str = "hdd", clients: int | None = None) -> SpeedPrediction:
    read, write = RATES[media]
    disks = disk_rates(
        media=Media(media), read_bytes_per_second=read * float(MIB), write_bytes_per_second=write * float(MIB)
    )
    load = PoolLoad(record_bytes=record_kib * KIB, request_bytes=request_kib * KIB, clients=clients)
    return predict_speed((parse_spec("stripe:1x2TB"),), disks=disks, host=HostCaps(cores=8), load=load)


def test_that_random_writes_by_recordsize_are_as_measured() -> None:
    errors, inside = [], []
    for row in csv.DictReader(table("write_by_recordsize.csv").splitlines()):
        record, request = int(row["recordsize_kib"]), int(row["request_kib"])
        found = at(record, request, row["media"], int(row["jobs"]) * int(row["queue"])).rand_write_iops
        measured = float(row["mib_s"]) * KIB / request
        errors.append(abs(log(found.typical / measured)))
        inside.append(found.low <= measured <= found.high)
    assert len(errors) == 54
    assert exp(median(errors)) == pytest.approx(1.48, abs=0.05)
    assert exp(max(errors)) < 10
    assert sum(inside) / len(inside) == pytest.approx(0.91, abs=0.02)


def test_that_a_small_write_costs_a_whole_record() -> None:
    whole, part = at(128, 128), at(128, 4)
    assert part.rand_write_iops.typical == pytest.approx(whole.rand_write_iops.typical)
    assert part.rand_write_iops.typical < at(4, 4).rand_write_iops.typical / 3
    assert part.rand_write_iops.low < whole.rand_write_iops.low
    assert "whole record" in part.rand_write_iops.origin.source


def test_that_a_small_read_takes_a_whole_record_and_a_large_one_several() -> None:
    flash = [at(128, size, "nvme").rand_read_iops.typical for size in (4, 128, 1024)]
    assert flash[0] == flash[1] == pytest.approx(8 * flash[2])
    assert at(4, 4, "nvme").rand_read_iops.typical > 2 * flash[0]


def test_that_a_design_is_asked_on_the_records_that_hold_its_data() -> None:
    workload = Workload(goal=Goal.CONCURRENT, io_size_bytes=4 * KIB)
    design = Design(key="a", name="a", pool_name="tank", workload=workload)
    assert (load_of(design).record_bytes, load_of(design).request_bytes) == (128 * KIB, 4 * KIB)
    root = Dataset(name="", settings=(Setting(name="recordsize", value="1M"),))
    assert load_of(replace(design, datasets=(root,))).record_bytes == MIB
    volume = Dataset(name="guests", volume_bytes=10**12, settings=(Setting(name="volblocksize", value="32K"),))
    both = load_of(replace(design, datasets=(root, volume)))
    assert both.record_bytes == 32 * KIB
    assert both.records_each == 1
    assert load_of(replace(design, workload=Workload(goal=Goal.CONCURRENT))).request_bytes is None


@pytest.mark.parametrize(
    ("asked", "block"),
    [(None, 16), (4, 16), (16, 16), (17, 32), (20, 32), (32, 32), (33, 64), (65, 128), (128, 128), (1024, 128)],
)
def test_that_blocks_of_volumes_are_powers_of_two_that_hold_a_request(asked: int | None, block: int) -> None:
    size = None if asked is None else asked * KIB
    assert usual_record(Workload(goal=Goal.SAFETY, volumes=True, io_size_bytes=size)) == block * KIB
