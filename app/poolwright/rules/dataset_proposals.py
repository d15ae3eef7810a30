"""What the rules propose for one dataset of a design, beside what it inherits already."""

from dataclasses import replace

from poolwright.domain.dataset_properties import dataset_property
from poolwright.domain.dataset_values import meaning
from poolwright.domain.design import Dataset, Design
from poolwright.domain.inheritance import Resolver
from poolwright.rules.dataset_plan import workload_of
from poolwright.rules.model import RuleBook
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import DatasetPool, Proposal, propose_dataset


def proposals_for(book: RuleBook, design: Design, dataset: Dataset) -> tuple[Proposal, ...]:
    """Return the properties proposed for ``dataset`` in the main pool, without those that it inherits as proposed.

    What it is for is its own workload, or follows from its name in the pool's; its present settings do not matter.
    Raises UserError where the size of a disk is unknown.
    """
    volume = dataset.volume_bytes is not None
    workload, use = workload_of(dataset, design.workload)
    # A filesystem may hold images of disks: then the blocks of its files matter, and there are no volumes.
    workload = replace(workload, volumes=volume)
    members = dict.fromkeys(member.disk_key for vdev in design.vdevs for member in vdev.members)
    pool = DatasetPool(
        layout=design.layout(),
        profile=DiskProfile.from_disks([design.disk(key) for key in members]),
        version=design.version,
        ashift=design.ashift,
        host=design.machine,
        budget=design.budget,
    )
    resolver, bare = Resolver(design), replace(dataset, settings=())
    kept = []
    for proposal in propose_dataset(book, workload=workload, pool=pool, volume=volume, use=use):
        name, value = proposal.setting.name, proposal.setting.value
        known = dataset_property(name, design.version)
        if known is not None and not known.applies(volume=volume):
            continue
        if known is not None and known.inherits:
            there = resolver.effective(bare, known).value
            if meaning(name, there, design.version) == meaning(name, value, design.version):
                continue
        kept.append(proposal)
    return tuple(kept)
