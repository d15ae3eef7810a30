"""Designs that violate the rules on members, block sizes, support vdevs, settings and predictions, one for each."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.rules.machines import NUMBERS, bare, design, disk, disks, mirror, raidz, vdev

from poolwright.domain.burn_in import BurnIn, BurnInCount
from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Media, Use, UseKind
from poolwright.domain.host import Host
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Budget, Goal, Sharing, Workload
from poolwright.rules.layout_facts import LayoutNumbers, RebuildTime

TEN = disks(10)
LINUX = Host(os_name="Debian 12", ram_bytes=256 << 30)
SYNC = Workload(goal=Goal.CONCURRENT, sync_write_percent=50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A design with what the models say of it."""

    design: Design
    numbers: LayoutNumbers = NUMBERS
    rebuild: RebuildTime | None = None


def _eight(**more: Any) -> Design:
    return design(raidz(TEN[:8], 2), of=TEN, **more)


def _root(version: str | None = None, more: dict[str, Any] | None = None, **properties: str) -> Plan:
    return Plan(design=design(mirror(*TEN[:2]), of=TEN, version=version, root=properties, **(more or {})))


def _beside(role: VdevClass, *, count: int = 1, size: int = 960197124096, **more: Any) -> Plan:
    changes = {key: more.pop(key) for key in ("media", "model") if key in more}
    added = tuple(disk(100 + n, size, **({"media": Media.NVME} | changes)) for n in range(count))
    kind = VdevKind.MIRROR if count > 1 and role is not VdevClass.CACHE else VdevKind.STRIPE
    return Plan(design=design(raidz(TEN[:8], 2), vdev(kind, added, role=role), of=(*TEN, *added), **more))


def _expecting(goal: Goal = Goal.SAFETY, **numbers: Any) -> Plan:
    return Plan(
        design=_eight(goal=goal), numbers=replace(NUMBERS, predicted={f"pool.{name}": n for name, n in numbers.items()})
    )


def _volume(size: int, block: str, version: str | None = None, name: str = "vol") -> Plan:
    made = design(mirror(*TEN[:2]), of=TEN, version=version)
    volume = Dataset(name=name, volume_bytes=size, settings=(Setting(name="volblocksize", value=block),))
    return Plan(design=replace(made, datasets=(*made.datasets, volume)))


def _pool_set(plan: Plan, **settings: str) -> Plan:
    made = tuple(Setting(name=name, value=value) for name, value in settings.items())
    return replace(plan, design=replace(plan.design, pool_settings=made))


def _importable(on: str, plan: Plan) -> Plan:
    return replace(plan, design=replace(plan.design, budget=Budget(import_on=on)))


def _sliced(*keys: str) -> Vdev:
    members = tuple(Member(disk_key=key, slice_bytes=2 * TB) for key in keys)
    return Vdev(kind=VdevKind.RAIDZ, parity=1, members=members)


def _shelved(**word: Any) -> Plan:
    """Return a raidz2 of eight with five members in the first of two shelves or behind the first controller."""
    ((field, name),) = word.items()
    changes: list[dict[str, Any]] = [{field: f"{name} {int(n >= 5)}"} for n in range(8)]
    placed = tuple(replace(d, **change) for d, change in zip(TEN[:8], changes, strict=True))
    return Plan(design=design(raidz(placed, 2), of=placed))


def _shared_drive() -> Plan:
    flash = disk(100, 960197124096, media=Media.NVME)
    parts = [
        Vdev(kind=VdevKind.STRIPE, vdev_class=role, members=(Member(disk_key=flash.key, slice_bytes=100 * 10**9),))
        for role in (VdevClass.LOG, VdevClass.CACHE)
    ]
    return Plan(design=design(raidz(TEN[:8], 2), *parts, of=(*TEN, flash)))


def _shared_mirror(version: str) -> Plan:
    drives = tuple(disk(100 + n, 960197124096, media=Media.NVME) for n in range(3))
    parts = [
        Vdev(
            kind=VdevKind.MIRROR,
            vdev_class=role,
            members=tuple(Member(disk_key=d.key, slice_bytes=8 << 30, part=part) for d in drives),
        )
        for part, role in enumerate((VdevClass.LOG, VdevClass.SPECIAL), start=1)
    ]
    return Plan(design=design(raidz(TEN[:8], 2), *parts, of=(*TEN, *drives), version=version))


def _before_flash(role: VdevClass) -> Plan:
    drives = tuple(disk(100 + n, 960197124096, media=Media.NVME) for n in range(2))
    data = tuple(replace(drive, power_loss_protection=True) for drive in _SSDS)
    return Plan(design=design(mirror(*data), vdev(VdevKind.MIRROR, drives, role=role), of=(*data, *drives)))


def _mirror_of(role: VdevClass, number: int) -> Vdev:
    """A mirror of three flash drives from this number on."""
    return vdev(VdevKind.MIRROR, tuple(d for d in _FLASH if number <= int(d.key[4:]) < number + 3), role=role)


def _paper_volume() -> Plan:
    plan = _volume(10 << 30, "128K")
    return replace(plan, design=replace(plan.design, workload=replace(_SMALL_RANDOM, io_size_bytes=4096)))


def _special_volume() -> Plan:
    plan = _beside(VdevClass.SPECIAL, count=3, version="2.3.2")
    settings = (Setting(name="special_small_blocks", value="16K"), Setting(name="volblocksize", value="16K"))
    volume = Dataset(name="vol", volume_bytes=1 << 30, settings=settings)
    return replace(plan, design=replace(plan.design, datasets=(*plan.design.datasets, volume)))


def _draid(**more: Any) -> Plan:
    members = disks(24)
    return Plan(
        design=design(vdev(VdevKind.DRAID, members, parity=2, draid_data=8, draid_spares=1), of=members, **more)
    )


def _flash() -> Plan:
    return Plan(design=design(mirror(*_SSDS), of=_SSDS))


def _plain_flash() -> Plan:
    drives = tuple(disk(n, 960197124096, media=Media.NVME, model="Samsung SSD 960 EVO 1TB") for n in range(2))
    return Plan(design=design(mirror(*drives), of=drives, workload=SYNC))


def _odd(**changes: Any) -> Plan:
    odd = (disk(0, **changes), *disks(8)[1:])
    return Plan(design=design(raidz(odd, 2), of=odd))


_FLASH = tuple(disk(n, 960197124096, media=Media.NVME) for n in (100, 101, 102, 110, 111, 112))
FAILED = BurnIn(self_test=False)
BAD_CABLE = BurnIn(self_test=True, read_percent=100, counts=(BurnInCount(name="crc", before=0, after=3),))
_SSDS = disks(2, media=Media.SSD)
_DELIVERY = tuple(disk(n, serial=f"ZA1XY{n:03}") for n in range(8))
_LARGER = disks(2, size_bytes=6001175126016 + 40 * 10**9)
_SMALL_RANDOM = Workload(goal=Goal.CONCURRENT, io_size_bytes=16384, sequential_percent=10)

PLANS: dict[str, Callable[[], Plan]] = {
    "enclosures.loss-takes-pool": lambda: _shelved(enclosure="shelf"),
    "enclosures.controller-takes-pool": lambda: _shelved(controller="hba"),
    "members.one-delivery": lambda: Plan(design=design(raidz(_DELIVERY, 2), of=_DELIVERY)),
    "members.no-slack": lambda: Plan(design=design(mirror(*_LARGER), of=_LARGER)),
    "members.partitions": lambda: Plan(design=design(_sliced("disk0", "disk1", "disk2"), of=TEN)),
    "members.same-disk-twice": lambda: Plan(design=design(_sliced("disk0", "disk0", "disk1"), of=TEN)),
    "redundancy.one-failure-of-few": lambda: Plan(design=design(mirror(*TEN[:2]), of=TEN)),
    "disks.burn-in": lambda: _odd(burn_in=FAILED),
    "disks.burn-in-watch": lambda: _odd(burn_in=BAD_CABLE),
    "members.old": lambda: _odd(power_on_hours=60_000),
    "members.exported-pool": lambda: _odd(uses=(Use(kind=UseKind.FOREIGN_POOL, detail="old"),)),
    "raidz.second-parity-price": lambda: Plan(design=design(raidz(TEN[:5], 2), of=TEN, goal=Goal.CONCURRENT)),
    "raidz.for-random-io": lambda: Plan(design=_eight(workload=_SMALL_RANDOM)),
    "raidz.random-io-of-its-data": lambda: Plan(design=_eight(workload=replace(_SMALL_RANDOM, goal=Goal.SAFETY))),
    "raidz.volumes": lambda: Plan(
        design=_eight(version="2.1.11", workload=Workload(goal=Goal.CONCURRENT, volumes=True))
    ),
    "raidz.draid-small-blocks": lambda: _draid(workload=replace(_SMALL_RANDOM, goal=Goal.SAFETY)),
    "raidz.draid-not-for-mirrors-work": lambda: _draid(goal=Goal.CONCURRENT),
    "cache.little-ram": lambda: _beside(VdevClass.CACHE, host=Host(ram_bytes=8 << 30)),
    "cache.header-ram": lambda: _beside(
        VdevClass.CACHE, host=Host(ram_bytes=64 << 30), workload=Workload(goal=Goal.CONCURRENT, io_size_bytes=8192)
    ),
    "cache.working-set-in-ram": lambda: _beside(
        VdevClass.CACHE, workload=Workload(goal=Goal.CONCURRENT, working_set_bytes=16 << 30)
    ),
    "cache.better-use": lambda: _beside(VdevClass.CACHE, count=2),
    "cache.before-flash": lambda: Plan(
        design=design(mirror(*_SSDS), bare(disk(9), VdevClass.CACHE), of=(*_SSDS, disk(9)))
    ),
    "support.cache-few-reads": lambda: _beside(
        VdevClass.CACHE, workload=Workload(goal=Goal.CONCURRENT, read_percent=5)
    ),
    "support.log-before-flash": lambda: _before_flash(VdevClass.LOG),
    "support.special-before-flash": lambda: _before_flash(VdevClass.SPECIAL),
    "support.special-large-files": lambda: _beside(
        VdevClass.SPECIAL, count=3, workload=Workload(goal=Goal.SAFETY, typical_file_bytes=4 << 30)
    ),
    "support.log-beside-cache": _shared_drive,
    "support.log-beside-special": lambda: _shared_mirror("2.4.0"),
    "support.dedup-beside-special": lambda: Plan(
        design=design(
            raidz(TEN[:6], 2), _mirror_of(VdevClass.SPECIAL, 100), _mirror_of(VdevClass.DEDUP, 110), of=(*TEN, *_FLASH)
        )
    ),
    "synchronous.log-power-loss": lambda: _beside(VdevClass.LOG, model="Samsung SSD 960 EVO 250GB"),
    "synchronous.log-on-disk": lambda: _beside(VdevClass.LOG, media=Media.HDD),
    "synchronous.log-oversized": lambda: _beside(VdevClass.LOG),
    "synchronous.log-too-small": lambda: _beside(
        VdevClass.LOG, size=2 << 30, host=Host(network_bytes_per_second=1_250_000_000)
    ),
    "synchronous.members-power-loss": _plain_flash,
    "synchronous.no-log": lambda: Plan(design=_eight(workload=SYNC)),
    "synchronous.waiting-commits": lambda: Plan(design=_eight(workload=SYNC, version="0.7.13")),
    "synchronous.disabled-no-ups": lambda: _root(sync="disabled", more={"host": Host(ups=False)}),
    "synchronous.always-without-log": lambda: _root(sync="always"),
    "synchronous.logbias-past-log": lambda: _beside(VdevClass.LOG, root={"logbias": "throughput"}),
    "special.stays": lambda: _beside(VdevClass.SPECIAL, count=3),
    "special.small": lambda: _beside(VdevClass.SPECIAL, count=3, size=64 * 10**9),
    "special.not-flash": lambda: _beside(VdevClass.SPECIAL, count=3, media=Media.HDD),
    "special.shared-disk": _shared_drive,
    "special.small-blocks-everything": lambda: _beside(
        VdevClass.SPECIAL, count=3, root={"special_small_blocks": "128K"}
    ),
    "special.small-blocks-unused": lambda: _root(special_small_blocks="32K"),
    "special.small-blocks-volume": _special_volume,
    "special.dedup-vdev-idle": lambda: _beside(
        VdevClass.DEDUP, count=3, workload=Workload(goal=Goal.SAFETY, duplicate_factor=1.0)
    ),
    "checksum.fletcher2": lambda: _root(checksum="fletcher2"),
    "checksum.skein-version": lambda: _root("0.6.5", checksum="skein"),
    "checksum.edonr-freebsd": lambda: _root("2.1.5", {"host": Host(os_name="FreeBSD 13.1")}, checksum="edonr"),
    "checksum.edonr-dedup": lambda: _root(dedup="edonr"),
    "checksum.weak-dedup": lambda: _root(dedup="fletcher4"),
    "checksum.zstd-version": lambda: _root("0.8.6", compression="zstd"),
    "checksum.zstd-high": lambda: _root(compression="zstd-19"),
    "checksum.lzjb": lambda: _root(compression="lzjb"),
    "checksum.gzip-incompressible": lambda: _root(
        compression="gzip-6", more={"workload": Workload(goal=Goal.SAFETY, compressible=False)}
    ),
    "access.acl-without-sa": lambda: _root(acltype="posixacl", xattr="dir"),
    "access.nfsv4-on-linux": lambda: _root(acltype="nfsv4", more={"host": LINUX}),
    "access.posix-on-freebsd": lambda: _root(acltype="posix", more={"host": Host(os_name="FreeBSD 14.0")}),
    "access.smb-without-acl": lambda: _root(
        more={"host": LINUX, "workload": Workload(goal=Goal.SAFETY, sharing=Sharing.SMB)}
    ),
    "access.aclinherit-restricted": lambda: _root(
        acltype="nfsv4",
        more={"host": Host(os_name="FreeBSD 14.0"), "workload": Workload(goal=Goal.SAFETY, sharing=Sharing.SMB)},
    ),
    "access.case-insensitive": lambda: _root(casesensitivity="insensitive"),
    "access.dnodesize-legacy": lambda: _root(acltype="posixacl"),
    "access.relatime-before": lambda: _root("2.1.11", atime="on"),
    "records.large-for-random": lambda: _root(recordsize="1M", more={"workload": _SMALL_RANDOM}),
    "records.volume-large-for-random": _paper_volume,
    "records.volume-block-range": lambda: _volume(10 << 30, "1M"),
    "records.volume-multiple": lambda: _volume((10 << 30) + 4096, "128K"),
    "datasets.swap-volume": lambda: _volume(10 << 30, "16K", name="swap"),
    "records.name": lambda: Plan(design=replace(_eight(), datasets=(Dataset(name="two%words"),))),
    "records.primarycache-none": lambda: _root(primarycache="none"),
    "records.primarycache-metadata": lambda: _root(
        primarycache="metadata", more={"workload": Workload(goal=Goal.SAFETY, sequential_percent=90)}
    ),
    "records.redundant-metadata-version": lambda: _root("2.1.11", redundant_metadata="some"),
    "records.redundant-metadata": lambda: _root(redundant_metadata="none"),
    "records.copies": lambda: _root(copies="2"),
    "records.dedup-low-factor": lambda: _root(
        dedup="on", more={"workload": Workload(goal=Goal.SAFETY, duplicate_factor=1.5)}
    ),
    "records.dedup-5-gb": lambda: _root("2.2.2", {"host": Host(ram_bytes=16 << 30)}, dedup="on"),
    "records.dedup-quota": lambda: _pool_set(_root(dedup="on"), dedup_table_quota="none"),
    "compatibility.not-set": lambda: _importable("2.1", _root()),
    "compatibility.before-2-1": lambda: _pool_set(_root("2.0.7"), compatibility="zol-0.8"),
    "compatibility.old-zfs": lambda: _root("0.8.6"),
    "compatibility.draid-too-new": lambda: _importable("2.0", _draid()),
    "compatibility.special-too-new": lambda: _importable("0.7", _beside(VdevClass.SPECIAL, count=3)),
    "compatibility.compression-too-new": lambda: _importable("0.8", _root(compression="zstd")),
    "compatibility.checksum-too-new": lambda: _importable("2.1", _root(checksum="blake3")),
    "compatibility.grub": lambda: _importable("grub2", _root()),
    "compatibility.grub-mirror": lambda: _importable("grub2", Plan(design=_eight())),
    "compatibility.grub-dnodesize": lambda: _importable("grub2", _root(dnodesize="auto")),
    "compatibility.truenas": lambda: Plan(design=_eight(host=Host(os_name="TrueNAS-SCALE-24.10"))),
    "compatibility.freebsd-names": lambda: Plan(design=_eight(host=Host(os_name="FreeBSD 14.0"))),
    "compatibility.pool-name": lambda: Plan(design=replace(_eight(), pool_name="mirror1")),
    "compatibility.autotrim-off": _flash,
    "expected.long-rebuild": lambda: Plan(design=design(raidz(TEN[:5], 1), of=TEN), rebuild=lambda _: 30.0),
    "expected.days-of-rebuild": lambda: Plan(design=_eight(), rebuild=lambda _: 120.0),
    "expected.yearly-loss": lambda: _expecting(yearly_loss_percent=2.0),
    "expected.network-limit": lambda: Plan(
        design=_eight(workload=Workload(goal=Goal.SPEED, network_bytes_per_second=125_000_000)),
        numbers=LayoutNumbers(predicted={"pool.seq_read_bytes_per_second": 900_000_000}),
    ),
    "expected.one-gigabit": lambda: Plan(design=_eight(host=Host(network_bytes_per_second=125_000_000))),
    "expected.scrub-too-long": lambda: _expecting(scrub_hours=120.0),
    "expected.full-soon": lambda: _expecting(years_until_full=0.5),
    "datasets.overcommitted": lambda: _expecting(promised_percent=230, promised_bytes=25 << 40, thin_bytes=20 << 40),
    "datasets.quotas-beyond": lambda: _expecting(promised_percent=150, promised_bytes=16 << 40, thin_bytes=0),
    "expected.clients-beyond-knee": lambda: Plan(design=_eight(workload=Workload(goal=Goal.CONCURRENT, clients=800))),
    "expected.little-ram": lambda: Plan(design=_eight(host=Host(ram_bytes=4 << 30))),
}  # fmt: skip
