"""Edits of the datasets of a pool, each giving a new tuple: add, rename with all below, remove, change, set, inherit.

Names are relative to the pool, '' is the root. Which characters a name may have is not looked at here.
"""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.domain.dataset_properties import space_bytes
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.errors import UserError, not_there
from poolwright.domain.inheritance import ancestors
from poolwright.domain.pool_settings import with_proposed
from poolwright.texts import _

Datasets = tuple[Dataset, ...]

LEAST_VOLUME_BLOCK = 16 << 10  # the default of volblocksize since 2.2; 8K before divides it


def find(datasets: Iterable[Dataset], name: str) -> Dataset | None:
    return next((dataset for dataset in datasets if dataset.name == name), None)


def add(datasets: Datasets, dataset: Dataset) -> Datasets:
    """Return the datasets with one more, behind its siblings.

    Raises UserError where the name is taken, also by a parent that nobody wrote down, or lies below a volume.
    """
    _check_place(datasets, dataset.name)
    return (*datasets, in_whole_blocks(dataset))


def rename(datasets: Datasets, old: str, new: str) -> Datasets:
    """Return the datasets with ``old`` and all below it under the name ``new``; raises UserError where it cannot be."""
    if not old:
        raise UserError(_("The root of a pool has the pool's name"), todo=_("Rename the pool instead."))
    if new == old:
        return datasets
    if new.startswith(f"{old}/"):
        raise UserError(_("{old} cannot be moved below itself", old=old), where=_("dataset name"))
    moved = frozenset(d.name for d in datasets if d.name == old or d.name.startswith(f"{old}/"))
    if not moved:
        raise not_there(old)
    staying = tuple(d for d in datasets if d.name not in moved)
    _check_place(staying, new)
    return tuple(replace(d, name=new + d.name[len(old) :]) if d.name in moved else d for d in datasets)


def remove(datasets: Datasets, name: str) -> Datasets:
    if not name:
        raise UserError(_("The root of a pool cannot be removed"), todo=_("Remove the datasets below it one by one."))
    return tuple(d for d in datasets if d.name != name and not d.name.startswith(f"{name}/"))


def change(datasets: Datasets, changed: Dataset) -> Datasets:
    changed = in_whole_blocks(changed)
    if find(datasets, changed.name) is None:
        return (*datasets, changed) if changed.name else (changed, *datasets)
    return tuple(changed if d.name == changed.name else d for d in datasets)


def set_property(datasets: Datasets, name: str, setting: Setting) -> Datasets:
    dataset = find(datasets, name) or Dataset(name=name)
    if any(s.name == setting.name for s in dataset.settings):
        settings = tuple(setting if s.name == setting.name else s for s in dataset.settings)
    else:
        settings = (*dataset.settings, setting)
    return change(datasets, replace(dataset, settings=settings))


def set_properties(datasets: Datasets, name: str, settings: Iterable[Setting]) -> Datasets:
    for setting in settings:
        datasets = set_property(datasets, name, setting)
    return datasets


def inherit(datasets: Datasets, name: str, property_name: str) -> Datasets:
    """Return the datasets with a property of ``name`` left to its parents or to the default (`zfs inherit`)."""
    dataset = find(datasets, name)
    if dataset is None:
        return datasets
    kept = tuple(s for s in dataset.settings if s.name != property_name)
    return change(datasets, replace(dataset, settings=kept))


def volume_block(dataset: Dataset) -> int:
    volblocksize = next((s.value for s in dataset.settings if s.name == "volblocksize"), "")
    return space_bytes(volblocksize) or LEAST_VOLUME_BLOCK


def in_whole_blocks(dataset: Dataset) -> Dataset:
    """Return a volume with its size rounded up to whole blocks, as `zfs create -V` does.

    (Since 2.0; before, it refuses.) Anything else is returned as it is.
    """
    if not dataset.volume_bytes or dataset.volume_bytes < 0:
        return dataset
    block = volume_block(dataset)
    return replace(dataset, volume_bytes=-(-dataset.volume_bytes // block) * block)


def propose(dataset: Dataset, proposed: Iterable[Setting]) -> Dataset:
    return replace(dataset, settings=with_proposed(dataset.settings, proposed))


def _check_place(datasets: Datasets, name: str) -> None:
    if not name:
        raise UserError(_("A dataset needs a name"), where=_("dataset name"))
    taken = any(d.name == name or d.name.startswith(f"{name}/") for d in datasets)
    if taken:
        raise UserError(
            _("There is a dataset {name} already", name=name), where=_("dataset name"), todo=_("Choose another name.")
        )
    above = frozenset(ancestors(name))
    volume = next((d.name for d in datasets if d.name in above and d.volume_bytes is not None), None)
    if volume is not None:
        raise UserError(holds_no_other(volume), where=name)


def holds_no_other(volume: str) -> str:
    return _("{volume} is a volume and cannot hold other datasets", volume=volume)
