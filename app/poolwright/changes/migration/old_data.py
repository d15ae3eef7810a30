"""What lies on the machine now: a pool as the tools print it, or a file system on one disk."""

from dataclasses import replace

from poolwright.changes.as_design import PoolDesign, design_of_pool, seats_of
from poolwright.changes.imported import imported_pool, need_status, why_unusable
from poolwright.changes.members import MemberFinder
from poolwright.changes.migration.room import room_of
from poolwright.changes.migration.values import OldData, OldVdev
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.existing_pool import ExistingPool, ScanState
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.shown import shown_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import marked, tell, tell_counted

_WELL = frozenset({"ONLINE", "AVAIL", "INUSE", None})
_TYPED = Origin(kind=OriginKind.TYPED, source=marked("told for this migration"))
_READ = marked("used of the root dataset")
# What a member of a pool is called by its tools beside the pool: the table that zpool makes on a whole disk.
_OF_THE_POOL = frozenset({UseKind.POOL, UseKind.PARTITIONED})
_BOOTS = frozenset({UseKind.BOOT, UseKind.SWAP, UseKind.MOUNTED})


def old_pool(inventory: Inventory, name: str, *, stored_bytes: int | None = None) -> OldData:
    """Return the pool ``name`` of a machine as what is to be moved; ``stored_bytes`` goes before what was read.

    Raises UserError where there is no such imported pool, Refusal where it must not be moved as it is.
    """
    pool = imported_pool(inventory, name)
    need_status(pool)
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    finder = MemberFinder(inventory)
    made = design_of_pool(inventory, pool, finder=finder)
    _check(pool, known, made)
    vdevs = tuple(_old_vdev(node, vdev, made.design) for node, vdev in zip(made.nodes, made.design.vdevs, strict=True))
    _check_stored(made, stored_bytes)
    used, origin = _used(known, stored_bytes)
    datasets = known.datasets
    encryption = [d.value("encryption") for d in datasets or ()]
    return OldData(
        name=pool.name,
        guid=known.value("guid") or pool.guid,
        design=made.design,
        vdevs=vdevs,
        used_bytes=used,
        used_origin=origin,
        encrypted=None if datasets is None else any(value not in (None, "off") for value in encryption),
        root_encrypted=bool(encryption) and encryption[0] not in (None, "off"),
        sizes_known=made.sizes_known,
        volumes=sum(1 for d in datasets or () if d.kind == "volume"),
        warnings=tuple(_warnings(pool, known)),
        disabled=frozenset(
            told.name.removeprefix("feature@")
            for told in known.properties
            if told.name.startswith("feature@") and told.value == "disabled"
        ),
    )


def old_filesystem(inventory: Inventory, disk_name: str, *, stored_bytes: int | None) -> OldData:
    """Return a disk with a file system as what is to be moved; the bytes stored are told, no tool was asked for them.

    Raises UserError where there is no such disk, Refusal where something but a file system uses it.
    """
    disk = next((d for d in inventory.disks if disk_name in {d.key, d.path, d.serial, d.label, *d.by_id}), None)
    if disk is None:
        raise UserError(
            tell("There is no disk {name}", name=shown_text(disk_name)),
            where=inventory.name,
            todo=tell("Name it as `poolwright inventory` does."),
        )
    mounts = [use.detail for use in disk.uses if use.kind is UseKind.MOUNTED]
    others = [use for use in disk.uses if use.kind not in _PLAIN_USES]
    if others or not mounts:
        why = "; ".join(str(use) for use in others) or tell("no file system of it is mounted")
        raise Refusal(
            tell("{disk} cannot be emptied into a pool by these steps", disk=disk.label),
            reasons=(why,),
            todo=tell("Mount the one file system whose files are to be kept, and read the machine again."),
        )
    vdev = Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key=disk.key),))
    design = Design(key=disk.key, name=disk.label, pool_name="", disks=inventory.disks, vdevs=(vdev,))
    warnings = [tell("Files are copied, not snapshots: hard links, ACLs and extended attributes are kept by rsync.")]
    if len(mounts) > 1:
        warnings.append(tell("It has several file systems: {mounts}. Copy each.", mounts=", ".join(mounts)))
    return OldData(
        name=disk.label,
        design=replace(design, host=inventory.host),
        vdevs=(OldVdev(name=disk.label, vdev=vdev, leaves=(disk.path or disk.label,)),),
        used_bytes=stored_bytes,
        used_origin=_TYPED,
        filesystem=mounts[0],
        warnings=tuple(warnings),
    )


_PLAIN_USES = frozenset({UseKind.MOUNTED, UseKind.FILESYSTEM, UseKind.PARTITIONED})


def freed(disk: Disk, old: OldData) -> Disk:
    """Return a disk of the old data as it will be when it has left them: nothing uses it."""
    return replace(disk, uses=()) if disk.key in old.keys else disk


def tied_to(disk: Disk, pool_name: str) -> bool:
    """Tell whether something beside the pool lies on a disk, so that leaving the pool does not free it."""
    return any(
        use.kind not in _OF_THE_POOL or (use.kind is UseKind.POOL and use.detail != pool_name) for use in disk.uses
    )


def _check_stored(made: PoolDesign, stored: int | None) -> None:
    """Refuse what cannot lie in the pool: it is a slip of the pen, and no plan of a move would tell so."""
    room = room_of(made.design) if made.sizes_known and stored is not None else None
    if room is not None and stored is not None and stored > room:
        raise UserError(
            tell("{stored} cannot lie in {name}, which has room for {room}", stored=binary(stored),
                 name=made.design.pool_name, room=binary(room)),
            todo=tell("Give what `zfs list` prints as USED of the pool: after compression, with its snapshots."),
        )  # fmt: skip


def _used(known: ExistingPool, stored: int | None) -> tuple[int | None, Origin | None]:
    if stored is not None:
        return stored, _TYPED
    root = next((d for d in known.datasets or () if d.name == known.name), None)
    used = root.number("used") if root is not None else None
    if used is None:
        return None, None
    return used, replace(known.origin, source=tell("{what}; {source}", what=tell(_READ), source=known.origin.source))


def _old_vdev(node: PoolNode, vdev: Vdev, design: Design) -> OldVdev:
    seats = seats_of(node)
    lost = sum(1 for seat in seats if seat.state not in _WELL)
    disks = [design.disk(member.disk_key) for member in vdev.members]
    tied = frozenset(
        disk.key
        for disk, member in zip(disks, vdev.members, strict=True)
        if member.part is not None or tied_to(disk, design.pool_name)
    )
    leaves = tuple(seat.path or seat.name for seat in seats)
    return OldVdev(name=node.name, vdev=vdev, leaves=leaves, lost=lost, tied=tied)


def _check(pool: Pool, known: ExistingPool, made: PoolDesign) -> None:
    """Refuse pools that nobody should move as they are, with what to do first."""
    reasons = [why] if (why := why_unusable(pool.state, tell("the pool"))) else []
    boots = known.value("bootfs")
    disks = [made.design.disk(key) for key in sorted(made.design.used_keys())]
    if boots is not None:
        reasons.append(tell("the machine starts from it (bootfs is {dataset})", dataset=shown_text(boots)))
    reasons += [
        tell("{disk} also starts or carries the system: {use}", disk=disk.label, use=use)
        for disk in disks
        for use in disk.uses
        if use.kind in _BOOTS
    ]
    if known.checkpoint_bytes is not None or any("checkpoint" in text for text in pool.operations):
        reasons.append(
            tell("it has a checkpoint, with which no device may leave: `zpool checkpoint -d {pool}`", pool=pool.name)
        )
    reasons += [
        tell("a {what} runs on it: wait for it to end", what=scan.kind.value)
        for scan in known.scans
        if scan.state in {ScanState.RUNNING, ScanState.PAUSED}
    ]
    if not known.scans and any("in progress" in text for text in (*pool.scans, *pool.operations)):
        reasons.append(tell("a scan or a removal runs on it: wait for it to end"))
    if pool.damaged:
        reasons.append(
            tell(
                "it has damaged files, at which `zfs send` stops: `zpool status -v {pool}` names them; restore or "
                "delete them",
                pool=pool.name,
            )
        )
    if reasons:
        raise Refusal(
            tell("The pool {pool} cannot be moved as it is", pool=pool.name),
            reasons=tuple(reasons),
            todo=tell("Mend that, read the machine again, and ask anew."),
        )


def _warnings(pool: Pool, known: ExistingPool) -> list[str]:
    found = []
    lost = sum(1 for leaf in pool.leaves() if leaf.section != "spares" and leaf.state not in _WELL)
    if lost:
        text = tell_counted(
            "{count} device of {pool} is not online: it is counted as gone. Mending it first leaves more redundancy.",
            "{count} devices of {pool} are not online: they are counted as gone. Mending them first leaves more "
            "redundancy.",
            lost,
            pool=pool.name,
        )
        found.append(text)
    if known.datasets is None:
        found.append(tell("The datasets were not read: read the machine with the collector, or over SSH."))
    if any(node.section == "data" and node.kind == "file" for node in pool.vdevs):
        found.append(tell("It lies on files."))
    return found


def data_vdevs(old: OldData) -> tuple[OldVdev, ...]:
    return tuple(vdev for vdev in old.vdevs if vdev.vdev.vdev_class is VdevClass.DATA)
