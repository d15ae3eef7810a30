"""The properties of a pool that is begun by hand: what the rules propose for its first layout, as for a chosen one."""

from dataclasses import replace

from poolwright.capacity.of_design import predict_design
from poolwright.domain.design import Dataset, Design
from poolwright.domain.errors import PoolwrightError
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import propose_properties


def with_proposals(design: Design, book: RuleBook | None) -> Design:
    """Return the design with what is proposed for it; as it is without rules, or where OpenZFS would refuse it."""
    if book is None:
        return design
    try:
        usable = predict_design(design).available_bytes
    except PoolwrightError:
        return design
    used = design.used_keys()
    proposals = propose_properties(
        book,
        goal=design.workload.goal,
        version=design.version,
        profile=DiskProfile.from_disks([disk for disk in design.disks if disk.key in used]),
        workload=design.workload,
        budget=design.budget,
        host=design.host,
        layout=design.layout(),
        numbers=LayoutNumbers(usable_bytes=usable, unassigned_disks=0),
    )
    settings = tuple(setting for setting in proposals.pool if setting.name != "ashift")
    datasets = (Dataset(name="", settings=proposals.root), *proposals.datasets)
    return replace(design, pool_settings=settings, datasets=datasets)
