"""What OpenZFS printed beside a run in the virtual machine, as it printed it: read to the figures that stand in it."""

from datetime import UTC, datetime
from pathlib import Path

from poolwright.domain.measurement import Direction, Observer, Recorded, TimeCurve, What
from poolwright.store.read_results import read_result

HERE = Path(__file__).parent / "recorded"


def recorded(name: str) -> Recorded:
    (found,) = read_result((HERE / name).read_bytes(), name)
    return found


def curves(found: Recorded, source: Observer, what: What, detail: str = "") -> dict[str, TimeCurve]:
    return {
        curve.name: curve
        for curve in found.curves
        if (curve.source, curve.what, curve.detail) == (source, what, detail)
        and curve.direction in (None, Direction.READ)
    }


def test_that_each_report_of_zpool_iostat_tells_of_pool_and_disks() -> None:
    found = recorded("zpool-iostat-2.3.2.txt")
    assert found.started == datetime.fromtimestamp(1795441811, UTC)  # a first report may be of the time since import
    pool = curves(found, Observer.POOL, What.RATE)["tank"]
    assert pool.ms[:3].tolist() == [0, 2000, 5000]
    assert pool.values[:2].tolist() == [110872142, 37095412]
    disks = curves(found, Observer.DISK, What.LATENCY, "disk_wait")
    assert sorted(disks) == [f"scsi-35000c5000000000{n}" for n in range(6)]
    assert disks["scsi-35000c50000000003"].values[0] == 52870032


def test_that_the_sampler_tells_what_went_through_the_arc_and_past_it() -> None:
    found = recorded("samples-2.3.2.txt")
    assert found.started == datetime.fromtimestamp(1795441801.486, UTC)
    through = curves(found, Observer.ARC, What.RATE, "arc")["tank"].values
    assert round(float(through[-1])) == round((638372352 - 319998464) / (1795441816.071498160 - 1795441803.124031220))
    assert curves(found, Observer.ARC, What.RATE, "direct")["tank"].values[-1] == 0
    assert curves(found, Observer.ARC, What.BYTES, "c")["ARC"].values[-1] > 0
    assert {"sda", "sdb"} <= set(curves(found, Observer.DISK, What.RATE))
