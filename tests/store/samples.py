"""Designs and inventories with something in every field."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import strategies as st

from poolwright.domain.burn_in import BurnIn, BurnInCount
from poolwright.domain.design import Dataset, Design, Member, NotChosen, Ranking, ScoreTerm, Setting, Vdev
from poolwright.domain.disk import Disk, Health, LbaFormat, Media, Note, NoteLevel, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.host import Controller, Host, Inventory
from poolwright.domain.money import Money, money
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.vdev import VdevClass, VdevKind, parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Sharing, Workload
from poolwright.store.library import StoredRun

ORIGIN = Origin(kind=OriginKind.READ, source="smartctl on nas1", when="2026-11-20T10:12:00Z")


@st.composite
def amounts(draw: st.DrawFn) -> Money:
    cents = draw(st.integers(0, 10**17))
    currency = draw(st.sampled_from([None, "EUR", "USD", "JPY"]))
    return Money(amount=Decimal(cents).scaleb(-draw(st.integers(0, 6))), currency=currency)


def full_disk(key: str) -> Disk:
    return Disk(
        key=key,
        path="/dev/sda",
        by_id=(f"ata-X_{key}", "wwn-0x5000c500a1b2c3d4"),
        model="X “quoted” $(x)\n",
        serial=key,
        size_bytes=6001175126016,
        logical_sector_bytes=512,
        physical_sector_bytes=4096,
        lba_formats=(LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096, metadata_bytes=8)),
        media=Media.HDD,
        smr=False,
        health=Health.SUSPECT,
        wear_percent=0,
        burn_in=BurnIn(
            ended=datetime(2026, 11, 30, 5, tzinfo=UTC),
            self_test=True,
            read_percent=100.0,
            bytes_per_second=200_000_000,
            counts=(BurnInCount(name="crc", before=0, after=3),),
        ),
        notes=(Note(text="odd", level=NoteLevel.WARN),),
        origins=(("size_bytes", ORIGIN),),
    )


def full_design(key: str = "d1", *, name: str = "Office") -> Design:
    slice_of_k4 = Member(disk_key="k4", slice_bytes=1 << 30)
    return Design(
        key=key,
        name=name,
        pool_name="tank",
        workload=Workload(goal=Goal.CONCURRENT, duplicate_factor=1.5, sharing=Sharing.NFS, read_percent=70),
        budget=Budget(survive=2, money=money("9999.5", "EUR"), currency="EUR", price_on="2026-11-20", bays=12),
        host=Host(name="nas1", ram_bytes=1 << 38, controllers=(Controller(name="HBA"),), ups=None),
        disks=tuple(full_disk(f"k{n}") for n in range(6)),
        vdevs=(
            Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=f"k{n}") for n in range(4))),
            Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.CACHE, members=(slice_of_k4,)),
        ),
        version=ZfsVersion(2, 3, 2),
        pool_settings=(Setting(name="autotrim", value="on", reason="SSDs", rule_id="property.autotrim"),),
        datasets=(Dataset(name=""), Dataset(name="vm", volume_bytes=1 << 40)),
        inventory_name="nas1",
        inventory_origin=ORIGIN,
        growth=(
            GrowthStep(kind=GrowthKind.ATTACH, size_bytes=6001175126016, top=0, disk_keys=("k5",), note="in spring"),
            GrowthStep(
                kind=GrowthKind.ADD,
                vdev=parse_spec("raidz2:4x6TB"),
                at_percent=75,
                price_per_disk=money("129.90", "USD"),
            ),
        ),
        ranking=Ranking(
            goal=Goal.CONCURRENT,
            rank=2,
            examined=17,
            score=81.5,
            terms=(ScoreTerm(name="risk", title="Yearly risk", points=8.5, weight=10, value=0.85, why="1 in 9"),),
            not_chosen=(NotChosen(family="mirror of 2", reason="half the space"),),
            layout=("1*data/raidz2:4x6TB",),
        ),
    )


def full_inventory(name: str = "nas1") -> Inventory:
    leaf = PoolNode(name="sda", kind="disk", section="data", read_errors=0, path="/dev/sda1")
    mirror = PoolNode(name="mirror-0", kind="mirror", section="data", children=(leaf, leaf))
    busy = Disk(key="b", uses=(Use(kind=UseKind.POOL, detail="tank"),), size_bytes=1)
    return Inventory(
        name=name, disks=(full_disk("a"), busy), pools=(Pool(name="tank", vdevs=(mirror,)),), origin=ORIGIN
    )


def stored_run(key: str = "r1", *, hour: int = 9) -> StoredRun:
    return StoredRun(
        key=key,
        name=f"Run “{key}”",
        made=datetime(2026, 11, 23, hour, 30, 1, 250_000, tzinfo=UTC),
        host="nas1",
        pool="tank",
        profile="standard",
        design_name="Office",
        design_key="d1",
        judgement="slower",
        seconds=600.0,
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = texts.filter(lambda t: bool(t.strip()))
positive = st.integers(1, (1 << 63) - 1)
maybe_positive = st.none() | positive
disks_of = st.builds(
    Disk,
    key=st.just("set later"),
    path=st.none() | texts,
    by_id=st.lists(texts, max_size=2).map(tuple),
    model=st.none() | texts,
    serial=st.none() | texts,
    size_bytes=maybe_positive,
    logical_sector_bytes=maybe_positive,
    media=st.none() | st.sampled_from(Media),
    smr=st.none() | st.booleans(),
    wear_percent=st.none() | st.integers(0, 255),
    temperature_celsius=st.none() | st.integers(-50, 100),
    uses=st.lists(st.builds(Use, kind=st.sampled_from(UseKind), detail=texts), max_size=2).map(tuple),
    origins=st.lists(st.tuples(texts, st.just(ORIGIN)), max_size=2).map(tuple),
)
settings_of = st.builds(Setting, name=texts, value=texts, reason=texts, rule_id=st.none() | texts)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    disks = tuple(replace(d, key=f"k{n}") for n, d in enumerate(draw(st.lists(disks_of, max_size=5))))
    vdevs: tuple[Vdev, ...] = ()
    if disks:
        kind = draw(st.sampled_from(VdevKind))
        parity = draw(st.integers(1, 3)) if kind in (VdevKind.RAIDZ, VdevKind.DRAID) else 0
        members = tuple(Member(disk_key=d.key) for d in disks)
        vdevs = (Vdev(kind=kind, parity=parity, members=members, vdev_class=draw(st.sampled_from(VdevClass))),)
    return Design(
        key=draw(names),
        name=draw(names),
        pool_name=draw(texts),
        workload=Workload(
            goal=draw(st.sampled_from(Goal)),
            duplicate_factor=draw(st.none() | st.floats(0, 1e300)),
            volumes=draw(st.booleans()),
        ),
        budget=Budget(money=draw(st.none() | amounts()), survive=draw(st.none() | st.integers(0, 9))),
        disks=disks,
        vdevs=vdevs,
        ashift=draw(st.integers(9, 16)),
        version=ZfsVersion(draw(st.integers(0, 9)), draw(st.integers(0, 99)), draw(st.integers(0, 99))),
        pool_settings=draw(st.lists(settings_of, max_size=3).map(tuple)),
    )
