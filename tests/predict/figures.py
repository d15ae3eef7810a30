"""What every model gives for chosen pools to nine digits and more: a change that nobody meant is seen here.

Other tests hold the models to what was measured, to closed forms and to simulations; these figures were read beside
them once. Run ``python -m tests.predict.figures`` from the repository to write them anew, then read the difference.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path

from tests.predict.fitting import blog_rows, fit, thesis_rows
from tests.predict.shipped import layout, table

from poolwright.capacity.pool import predict_pool
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate, Origin
from poolwright.domain.money import Money, money
from poolwright.domain.units import GB, KIB, MB, MIB, TB, TIB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import Assumptions, PoolLoad
from poolwright.predict.cost import DiskGroupCost, pool_cost
from poolwright.predict.drives import floor_of, gamma_quantile, model_rate, typed_rate
from poolwright.predict.measured_runs import Calibration, read_runs
from poolwright.predict.media import HostCaps, disk_rates
from poolwright.predict.montecarlo import simulate
from poolwright.predict.rebuild import (
    RebuildConditions,
    expansion_hours,
    layout_scrub_hours,
    md_rebuild_hours,
    rebuild_hours,
    scrub_hours,
)
from poolwright.predict.reliability import joined, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.predict.space import forecast, volume_blocks
from poolwright.predict.speed import predict_speed
from poolwright.predict.synclog_advice import compare, run_of
from poolwright.predict.synclog_model import AFTER, BEFORE, DEVICES, Drive, Setup
from poolwright.predict.synclog_model import simulate as simulate_log
from poolwright.predict.throughput import flush_of
from poolwright.predict.usage import StoredContent, predict_usage
from poolwright.table_library import load_drive_book

GOLDEN = Path(__file__).parent / "golden" / "figures.txt"
RUNS = """vdevs,metric,value,recordsize
raidz2:8x6TB,seq_read,900MB/s,128K
4*mirror:2x6TB,seq_write,500MB/s,1M
raidz1:4x6TB,rand_read_iops,320,
raidz1:4x6TB,rand_write_iops,3200,
mirror:2x6TB log/stripe:1x400GB,sync_write_iops,5000,16K
"""
FLASH = disk_rates(media=Media.SSD, power_loss_protected=True)
NVME = disk_rates(media=Media.NVME, power_loss_protected=False)
BIG = disk_rates(media=Media.HDD, size_bytes=18 * TB, rpm=7200)


SPEEDS = {
    "pair": predict_speed(layout("mirror:2x6TB")),
    "three pairs, a told host": predict_speed(
        layout("3*mirror:2x6TB"),
        host=HostCaps(hba_bytes_per_second=4.8 * GB, network_bytes_per_second=1.25 * GB, cores=8, vector_parity=True),
    ),
    "raidz2, vector code": predict_speed(layout("raidz2:8x6TB"), host=HostCaps(vector_parity=True)),
    "raidz3, plain code, sha256, gzip": predict_speed(
        layout("2*raidz3:11x18TB"),
        host=HostCaps(cores=4, vector_parity=False),
        disks=BIG,
        load=PoolLoad(record_bytes=MIB, checksum="sha256", compression="gzip", clients=4),
    ),
    "encrypted": predict_speed(
        layout("raidz1:5x4TB"),
        host=HostCaps(cores=2),
        load=PoolLoad(encrypted=True, version=ZfsVersion(0, 8, 3), compression="lzjb", checksum="off"),
    ),
    "encrypted on later code": predict_speed(
        layout("raidz1:5x4TB"), host=HostCaps(cores=2), load=PoolLoad(encrypted=True)
    ),
    "small requests": predict_speed(
        layout("4*raidz2:6x8TB"), load=PoolLoad(record_bytes=128 * KIB, request_bytes=4 * KIB, clients=16)
    ),
    "large requests": predict_speed(layout("4*raidz2:6x8TB"), load=PoolLoad(request_bytes=MIB, clients=3)),
    "dRAID of many": predict_speed(layout("draid2:8d:2s:60x16TB"), disks=BIG),
    "wide raidz, triple mirrors": predict_speed(layout("raidz3:40x6TB", "mirror:3x6TB")),
    "flash": predict_speed(
        layout("4*mirror:2x1TB"), disks=FLASH, load=PoolLoad(record_bytes=16 * KIB, clients=32)
    ),
    "nvme": predict_speed(layout("raidz1:4x2TB"), disks=NVME, load=PoolLoad(record_bytes=4 * KIB, clients=1)),
    "with log": predict_speed(layout("raidz2:8x6TB", "log/mirror:2x400GB"), log=FLASH),
    "with an old log": predict_speed(
        layout("raidz2:8x6TB", "log/stripe:1x400GB"),
        load=PoolLoad(clients=10, version=ZfsVersion(0, 8, 0)),
    ),
    "past the log": predict_speed(
        layout("raidz2:8x6TB", "log/stripe:1x400GB"),
        load=PoolLoad(clients=10, version=ZfsVersion(0, 6, 5)),
    ),
    "with runs": predict_speed(
        layout("6*raidz2:8x6TB", "log/stripe:1x400GB"), calibration=Calibration(runs=read_runs(RUNS))
    ),
}  # fmt: skip
BOOK = load_drive_book()
REBUILDS = {
    "usual": RebuildConditions(),
    "full, loaded, small": RebuildConditions(fill_percent=100, load_percent=30, record_bytes=16 * KIB),
    "large records, old": RebuildConditions(fill_percent=50, record_bytes=MIB, sorted_scan=False),
    "shingled": RebuildConditions(smr=True),
    "flash": RebuildConditions(media=Media.SSD, read_bytes_per_second=500 * MB),
    "told": RebuildConditions(write_bytes_per_second=100 * MB, ashift=9),
}
SPECS = ("mirror:2x6TB", "raidz1:4x4TB", "raidz2:8x6TB", "raidz3:11x18TB", "draid2:4d:1s:12x18TB")
RISKS = {
    "typed": RiskConditions(drive=typed_rate(2)),
    "shipped": RiskConditions(drive=BOOK.rate(None), causes=BOOK.causes, correlation=2.0),
    "told": RiskConditions(
        drive=typed_rate(1), support_drive=typed_rate(4), rebuild_hours=20, replace_hours=48, spares=1,
        read_errors_per_bit=1e-14, causes=BOOK.causes,
    ),
}  # fmt: skip
POOLS = {
    "5 raidz2, spares": ("5*raidz2:8x6TB", "spare/stripe:4x6TB"),
    "pairs with special": ("4*mirror:2x4TB", "special/mirror:3x1TB"),
    "dRAID": ("draid2:4d:1s:12x18TB",),
    "raidz3": ("2*raidz3:11x18TB",),
    "stripe": ("stripe:2x4TB",),
}
STORED = (
    StoredContent(name="media", logical_bytes=8 * TIB, block_bytes=MIB, compress_ratio=None),
    StoredContent(name="mail", logical_bytes=TIB, block_bytes=128 * KIB, file_bytes=9000, compress_ratio=1.5),
    StoredContent(
        name="vm", logical_bytes=2 * TIB, block_bytes=16 * KIB, volume=True, compress_ratio=1.3, ratio_band=(1.1, 2.0)
    ),
    StoredContent(
        name="tiny", logical_bytes=10**9, block_bytes=8 * KIB, file_bytes=100, copies=2, special_small_bytes=32 * KIB
    ),
)
EXACT_WATTS = (5.0, 6.0, 9.0)


def number_text(value: float) -> str:
    """Return a number with nine digits; what is likely to be bytes with so many that each of them counts."""
    return f"{value:.9g}" if abs(value) < 1e9 else f"{value:.13g}"


def told(value: object) -> str:
    """Return a value with nine digits; texts of origins are left to those who test them."""
    match value:
        case Estimate():
            numbers = " ".join(map(number_text, (value.low, value.typical, value.high)))
            return f"{numbers} ({value.limit}; {value.origin.kind})"
        case Origin():
            return value.kind.value
        case float():
            return number_text(value)
        case list() | tuple():
            return "[" + ", ".join(told(each) for each in value) + "]"
        case _ if is_dataclass(value) and not isinstance(value, type):
            return " ".join(f"{field.name}={told(getattr(value, field.name))}" for field in fields(value))
        case _:
            return str(value)


def rows(name: str, value: object) -> Iterator[str]:
    """Yield a line for each piece of a value."""
    if is_dataclass(value) and not isinstance(value, Estimate | Origin | Money | type):
        yield from (f"{name}, {field.name}: {told(getattr(value, field.name))}" for field in fields(value))
    elif isinstance(value, dict):
        yield from (f"{name}, {key}: {told(each)}" for key, each in value.items())
    elif isinstance(value, list | tuple):
        yield from (f"{name} {number}: {told(each)}" for number, each in enumerate(value))
    else:
        yield f"{name}: {told(value)}"


def of_speed() -> Iterator[str]:
    for name, speed in SPEEDS.items():
        yield from rows(f"speed of {name}", speed)


def of_rebuild() -> Iterator[str]:
    for name, how in REBUILDS.items():
        for spec in SPECS:
            one = parse_spec(spec)
            yield from rows(f"rebuild, {name}, {spec}", rebuild_hours(one, how))
            if one.draid_spares:
                yield from rows(f"rebuild onto spare, {name}", rebuild_hours(one, how, onto_spare=True))
        yield from rows(f"md rebuild, {name}", md_rebuild_hours(6 * 10**12, how))
        yield from rows(f"scrub, {name}", scrub_hours(allocated_bytes=40 * TIB, disks=12, how=how))
        whole = layout("stripe:2x4TB", "raidz1:3x6TB", "log/stripe:1x1TB")
        yield from rows(f"scrub of a layout, {name}", layout_scrub_hours(whole, how))
        yield from rows(
            f"expansion, {name}", expansion_hours(old_width=7, disk_bytes=6 * 10**12, allocated_bytes=9e12, how=how)
        )


def of_risk() -> Iterator[str]:
    for name, conditions in RISKS.items():
        for pool, specs in POOLS.items():
            risk = yearly_loss(layout(*specs), conditions)
            at = f"risk, {name}, {pool}"
            for what in ("loss", "disk_loss", "damage", "disk_damage", "mttdl_hours", "spares"):
                yield from rows(f"{at}, {what}", getattr(risk, what))
            for number, (vdev, count) in enumerate(risk.vdevs):
                yield from rows(f"{at}, vdev {number} x {count}", (vdev.repair, vdev.spare_free, vdev.mttdl_hours))
                yield from rows(f"{at}, vdev {number} threats", vdev.hazards(with_causes=True))
    shelves = yearly_loss(layout("raidz2:8x6TB"), RISKS["shipped"]).with_units(["shelf 1", "shelf 2"])
    both = joined([shelves, yearly_loss(layout("mirror:2x6TB"), RISKS["shipped"])], pools=2)
    yield from rows("risk of two pools", (shelves.loss, both.loss, both.disk_loss, both.damage, both.mttdl_hours))
    yield from rows("floor", floor_of(BOOK.causes))
    played = simulate(yearly_loss(layout("raidz1:4x4TB"), RISKS["typed"]).hazards, pool_years=20_000, seed=7)
    yield from rows("simulated", played)
    yield from rows("simulated, band", played.damaged.interval())


def of_drives() -> Iterator[str]:
    for record in BOOK.records[:3] + BOOK.records[-3:]:
        yield from rows(record.model, model_rate(record, BOOK.fleet))
    yield from rows("fleet", BOOK.fleet)
    for shape, share in ((0.5, 0.1), (1, 0.5), (3, 0.975), (40, 0.025), (900, 0.6)):
        yield from rows(f"gamma of {shape} at {share}", gamma_quantile(shape, share))
    for media in Media:
        for kept in (None, False, True):
            rates = disk_rates(media=media, power_loss_protected=kept)
            yield from rows(f"{media}, protected {kept}", (rates, flush_of(rates)))
    yield from rows("told read", disk_rates(read_bytes_per_second=200 * MB, size_bytes=4 * TB))
    yield from rows("told write", disk_rates(write_bytes_per_second=900 * MB))
    yield from rows("told all", disk_rates(read_bytes_per_second=2 * GB, write_bytes_per_second=1 * GB, iops=9000))
    yield from rows("fast turns", disk_rates(media=Media.HDD, size_bytes=10**11, rpm=15_000))


def of_space() -> Iterator[str]:
    for specs in (("raidz2:6x8TB",), ("2*mirror:2x8TB", "special/mirror:2x1TB"), ("draid1:4d:1s:8x8TB",)):
        capacity = predict_pool(layout(*specs), ashift=12, version=ZfsVersion(2, 3, 0))
        yield from rows(f"usage of {specs}", predict_usage(capacity, STORED))
        yield from rows(f"volume blocks on {specs}", volume_blocks(capacity))


def of_cost() -> Iterator[str]:
    groups = (
        DiskGroupCost(count=6, media=Media.HDD, drive=typed_rate(2), size_bytes=8 * TB, price=money(200, "EUR")),
        DiskGroupCost(count=2, media=Media.NVME, drive=typed_rate(1), price=money(90, "EUR"), watts=EXACT_WATTS),
        DiskGroupCost(count=1, media=Media.SSD, drive=typed_rate(3), price=money(50, "EUR"), at_hand=True),
    )
    yield from rows("cost", pool_cost(groups, usable_bytes=20 * TB))
    typed = Assumptions(years=3, kwh_price=money("0.2", "USD"), cooling_factor=1.4)
    yield from rows("cost with typed power", pool_cost(groups, usable_bytes=20 * TB, assumed=typed))


def of_growth() -> Iterator[str]:
    told = forecast(
        used_bytes=4 * TB, available_bytes=12 * TB, growth=25, today=date(2026, 11, 20),
        used_band=(3 * TB, 5 * TB), fixed_bytes=TB,
    )  # fmt: skip
    yield from rows("growth in percent", told)


def of_log() -> Iterator[str]:
    setups = {
        "paper": Setup(),
        "deep": Setup(volumes=4, disks=2, requests_per_sync=9, block_bytes=16 * KIB, depth=7, disk=DEVICES[Drive.SSD]),
        "with log": Setup(log=DEVICES[Drive.NVME], disk=DEVICES[Drive.FLUSHED_DISK]),
    }
    for name, setup in setups.items():
        for word, policy in (("before", BEFORE), ("after", AFTER)):
            run = run_of(simulate_log(setup, policy, requests=200))
            yield from rows(f"log of {name} {word}", (run.iops, run.latency_seconds, run.seconds))
    found = compare(setups["paper"], requests=200)
    yield from rows("log compared", [run.iops for run in found.runs])


def of_fit() -> Iterator[str]:
    measured = thesis_rows(table("pool_throughput.csv")) + blog_rows(table("ashift_effect.csv"))
    for number, row in enumerate(measured):
        if number < 6 or number > len(measured) - 6:
            name = f"measured row {number}, {row.machine}, {len(row.layout)} x {row.layout[0].word}"
            yield from rows(name, (row.bytes_per_second, row.reading, row.disks))
    yield from rows("fit", fit(measured[::9], steps=3))


PARTS = (of_speed, of_rebuild, of_risk, of_drives, of_space, of_cost, of_growth, of_log, of_fit)


def figures() -> Iterator[str]:
    for part in PARTS:
        yield from part()


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("".join(f"{line}\n" for line in figures()), encoding="utf-8")
