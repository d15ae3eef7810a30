"""Everything OpenZFS refuses in the properties of a pool and its datasets, told before a disk is touched.

`zpool create -n` looks at none of it: a value that only the real command refuses would leave partitioned disks behind.
"""

from collections.abc import Iterable

from poolwright.domain.dataset_edits import in_whole_blocks, volume_block
from poolwright.domain.dataset_properties import dataset_properties, space_bytes, value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.encryption import encryption_problems
from poolwright.domain.inheritance import all_datasets
from poolwright.domain.pool_settings import OTHER_NAMES, pool_value_problem
from poolwright.domain.shown import shown_text
from poolwright.texts import _


def setting_problems(design: Design) -> tuple[str, ...]:
    found: list[str | None] = [_("{name} is set twice", name=name) for name in _twice(design.pool_settings)]
    for setting in design.pool_settings:
        if setting.name == "ashift" and setting.value == str(design.ashift):
            continue
        found.append(pool_value_problem(setting.name, setting.value, design.version))
        if found[-1] is None and setting.name == "bootfs":
            filesystems = {design.full_name(d.name) for d in all_datasets(design) if d.volume_bytes is None}
            if setting.value not in filesystems:
                value = shown_text(setting.value)
                found.append(_("bootfs={value} names no filesystem of this design", value=value))
    return (
        *(f"{shown_text(design.pool_name)}: {text}" for text in filter(None, found)),
        *(problem for dataset in design.datasets for problem in dataset_problems(design, dataset)),
        *encryption_problems(design),
    )


def dataset_problems(design: Design, dataset: Dataset) -> tuple[str, ...]:
    where = shown_text(design.full_name(dataset.name))
    volume = dataset.volume_bytes is not None
    found = [_("{name} is set twice", name=name) for name in _twice(dataset.settings)]
    values = (value_problem(s.name, s.value, design.version, volume=volume) for s in dataset.settings)
    found.extend(filter(None, values))
    # What is wrong between properties that are each good.
    own = {s.name: s.value for s in dataset.settings}
    if own.get("normalization", "none") != "none" and own.get("utf8only") == "off":
        found.append(_("normalization needs utf8only=on"))
    if in_whole_blocks(dataset) != dataset:
        block = volume_block(dataset)
        found.append(_("the size of a volume is a multiple of its blocks of {dataset} bytes", dataset=block))
    for quota, reserved in (("quota", "reservation"), ("quota", "refreservation"), ("refquota", "refreservation")):
        most, least = space_bytes(own.get(quota, "none")), space_bytes(own.get(reserved, "none"))
        if most and least and least > most:
            words = {"reserved": reserved, "own": own[reserved], "quota": quota, "own2": own[quota]}
            found.append(_("{reserved}={own} is more than {quota}={own2} lets in", **words))
    return tuple(f"{where}: {text}" for text in found)


def _twice(settings: Iterable[Setting]) -> list[str]:
    names = [OTHER_NAMES.get(s.name, s.name) for s in settings]
    return sorted({shown_text(name) for name in names if names.count(name) > 1})


def fixed_settings(design: Design, dataset: Dataset) -> tuple[Setting, ...]:
    known = dataset_properties(design.version)
    return tuple(s for s in dataset.settings if s.name in known and known[s.name].fixed)
