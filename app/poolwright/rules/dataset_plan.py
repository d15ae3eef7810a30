"""The datasets proposed below the root, by what a pool is for: few, named after what they hold.

Each has the workload of its own data, so that the same proposals give it its own values; what equals the root's is
inherited and not set again. Volumes are not made here, for nobody knows their sizes: their parent is, and the advice
says how to make one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.domain.dataset_properties import dataset_properties, meaning, space_bytes
from poolwright.domain.design import Dataset
from poolwright.domain.names import dataset_name_problem
from poolwright.domain.vdev import VdevClass, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Sharing, Workload
from poolwright.rules.facts import Facts, only_known
from poolwright.rules.layout_facts import nominal_percent, stored_percent
from poolwright.rules.presets import of_answer, presets_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDataset:
    """A dataset below the root: its name, what its data are, and their workload."""

    name: str
    use: str
    workload: Workload


def planned_datasets(workload: Workload) -> tuple[PlannedDataset, ...]:
    """Return the datasets for the presets, each with its own workload, the most demanding first; none without."""
    found: list[PlannedDataset] = []
    for chosen in presets_of(workload):
        own = of_answer(workload, chosen)
        found.append(PlannedDataset(name=chosen.dataset, use=chosen.key, workload=own))
        for name, use, details in chosen.below:
            found.append(PlannedDataset(name=name, use=use, workload=replace(own, **details)))
    return tuple(found)


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
        # How clients reach the data belongs to the dataset that is shared, not to the root.
        sharing=Sharing.LOCAL if sharing == {Sharing.LOCAL} else None,
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


# Facts of the datasets of a design: the values in force, inherited as ZFS does.


def defaults(version: ZfsVersion) -> dict[str, str]:
    """Return the defaults of dataset properties, which rules ask about."""
    return {name: known.default for name, known in dataset_properties(version).items()}


def volume_block_bytes(version: ZfsVersion) -> int:
    return _bytes(defaults(version)["volblocksize"])


def dataset_facts(
    datasets: Sequence[Dataset], *, pool_name: str, version: ZfsVersion, vdevs: Sequence[VdevSpec], ashift: int | None
) -> tuple[Facts, ...]:
    """Return the facts of each dataset; ``vdevs`` are the vdevs of the pool, sizes in bytes."""
    own = {dataset.name: {setting.name: setting.value for setting in dataset.settings} for dataset in datasets}
    data = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    return tuple(_facts(dataset, own, pool_name, version, data, ashift) for dataset in datasets)


def _facts(
    dataset: Dataset,
    own: dict[str, dict[str, str]],
    pool_name: str,
    version: ZfsVersion,
    data: Sequence[VdevSpec],
    ashift: int | None,
) -> Facts:
    values = defaults(version)
    words = dataset.name.split("/") if dataset.name else []
    for depth in range(len(words) + 1):
        values |= own.get("/".join(words[:depth]), {})
    volume = dataset.volume_bytes is not None
    record = _bytes(values["volblocksize" if volume else "recordsize"])
    return only_known({
        "dataset.label": "/".join((pool_name, *words)),
        "dataset.volume": volume,
        "dataset.record_bytes": record,
        "dataset.record_valid": record >= 512 and record.bit_count() == 1,
        "dataset.stored_percent": min(
            (stored_percent(vdev, ashift, record) for vdev in data if record and ashift), default=None
        ),
        "dataset.nominal_percent": min(map(nominal_percent, data), default=100),
        "dataset.copies": int(values["copies"]) if values["copies"].isdigit() else 1,
        "dataset.name_valid": not words or dataset_name_problem(pool_name, dataset.name) is None,
        "dataset.named_swap": bool(words) and words[-1].casefold() == "swap",
        "dataset.volume_fits": not (dataset.volume_bytes and record) or dataset.volume_bytes % record == 0,
        "dataset.special_small_bytes": _bytes(values["special_small_blocks"]),
        **{f"dataset.{name}": values[name] for name in _IN_FORCE},
        **{f"dataset.{name}": _meaning(name, values, version) for name in ("checksum", "compression", "xattr")},
    })  # fmt: skip


# Properties that rules ask for by the value in force.
_IN_FORCE = (
    "sync", "atime", "relatime", "acltype", "dedup", "logbias", "primarycache", "redundant_metadata", "aclinherit",
    "dnodesize", "casesensitivity",
)  # fmt: skip


def _bytes(text: str) -> int:
    """Return a record size in bytes; 0 for what is no size, which the rule on valid sizes then reports."""
    return space_bytes(text) or 0


def _meaning(name: str, values: dict[str, str], version: ZfsVersion) -> str:
    """Return the value in force, `on` as what it stands for; the others as they were written, as rules name them."""
    value = values[name]
    return meaning(name, value, version) if value == "on" else value
