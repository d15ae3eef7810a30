"""What rules may ask about: every fact with its full name and its kind, and how what was typed or read becomes one.

Facts are computed in Python, judged in `rules/*.toml`. One that may be unknown has words for where it is missing. Facts
that a model predicts or only a whole design settles (its name, settings, which disk goes where) come later than the
layout: a rule that meets one before it exists does not apply."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.domain.finding import FactValue
from poolwright.domain.host import Controller, ControllerKind, Host
from poolwright.domain.units import KIB, MIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Allowance, Budget, Workload
from poolwright.rules.presets import TRAITS, preset, presets_of
from poolwright.texts import N_, _

# Always known, by part and kind. Sizes are bytes; a stripe of N disks counts as N data vdevs, as in `zpool status`;
# values of datasets are those in force: their own, inherited, or the default of the OpenZFS version.
_ALWAYS_KNOWN: dict[str, dict[type, str]] = {
    "pool": {
        int: (
            "data_vdevs data_disks disks special_vdevs dedup_vdevs log_vdevs cache_devices spares "
            "distributed_spares unassigned_disks redundancy least_data_redundancy most_data_redundancy "
            "bare_disks redundant_vdevs repeated_disks spare_needs_bytes raw_bytes "
            "special_bytes"
        ),
        bool: "mixed_kinds mixed_widths replication_mismatch planned parity_data",
    },
    "vdev": {
        str: "label role kind word",
        int: (
            "width parity redundancy data_disks least_bytes size_step_bytes wasted_bytes shingled_disks "
            "draid_spares nominal_percent total_bytes beyond_standard_bytes repeated_disks"
        ),
        bool: "data_power_of_two partitioned shares_disk",
    },
    "disk": {
        str: "label uses",
        bool: "physical_sector_known offers_4096 foreign_pool has_by_id planned serial_repeated in_use",
    },
    "dataset": {
        str: (
            "label checksum compression sync atime relatime xattr acltype dedup logbias primarycache "
            "redundant_metadata aclinherit dnodesize casesensitivity"
        ),
        bool: "volume record_valid name_valid named_swap volume_fits",
        int: "record_bytes nominal_percent copies special_small_bytes",
    },
    "host": {str: "zfs"},
    "workload": {bool: f"volumes with_programs {' '.join(TRAITS)}", str: "use", int: "block_bytes"},
    "budget": {bool: "smr_behind_parity"},
    "existing": {
        str: (
            "name at_limit faulty_names serving_names last_copies twice unrepaired error_names damaged_files "
            "moving ashifts ashift_small expanded uneven_fill autotrim compatibility cachefile failmode "
            "quota_near keys_inside scrubbed_on"
        ),
        bool: (
            "status_told vdevs_told multihost small_sectors resilvering scrubbing scrub_stopped errata "
            "other_host ashift_known ashift_mixed flash features_known boots datasets_known dedups readonly "
            "has_mapping has_dedup_table"
        ),
        int: (
            "faulty_devices serving_devices devices_with_errors spares_in_use names_unstable "
            "scrub_repaired_bytes expandable_bytes uneven_percent stranded_bytes stranded_percent "
            "features_disabled reserved_bytes reserved_percent snapshot_bytes snapshot_percent root_bytes "
            "quota_percent leaked_bytes keys_missing"
        ),
        float: "expandable_percent dedup_ratio",
    },
}  # for machines
# May be unknown: kind, words, and the fact that says whether it is known, where rules ask for that.
_MAY_BE_UNKNOWN: dict[str, tuple[type, str] | tuple[type, str, str]] = {
    "pool.ashift": (int, N_("ashift")),
    "pool.ashift_bytes": (int, N_("ashift")),
    "pool.logical_sector_bytes": (int, N_("sector sizes")),
    "pool.physical_sector_bytes": (int, N_("sector sizes"), "physical_sectors_known"),
    "pool.media": (str, N_("media (HDD, SSD or NVMe)")),
    "pool.flash": (bool, N_("media (HDD, SSD or NVMe)")),
    "pool.power_loss_protected": (bool, N_("power-loss protection")),
    "pool.largest_spare_bytes": (int, N_("size of the largest spare")),
    "pool.usable_bytes": (int, N_("usable capacity")),
    "pool.together_bytes": (int, N_("usable capacity")),
    "vdev.logical_sectors_mixed": (bool, N_("sector sizes")),
    "vdev.physical_sectors_mixed": (bool, N_("sector sizes")),
    "vdev.media": (str, N_("media (HDD, SSD or NVMe)")),
    "vdev.media_mixed": (bool, N_("media (HDD, SSD or NVMe)")),
    "vdev.io_stored_percent": (int, N_("share of the space that a block leaves as data")),
    "vdev.power_loss_protected": (bool, N_("power-loss protection")),
    "disk.media": (str, N_("media (HDD, SSD or NVMe)")),
    "disk.smr": (bool, N_("recording (CMR or SMR)"), "smr_known"),
    "disk.transport": (str, N_("transport of the disk"), "transport_known"),
    "disk.health": (str, N_("SMART verdict of the disk"), "health_known"),
    "disk.wear_percent": (int, N_("wear of the disk"), "wear_known"),
    "disk.temperature_celsius": (int, N_("temperature of the disk"), "temperature_known"),
    "disk.power_on_hours": (int, N_("hours the disk has run"), "hours_known"),
    "dataset.stored_percent": (int, N_("share of the space that a block leaves as data")),
    "host.ram_bytes": (int, N_("RAM"), "ram_known"),
    "host.ups": (bool, N_("uninterruptible power supply")),
    "host.raid_controller": (str, N_("disk controllers"), "controller_known"),
    "host.passing_controller": (str, N_("disk controllers")),
    "host.system": (str, N_("operating system"), "system_known"),
    "host.network_bytes_per_second": (int, N_("network speed"), "network_known"),
    "workload.read_percent": (int, N_("share of reads")),
    "workload.sequential_percent": (int, N_("share of sequential I/O")),
    "workload.io_size_bytes": (int, N_("typical I/O size"), "io_size_known"),
    "workload.sync_write_percent": (int, N_("share of synchronous writes"), "sync_known"),
    "workload.clients": (int, N_("number of clients"), "clients_known"),
    "workload.typical_file_bytes": (int, N_("typical file size")),
    "workload.compressible": (bool, N_("compressibility of the data")),
    "workload.duplicate_factor": (float, N_("how often a block is stored, on average"), "duplicates_known"),
    "workload.working_set_bytes": (int, N_("size of the data in constant use"), "working_set_known"),
    "workload.sharing": (str, N_("how clients reach the data"), "sharing_known"),
    "budget.least_usable_bytes": (int, N_("least usable capacity"), "has_least_usable"),
    "budget.import_on": (str, N_("oldest system that must import the pool"), "has_import_on"),
    "existing.state": (str, N_("state of the pool")),
    "existing.usable": (bool, N_("state of the pool")),
    "existing.data_errors": (bool, N_("damaged files")),
    "existing.fill_percent": (int, N_("how full the pool is"), "fill_known"),
    "existing.fragmentation_percent": (int, N_("fragmentation of the free space")),
    "existing.days_since_scrub": (int, N_("last scrub"), "scrub_told"),
    "existing.scrub_errors": (int, N_("last scrub")),
    "existing.checkpoint_bytes": (int, N_("size of the checkpoint"), "has_checkpoint"),
    "existing.mapping_bytes": (int, N_("memory for mappings of removed vdevs")),
    "existing.special_percent": (int, N_("how full the special vdevs are"), "special_known"),
    "existing.legacy_version": (int, N_("legacy version of the pool"), "has_legacy_version"),
    "existing.dedup_table_bytes": (int, N_("size of the deduplication table")),
}
# May be unknown, and come with the prediction of a model or with a whole design.
_LATER: dict[str, tuple[type, str]] = {
    "pool.name": (str, N_("pool name")),
    "pool.name_valid": (bool, N_("pool name")),
    "pool.compatibility": (str, "compatibility"),
    "pool.boots": (bool, N_("whether a boot loader reads the pool")),
    "pool.autotrim": (str, "autotrim"),
    "pool.dedup_quota": (str, "dedup_table_quota"),
    "pool.encrypted": (bool, N_("encryption of the datasets")),
    "pool.enclosures": (int, N_("disk enclosures")),
    "pool.deadly_enclosures": (str, N_("disk enclosures")),
    "pool.controllers": (int, N_("disk controllers")),
    "pool.deadly_controllers": (str, N_("disk controllers")),
    "pool.swap_disks": (int, N_("partitions beside the data")),
    "pool.esp_disks": (int, N_("partitions beside the data")),
    "pool.truenas_disks": (int, N_("partitions beside the data")),
    "pool.fitting_block_bytes": (int, N_("smallest block that wastes no space")),
    "pool.seq_read_bytes_per_second": (int, N_("sequential reads expected")),
    "pool.yearly_loss_percent": (float, N_("yearly risk of losing the pool")),
    "pool.scrub_hours": (float, N_("scrub time")),
    "pool.years_until_full": (float, N_("years until the pool is full")),
    "vdev.volume_stored_percent": (int, N_("share of the space that a block leaves as data")),
    "vdev.slack_bytes": (int, N_("least size of a replacement")),
    "vdev.batch_disks": (int, N_("serial numbers of the members")),
    "vdev.rebuild_hours": (float, N_("resilver time")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact's full name, its kind (``str``, ``int``, ``float`` or ``bool``), and whether it may be unknown."""

    name: str
    kind: type
    optional: bool = False
    later: bool = False
    words: str = ""

    @property
    def shown(self) -> str:
        """Return what a person calls it; what is always known, by the name that rules give it."""
        return _(self.words) if self.words else self.name.removesuffix(".label").rpartition(".")[2].replace("_", " ")


def _facts() -> dict[str, Fact]:
    found = [Fact(name="goal", kind=str)]
    for part, kinds in _ALWAYS_KNOWN.items():
        found += [Fact(name=f"{part}.{name}", kind=kind) for kind, names in kinds.items() for name in names.split()]
    for table, later in ((_MAY_BE_UNKNOWN, False), (_LATER, True)):
        found += [Fact(name=n, kind=row[0], words=row[1], optional=True, later=later) for n, row in table.items()]
    found += [Fact(name=flag, kind=bool) for flag in _FLAGS.values()]
    return {fact.name: fact for fact in found}


# Of facts that may be unknown, those that say whether they are known.
_FLAGS = {name: f"{name.partition('.')[0]}.{row[2]}" for name, row in _MAY_BE_UNKNOWN.items() if len(row) == 3}
FACTS = _facts()

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


class UnknownFact(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class Facts(dict[str, FactValue]):
    """What is known of one subject, by full names: asked for anything else, it raises UnknownFact."""

    def __missing__(self, name: str) -> FactValue:
        raise UnknownFact(name)


def only_known(found: Mapping[str, FactValue]) -> Facts:
    """Return what is not None of these facts, and of those that may be unknown whether they are."""
    facts = Facts({name: value for name, value in found.items() if value is not None})
    facts.update({flag: name in facts for name, flag in _FLAGS.items() if name in found})
    return facts


# Facts of workload, budget and host: what was typed or read, in the words of the rules.

# Names under which controllers that hide their disks behind arrays appear; plain HBAs (SAS2008, 9300-8e) do not match.
_RAID = re.compile(
    r"megaraid|smart ?array|\bperc\b|raid bus controller|serveraid|areca|3ware|\badaptec\b.*raid", re.IGNORECASE
)
# Details of a workload that rules ask for as they were typed.
_TYPED = (
    "read_percent", "sequential_percent", "io_size_bytes", "sync_write_percent", "clients", "typical_file_bytes",
    "compressible", "duplicate_factor", "working_set_bytes", "volumes",
)  # fmt: skip


def facts_of(workload: Workload, budget: Budget, host: Host, version: ZfsVersion, *, use: str | None = None) -> Facts:
    """Return what every rule may ask: goal, workload, budget and host."""
    return Facts({
        "goal": workload.goal.value,
        **workload_facts(workload, use),
        **budget_facts(budget, version),
        **host_facts(host, version, workload),
    })  # fmt: skip


def workload_facts(workload: Workload, use: str | None = None) -> Facts:
    """Return the facts of a workload; ``use`` says what the data of one dataset are, otherwise its preset does."""
    # A typical block is a typical I/O, within what records are, or the default recordsize.
    block = 128 * KIB if workload.io_size_bytes is None else min(max(workload.io_size_bytes, 4 * KIB), MIB)
    named = use if use is not None else (workload.preset or "")
    kind = preset(named)
    return only_known({
        **{f"workload.{name}": getattr(workload, name) for name in _TYPED},
        "workload.sharing": workload.sharing.value if workload.sharing else None,
        "workload.use": named,
        "workload.with_programs": any("served" not in chosen.traits for chosen in presets_of(workload)),
        **{f"workload.{trait}": kind is not None and trait in kind.traits for trait in TRAITS},
        "workload.block_bytes": block,
    })  # fmt: skip


def with_workload(facts: Facts, workload: Workload, use: str | None) -> Facts:
    """Return the facts with those of this workload instead of another's, what is unknown of it among them."""
    others = {name: value for name, value in facts.items() if not name.startswith("workload.")}
    return Facts({**others, **workload_facts(workload, use)})


def budget_facts(budget: Budget, version: ZfsVersion) -> Facts:
    """Return the facts of a budget for a pool made by OpenZFS ``version``.

    A system that knows as much as this OpenZFS or more can import every pool of it: then there is nothing to keep to.
    """
    return only_known({
        "budget.least_usable_bytes": budget.least_usable_bytes,
        "budget.import_on": None if _knows_all(budget.import_on, version) else budget.import_on,
        "budget.smr_behind_parity": Allowance.SHINGLED in budget.allow,
    })  # fmt: skip


# The OpenZFS in each FreeBSD.
_IN_FREEBSD = {"freebsd-13": "2.1", "freebsd-14": "2.2"}


def _knows_all(system: str | None, version: ZfsVersion) -> bool:
    try:
        there = ZfsVersion.parse(_IN_FREEBSD.get(system, system)) if system else version
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


def host_facts(host: Host, version: ZfsVersion, workload: Workload | None = None) -> Facts:
    """Return the facts of a host that runs OpenZFS ``version``; a network speed typed for the workload comes first.

    ``raid_controller`` names controllers with arrays of their own, ``passing_controller`` RAID controllers behind which
    only plain drives were seen; where there is none they are “none”.
    """
    typed = workload.network_bytes_per_second if workload else None
    raid = ", ".join(controller.name for controller in host.controllers if _makes_arrays(controller))
    passing = ", ".join(c.name for c in host.controllers if c.kind is ControllerKind.PASSING)
    return only_known({
        "host.ram_bytes": host.ram_bytes,
        "host.ups": host.ups,
        "host.raid_controller": raid or ("none" if host.controllers else None),
        "host.passing_controller": passing or "none",
        "host.system": _system(host.os_name),
        "host.network_bytes_per_second": typed if typed is not None else host.network_bytes_per_second,
        "host.zfs": str(version),
    })  # fmt: skip
