"""What a host lets through."""

import pytest

from poolwright.domain.host import Controller, Host
from poolwright.domain.units import GB, MB, MIB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import DEFAULT_LOAD, PoolLoad
from poolwright.predict.media import HostCaps, cpu_limits, disk_rates, host_caps
from poolwright.predict.speed import SpeedPrediction, predict_speed


def of(disks: int, host: HostCaps, load: PoolLoad = DEFAULT_LOAD) -> SpeedPrediction:
    single = disk_rates(read_bytes_per_second=160.0 * MIB, write_bytes_per_second=130.0 * MIB)
    return predict_speed((parse_spec(f"stripe:{disks}x6TB"),), disks=single, host=host, load=load)


def test_that_an_inventory_tells_the_caps_and_unknown_links_stay_unknown() -> None:
    known = Host(cores=8, controllers=(Controller(name="9300-8e", bytes_per_second=9_600_000_000),))
    assert host_caps(known) == HostCaps(hba_bytes_per_second=9.6 * GB, cores=8)
    half = Host(controllers=(Controller(name="a", bytes_per_second=4_000_000_000), Controller(name="b")))
    assert host_caps(half).hba_bytes_per_second is None
    assert host_caps(Host()) == HostCaps()
    assert host_caps(Host(network_bytes_per_second=125_000_000)).network_bytes_per_second == 125 * MB


def test_that_sha256_holds_the_thesis_machine_at_what_was_measured() -> None:
    read, write = cpu_limits(HostCaps(cores=8), "sha256", "off")
    assert read == write == pytest.approx(1600 * MIB)
    eight = HostCaps(cores=8)
    plain, hashed = of(40, eight), of(40, eight, PoolLoad(checksum="sha256"))
    assert hashed.seq_read.typical < plain.seq_read.typical
    assert "CPU" in hashed.seq_read.limit


def test_that_gzip_costs_writes_and_spares_reads() -> None:
    eight = HostCaps(cores=8)
    plain, packed = of(24, eight), of(24, eight, PoolLoad(compression="gzip"))
    assert packed.seq_write.typical < plain.seq_write.typical / 3
    assert packed.seq_read.typical == plain.seq_read.typical
    assert cpu_limits(HostCaps(), "sha256", "gzip") == (None, None)
    assert cpu_limits(eight, "off", "lz4") == (None, None)


def test_that_encryption_takes_its_time_of_the_processor_and_far_more_without_vector_code() -> None:
    two = HostCaps(cores=2)
    plain, sealed = of(20, two), of(20, two, PoolLoad(encrypted=True))
    assert sealed.seq_write.typical < plain.seq_write.typical
    assert sealed.seq_read.typical < plain.seq_read.typical
    # openzfs/zfs pull request 9749: 32 KiB sealed in 31 microseconds with AVX, in 751 without.
    _, write = cpu_limits(two, "off", "off", encrypted=True)
    assert write == pytest.approx(2 * 1.05 * GB, rel=0.01)
    _, old = cpu_limits(two, "off", "off", encrypted=True, version=ZfsVersion(0, 8, 3))
    assert old == pytest.approx(2 * 43.6 * MB, rel=0.01)
    assert cpu_limits(HostCaps(), "on", "on", encrypted=True) == (None, None)
