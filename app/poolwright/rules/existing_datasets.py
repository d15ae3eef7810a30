"""Facts of a pool that exists which its datasets tell: what keeps space, what is nearly full, where keys lie."""

from collections.abc import Iterator
from typing import Any

from poolwright.domain.existing_pool import ExistingDataset, ExistingPool
from poolwright.rules.existing_tree import MOST_NAMED
from poolwright.texts import first_of

_FILE = "file://"


def dataset_facts_of(known: ExistingPool) -> dict[str, Any]:
    """Return what `zfs get` told of the datasets together; sums are 0 where nobody asked (see ``datasets_known``)."""
    datasets = known.datasets or ()
    reserved = sum(dataset.number("usedbyrefreservation") or 0 for dataset in datasets)
    snapshots = sum(dataset.number("usedbysnapshots") or 0 for dataset in datasets)
    root = next((dataset for dataset in datasets if dataset.name == known.name), None)
    percent, near = max(_of_quotas(datasets), default=(0, ""), key=lambda found: found[0])
    return {
        "datasets_known": bool(datasets),
        "reserved_bytes": reserved,
        "reserved_percent": _share(reserved, _root_space(root)),
        "snapshot_bytes": snapshots,
        "snapshot_percent": _share(snapshots, root.number("used") if root is not None else None),
        "root_bytes": _root_bytes(root, datasets),
        "keys_missing": sum(1 for dataset in datasets if dataset.value("keystatus") == "unavailable"),
        "quota_near": near,
        "quota_percent": percent,
        "keys_inside": first_of(list(_keys_inside(datasets)), MOST_NAMED),
    }


def dedups(datasets: tuple[ExistingDataset, ...]) -> bool:
    return any(dataset.value("dedup") not in {None, "off"} for dataset in datasets)


def _share(part: int, whole: int | None) -> int:
    return part * 100 // whole if whole else 0


def _root_space(root: ExistingDataset | None) -> int | None:
    used, free = (root.number("used"), root.number("available")) if root is not None else (None, None)
    return used + free if used is not None and free is not None else None


def _root_bytes(root: ExistingDataset | None, datasets: tuple[ExistingDataset, ...]) -> int:
    """Return what lies in the root dataset beside others; a pool of one dataset has no better place."""
    return root.number("usedbydataset") or 0 if root is not None and len(datasets) > 1 else 0


def _of_quotas(datasets: tuple[ExistingDataset, ...]) -> Iterator[tuple[int, str]]:
    """Yield how many per cent of what it may each dataset has used: quota counts all below, refquota no snapshots."""
    for dataset in datasets:
        for limit, counted in (("quota", "used"), ("refquota", "referenced")):
            most, used = dataset.number(limit), dataset.number(counted)
            if most and used is not None:
                yield used * 100 // most, dataset.name


def _keys_inside(datasets: tuple[ExistingDataset, ...]) -> Iterator[str]:
    """Yield the encryption roots whose key file lies below a mountpoint of the same pool.

    A key on the root file system of the machine is none of these: it is in the initial ramdisk as well.
    """
    mounted = [place for one in datasets if (place := one.value("mountpoint") or "").startswith("/") and place != "/"]
    for dataset in datasets:
        place = dataset.value("keylocation") or ""
        if dataset.value("encryptionroot") == dataset.name and place.startswith(_FILE):
            path = place.removeprefix(_FILE)
            if any(path.startswith(f"{folder}/") for folder in mounted):
                yield dataset.name
