"""Facts of the datasets of a design: the values in force, inherited as ZFS does."""

from collections.abc import Sequence

from poolwright.domain.dataset_properties import dataset_properties
from poolwright.domain.dataset_values import block_bytes, meaning
from poolwright.domain.design import Dataset
from poolwright.domain.names import dataset_name_problem
from poolwright.domain.vdev import VdevClass, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.rules.facts import DatasetFacts
from poolwright.rules.layout_facts import nominal_percent, stored_percent


def defaults(version: ZfsVersion) -> dict[str, str]:
    """Return the defaults of dataset properties, which rules ask about."""
    return {known.name: known.default for known in dataset_properties(version)}


def volume_block_bytes(version: ZfsVersion) -> int:
    """Return the volblocksize of a new volume where none is given."""
    return _bytes(defaults(version)["volblocksize"])


def dataset_facts(
    datasets: Sequence[Dataset], *, pool_name: str, version: ZfsVersion, vdevs: Sequence[VdevSpec], ashift: int
) -> tuple[DatasetFacts, ...]:
    """Return the facts of each dataset; ``vdevs`` are the vdevs of the pool, sizes in bytes."""
    own = {dataset.name: {setting.name: setting.value for setting in dataset.settings} for dataset in datasets}
    return tuple(_facts(dataset, own, pool_name, version, vdevs, ashift) for dataset in datasets)


def _facts(
    dataset: Dataset,
    own: dict[str, dict[str, str]],
    pool_name: str,
    version: ZfsVersion,
    vdevs: Sequence[VdevSpec],
    ashift: int,
) -> DatasetFacts:
    values = defaults(version)
    words = dataset.name.split("/") if dataset.name else []
    for depth in range(len(words) + 1):
        values |= own.get("/".join(words[:depth]), {})
    volume = dataset.volume_bytes is not None
    record = _bytes(values["volblocksize" if volume else "recordsize"])
    data = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    return DatasetFacts(
        label="/".join((pool_name, *words)),
        volume=volume,
        record_bytes=record,
        record_valid=record >= 512 and record & (record - 1) == 0,
        stored_percent=min((stored_percent(vdev, ashift, record) for vdev in data), default=None) if record else None,
        nominal_percent=min((nominal_percent(vdev) for vdev in data), default=100),
        checksum=_meaning("checksum", values, version),
        compression=_meaning("compression", values, version),
        sync=values["sync"],
        atime=values["atime"],
        relatime=values["relatime"],
        xattr=_meaning("xattr", values, version),
        acltype=values["acltype"],
        dedup=values["dedup"],
        copies=int(values["copies"]) if values["copies"].isdigit() else 1,
        name_valid=not words or dataset_name_problem(pool_name, dataset.name) is None,
        named_swap=bool(words) and words[-1].casefold() == "swap",
        volume_fits=not (dataset.volume_bytes and record) or dataset.volume_bytes % record == 0,
        logbias=values["logbias"],
        primarycache=values["primarycache"],
        special_small_bytes=_bytes(values["special_small_blocks"]),
        redundant_metadata=values["redundant_metadata"],
        aclinherit=values["aclinherit"],
        dnodesize=values["dnodesize"],
        casesensitivity=values["casesensitivity"],
    )


def _bytes(text: str) -> int:
    """Return a record size in bytes; 0 for what is no size, which the rule on valid sizes then reports."""
    return block_bytes(text) or 0


def _meaning(name: str, values: dict[str, str], version: ZfsVersion) -> str:
    """Return the value in force, `on` as what it stands for; the others as they were written, as rules name them."""
    value = values[name]
    return meaning(name, value, version) if value == "on" else value
