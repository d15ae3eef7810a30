"""What rules may ask about: the facts of each scope, with explicit types. An optional fact may be unknown.

Facts are computed here in Python, judged in `rules/*.toml`; the text behind each field names it where it is missing.
Facts that a model predicts or only a whole design settles (its name, settings, which disk goes where) are marked
`later`. A rule that meets one before it exists does not apply.
"""

from dataclasses import MISSING, dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from poolwright.rules.existing_tree import ExistingFacts
from poolwright.rules.fact_fields import fact, later
from poolwright.texts import marked, tell


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The whole pool. Sizes are bytes. A stripe of N disks counts as N data vdevs, as in `zpool status`."""

    data_vdevs: int = field(metadata=fact(marked("number of data vdevs")))
    data_disks: int = field(metadata=fact(marked("members of data vdevs: disks or partitions of them")))
    disks: int = field(metadata=fact(marked("disks with any part in the pool")))
    widest_vdev: int = field(metadata=fact(marked("disks in the widest data vdev")))
    special_vdevs: int = field(metadata=fact(marked("number of special vdevs")))
    dedup_vdevs: int = field(metadata=fact(marked("number of dedup vdevs")))
    log_vdevs: int = field(metadata=fact(marked("number of log vdevs")))
    cache_devices: int = field(metadata=fact(marked("number of cache devices")))
    spares: int = field(metadata=fact(marked("number of hot spares")))
    distributed_spares: int = field(metadata=fact(marked("distributed spares of the dRAID vdevs")))
    unassigned_disks: int = field(metadata=fact(marked("disks of its medium that are offered and not used")))
    redundancy: int = field(metadata=fact(marked("disk failures the pool survives, whichever they are")))
    least_data_redundancy: int = field(metadata=fact(marked("failures the weakest data vdev survives")))
    most_data_redundancy: int = field(metadata=fact(marked("failures the strongest data vdev survives")))
    bare_disks: int = field(metadata=fact(marked("data vdevs that are a single disk")))
    redundant_vdevs: int = field(metadata=fact(marked("data vdevs that survive a failure")))
    mixed_kinds: bool = field(metadata=fact(marked("data vdevs of different kinds")))
    mixed_widths: bool = field(metadata=fact(marked("data vdevs of different widths")))
    replication_mismatch: bool = field(metadata=fact(marked("a mix of vdevs that zpool create refuses without -f")))
    repeated_disks: int = field(metadata=fact(marked("disks with more than one place in the pool")))
    ashift: int = field(metadata=fact("ashift"))
    ashift_bytes: int = field(metadata=fact(marked("smallest block of the pool (2^ashift)")))
    logical_sector_bytes: int | None = field(metadata=fact(marked("largest logical sector size of the disks")))
    physical_sector_bytes: int | None = field(metadata=fact(marked("largest physical sector size of the disks")))
    physical_sectors_known: bool = field(metadata=fact(marked("physical sector size known of every disk")))
    media: str | None = field(metadata=fact(marked("media of the data disks (hdd, ssd, nvme or mixed)")))
    flash: bool | None = field(metadata=fact(marked("every data disk is flash")))
    power_loss_protected: bool | None = field(
        metadata=fact(marked("every data disk keeps its writes when the power fails"))
    )
    least_disk_bytes: int = field(metadata=fact(marked("size of the smallest data disk")))
    largest_disk_bytes: int = field(metadata=fact(marked("size of the largest data disk")))
    least_spare_bytes: int | None = field(metadata=fact(marked("size of the smallest spare")))
    raw_bytes: int = field(metadata=fact(marked("raw size of the data disks")))
    usable_bytes: int | None = field(metadata=fact(marked("usable size of the pool")))
    together_bytes: int | None = field(metadata=fact(marked("usable size of all pools of the design")))
    planned: bool = field(metadata=fact(marked("every disk is planned, none was seen by a tool")))
    parity_data: bool = field(metadata=fact(marked("a data vdev is raidz or dRAID")))
    cache_bytes: int = field(metadata=fact(marked("size of the cache devices together")))
    special_bytes: int = field(metadata=fact(marked("size the special vdevs offer")))
    name: str | None = field(metadata=later(marked("name of the pool")))
    name_valid: bool | None = field(metadata=later(marked("OpenZFS takes the name of the pool")))
    compatibility: str | None = field(metadata=later("compatibility"))
    boots: bool | None = field(metadata=later(marked("a boot loader reads the pool")))
    autotrim: str | None = field(metadata=later("autotrim"))
    dedup_quota: str | None = field(metadata=later("dedup_table_quota"))
    encrypted: bool | None = field(metadata=later(marked("a dataset of the pool is encrypted by OpenZFS")))
    enclosures: int | None = field(metadata=later(marked("enclosures that are known of the disks")))
    deadly_enclosures: str | None = field(metadata=later(marked("enclosures whose loss takes the pool")))
    controllers: int | None = field(metadata=later(marked("controllers that are known of the disks")))
    deadly_controllers: str | None = field(metadata=later(marked("controllers whose loss takes the pool")))
    swap_disks: int | None = field(metadata=later(marked("disks with a swap partition beside the data")))
    esp_disks: int | None = field(metadata=later(marked("disks with an EFI system partition beside the data")))
    truenas_disks: int | None = field(metadata=later(marked("disks with the swap partition that TrueNAS made")))
    fitting_block_bytes: int | None = field(metadata=later(marked("smallest block that does not waste space here")))
    seq_read_bytes_per_second: int | None = field(metadata=later(marked("sequential reads expected")))
    seq_write_bytes_per_second: int | None = field(metadata=later(marked("sequential writes expected")))
    rand_read_iops: int | None = field(metadata=later(marked("random reads expected")))
    rand_write_iops: int | None = field(metadata=later(marked("random writes expected")))
    sync_write_iops: int | None = field(metadata=later(marked("synchronous writes expected")))
    yearly_loss_percent: float | None = field(metadata=later(marked("yearly risk of losing the pool")))
    scrub_hours: float | None = field(metadata=later(marked("time of a scrub")))
    years_until_full: float | None = field(metadata=later(marked("years until the pool is as full as it should get")))


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevFacts:
    """One top-level vdev, or `count` equal ones. `kind` is disk, mirror, raidz or draid; `role` data, special, …."""

    label: str = field(metadata=fact(marked("name of the vdev")))
    role: str = field(metadata=fact(marked("role of the vdev")))
    kind: str = field(metadata=fact(marked("kind of the vdev")))
    word: str = field(metadata=fact(marked("vdev word of zpool create")))
    count: int = field(metadata=fact(marked("number of such vdevs")))
    width: int = field(metadata=fact(marked("number of disks in the vdev")))
    parity: int = field(metadata=fact(marked("parity disks")))
    redundancy: int = field(metadata=fact(marked("failures the vdev survives")))
    data_disks: int = field(metadata=fact(marked("disks' worth of data in a full stripe")))
    least_bytes: int = field(metadata=fact(marked("size of the smallest member")))
    largest_bytes: int = field(metadata=fact(marked("size of the largest member")))
    size_step_bytes: int = field(metadata=fact(marked("largest difference between neighbouring members")))
    wasted_bytes: int = field(metadata=fact(marked("space of larger members that cannot be used")))
    logical_sectors_mixed: bool | None = field(metadata=fact(marked("members of different logical sector size")))
    physical_sectors_mixed: bool | None = field(metadata=fact(marked("members of different physical sector size")))
    physical_sector_bytes: int | None = field(metadata=fact(marked("largest physical sector size of the members")))
    media: str | None = field(metadata=fact(marked("media of the members")))
    media_mixed: bool | None = field(metadata=fact(marked("members of different media")))
    shingled_disks: int = field(metadata=fact(marked("members known to be shingled (SMR)")))
    draid_spares: int = field(metadata=fact(marked("distributed spares")))
    data_power_of_two: bool = field(metadata=fact(marked("data disks are a power of two")))
    nominal_percent: int = field(metadata=fact(marked("share of the raw space that is not parity")))
    io_stored_percent: int | None = field(
        metadata=fact(marked("share of the space that one typical I/O leaves as data"))
    )
    volume_stored_percent: int | None = field(
        metadata=later(marked("share of the space that one block of a new volume leaves as data"))
    )
    total_bytes: int = field(metadata=fact(marked("size of the members together")))
    beyond_standard_bytes: int = field(
        metadata=fact(marked("how much larger the smallest member is than its trade size"))
    )
    slack_bytes: int | None = field(metadata=later(marked("how much smaller a replacement may be")))
    power_loss_known: bool = field(metadata=fact(marked("it is known whether the members survive a power cut")))
    power_loss_protected: bool | None = field(
        metadata=fact(marked("every member keeps its writes when the power fails"))
    )
    partitioned: bool = field(metadata=fact(marked("a member is a partition")))
    shares_disk: bool = field(metadata=fact(marked("a disk also serves another vdev")))
    repeated_disks: int = field(metadata=fact(marked("disks with more than one place in this vdev")))
    batch_disks: int | None = field(metadata=later(marked("members that look like one delivery")))
    rebuild_hours: float | None = field(metadata=later(marked("time of a rebuild")))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFacts:
    """One disk, with the use it is put to."""

    label: str = field(metadata=fact(marked("name of the disk")))
    size_bytes: int | None = field(metadata=fact(marked("size of the disk")))
    logical_sector_bytes: int | None = field(metadata=fact(marked("logical sector size of the disk")))
    physical_sector_bytes: int | None = field(metadata=fact(marked("physical sector size of the disk")))
    physical_sector_known: bool = field(metadata=fact(marked("physical sector size is known")))
    offers_4096: bool = field(metadata=fact(marked("an LBA format of 4096 bytes is offered but not used")))
    media: str | None = field(metadata=fact(marked("media of the disk")))
    smr_known: bool = field(metadata=fact(marked("it is known whether the disk is shingled")))
    smr: bool | None = field(metadata=fact(marked("the disk is shingled (SMR)")))
    transport_known: bool = field(metadata=fact(marked("the transport of the disk is known")))
    transport: str | None = field(metadata=fact(marked("transport of the disk")))
    health_known: bool = field(metadata=fact(marked("a SMART verdict is known")))
    health: str | None = field(metadata=fact(marked("SMART verdict of the disk")))
    wear_known: bool = field(metadata=fact(marked("the wear of the disk is known")))
    wear_percent: int | None = field(metadata=fact(marked("wear of the disk")))
    temperature_known: bool = field(metadata=fact(marked("the temperature of the disk is known")))
    temperature_celsius: int | None = field(metadata=fact(marked("temperature of the disk")))
    hours_known: bool = field(metadata=fact(marked("the hours of the disk are known")))
    power_on_hours: int | None = field(metadata=fact(marked("hours the disk has run")))
    foreign_pool: bool = field(metadata=fact(marked("the disk belongs to an exported or foreign pool")))
    has_by_id: bool = field(metadata=fact(marked("the disk has a name under /dev/disk/by-id")))
    planned: bool = field(metadata=fact(marked("the disk is planned, not seen by a tool")))
    serial_repeated: bool = field(metadata=fact(marked("another disk has the same serial")))
    in_use: bool = field(metadata=fact(marked("something on the machine uses the disk")))
    uses: str = field(metadata=fact(marked("what uses the disk")))
    role: str = field(metadata=fact(marked("role of the disk in the pool")))


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFacts:
    """One dataset with the values in force: its own, inherited, or the default of the OpenZFS version."""

    label: str = field(metadata=fact(marked("name of the dataset")))
    volume: bool = field(metadata=fact(marked("the dataset is a zvol")))
    record_bytes: int = field(metadata=fact(marked("recordsize, or volblocksize of a zvol")))
    record_valid: bool = field(metadata=fact(marked("recordsize is a power of two from 512 bytes")))
    stored_percent: int | None = field(metadata=fact(marked("share of the space that one record leaves as data")))
    nominal_percent: int = field(
        metadata=fact(marked("least share of the raw space of a data vdev that is not parity"))
    )
    checksum: str = field(metadata=fact("checksum"))
    compression: str = field(metadata=fact("compression"))
    sync: str = field(metadata=fact("sync"))
    atime: str = field(metadata=fact("atime"))
    relatime: str = field(metadata=fact("relatime"))
    xattr: str = field(metadata=fact("xattr"))
    acltype: str = field(metadata=fact("acltype"))
    dedup: str = field(metadata=fact("dedup"))
    copies: int = field(metadata=fact("copies"))
    name_valid: bool = field(metadata=fact(marked("OpenZFS takes the name of the dataset")))
    named_swap: bool = field(metadata=fact(marked("the name of the dataset ends in swap")))
    volume_fits: bool = field(metadata=fact(marked("the size of the volume is a multiple of its blocks")))
    logbias: str = field(metadata=fact("logbias"))
    primarycache: str = field(metadata=fact("primarycache"))
    special_small_bytes: int = field(metadata=fact("special_small_blocks"))
    redundant_metadata: str = field(metadata=fact("redundant_metadata"))
    aclinherit: str = field(metadata=fact("aclinherit"))
    dnodesize: str = field(metadata=fact("dnodesize"))
    casesensitivity: str = field(metadata=fact("casesensitivity"))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    """The machine. ``raid_controller`` names controllers with arrays of their own, else “none”; ``passing_controller``
    RAID controllers behind which only plain drives were seen.
    """

    ram_bytes: int | None = field(metadata=fact(marked("RAM of the machine")))
    ram_known: bool = field(metadata=fact(marked("the RAM of the machine is known")))
    cores: int | None = field(metadata=fact(marked("cores of the machine")))
    ups: bool | None = field(metadata=fact(marked("the machine has an uninterruptible power supply")))
    raid_controller: str | None = field(metadata=fact(marked("kind of the disk controllers")))
    passing_controller: str | None = field(metadata=fact(marked("RAID controllers that pass drives through")))
    controller_known: bool = field(metadata=fact(marked("a disk controller is known")))
    system_known: bool = field(metadata=fact(marked("the operating system is known")))
    system: str | None = field(metadata=fact(marked("operating system")))
    network_known: bool = field(metadata=fact(marked("the speed of the network is known")))
    network_bytes_per_second: int | None = field(metadata=fact(marked("speed of the network")))
    zfs: str = field(metadata=fact(marked("OpenZFS version")))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFacts:
    """What the pool is for, as far as somebody said."""

    read_percent: int | None = field(metadata=fact(marked("share of reads")))
    sequential_percent: int | None = field(metadata=fact(marked("share of sequential I/O")))
    io_size_known: bool = field(metadata=fact(marked("a typical I/O size was given")))
    io_size_bytes: int | None = field(metadata=fact(marked("typical I/O size")))
    sync_write_percent: int | None = field(metadata=fact(marked("share of synchronous writes")))
    clients: int | None = field(metadata=fact(marked("number of clients")))
    typical_file_bytes: int | None = field(metadata=fact(marked("typical file size")))
    compressible: bool | None = field(metadata=fact(marked("the data can be compressed")))
    duplicate_factor: float | None = field(metadata=fact(marked("how often a block occurs on average")))
    working_set_bytes: int | None = field(metadata=fact(marked("size of the data in constant use")))
    sharing_known: bool = field(metadata=fact(marked("it was said how clients reach the data")))
    sharing: str | None = field(metadata=fact(marked("how clients reach the data")))
    volumes: bool = field(metadata=fact(marked("zvols rather than files")))
    use: str = field(metadata=fact(marked("what the data are")))
    with_programs: bool = field(metadata=fact(marked("programs on the machine itself work on data of the pool")))
    block_bytes: int = field(metadata=fact(marked("size of a typical block, 128 KiB where nobody said")))
    sync_known: bool = field(metadata=fact(marked("a share of synchronous writes was given")))
    clients_known: bool = field(metadata=fact(marked("a number of clients was given")))
    duplicates_known: bool = field(metadata=fact(marked("it was said how often blocks occur")))
    working_set_known: bool = field(metadata=fact(marked("the size of the data in constant use was given")))


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetFacts:
    """What the design must keep to, as far as somebody said."""

    has_least_usable: bool = field(metadata=fact(marked("a least usable capacity was given")))
    least_usable_bytes: int | None = field(metadata=fact(marked("least usable capacity wished")))
    survive: int | None = field(metadata=fact(marked("disk failures to survive")))
    spares: int | None = field(metadata=fact(marked("spares wished")))
    has_import_on: bool = field(metadata=fact(marked("a system was named that must be able to import the pool")))
    import_on: str | None = field(metadata=fact(marked("oldest system that must be able to import the pool")))
    smr_behind_parity: bool = field(metadata=fact(marked("shingled (SMR) disks behind parity were allowed")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything one rule may look at for one subject. A part that the rule's scope does not have is None."""

    goal: str
    workload: WorkloadFacts
    budget: BudgetFacts
    host: HostFacts
    pool: PoolFacts | None = None
    vdev: VdevFacts | None = None
    disk: DiskFacts | None = None
    dataset: DatasetFacts | None = None
    existing: ExistingFacts | None = None


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
            hint: Any = item.type
            optional = get_origin(hint) is UnionType
            kind = next(a for a in get_args(hint) if a is not NoneType) if optional else hint
            if item.default is not MISSING or kind not in (str, int, float, bool):
                raise TypeError(tell("{part}.{name} is no plain fact", part=part, name=item.name))
            name = f"{part}.{item.name}"
            later = "later" in item.metadata
            if later and not optional:
                raise TypeError(tell("{name} comes later and so must be optional", name=name))
            found[name] = FactField(name=name, kind=kind, optional=optional, words=item.metadata["words"], later=later)
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
