"""A design as the ordered steps that build it, each with its reason. What people see before anything is written."""

from dataclasses import dataclass, replace

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.import_targets import as_built
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import check_dataset_name
from poolwright.domain.pool_settings import is_set_afterwards
from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec, describe
from poolwright.emit.names import BY_ID, check_setting, device_path, device_problem
from poolwright.emit.partitions import SplitDisk, split_disks
from poolwright.emit.validity import check_design, force_reason
from poolwright.texts import tell, tell_counted

# special_small_blocks is checked against the recordsize given before it on the same command line.
_FIRST = ("recordsize", "volblocksize")


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevWords:
    """A vdev as `zpool create` takes it.

    ``word`` is the structuring keyword (None for bare disks), ``status_word`` what `zpool status` calls the vdev.
    ``disk_keys``, ``parts`` (partition numbers, None for whole disks) and ``devices`` (paths) run in parallel.
    """

    vdev_class: VdevClass
    word: str | None
    status_word: str
    disk_keys: tuple[str, ...]
    devices: tuple[str, ...]
    parts: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePool:
    """Create the pool with all its vdevs, pool properties (``-o``) and properties of its root dataset (``-O``).

    ``force`` says why `zpool create` wants -f, None when it does not; ``mountpoint`` is None for the default.
    """

    pool: str
    ashift: int
    vdevs: tuple[VdevWords, ...]
    pool_settings: tuple[Setting, ...] = ()
    root_settings: tuple[Setting, ...] = ()
    mountpoint: str | None = None
    force: str | None = None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateDataset:
    """Create a filesystem, or a zvol of ``volume_bytes``; ``name`` is the full name with the pool."""

    name: str
    settings: tuple[Setting, ...] = ()
    volume_bytes: int | None = None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPoolProperty:
    """Set a pool property that cannot be given at creation."""

    pool: str
    setting: Setting
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePartitions:
    """Partition an empty disk; ``device`` is its path. ``disk`` holds the partitions and the marks of their maker."""

    device: str
    disk: SplitDisk
    reason: str


Action = CreatePartitions | CreatePool | CreateDataset | SetPoolProperty


def plan_actions(design: Design, *, placeholders: bool = False) -> tuple[Action, ...]:
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


def _pool_actions(design: Design, paths: dict[str, str]) -> tuple[Action, ...]:
    vdevs, specs = _ordered_vdevs(design, paths)
    pool_settings, later = _pool_settings(design)
    root = next((d for d in design.datasets if d.name == ""), Dataset(name=""))
    root_settings = _written(design, root)
    mountpoint = next((s.value for s in root_settings if s.name == "mountpoint"), None)
    create = CreatePool(
        pool=design.pool_name,
        ashift=design.ashift,
        vdevs=vdevs,
        pool_settings=pool_settings,
        root_settings=tuple(s for s in root_settings if s.name != "mountpoint"),
        mountpoint=mountpoint,
        force=force_reason(specs, design.version),
        reason=tell(
            "Pool {pool}: {layout}", pool=design.pool_name, layout=describe(tuple(design.spec(v) for v in design.vdevs))
        ),
    )
    after = tuple(
        SetPoolProperty(
            pool=design.pool_name,
            setting=s,
            reason=s.reason or tell("{property} needs its dataset to exist", property=s.name),
        )
        for s in later
    )
    return (create, *_dataset_actions(design), *after)


def _create_partitions(design: Design, disk: SplitDisk, device: str) -> CreatePartitions:
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
    return CreatePartitions(device=device, disk=disk, reason=reason)


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


def _ordered_vdevs(design: Design, paths: dict[str, str]) -> tuple[tuple[VdevWords, ...], tuple[VdevSpec, ...]]:
    order = sorted(design.vdevs, key=lambda v: v.rank)
    words = tuple(_vdev_words(design, vdev, tuple(_member_path(m, paths) for m in vdev.members)) for vdev in order)
    return words, tuple(design.spec(vdev) for vdev in order)


def _member_path(member: Member, paths: dict[str, str]) -> str:
    return paths[member.disk_key] + (f"-part{member.part}" if member.part is not None else "")


def _vdev_words(design: Design, vdev: Vdev, devices: tuple[str, ...]) -> VdevWords:
    spec = design.spec(vdev)
    word: str | None = spec.word
    status_word = spec.word
    if vdev.kind is VdevKind.STRIPE:
        word, status_word = None, "disk"
    elif vdev.kind is VdevKind.DRAID:
        # Written out in full, so that no default of another version can change the layout.
        word = status_word = f"draid{spec.parity}:{spec.group_data}d:{spec.width}c:{spec.draid_spares}s"
    return VdevWords(
        vdev_class=vdev.vdev_class,
        word=word,
        status_word=status_word,
        disk_keys=tuple(m.disk_key for m in vdev.members),
        devices=devices,
        parts=tuple(m.part for m in vdev.members),
    )


def _pool_settings(design: Design) -> tuple[tuple[Setting, ...], tuple[Setting, ...]]:
    now: list[Setting] = []
    later: list[Setting] = []
    for setting in _checked(design.pool_settings, where=design.pool_name):
        if setting.name == "ashift" and setting.value == str(design.ashift):
            continue
        (later if is_set_afterwards(setting.name) else now).append(setting)
    return tuple(now), tuple(later)


def _written(design: Design, dataset: Dataset) -> tuple[Setting, ...]:
    checked = _checked(dataset.settings, where=f"{design.pool_name}/{dataset.name}".rstrip("/"))
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
