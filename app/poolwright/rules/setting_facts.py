"""Facts of workload, budget and host: what was typed or read, in the words of the rules."""

import re

from poolwright.domain.host import Host
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.rules.facts import BudgetFacts, HostFacts, WorkloadFacts

# Names under which controllers that hide their disks behind arrays appear; plain HBAs (SAS2008, 9300-8e) do not match.
_RAID = re.compile(
    r"megaraid|smart ?array|\bperc\b|raid bus controller|serveraid|areca|3ware|\badaptec\b.*raid", re.IGNORECASE
)


def workload_facts(workload: Workload) -> WorkloadFacts:
    """Return the facts of a workload."""
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
        sharing=workload.sharing.value if workload.sharing else None,
        volumes=workload.volumes,
    )


def budget_facts(budget: Budget) -> BudgetFacts:
    """Return the facts of a budget."""
    return BudgetFacts(
        has_least_usable=budget.least_usable_bytes is not None,
        least_usable_bytes=budget.least_usable_bytes,
        survive=budget.survive,
        spares=budget.spares,
    )


def host_facts(host: Host, version: ZfsVersion) -> HostFacts:
    """Return the facts of a host that runs OpenZFS ``version``."""
    raid = [controller.name for controller in host.controllers if _RAID.search(controller.name)]
    return HostFacts(
        ram_bytes=host.ram_bytes,
        cores=host.cores,
        ups=host.ups,
        raid_controller=", ".join(raid) if raid else ("none" if host.controllers else None),
        zfs=str(version),
    )
