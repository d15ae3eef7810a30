"""What rules may ask about: the facts of each scope, with explicit types. An optional fact may be unknown.

Facts are computed here in Python, judged in `rules/*.toml`; the text behind each field names it where it is missing.
Facts that a model predicts or only a whole design settles (its name, settings, which disk goes where) are marked
`later`. A rule that meets one before it exists does not apply."""

import re
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin

from poolwright.domain.errors import UserError
from poolwright.domain.finding import FactValue
from poolwright.domain.host import Controller, ControllerKind, Host
from poolwright.domain.units import KIB, MIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Allowance, Budget, Workload
from poolwright.rules.existing_tree import ExistingFacts
from poolwright.texts import marked, tell

LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The whole pool. Sizes are bytes. A stripe of N disks counts as N data vdevs, as in `zpool status`."""

    data_vdevs: Annotated[int, marked("number of data vdevs")]
    data_disks: Annotated[int, marked("members of data vdevs: disks or partitions of them")]
    disks: Annotated[int, marked("disks with any part in the pool")]
    widest_vdev: Annotated[int, marked("disks in the widest data vdev")]
    special_vdevs: Annotated[int, marked("number of special vdevs")]
    dedup_vdevs: Annotated[int, marked("number of dedup vdevs")]
    log_vdevs: Annotated[int, marked("number of log vdevs")]
    cache_devices: Annotated[int, marked("number of cache devices")]
    spares: Annotated[int, marked("number of hot spares")]
    distributed_spares: Annotated[int, marked("distributed spares of the dRAID vdevs")]
    unassigned_disks: Annotated[int, marked("disks of its medium that are offered and not used")]
    redundancy: Annotated[int, marked("disk failures the pool survives, whichever they are")]
    least_data_redundancy: Annotated[int, marked("failures the weakest data vdev survives")]
    most_data_redundancy: Annotated[int, marked("failures the strongest data vdev survives")]
    bare_disks: Annotated[int, marked("data vdevs that are a single disk")]
    redundant_vdevs: Annotated[int, marked("data vdevs that survive a failure")]
    mixed_kinds: Annotated[bool, marked("data vdevs of different kinds")]
    mixed_widths: Annotated[bool, marked("data vdevs of different widths")]
    replication_mismatch: Annotated[bool, marked("a mix of vdevs that zpool create refuses without -f")]
    repeated_disks: Annotated[int, marked("disks with more than one place in the pool")]
    ashift: Annotated[int, "ashift"]
    ashift_bytes: Annotated[int, marked("smallest block of the pool (2^ashift)")]
    logical_sector_bytes: Annotated[int | None, marked("largest logical sector size of the disks")]
    physical_sector_bytes: Annotated[int | None, marked("largest physical sector size of the disks")]
    physical_sectors_known: Annotated[bool, marked("physical sector size known of every disk")]
    media: Annotated[str | None, marked("media of the data disks (hdd, ssd, nvme or mixed)")]
    flash: Annotated[bool | None, marked("every data disk is flash")]
    power_loss_protected: Annotated[bool | None, marked("every data disk keeps its writes when the power fails")]
    least_disk_bytes: Annotated[int, marked("size of the smallest data disk")]
    largest_disk_bytes: Annotated[int, marked("size of the largest data disk")]
    least_spare_bytes: Annotated[int | None, marked("size of the smallest spare")]
    raw_bytes: Annotated[int, marked("raw size of the data disks")]
    usable_bytes: Annotated[int | None, marked("usable size of the pool")]
    together_bytes: Annotated[int | None, marked("usable size of all pools of the design")]
    planned: Annotated[bool, marked("every disk is planned, none was seen by a tool")]
    parity_data: Annotated[bool, marked("a data vdev is raidz or dRAID")]
    cache_bytes: Annotated[int, marked("size of the cache devices together")]
    special_bytes: Annotated[int, marked("size the special vdevs offer")]
    name: Annotated[str | None, marked("name of the pool"), LATER]
    name_valid: Annotated[bool | None, marked("OpenZFS takes the name of the pool"), LATER]
    compatibility: Annotated[str | None, "compatibility", LATER]
    boots: Annotated[bool | None, marked("a boot loader reads the pool"), LATER]
    autotrim: Annotated[str | None, "autotrim", LATER]
    dedup_quota: Annotated[str | None, "dedup_table_quota", LATER]
    encrypted: Annotated[bool | None, marked("a dataset of the pool is encrypted by OpenZFS"), LATER]
    enclosures: Annotated[int | None, marked("enclosures that are known of the disks"), LATER]
    deadly_enclosures: Annotated[str | None, marked("enclosures whose loss takes the pool"), LATER]
    controllers: Annotated[int | None, marked("controllers that are known of the disks"), LATER]
    deadly_controllers: Annotated[str | None, marked("controllers whose loss takes the pool"), LATER]
    swap_disks: Annotated[int | None, marked("disks with a swap partition beside the data"), LATER]
    esp_disks: Annotated[int | None, marked("disks with an EFI system partition beside the data"), LATER]
    truenas_disks: Annotated[int | None, marked("disks with the swap partition that TrueNAS made"), LATER]
    fitting_block_bytes: Annotated[int | None, marked("smallest block that does not waste space here"), LATER]
    seq_read_bytes_per_second: Annotated[int | None, marked("sequential reads expected"), LATER]
    seq_write_bytes_per_second: Annotated[int | None, marked("sequential writes expected"), LATER]
    rand_read_iops: Annotated[int | None, marked("random reads expected"), LATER]
    rand_write_iops: Annotated[int | None, marked("random writes expected"), LATER]
    sync_write_iops: Annotated[int | None, marked("synchronous writes expected"), LATER]
    yearly_loss_percent: Annotated[float | None, marked("yearly risk of losing the pool"), LATER]
    scrub_hours: Annotated[float | None, marked("time of a scrub"), LATER]
    years_until_full: Annotated[float | None, marked("years until the pool is as full as it should get"), LATER]


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevFacts:
    """One top-level vdev, or `count` equal ones. `kind` is disk, mirror, raidz or draid; `role` data, special, …."""

    label: Annotated[str, marked("name of the vdev")]
    role: Annotated[str, marked("role of the vdev")]
    kind: Annotated[str, marked("kind of the vdev")]
    word: Annotated[str, marked("vdev word of zpool create")]
    count: Annotated[int, marked("number of such vdevs")]
    width: Annotated[int, marked("number of disks in the vdev")]
    parity: Annotated[int, marked("parity disks")]
    redundancy: Annotated[int, marked("failures the vdev survives")]
    data_disks: Annotated[int, marked("disks' worth of data in a full stripe")]
    least_bytes: Annotated[int, marked("size of the smallest member")]
    largest_bytes: Annotated[int, marked("size of the largest member")]
    size_step_bytes: Annotated[int, marked("largest difference between neighbouring members")]
    wasted_bytes: Annotated[int, marked("space of larger members that cannot be used")]
    logical_sectors_mixed: Annotated[bool | None, marked("members of different logical sector size")]
    physical_sectors_mixed: Annotated[bool | None, marked("members of different physical sector size")]
    physical_sector_bytes: Annotated[int | None, marked("largest physical sector size of the members")]
    media: Annotated[str | None, marked("media of the members")]
    media_mixed: Annotated[bool | None, marked("members of different media")]
    shingled_disks: Annotated[int, marked("members known to be shingled (SMR)")]
    draid_spares: Annotated[int, marked("distributed spares")]
    data_power_of_two: Annotated[bool, marked("data disks are a power of two")]
    nominal_percent: Annotated[int, marked("share of the raw space that is not parity")]
    io_stored_percent: Annotated[int | None, marked("share of the space that one typical I/O leaves as data")]
    volume_stored_percent: Annotated[
        int | None, marked("share of the space that one block of a new volume leaves as data"), LATER
    ]
    total_bytes: Annotated[int, marked("size of the members together")]
    beyond_standard_bytes: Annotated[int, marked("how much larger the smallest member is than its trade size")]
    slack_bytes: Annotated[int | None, marked("how much smaller a replacement may be"), LATER]
    power_loss_known: Annotated[bool, marked("it is known whether the members survive a power cut")]
    power_loss_protected: Annotated[bool | None, marked("every member keeps its writes when the power fails")]
    partitioned: Annotated[bool, marked("a member is a partition")]
    shares_disk: Annotated[bool, marked("a disk also serves another vdev")]
    repeated_disks: Annotated[int, marked("disks with more than one place in this vdev")]
    batch_disks: Annotated[int | None, marked("members that look like one delivery"), LATER]
    rebuild_hours: Annotated[float | None, marked("time of a rebuild"), LATER]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFacts:
    label: Annotated[str, marked("name of the disk")]
    size_bytes: Annotated[int | None, marked("size of the disk")]
    logical_sector_bytes: Annotated[int | None, marked("logical sector size of the disk")]
    physical_sector_bytes: Annotated[int | None, marked("physical sector size of the disk")]
    physical_sector_known: Annotated[bool, marked("physical sector size is known")]
    offers_4096: Annotated[bool, marked("an LBA format of 4096 bytes is offered but not used")]
    media: Annotated[str | None, marked("media of the disk")]
    smr_known: Annotated[bool, marked("it is known whether the disk is shingled")]
    smr: Annotated[bool | None, marked("the disk is shingled (SMR)")]
    transport_known: Annotated[bool, marked("the transport of the disk is known")]
    transport: Annotated[str | None, marked("transport of the disk")]
    health_known: Annotated[bool, marked("a SMART verdict is known")]
    health: Annotated[str | None, marked("SMART verdict of the disk")]
    wear_known: Annotated[bool, marked("the wear of the disk is known")]
    wear_percent: Annotated[int | None, marked("wear of the disk")]
    temperature_known: Annotated[bool, marked("the temperature of the disk is known")]
    temperature_celsius: Annotated[int | None, marked("temperature of the disk")]
    hours_known: Annotated[bool, marked("the hours of the disk are known")]
    power_on_hours: Annotated[int | None, marked("hours the disk has run")]
    foreign_pool: Annotated[bool, marked("the disk belongs to an exported or foreign pool")]
    has_by_id: Annotated[bool, marked("the disk has a name under /dev/disk/by-id")]
    planned: Annotated[bool, marked("the disk is planned, not seen by a tool")]
    serial_repeated: Annotated[bool, marked("another disk has the same serial")]
    in_use: Annotated[bool, marked("something on the machine uses the disk")]
    uses: Annotated[str, marked("what uses the disk")]
    role: Annotated[str, marked("role of the disk in the pool")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFacts:
    """One dataset with the values in force: its own, inherited, or the default of the OpenZFS version."""

    label: Annotated[str, marked("name of the dataset")]
    volume: Annotated[bool, marked("the dataset is a zvol")]
    record_bytes: Annotated[int, marked("recordsize, or volblocksize of a zvol")]
    record_valid: Annotated[bool, marked("recordsize is a power of two from 512 bytes")]
    stored_percent: Annotated[int | None, marked("share of the space that one record leaves as data")]
    nominal_percent: Annotated[int, marked("least share of the raw space of a data vdev that is not parity")]
    checksum: Annotated[str, "checksum"]
    compression: Annotated[str, "compression"]
    sync: Annotated[str, "sync"]
    atime: Annotated[str, "atime"]
    relatime: Annotated[str, "relatime"]
    xattr: Annotated[str, "xattr"]
    acltype: Annotated[str, "acltype"]
    dedup: Annotated[str, "dedup"]
    copies: Annotated[int, "copies"]
    name_valid: Annotated[bool, marked("OpenZFS takes the name of the dataset")]
    named_swap: Annotated[bool, marked("the name of the dataset ends in swap")]
    volume_fits: Annotated[bool, marked("the size of the volume is a multiple of its blocks")]
    logbias: Annotated[str, "logbias"]
    primarycache: Annotated[str, "primarycache"]
    special_small_bytes: Annotated[int, "special_small_blocks"]
    redundant_metadata: Annotated[str, "redundant_metadata"]
    aclinherit: Annotated[str, "aclinherit"]
    dnodesize: Annotated[str, "dnodesize"]
    casesensitivity: Annotated[str, "casesensitivity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    """The machine. ``raid_controller`` names controllers with arrays of their own, else “none”; ``passing_controller``
    RAID controllers behind which only plain drives were seen.
    """

    ram_bytes: Annotated[int | None, marked("RAM of the machine")]
    ram_known: Annotated[bool, marked("the RAM of the machine is known")]
    cores: Annotated[int | None, marked("cores of the machine")]
    ups: Annotated[bool | None, marked("the machine has an uninterruptible power supply")]
    raid_controller: Annotated[str | None, marked("kind of the disk controllers")]
    passing_controller: Annotated[str | None, marked("RAID controllers that pass drives through")]
    controller_known: Annotated[bool, marked("a disk controller is known")]
    system_known: Annotated[bool, marked("the operating system is known")]
    system: Annotated[str | None, marked("operating system")]
    network_known: Annotated[bool, marked("the speed of the network is known")]
    network_bytes_per_second: Annotated[int | None, marked("speed of the network")]
    zfs: Annotated[str, marked("OpenZFS version")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFacts:
    """What the pool is for, as far as somebody said."""

    read_percent: Annotated[int | None, marked("share of reads")]
    sequential_percent: Annotated[int | None, marked("share of sequential I/O")]
    io_size_known: Annotated[bool, marked("a typical I/O size was given")]
    io_size_bytes: Annotated[int | None, marked("typical I/O size")]
    sync_write_percent: Annotated[int | None, marked("share of synchronous writes")]
    clients: Annotated[int | None, marked("number of clients")]
    typical_file_bytes: Annotated[int | None, marked("typical file size")]
    compressible: Annotated[bool | None, marked("the data can be compressed")]
    duplicate_factor: Annotated[float | None, marked("how often a block occurs on average")]
    working_set_bytes: Annotated[int | None, marked("size of the data in constant use")]
    sharing_known: Annotated[bool, marked("it was said how clients reach the data")]
    sharing: Annotated[str | None, marked("how clients reach the data")]
    volumes: Annotated[bool, marked("zvols rather than files")]
    use: Annotated[str, marked("what the data are")]
    with_programs: Annotated[bool, marked("programs on the machine itself work on data of the pool")]
    block_bytes: Annotated[int, marked("size of a typical block, 128 KiB where nobody said")]
    sync_known: Annotated[bool, marked("a share of synchronous writes was given")]
    clients_known: Annotated[bool, marked("a number of clients was given")]
    duplicates_known: Annotated[bool, marked("it was said how often blocks occur")]
    working_set_known: Annotated[bool, marked("the size of the data in constant use was given")]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetFacts:
    """What the design must keep to, as far as somebody said."""

    has_least_usable: Annotated[bool, marked("a least usable capacity was given")]
    least_usable_bytes: Annotated[int | None, marked("least usable capacity wished")]
    survive: Annotated[int | None, marked("disk failures to survive")]
    spares: Annotated[int | None, marked("spares wished")]
    has_import_on: Annotated[bool, marked("a system was named that must be able to import the pool")]
    import_on: Annotated[str | None, marked("oldest system that must be able to import the pool")]
    smr_behind_parity: Annotated[bool, marked("shingled (SMR) disks behind parity were allowed")]


class UnknownFact(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


@cache
def _path(name: str) -> tuple[str, str]:
    """Return the part of a fact's full name that names the record, and the field (empty where there is none)."""
    part, _, attribute = name.partition(".")
    return part, attribute


@dataclass(slots=True, kw_only=True)
class Facts:
    """Everything one rule may look at for one subject. A part that the rule's scope does not have is None.

    A judge asks of many subjects with the same one: making it anew for each costs more than a rule.
    """

    goal: str
    workload: WorkloadFacts
    budget: BudgetFacts
    host: HostFacts
    pool: PoolFacts | None = None
    vdev: VdevFacts | None = None
    disk: DiskFacts | None = None
    dataset: DatasetFacts | None = None
    existing: ExistingFacts | None = None

    def get(self, name: str) -> FactValue:
        """Return the value of the fact with this full name; None when unknown."""
        part, attribute = _path(name)
        found = getattr(self, part)
        value: FactValue = getattr(found, attribute) if attribute and found is not None else found
        return value

    def __getitem__(self, name: str) -> str | int | float | Fraction:
        """Return the value as expressions compare it; raises UnknownFact."""
        value = self.get(name)
        if value is None:
            raise UnknownFact(name)
        return Fraction(repr(value)) if isinstance(value, float) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class FactField:
    """A fact's full name, its type (``str``, ``int``, ``float`` or ``bool``), and whether it may be unknown.

    ``later`` marks one that only a model or a whole design gives.
    """

    name: str
    kind: type
    optional: bool
    words: str
    later: bool = False


_PARTS: tuple[tuple[str, Any], ...] = (
    ("pool", PoolFacts),
    ("vdev", VdevFacts),
    ("disk", DiskFacts),
    ("dataset", DatasetFacts),
    ("host", HostFacts),
    ("workload", WorkloadFacts),
    ("budget", BudgetFacts),
    ("existing", ExistingFacts),
)


def _describe() -> dict[str, FactField]:
    found = {"goal": FactField(name="goal", kind=str, optional=False, words="goal")}
    for part, cls in _PARTS:
        for item in fields(cls):
            hint, words, *late = get_args(item.type)
            optional = get_origin(hint) is UnionType
            kind = next(a for a in get_args(hint) if a is not NoneType) if optional else hint
            if kind not in (str, int, float, bool):
                raise TypeError(tell("{part}.{name} is no plain fact", part=part, name=item.name))
            name = f"{part}.{item.name}"
            later = late == [LATER]
            if later and not optional:
                raise TypeError(tell("{name} comes later and so must be optional", name=name))
            found[name] = FactField(name=name, kind=kind, optional=optional, words=words, later=later)
    return found


FACTS = _describe()

_ALWAYS = frozenset({"goal", "workload", "budget", "host", "pool"})
# Which parts a rule of each scope may ask about.
SCOPE_PARTS = {
    "pool": _ALWAYS,
    "data_vdev": _ALWAYS | {"vdev"},
    "support_vdev": _ALWAYS | {"vdev"},
    "disk": _ALWAYS | {"disk"},
    "dataset": _ALWAYS | {"dataset"},
    "host": _ALWAYS,
    "existing": frozenset({"goal", "workload", "budget", "host", "existing"}),
}


# Facts of workload, budget and host: what was typed or read, in the words of the rules.

# Names under which controllers that hide their disks behind arrays appear; plain HBAs (SAS2008, 9300-8e) do not match.
_RAID = re.compile(
    r"megaraid|smart ?array|\bperc\b|raid bus controller|serveraid|areca|3ware|\badaptec\b.*raid", re.IGNORECASE
)
# Data on which programs of the machine itself work; others are for clients.
_PROGRAMS = frozenset({"database", "vm-images", "scratch"})


def facts_of(
    workload: Workload,
    budget: Budget,
    host: Host,
    version: ZfsVersion,
    *,
    use: str | None = None,
    pool: PoolFacts | None = None,
    existing: ExistingFacts | None = None,
) -> Facts:
    """Return what every rule may ask: goal, workload, budget and host, and the pool where there is one."""
    return Facts(
        goal=workload.goal.value,
        workload=workload_facts(workload, use),
        budget=budget_facts(budget, version),
        host=host_facts(host, version, workload),
        pool=pool,
        existing=existing,
    )


def workload_facts(workload: Workload, use: str | None = None) -> WorkloadFacts:
    """Return the facts of a workload; ``use`` says what the data of one dataset are, otherwise its preset does."""
    return WorkloadFacts(
        read_percent=workload.read_percent,
        sequential_percent=workload.sequential_percent,
        io_size_known=workload.io_size_bytes is not None,
        io_size_bytes=workload.io_size_bytes,
        sync_write_percent=workload.sync_write_percent,
        clients=workload.clients,
        typical_file_bytes=workload.typical_file_bytes,
        compressible=workload.compressible,
        duplicate_factor=workload.duplicate_factor,
        working_set_bytes=workload.working_set_bytes,
        sharing_known=workload.sharing is not None,
        sharing=workload.sharing.value if workload.sharing else None,
        volumes=workload.volumes,
        use=use if use is not None else (workload.preset or ""),
        with_programs=not _PROGRAMS.isdisjoint(workload.uses),
        block_bytes=_block_bytes(workload),
        sync_known=workload.sync_write_percent is not None,
        clients_known=workload.clients is not None,
        duplicates_known=workload.duplicate_factor is not None,
        working_set_known=workload.working_set_bytes is not None,
    )


def _block_bytes(workload: Workload) -> int:
    """Return the size of a typical block: a typical I/O, within what records are, or the default recordsize."""
    if workload.io_size_bytes is None:
        return 128 * KIB
    return min(max(workload.io_size_bytes, 4 * KIB), MIB)


def budget_facts(budget: Budget, version: ZfsVersion) -> BudgetFacts:
    """Return the facts of a budget for a pool made by OpenZFS ``version``.

    A system that knows as much as this OpenZFS or more can import every pool of it: then there is nothing to keep to.
    """
    import_on = None if _knows_all(budget.import_on, version) else budget.import_on
    return BudgetFacts(
        has_least_usable=budget.least_usable_bytes is not None,
        least_usable_bytes=budget.least_usable_bytes,
        survive=budget.survive,
        spares=budget.spares,
        has_import_on=import_on is not None,
        import_on=import_on,
        smr_behind_parity=Allowance.SHINGLED in budget.allow,
    )


# The OpenZFS in each FreeBSD.
_IN_FREEBSD = {"freebsd-13": "2.1", "freebsd-14": "2.2"}


def _knows_all(system: str | None, version: ZfsVersion) -> bool:
    series = _IN_FREEBSD.get(system or "", system or "")
    try:
        there = ZfsVersion.parse(series)
    except UserError:
        return False
    return (there.major, there.minor) > (version.major, version.minor)


_SYSTEMS = (("truenas", "truenas"), ("freebsd", "freebsd"), ("os x", "macos"), ("macos", "macos"))


def _system(os_name: str | None) -> str | None:
    """Return the kind of system of a name: TrueNAS is named before what it is built on, all else is Linux."""
    if os_name is None:
        return None
    name = os_name.lower()
    return next((kind for word, kind in _SYSTEMS if word in name), "linux")


def _makes_arrays(controller: Controller) -> bool:
    """Tell whether a controller hides its disks: by what was seen behind it, else by its name."""
    if controller.kind is not None:
        return controller.kind is ControllerKind.RAID
    return _RAID.search(controller.name) is not None


def host_facts(host: Host, version: ZfsVersion, workload: Workload | None = None) -> HostFacts:
    """Return the facts of a host that runs OpenZFS ``version``; a network speed typed for the workload comes first."""
    typed = workload.network_bytes_per_second if workload else None
    network = typed if typed is not None else host.network_bytes_per_second
    system = _system(host.os_name)
    raid = [controller.name for controller in host.controllers if _makes_arrays(controller)]
    passing = [c.name for c in host.controllers if c.kind is ControllerKind.PASSING]
    return HostFacts(
        ram_bytes=host.ram_bytes,
        ram_known=host.ram_bytes is not None,
        cores=host.cores,
        ups=host.ups,
        raid_controller=", ".join(raid) if raid else ("none" if host.controllers else None),
        passing_controller=", ".join(passing) or "none",
        controller_known=bool(host.controllers),
        system_known=system is not None,
        system=system,
        network_known=network is not None,
        network_bytes_per_second=network,
        zfs=str(version),
    )
