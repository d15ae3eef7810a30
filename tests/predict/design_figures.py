"""What is predicted of whole designs, to nine digits: how what a design says reaches the models.

Run ``python -m tests.predict.design_figures`` from the repository to write the figures anew, then read the difference.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from tests.design.side_by_side import concurrent, one_vdev, safety
from tests.emit.machines import macblog_design, nvme, odd_disk, split_design
from tests.predict.dataset_designs import dataset, design
from tests.predict.figures import RUNS, rows

from poolwright.capacity.pool import predict_design, predict_pools
from poolwright.design.md_column import md_raid6_of
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Host
from poolwright.domain.money import money
from poolwright.domain.units import GB, MB, MIB, TB, TIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assessment import Assessment, assess, outlook_for, rebuild_of_shared, speed_share, together
from poolwright.predict.assumptions import Assumptions, load_for, load_of
from poolwright.predict.md_raid import predict_md, zfs_creation
from poolwright.predict.measured_runs import Calibration, read_runs
from poolwright.predict.risk_conditions import design_conditions
from poolwright.predict.space import predict_space
from poolwright.predict.synclog_advice import advise, compare
from poolwright.predict.synclog_model import Setup, setup_of
from poolwright.predict.usage import contents_of
from poolwright.table_library import load_drive_book

GOLDEN = Path(__file__).parent / "golden" / "designs.txt"
TODAY = date(2026, 11, 20)
STORED = design(
    dataset("files", data=4 * TIB, recordsize="1M", compression="lz4", quota="3T"),
    dataset("files/mail", data=TIB // 2, copies="2", refquota="1T"),
    dataset("thick", volume=TIB),
    dataset("sparse", volume=TIB, data=TIB // 8, refreservation="none", volblocksize="64K"),
    dataset("kept", reservation="200G", compression="off"),
    dataset("base", data=TIB // 4, recordsize="16K", special_small_blocks="32K", compression="zstd"),
    host=Host(cores=8, network_bytes_per_second=125_000_000),
    workload=Workload(
        goal=Goal.SAFETY, compressible=True, growth_percent=20, typical_file_bytes=MIB, sync_write_percent=20, clients=6
    ),
)


def one_pool_on_slices() -> Design:
    """Return the odd disks with both vdevs in one pool, so that two of the disks serve two vdevs."""
    two = macblog_design()
    return replace(two, vdevs=(*two.vdevs, *two.further_pools[0].vdevs), further_pools=())


DESIGNS = {
    "datasets": STORED,
    "of the thesis, safe": safety(),
    "of the thesis, quick": concurrent(),
    "odd disks": macblog_design(),
    "one pool on slices": one_pool_on_slices(),
    "split drives": split_design((odd_disk(1, 3 * TB), odd_disk(2, 3 * TB)), (nvme(1), nvme(2))),
}
ASSUMED = {
    "nothing said": Assumptions(),
    "all said": Assumptions(
        fill_percent=50, load_percent=20, disk_read=150 * MB, disk_write=120 * MB, hba=3 * GB, network=2 * GB, cores=4,
        afr_percent=3.0, replace_hours=12.0, correlation=1.5, read_errors_per_bit=1e-14, price=money(180, "EUR"),
        watts=6.0, kwh_price=money("0.25", "EUR"), years=4.0, cooling_factor=1.3, cost_date="2026-10",
        used_bytes=2 * TIB, growth_percent=15.0, calibration=Calibration(runs=read_runs(RUNS)), runs_name="runs",
    ),
}  # fmt: skip
SPEED = ("seq_read", "seq_write", "rand_read_iops", "rand_write_iops", "sync_write_iops")


def of_expected(name: str, found: Assessment) -> Iterator[str]:
    for word, speed in (("", found.speed), (" itself", found.itself), (" without runs", found.without_runs)):
        for what in SPEED if speed is not None else ():
            yield from rows(f"{name},{word} {what}", getattr(speed, what))
        if speed is not None:
            yield from (f"{name},{word} origin of {what}: {getattr(speed, what).origin.source}" for what in SPEED)
    risk = found.risk
    yield from rows(f"{name}, risk", (risk.loss, risk.disk_loss, risk.damage, risk.mttdl_hours, risk.spares))
    yield from rows(f"{name}, times", (found.rebuild, found.scrub))
    for what in ("stored", "fill", "host", "disks", "load", "model_rate"):
        yield from rows(f"{name}, {what}", getattr(found, what))
    if found.cost is not None:
        cost = found.cost
        yield from rows(f"{name}, cost", (cost.purchase, cost.energy_kwh, cost.power, cost.replacement, cost.total))
    how = found.conditions
    yield from rows(f"{name}, rebuild", (how.rebuild, how.support_rebuild, how.drive, how.correlation, how.wait_hours))
    yield from rows(f"{name}, for rules", found.facts_for_rules())


def of_designs() -> Iterator[str]:
    book = load_drive_book()
    for name, one in DESIGNS.items():
        for word, assumed in ASSUMED.items():
            pools = [
                assess(pool, capacity, book, assumed, today=TODAY, among=one.pools())
                for pool, capacity in zip(one.pools(), predict_pools(one), strict=True)
            ]
            for pool, found in zip(one.pools(), pools, strict=True):
                yield from of_expected(f"{name}, {word}, {pool.pool_name}", found)
            for shared in (False, True):
                yield from rows(f"{name}, {word}, together, shared {shared}", together(pools, shared=shared))
        for pool, capacity in zip(one.pools(), predict_pools(one), strict=True):
            yield from rows(f"{name}, {pool.pool_name}, share", speed_share(pool, capacity))
            how = design_conditions(pool, book)
            yield from rows(f"{name}, {pool.pool_name}, rebuild of all", rebuild_of_shared(pool, how))


def found_of(name: str, value: object) -> Iterator[str]:
    """Yield what was found of a dataset, without what was asked."""
    yield from (line for line in rows(name, value) if ", dataset: " not in line and ", workload: " not in line)


def of_contents() -> Iterator[str]:
    new = replace(STORED, version=ZfsVersion(2, 4, 0))
    for name, ratio in (("unknown ratio", None), ("ratio of 2", 2.0)):
        for content in contents_of(STORED, compress_ratio=ratio):
            yield from found_of(f"{name}, content of {content.dataset.name or 'root'}", content)
        space = predict_space(new, predict_design(new), compress_ratio=ratio)
        for one in space.datasets:
            yield from found_of(f"{name}, space of {one.dataset.name or 'root'}", one)
        yield from rows(f"{name}, space", (space.fill_percent, space.free_bytes, space.available_bytes))


def of_loads() -> Iterator[str]:
    for size in (None, 4096, 20_000, 65_536, 200_000, 3 * MIB):
        for more in ({}, {"volumes": True}, {"preset": "database"}, {"sequential_percent": 20}, {"goal": Goal.SPEED}):
            workload = replace(Workload(goal=Goal.SAFETY, io_size_bytes=size, clients=3), **more)
            yield from rows(f"load of {size} {more}", load_for(workload, ZfsVersion(2, 2, 0)))
    yield from rows("load of datasets", load_of(STORED))
    yield from rows("log of datasets", setup_of(STORED))


def of_ranking() -> Iterator[str]:
    disks = [odd_disk(1, 3 * TB, smr=True), odd_disk(2, 2 * TB, rotation_rpm=5400)]
    flash = [Disk(key="f", size_bytes=TB, media=Media.SSD, model="CT500MX500SSD1")]
    for name, kind in (("odd disks", disks), ("flash", flash), ("nothing", [])):
        outlook = outlook_for(
            kind, workload=Workload(goal=Goal.CONCURRENT, network_bytes_per_second=10**9), host=Host(cores=2),
            drives=load_drive_book(), ashift=13, version=ZfsVersion(2, 1, 0),
        )  # fmt: skip
        layout = one_vdev().layout()
        yield from rows(f"outlook of {name}", together([outlook.assess(layout)], shared=False))
        yield from rows(f"outlook of {name}, stripes", (outlook.of_stripes(4), outlook.of_stripes(0)))
        found = outlook.assess(layout)
        yield from rows(f"outlook of {name}, times", (found.rebuild, found.scrub, found.risk.loss))
        yield from rows(f"outlook of {name}, itself", (outlook.itself(layout).seq_read, found.speed.seq_read))


def of_md() -> Iterator[str]:
    for name, one in (("one vdev", one_vdev()), ("many", safety())):
        found = assess(one, None, load_drive_book(), Assumptions(), today=TODAY)
        md = predict_md(md_raid6_of(one), found.itself, found.conditions, network=GB)
        yield from rows(f"md of {name}", replace(md, degraded_losses={}))
        yield from rows(f"md of {name}, hindrance", md.degraded_losses)
        yield from rows(f"hindrance of {name}", found.degraded_losses())
    yield from rows("zfs creation", zfs_creation())


def of_advice() -> Iterator[str]:
    for name, setup in (("paper", Setup()), ("one volume", Setup(volumes=1, requests_per_sync=1))):
        found = compare(setup, requests=300)
        for version in (ZfsVersion(0, 6, 5), ZfsVersion(0, 8, 0), ZfsVersion(2, 3, 9)):
            for advice in advise(found, version):
                yield f"advice to {name} on {version}, {advice.subject}, done {advice.done}: {advice.title}"
                yield f"    {advice.text}"
                yield from (f"    {source.kind}: {source.ref}" for source in advice.sources)


PARTS = (of_designs, of_contents, of_loads, of_ranking, of_md, of_advice)


def figures() -> Iterator[str]:
    for part in PARTS:
        yield from part()


if __name__ == "__main__":
    GOLDEN.write_text("".join(f"{line}\n" for line in figures()), encoding="utf-8")
