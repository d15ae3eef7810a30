"""A design as the ordered steps that build it, each with its reason. What people see before anything is written."""

from dataclasses import replace

from poolwright.domain.action import (
    CreateDataset,
    CreatePool,
    Creation,
    Group,
    MemberDevice,
    PartitionDisk,
    SetProperty,
)
from poolwright.domain.as_built import as_built
from poolwright.domain.design import Dataset, Design, Setting, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import check_dataset_name
from poolwright.domain.pool_settings import is_set_afterwards
from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import describe
from poolwright.emit.names import BY_ID, check_setting, device_path, device_problem, part_path
from poolwright.emit.partitions import SplitDisk, split_disks
from poolwright.emit.validity import check_design, force_reason
from poolwright.texts import tell, tell_counted

# special_small_blocks is checked against the recordsize given before it on the same command line.
_FIRST = ("recordsize", "volblocksize")


def plan_actions(design: Design, *, placeholders: bool = False) -> tuple[Creation, ...]:
    """Return the steps that build ``design``, in order: partitions where disks are cut, then pool after pool.

    A pool is followed by its datasets (parents first) and what comes after them. One `zpool create` takes everything,
    so that no half-made pool can be left behind. With ``placeholders`` disks without a by-id name are written as
    ``<disk 1>``, for a preview that cannot be run. Raises Refusal with all reasons when the design cannot be built,
    UserError for names and values that cannot be written.
    """
    check_design(design, named=not placeholders)
    design = as_built(design)
    paths = _disk_paths(design, placeholders=placeholders)
    partitions = tuple(_create_partitions(design, disk, paths[disk.disk_key]) for disk in split_disks(design))
    return (*partitions, *(action for pool in design.pools() for action in _pool_actions(pool, paths)))


def _pool_actions(design: Design, paths: dict[str, str]) -> tuple[Creation, ...]:
    order = sorted(design.vdevs, key=lambda v: v.rank)
    pool_settings, later = _pool_settings(design)
    root = next((d for d in design.datasets if d.name == ""), Dataset(name=""))
    root_settings = _written(design, root)
    mountpoint = next((s.value for s in root_settings if s.name == "mountpoint"), None)
    create = CreatePool(
        pool=design.pool_name,
        ashift=design.ashift,
        groups=tuple(_group(vdev, paths) for vdev in order),
        pool_settings=pool_settings,
        root_settings=tuple(s for s in root_settings if s.name != "mountpoint"),
        mountpoint=mountpoint,
        force=force_reason(tuple(map(design.spec, order)), design.version),
        reason=tell(
            "Pool {pool}: {layout}", pool=design.pool_name, layout=describe(tuple(design.spec(v) for v in design.vdevs))
        ),
    )
    after = tuple(
        SetProperty(
            name=design.pool_name,
            setting=s,
            of_pool=True,
            reason=s.reason or tell("{property} needs its dataset to exist", property=s.name),
        )
        for s in later
    )
    return (create, *_dataset_actions(design), *after)


def _create_partitions(design: Design, disk: SplitDisk, path: str) -> PartitionDisk:
    pools = ", ".join(dict.fromkeys(p.pool for p in disk.partitions if p.pool))
    label = shown_text(design.disk(disk.disk_key).label)
    reserved = ", ".join(p.reserved.words for p in disk.partitions if p.reserved is not None)
    if reserved:
        pools = tell("{pools} and {reserved}", pools=pools, reserved=reserved)
    reason = tell_counted(
        "{count} partition of {disk} for {pools}",
        "{count} partitions of {disk} for {pools}",
        len(disk.partitions),
        disk=label,
        pools=pools,
    )
    words = tuple(part.sgdisk_words for part in disk.partitions)
    device = MemberDevice(disk=disk.disk_key, path=path)
    return PartitionDisk(device=device, table=disk.table_guid, words=words, reason=reason)


def _disk_paths(design: Design, *, placeholders: bool) -> dict[str, str]:
    """Return the path of every disk of all pools by its key; numbered placeholders run in the order of commands."""
    paths: dict[str, str] = {}
    for pool in design.pools():
        for vdev in sorted(pool.vdevs, key=lambda v: v.rank):
            for member in vdev.members:
                disk = design.disk(member.disk_key)
                if member.disk_key in paths:
                    continue
                unnamed = placeholders and device_problem(disk) is not None
                paths[member.disk_key] = f"{BY_ID}<disk {len(paths) + 1}>" if unnamed else device_path(disk)
    return paths


def _group(vdev: Vdev, paths: dict[str, str]) -> Group:
    devices = (
        MemberDevice(disk=m.disk_key, part=m.part, path=part_path(paths[m.disk_key], m.part)) for m in vdev.members
    )
    return Group(vdev=vdev, devices=tuple(devices))


def _pool_settings(design: Design) -> tuple[tuple[Setting, ...], tuple[Setting, ...]]:
    now: list[Setting] = []
    later: list[Setting] = []
    for setting in _checked(design.pool_settings, where=design.pool_name):
        if setting.name == "ashift" and setting.value == str(design.ashift):
            continue
        (later if is_set_afterwards(setting.name) else now).append(setting)
    return tuple(now), tuple(later)


def _written(design: Design, dataset: Dataset) -> tuple[Setting, ...]:
    checked = _checked(dataset.settings, where=design.full_name(dataset.name))
    return Resolver(design).written(replace(dataset, settings=checked))


def _checked(settings: tuple[Setting, ...], *, where: str) -> tuple[Setting, ...]:
    names = [s.name for s in settings]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UserError(tell("{property} is set twice", property=twice), where=where)
    for setting in settings:
        check_setting(setting.name, setting.value, where=where)
    return tuple(sorted(settings, key=lambda s: s.name not in _FIRST))


def _dataset_actions(design: Design) -> tuple[CreateDataset, ...]:
    named = {d.name: d for d in design.datasets if d.name != ""}
    if len(named) != sum(d.name != "" for d in design.datasets):
        raise UserError(tell("Two datasets have the same name"), where=design.pool_name)
    for dataset in named.values():
        check_dataset_name(design.pool_name, dataset.name)
        _check_volume(dataset)
    wanted = dict.fromkeys(part for name in named for part in _with_parents(name))
    volume = next((n for n in wanted if n in named and named[n].volume_bytes and _has_child(n, wanted)), None)
    if volume is not None:
        raise UserError(
            tell("{dataset} is a volume and cannot hold other datasets", dataset=volume), where=design.pool_name
        )
    return tuple(_dataset_action(design, named.get(name), name) for name in sorted(wanted, key=lambda n: n.count("/")))


def _has_child(name: str, names: dict[str, None]) -> bool:
    return any(other.startswith(f"{name}/") for other in names)


def _with_parents(name: str) -> tuple[str, ...]:
    parts = name.split("/")
    return tuple("/".join(parts[: i + 1]) for i in range(len(parts)))


def _check_volume(dataset: Dataset) -> None:
    if dataset.volume_bytes is None:
        return
    if dataset.volume_bytes <= 0:
        raise UserError(tell("The size of a volume is more than 0"), where=dataset.name)


def _dataset_action(design: Design, dataset: Dataset | None, name: str) -> CreateDataset:
    full = f"{design.pool_name}/{name}"
    if dataset is None:
        return CreateDataset(name=full, reason=tell("{dataset} holds the datasets below it", dataset=full))
    reason = tell("Filesystem {dataset}", dataset=full)
    if dataset.volume_bytes is not None:
        reason = tell("Volume {dataset}", dataset=full)
    return CreateDataset(
        name=full, settings=_written(design, dataset), volume_bytes=dataset.volume_bytes, reason=reason
    )
