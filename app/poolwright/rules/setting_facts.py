"""Facts of workload, budget and host: what was typed or read, in the words of the rules."""

import re

from poolwright.domain.errors import UserError
from poolwright.domain.host import Controller, ControllerKind, Host
from poolwright.domain.units import KIB, MIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Allowance, Budget, Workload
from poolwright.rules.existing_tree import ExistingFacts
from poolwright.rules.facts import BudgetFacts, Facts, HostFacts, PoolFacts, WorkloadFacts

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
