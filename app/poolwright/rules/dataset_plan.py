"""The datasets proposed below the root, by what a pool is for: few, named after what they hold.

Each has the workload of its own data, so that the same proposals give it its own values; what equals the root's is
inherited and not set again. Volumes are not made here, for nobody knows their sizes: their parent is, and the advice
says how to make one.
"""

from dataclasses import dataclass, replace

from poolwright.domain.design import Dataset
from poolwright.domain.units import KIB, MIB
from poolwright.domain.workload import Sharing, Workload
from poolwright.rules.presets import Preset, of_answer, presets_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDataset:
    """A dataset below the root: its name, what its data are, and their workload."""

    name: str
    use: str
    workload: Workload


def planned_datasets(workload: Workload) -> tuple[PlannedDataset, ...]:
    """Return the datasets for the presets of ``workload``; none where it follows none.

    Those of the most demanding come first, each with the workload of its own data.
    """
    return tuple(
        planned for chosen in presets_of(workload) for planned in _for_one(chosen, of_answer(workload, chosen))
    )


def _for_one(chosen: Preset, workload: Workload) -> tuple[PlannedDataset, ...]:
    use = chosen.key
    main = PlannedDataset(name=chosen.dataset, use=use, workload=workload)
    if use == "database":
        log = replace(
            workload,
            io_size_bytes=128 * KIB,
            sequential_percent=95,
            read_percent=5,
            sync_write_percent=100,
            volumes=False,
        )
        return (main, PlannedDataset(name=f"{main.name}/log", use="database-log", workload=log))
    if use == "vm-images":
        # Installation media are large files that are read in order.
        images = replace(
            workload, io_size_bytes=MIB, sequential_percent=95, read_percent=95, sync_write_percent=0, volumes=False
        )
        return (main, PlannedDataset(name=f"{main.name}-iso", use="media-archive", workload=images))
    return (main,)


def root_workload(workload: Workload) -> Workload:
    """Return the workload of the root: what all datasets below have in common and do not have to themselves.

    Without a preset there are no datasets, and the root takes the workload as it was typed.
    """
    planned = planned_datasets(workload)
    if not planned:
        return workload
    compressible, sharing = ({getattr(p.workload, name) for p in planned} for name in ("compressible", "sharing"))
    return Workload(
        goal=workload.goal,
        compressible=compressible.pop() if len(compressible) == 1 else None,
        sharing=_shared_by_all(sharing.pop()) if len(sharing) == 1 else None,
    )


def dataset_workload(name: str, workload: Workload) -> tuple[Workload, str]:
    """Return the workload of the dataset ``name`` (relative to the pool) and what its data are.

    A dataset below a planned one holds the same kind of data; any other has the root's workload.
    """
    planned = sorted(planned_datasets(workload), key=lambda item: len(item.name), reverse=True)
    for item in planned:
        if name == item.name or name.startswith(f"{item.name}/"):
            return item.workload, item.use
    return root_workload(workload), "" if planned else workload.preset or ""


def workload_of(dataset: Dataset, workload: Workload) -> tuple[Workload, str]:
    """Return the workload of ``dataset`` and what its data are: its own where it has one, else by its name."""
    if dataset.workload is not None:
        return dataset.workload, dataset.workload.preset or ""
    return dataset_workload(dataset.name, workload)


def _shared_by_all(sharing: Sharing | None) -> Sharing | None:
    # How clients reach the data belongs to the dataset that is shared, not to the root.
    return None if sharing in (Sharing.SMB, Sharing.NFS, Sharing.ISCSI) else sharing
