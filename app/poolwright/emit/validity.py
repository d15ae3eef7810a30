"""What `zpool create` and `zfs create` refuse whatever one says, and what they take only with -f."""

import posixpath
from collections.abc import Iterator, Sequence

from poolwright.capacity.device import LEAST_ASHIFT, MOST_ASHIFT
from poolwright.capacity.pool import check_class, predict_design
from poolwright.capacity.vdev import check_shape, top_of
from poolwright.domain.design import Design
from poolwright.domain.disk import HOW_TO_BIND, HOW_TO_NAME, sectors_problem, size_unknown
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.inheritance import Resolver, all_datasets
from poolwright.domain.names import called_twice, check_pool_name, dataset_name_problem, exists_already
from poolwright.domain.setting_problems import setting_problems
from poolwright.domain.shown import shown_text
from poolwright.domain.units import MIB, out_of_range
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, compared, created_alike, sizes_alike
from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import device_problem
from poolwright.emit.partitions import partition_problems
from poolwright.texts import _, first_of

LEAST_DEVICE_BYTES = 64 * MIB


def check_design(design: Design, *, named: bool = True) -> None:
    """Raise UserError for a bad pool name or ashift, Refusal with every reason why the design cannot be built.

    Looks at all pools of the design. With ``named`` false, disks without a name under /dev/disk/by-id (not bought
    yet) pass: enough for a preview.
    """
    if design.exists:
        others = "`poolwright diff`, `grow`, `migrate`"  # for machines
        raise Refusal(exists_already(design.pool_name), todo=_("Choose from {names}.", names=others))
    pools = design.pools()
    for pool in pools:
        check_pool_name(pool.pool_name, design.version)
        if not LEAST_ASHIFT <= pool.ashift <= MOST_ASHIFT:
            raise out_of_range(pool.ashift, LEAST_ASHIFT, MOST_ASHIFT, of="ashift")
    of_disks = [*_disk_problems(design, named=named)]
    problems = [*of_disks, *(shown_text(p) for p in partition_problems(design)), *called_twice(pools)]
    for pool in pools:
        sectors = (sectors_problem(disk, pool.ashift) for disk in pool.used_disks())
        own = (*layout_problems(pool), *filter(None, sectors))
        many = len(pools) > 1
        problems.extend(_("Pool {pool}: {problem}", pool=pool.pool_name, problem=p) if many else p for p in own)
        problems.extend(setting_problems(pool))
        problems.extend(refused_reservations(pool))
    problems.extend(mountpoint_problems(pools))
    if problems:
        raise Refusal(
            _("The design “{design}” cannot be turned into commands", design=shown_text(design.name)),
            reasons=tuple(problems),
            todo=_what_to_do(design, bind=named and len(problems) == len(of_disks)),
        )


def refused_reservations(pool: Design) -> list[str]:
    """Return why `zfs create` would refuse what is reserved in the main pool."""
    held = {"reservation", "refreservation"}
    if not any(one.volume_bytes or not held.isdisjoint(s.name for s in one.settings) for one in pool.datasets):
        return []
    from poolwright.predict.space import reservation_problems  # noqa: PLC0415 - few designs reserve anything

    try:
        return reservation_problems(pool, predict_design(pool))
    except PoolwrightError:  # a pool without known space is refused for what it lacks
        return []


def _what_to_do(design: Design, *, bind: bool) -> str:
    disks = [design.disk(key) for key in sorted(design.used_keys())] if bind else []
    if any(disk.planned for disk in disks):
        return _(HOW_TO_BIND)
    if any(disk.by_id_name is None and disk.origin_of("by_id") is None for disk in disks):
        return _(HOW_TO_NAME)
    return _("Change the design, or read the machine again so that every disk is known.")


def _disk_problems(design: Design, *, named: bool) -> Iterator[str]:
    names: dict[str, str] = {}
    disks = design.used_disks()
    planned = [shown_text(disk.label) for disk in disks if disk.planned and not disk.nameable]
    if named and len(planned) > 1:
        yield _("{disks} are planned: typed or bought on paper, so no script can name them", disks=first_of(planned))
    for disk in disks:
        label, problem = shown_text(disk.label), device_problem(disk)
        if problem is not None:
            yield from [problem] if named and not (disk.planned and len(planned) > 1) else []
        elif names.setdefault(disk.by_id_name or "", disk.key) != disk.key:
            yield _("{disk} is the name of two disks of the design", disk=label)
        if disk.uses:
            yield _("{disk} is in use: {uses}", disk=label, uses=shown_text("; ".join(map(str, disk.uses))))
        if disk.size_bytes is None:
            yield size_unknown(label)
        elif disk.size_bytes < LEAST_DEVICE_BYTES:
            yield _("{disk} is smaller than 64 MiB, the least OpenZFS takes", disk=label)


def layout_problems(design: Design) -> tuple[str, ...]:
    """Return every reason why no `zpool create` takes the vdevs of the (main) pool; sizes are not looked at."""
    has_data = any(v.vdev_class is VdevClass.DATA and v.members for v in design.vdevs)
    found = [] if has_data else [_("A pool needs a data vdev")]
    for spec in (vdev.sizeless() for vdev in design.vdevs):
        try:
            check_class(spec, design.version)
            check_shape(top_of(spec, 0))
        except Refusal as refusal:
            found += refusal.reasons
    return tuple(found)


def force_reason(layout: Layout, version: ZfsVersion) -> str | None:
    """Return why `zpool create` of ``version`` wants -f for this layout although it is valid; None when it does not.

    ``layout`` is in the order of the command. Follows get_replication and check_replication of zpool_vdev.c: vdevs
    that are not log, cache or spare are compared with the one before.
    """
    before: VdevSpec | None = None
    for spec in compared(layout):
        if not sizes_alike(spec):
            return _("the disks of {vdev} differ in size", vdev=spec.word)
        if before is not None and not created_alike(before, spec, version):
            if before.failures_survived == spec.failures_survived and before.kind is spec.kind:
                return _("{vdev} and {other} differ in width", vdev=_named(before), other=_named(spec))
            return _("{vdev} and {other} differ in redundancy", vdev=_named(before), other=_named(spec))
        before = spec
    return None


def _named(spec: VdevSpec) -> str:
    bare = spec.kind is VdevKind.STRIPE
    name = _("a bare disk") if bare else _("{word} of {width}", word=spec.word, width=spec.width)
    if spec.vdev_class is VdevClass.DATA:
        return name
    return f"{spec.vdev_class.value} {name}"


# Where the datasets of a design will be mounted, and why some of these places cannot be taken.

_WITH_ALL_BELOW = frozenset(["bin", "boot", "dev", "efi", "etc", "lib", "proc", "run", "sbin", "sys", "usr"])
_FREE_BELOW_USR = ("local", "src")
_ALONE = frozenset(
    [f"/{name}" for name in ("lib32", "lib64", "libx32", "lost+found", "nix", "root", "snap", "tmp", "var")]
    + [f"/var/{name}" for name in ("cache", "lib", "lock", "log", "spool", "tmp")]
)
_NOT_MOUNTED = ("off", "noauto")


def is_system_folder(path: str) -> bool:
    """Return whether the running system needs what lies at this absolute path."""
    clean = posixpath.normpath(f"/{path.lstrip('/')}")
    first, __, below = clean[1:].partition("/")
    if first == "usr" and below.split("/")[0] in _FREE_BELOW_USR:
        return False
    deep = first in _WITH_ALL_BELOW or f"{clean}/".startswith(("/var/run/", "/nix/store/"))
    return clean == "/" or deep or clean in _ALONE


def mounts(pool: Design) -> Iterator[tuple[str, str]]:
    """Yield each dataset of one pool that is mounted by itself, by its full name, with its folder; parents first.

    Datasets with canmount=off or noauto, with mountpoint none or legacy, and volumes are left out. A mountpoint is
    inherited as OpenZFS does; with altroot it lies below that.
    """
    resolver = Resolver(pool)
    altroot = next((s.value.rstrip("/") for s in pool.pool_settings if s.name == "altroot"), "")
    for dataset in all_datasets(pool):
        at = resolver.value(dataset, "mountpoint") if dataset.volume_bytes is None else "none"
        if at.startswith("/") and resolver.value(dataset, "canmount") not in _NOT_MOUNTED:
            yield pool.full_name(dataset.name), posixpath.normpath(f"{altroot}/{at.lstrip('/')}")


def mountpoint_problems(pools: Sequence[Design]) -> Iterator[str]:
    """Yield every reason why the datasets of these pools cannot be mounted where the design says.

    A pool with a dataset name that cannot be is left to who checks names.
    """
    taken: dict[str, str] = {}
    problems = ((p, [dataset_name_problem(p.pool_name, d.name) for d in p.datasets if d.name]) for p in pools)
    named = (pool for pool, found in problems if not any(found))
    for dataset, path in (mount for pool in named for mount in mounts(pool)):
        words = {"dataset": shown_text(dataset), "path": shown_text(path)}
        if is_system_folder(path):
            yield _("{dataset} would be mounted on the system folder {path} and hide what is in it", **words)
        elif taken.get(path, dataset) != dataset:  # the same name twice is refused for itself
            words |= {"dataset": shown_text(taken[path]), "other": shown_text(dataset)}
            yield _("{dataset} and {other} would both be mounted on {path}", **words)
        taken.setdefault(path, dataset)
