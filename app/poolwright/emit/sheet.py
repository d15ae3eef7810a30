"""The recovery sheet: on paper in the rack, for the day on which something has failed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from poolwright.domain.as_built import as_built
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.encryption import encryption_roots, key_words
from poolwright.domain.outage import numbered
from poolwright.domain.units import binary, drive_size
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.emit import report
from poolwright.emit.names import BY_ID, Stamp, device_problem, quote
from poolwright.emit.partitions import first_commands, new_disk_steps, noted, reserved_words, split_disks
from poolwright.emit.validity import check_design
from poolwright.predict.number_words import UNKNOWN
from poolwright.texts import _, capital

_BLANK = "_" * 24
_Step = tuple[str, str, tuple[str, ...]]  # title, text and commands


def sheet_markdown(design: Design, stamp: Stamp) -> str:
    return report.markdown_text(recovery_sheet(design, stamp))


def sheet_page(design: Design, stamp: Stamp) -> str:
    return report.html_text(recovery_sheet(design, stamp))


# Where each member of a pool sits, as `zpool status` counts.


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberPlace:
    """A member with its disk and its vdev; ``label`` is what `zpool status` calls the vdev, ``number`` as there."""

    member: Member
    disk: Disk
    vdev: Vdev
    label: str


def places(pool: Design) -> Iterator[MemberPlace]:
    for _index, vdev, number in numbered(pool):
        single = vdev.kind is VdevKind.STRIPE
        aside = vdev.vdev_class in (VdevClass.SPARE, VdevClass.CACHE)
        word = "—" if aside else "disk" if single else pool.spec(vdev).word
        label = word if single or aside else f"{word}-{number}"
        for member in vdev.members:
            yield MemberPlace(member=member, disk=pool.disk(member.disk_key), vdev=vdev, label=label)


def recovery_sheet(design: Design, stamp: Stamp) -> report.Report:
    """Return the sheet of a design; disks not bought yet have blanks. Raises Refusal when it cannot be built."""
    if not design.exists:  # of one that does, every disk serves it already
        check_design(design, named=False)
        design = as_built(design)
    facts = (
        (_("Machine"), design.host.name or design.inventory_name or _BLANK),
        (_("Design"), design.name),
        (_("Printed copy kept at"), _BLANK),
        (_("Where the backups are"), _BLANK),
        *((_("Beside the data"), words) for words in reserved_words(design)),
    )
    pools = design.pools()
    blocks = (_facts(facts), *(block for pool in pools for block in _pool(pool, design)))
    title = _("Recovery sheet: {pools}", pools=", ".join(pool.pool_name for pool in pools))
    subtitle = _("For the day on which something has failed: what lies where, and what to type.")
    return report.Report(title=title, subtitle=subtitle, blocks=blocks, foot=stamp.words, wide=True)


def _facts(facts: Iterable[tuple[str, str]]) -> report.Bullets:
    return report.Bullets(items=tuple(report.Words(f"{name}: {value}") for name, value in facts))


def _pool(pool: Design, design: Design) -> Iterator[report.Block]:
    members = tuple(places(pool))
    blocks = _("{ashift} (blocks of {bytes} bytes)", ashift=pool.ashift, bytes=1 << pool.ashift)
    yield report.ReportHeading(text=capital(_("pool {name}", name=pool.pool_name)))
    yield _facts(
        (
            (_("Layout"), describe(pool.layout())),
            ("ashift", blocks if pool.ashift_read else _("not read")),
            (_("Version of OpenZFS"), str(pool.host.modelled or _("not read")))
            if pool.exists
            else (_("OpenZFS it was designed for"), str(pool.version)),
            (_("guid (fill in: {command})", command=f"zpool get -H -o value guid {pool.pool_name}"), _BLANK),
            *(() if pool.exists else _of_creation(pool)),
        )
    )
    names = (_("Bay"), _("Serial number"), _("Name under /dev/disk/by-id"), _("Vdev"), _("For"), _("Size"), _("Sector"))
    yield report.table(names, map(_row, members))
    for title, text, commands in _steps(pool, design, members):
        yield report.ReportHeading(text=title, level=3)
        yield report.Words(text)
        yield report.Code(text="\n".join(commands))


# The script that creates a pool leaves a record; of one that was there before nobody has it.
def _of_creation(pool: Design) -> Iterator[tuple[str, str]]:
    yield _("Created on, by"), _BLANK
    yield (
        _("Record of the creation (the undo script knows its own by it)"),
        _(
            "{file}, beside the creation script and in /var/log; keep a copy: {blank}",
            file=f"poolwright-{pool.pool_name}-….record",
            blank=_BLANK,
        ),
    )


def _row(place: MemberPlace) -> tuple[str, ...]:
    disk, member = place.disk, place.member
    name = disk.by_id_name or ""
    part = f"-part{member.part}" if member.part is not None else ""
    size = drive_size(disk.size_bytes)
    if member.slice_bytes is not None:
        size = _("{part} of {whole}", part=binary(member.slice_bytes), whole=size)
    sector = disk.physical_sector_bytes or disk.logical_sector_bytes
    role = place.vdev.vdev_class.value
    return (
        disk.place if disk.bay else ", ".join(filter(None, (disk.place, "____"))),
        disk.serial or _BLANK,
        f"{name}{part}" if name else _BLANK,
        place.label,
        role,
        size,
        str(sector or _(UNKNOWN)),
    )


# The failed and the new device as the commands of the sheet name them, and the key of the failed disk.
def _example(members: tuple[MemberPlace, ...]) -> tuple[str, str, str | None]:
    data = [p for p in members if p.vdev.vdev_class is VdevClass.DATA]
    named = [p for p in data if device_problem(p.disk) is None]
    if not data:
        return "OLD", f"{BY_ID}NEW", None
    first = (named or data)[0]
    part = f"-part{first.member.part}" if first.member.part is not None else ""
    old = f"{first.disk.by_id_name if named else 'OLD'}{part}"
    known = quote(first.member.path or old)  # a pool knows its members by its own names
    return known, f"{BY_ID}NEW{part}", first.disk.key


def _steps(pool: Design, design: Design, members: tuple[MemberPlace, ...]) -> Iterator[_Step]:
    name, classes = quote(pool.pool_name), {p.vdev.vdev_class for p in members}
    old, new, key = _example(members)
    yield (
        _("See what is wrong"),
        _(
            "ONLINE is well. DEGRADED lacks redundancy; the last line says whether files are damaged. "
            "UNAVAIL or FAULTED: do not write, do not recreate."
        ),
        (
            f"zpool status -v {name}",
            f"zpool events -v {name}",
            f"lsblk -o NAME,SIZE,SERIAL,MODEL; ls -l {BY_ID}",  # for machines
        ),
    )
    yield _import_step(name, with_log=VdevClass.LOG in classes)
    yield from _keys_steps(pool)
    yield (
        _("Replace a failed disk"),
        _(
            "Find its bay and serial number in the table, check it on the drive. Here for {old}; NEW is the new "
            "disk, at least as large.",
            old=old,
        ),
        (*_replace(pool, design, key, old, new),),
    )
    if design.reserve:
        yield _reserved_step(design)
    if VdevClass.SPARE in classes:
        yield _spare_step(name, old, members)
    draid = [v for v in pool.vdevs if v.kind is VdevKind.DRAID and v.draid_spares]
    if draid:
        yield (
            _("Use a distributed spare"),
            _("Its name stands under “spares” of zpool status, such as draid2-0-0."),
            (f"zpool replace -s {name} {old} draid{draid[0].parity}-0-0",),
        )
    yield (
        _("Afterwards and every month"),
        _("A scrub reads everything and repairs what it can."),
        (
            f"zpool scrub {name}",
            f"zpool status {name}",
            noted(f"zpool clear {name}", _("errors, once the cause is fixed")),
        ),
    )


def _import_step(name: str, *, with_log: bool) -> _Step:
    lost_log = (noted(f"zpool import -m -d {BY_ID} {name}", _("when a log device is gone")),)
    return (
        _("Import on this or another machine"),
        _(
            "First look, then read-only where in doubt. -f only when no other machine has the pool imported. Give "
            "the guid where two pools have one name."
        ),
        (
            f"zpool import -d {BY_ID}",
            f"zpool import -d {BY_ID} -o readonly=on -R /mnt {name}",
            f"zpool import -d {BY_ID} {name}",
            *(lost_log if with_log else ()),
        ),
    )


# Say what to do for the keys after an import and at boot; where each is kept is filled in by hand.
def _keys_steps(pool: Design) -> Iterator[_Step]:
    roots, name = encryption_roots(pool), quote(pool.pool_name)
    if not roots:
        return
    holders = "; ".join(f"{pool.full_name(root.dataset)}: {key_words(root)}" for root in roots)
    lost = (pool.full_name(r.dataset) for r in roots if r.key_file and r.keyformat != "raw")
    yield (
        _("Load the keys"),
        _(
            "Without its key nobody reads an encrypted dataset again. Needed here: {keys}. Copies of each key are "
            "kept at: {blank} and {blank}. At boot keys load only where zfs-mount-generator works (an empty file "
            "{list}, which zed fills); elsewhere type the lines below after each start.",
            keys=holders,
            blank=_BLANK,
            list=f"/etc/zfs/zfs-list.cache/{pool.pool_name}",
        ),
        (
            f"zfs load-key -r {name}",
            f"zfs get -r keystatus,keyformat,keylocation {name}",
            "zfs mount -a",
            *(noted(f"zfs load-key -L prompt {quote(n)}", _("where the file is lost")) for n in lost),
        ),
    )


def _replace(pool: Design, design: Design, key: str | None, old: str, new: str) -> Iterator[str]:
    name, fresh = quote(pool.pool_name), f"{BY_ID}NEW"
    yield f"zpool offline {name} {old}"
    split = next((disk for disk in split_disks(design) if disk.disk_key == key), None)
    if split is not None:
        yield from (noted(command, note) for command, note in new_disk_steps(split, fresh))
    option = f" -o ashift={pool.ashift}" if pool.ashift_read else ""
    yield f"zpool replace{option} {name} {old} {new}"
    for part in split.partitions if split is not None else ():
        gone = f"{old.rpartition('-part')[0]}-part{part.number}"
        if gone != old and part.pool:
            ashift = next(p.ashift for p in design.pools() if p.pool_name == part.pool)
            command = f"zpool replace -o ashift={ashift} {quote(part.pool)} {gone} {fresh}-part{part.number}"
            yield noted(command, _("the same disk"))


def _reserved_step(design: Design) -> _Step:
    return (
        _("What is reserved beside the data"),
        _(
            "The creation script makes these partitions and leaves them empty: an installer fills them, or you, "
            "once, with the lines below. ZFS mirrors none of them. A new disk gets them before zpool replace, as "
            "above."
        ),
        first_commands(design),
    )


def _spare_step(name: str, old: str, members: tuple[MemberPlace, ...]) -> _Step:
    spares = [p.disk for p in members if p.vdev.vdev_class is VdevClass.SPARE]
    spare = next((d.by_id_name for d in spares if device_problem(d) is None), None) or "SPARE"
    return (
        _("Use a spare"),
        _(
            "zed puts one in by itself; by hand as below. When the failed disk is replaced, the spare goes back; "
            "detach the failed disk instead, and the spare stays."
        ),
        (f"zpool replace {name} {old} {spare}", noted(f"zpool detach {name} {spare}", _("back to the spares"))),
    )
