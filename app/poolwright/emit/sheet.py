"""The recovery sheet: on paper in the rack, for the day on which something has failed. Markdown and HTML."""

from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.domain.as_built import as_built
from poolwright.domain.design import Design
from poolwright.domain.encryption import EncryptionRoot, encryption_roots, key_words
from poolwright.domain.shown import html_escaped as escape
from poolwright.domain.shown import shown_text
from poolwright.domain.units import binary, drive_size
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.emit.names import BY_ID, comment, device_problem, quote
from poolwright.emit.partitions import first_commands, new_disk_steps, noted, reserved_words, split_disks
from poolwright.emit.report import markdown_words, shown_document
from poolwright.emit.stamp import MemberPlace, Stamp, places
from poolwright.emit.validity import check_design
from poolwright.predict.number_words import UNKNOWN
from poolwright.texts import language, marked, tell, tell_counted

_HEADINGS = (
    marked("Bay"),
    marked("Serial number"),
    marked("Name under /dev/disk/by-id"),
    marked("Vdev"),
    marked("For"),
    marked("Size"),
    marked("Sector"),
)
_BLANK = "_" * 24


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetTable:
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetStep:
    title: str
    text: str
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPool:
    name: str
    facts: tuple[tuple[str, str], ...]
    table: SheetTable
    steps: tuple[SheetStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverySheet:
    title: str
    facts: tuple[tuple[str, str], ...]
    pools: tuple[SheetPool, ...]


def recovery_sheet(design: Design, stamp: Stamp) -> RecoverySheet:
    """Return the sheet of a design; disks not bought yet have blanks. Raises Refusal when it cannot be built."""
    check_design(design, named=False)
    design = as_built(design)
    facts = (
        (tell("Machine"), shown_text(design.host.name or design.inventory_name) or _BLANK),
        (tell("Design"), shown_text(design.name)),
        (tell("Written"), stamp.when_and_by),
        (tell("Printed copy kept at"), _BLANK),
        (tell("Where the backups are"), _BLANK),
        *((tell("Beside the data"), words) for words in reserved_words(design)),
    )
    pools = tuple(_pool(pool, design) for pool in design.pools())
    names = ", ".join(pool.name for pool in pools)
    return shown_document(RecoverySheet(title=tell("Recovery sheet: {pools}", pools=names), facts=facts, pools=pools))


def _pool(pool: Design, design: Design) -> SheetPool:
    members = tuple(places(pool))
    facts = (
        (tell("Layout"), describe(pool.layout())),
        ("ashift", tell("{ashift} (blocks of {bytes} bytes)", ashift=pool.ashift, bytes=1 << pool.ashift)),
        (tell("OpenZFS it was designed for"), str(pool.version)),
        (tell("guid (fill in: {command})", command=f"zpool get -H -o value guid {pool.pool_name}"), _BLANK),
        (tell("Created on, by"), _BLANK),
        (
            tell("Record of the creation (the undo script knows its own by it)"),
            tell(
                "{file}, beside the creation script and in /var/log; keep a copy: {blank}",
                file=f"poolwright-{pool.pool_name}-….record",
                blank=_BLANK,
            ),
        ),
    )
    steps = tuple(_steps(pool, design, members))
    rows = tuple(_row(place) for place in members)
    return SheetPool(
        name=pool.pool_name, facts=facts, table=SheetTable(headings=tuple(map(tell, _HEADINGS)), rows=rows), steps=steps
    )


def _row(place: MemberPlace) -> tuple[str, ...]:
    disk, member = place.disk, place.member
    bay = " ".join(shown_text(p) for p in (disk.enclosure, disk.bay) if p) or "____"
    name = shown_text(disk.by_id_name or "")
    part = f"-part{member.part}" if member.part is not None else ""
    size = drive_size(disk.size_bytes)
    if member.slice_bytes is not None:
        size = tell("{part} of {disk}", part=binary(member.slice_bytes), disk=size)
    sector = disk.physical_sector_bytes or disk.logical_sector_bytes
    role = place.vdev.vdev_class.value
    serial = shown_text(disk.serial or "") or _BLANK
    return (bay, serial, f"{name}{part}" if name else _BLANK, place.label, role, size, str(sector or tell(UNKNOWN)))


def _example(members: tuple[MemberPlace, ...]) -> tuple[str, str, str | None]:
    """Return the failed and the new device as the commands of the sheet name them, and the key of the failed disk."""
    data = [p for p in members if p.vdev.vdev_class is VdevClass.DATA]
    named = [p for p in data if device_problem(p.disk) is None]
    if not data:
        return "OLD", f"{BY_ID}NEW", None
    first = (named or data)[0]
    part = f"-part{first.member.part}" if first.member.part is not None else ""
    return f"{first.disk.by_id_name if named else 'OLD'}{part}", f"{BY_ID}NEW{part}", first.disk.key


def _steps(pool: Design, design: Design, members: tuple[MemberPlace, ...]) -> Iterator[SheetStep]:
    name, classes = quote(pool.pool_name), {p.vdev.vdev_class for p in members}
    old, new, key = _example(members)
    yield SheetStep(
        title=tell("See what is wrong"),
        text=tell(
            "ONLINE is well. DEGRADED lacks redundancy; the last line says whether files are damaged. "
            "UNAVAIL or FAULTED: do not write, do not recreate."
        ),
        commands=(
            f"zpool status -v {name}",
            f"zpool events -v {name}",
            f"lsblk -o NAME,SIZE,SERIAL,MODEL; ls -l {BY_ID}",  # for machines
        ),
    )
    yield _import_step(name, with_log=VdevClass.LOG in classes)
    yield from _keys_steps(pool)
    yield SheetStep(
        title=tell("Replace a failed disk"),
        text=tell(
            "Find its bay and serial number in the table, check the serial number on the drive. Here for {old}; NEW "
            "is the name of the new disk. A new disk is at least as large as the old one.",
            old=old,
        ),
        commands=(*_replace(pool, design, key, old, new),),
    )
    if design.reserve:
        yield _reserved_step(design)
    if VdevClass.SPARE in classes:
        yield _spare_step(name, old, members)
    draid = [v for v in pool.vdevs if v.kind is VdevKind.DRAID and v.draid_spares]
    if draid:
        yield SheetStep(
            title=tell("Use a distributed spare"),
            text=tell("Its name stands under “spares” of zpool status, such as draid2-0-0."),
            commands=(f"zpool replace -s {name} {old} draid{draid[0].parity}-0-0",),
        )
    yield SheetStep(
        title=tell("Afterwards and every month"),
        text=tell("A scrub reads everything and repairs what it can."),
        commands=(
            f"zpool scrub {name}",
            f"zpool status {name}",
            noted(f"zpool clear {name}", tell("errors, once the cause is mended")),
        ),
    )


def _import_step(name: str, *, with_log: bool) -> SheetStep:
    lost_log = (noted(f"zpool import -m -d {BY_ID} {name}", tell("when a log device is gone")),)
    return SheetStep(
        title=tell("Import on this or another machine"),
        text=tell(
            "First look, then read-only where in doubt. -f only when no other machine has the pool imported. "
            "With two pools of one name give the guid instead of the name."
        ),
        commands=(
            f"zpool import -d {BY_ID}",
            f"zpool import -d {BY_ID} -o readonly=on -R /mnt {name}",
            f"zpool import -d {BY_ID} {name}",
            *(lost_log if with_log else ()),
        ),
    )


def _keys_steps(pool: Design) -> Iterator[SheetStep]:
    """Say what to do for the keys after an import and at boot; where each is kept is filled in by hand."""
    roots, name = encryption_roots(pool), quote(pool.pool_name)
    if not roots:
        return
    holders = "; ".join(f"{_full(pool, root)}: {key_words(root)}" for root in roots)
    lost = (_full(pool, r) for r in roots if r.key_file and r.keyformat != "raw")
    yield SheetStep(
        title=tell("Load the keys"),
        text=tell(
            "Without its key nobody reads an encrypted dataset again: no tool and no maker opens it. Needed here: "
            "{keys}. Copies of each key are kept at: {blank} and {blank}. At boot zfs mount -a loads no key: where "
            "zfs-mount-generator works (an empty file {list}, which zed fills), keys in files are loaded and "
            "passphrases asked for at the console; elsewhere type the lines below after each start.",
            keys=holders,
            blank=_BLANK,
            list=f"/etc/zfs/zfs-list.cache/{pool.pool_name}",
        ),
        commands=(
            f"zfs load-key -r {name}",
            f"zfs get -r keystatus,keyformat,keylocation {name}",
            "zfs mount -a",
            *(noted(f"zfs load-key -L prompt {quote(n)}", tell("where the file is lost")) for n in lost),
        ),
    )


def _full(pool: Design, root: EncryptionRoot) -> str:
    return f"{pool.pool_name}/{root.dataset}".rstrip("/")


def _replace(pool: Design, design: Design, key: str | None, old: str, new: str) -> Iterator[str]:
    name, fresh = quote(pool.pool_name), f"{BY_ID}NEW"
    yield f"zpool offline {name} {old}"
    split = next((disk for disk in split_disks(design) if disk.disk_key == key), None)
    if split is not None:
        yield from (noted(command, note) for command, note in new_disk_steps(split, fresh))
    yield f"zpool replace -o ashift={pool.ashift} {name} {old} {new}"
    for part in split.partitions if split is not None else ():
        gone = f"{old.rpartition('-part')[0]}-part{part.number}"
        if gone != old and part.pool:
            ashift = next(p.ashift for p in design.pools() if p.pool_name == part.pool)
            command = f"zpool replace -o ashift={ashift} {quote(part.pool)} {gone} {fresh}-part{part.number}"
            yield noted(command, tell("the same disk"))


def _reserved_step(design: Design) -> SheetStep:
    return SheetStep(
        title=tell("What is reserved beside the data"),
        text=tell(
            "The creation script makes these partitions and leaves them empty; an installer that was told to use them "
            "fills them, or you do, once, with the lines below. ZFS mirrors none of them: what lies there is as safe "
            "as its own disk. A new disk gets them before zpool replace, as above."
        ),
        commands=first_commands(design),
    )


def _spare_step(name: str, old: str, members: tuple[MemberPlace, ...]) -> SheetStep:
    spares = [p.disk for p in members if p.vdev.vdev_class is VdevClass.SPARE]
    spare = next((d.by_id_name for d in spares if device_problem(d) is None), None) or "SPARE"
    return SheetStep(
        title=tell("Use a spare"),
        text=tell_counted(
            "There is {count} spare. zed puts one in by itself; by hand as below. When the failed disk is replaced, "
            "the spare goes back; detach the failed disk instead, and the spare takes its place for good.",
            "There are {count} spares. zed puts one in by itself; by hand as below. When the failed disk is replaced, "
            "the spare goes back; detach the failed disk instead, and the spare takes its place for good.",
            len(spares),
        ),
        commands=(
            f"zpool replace {name} {old} {spare}",
            noted(f"zpool detach {name} {spare}", tell("back to the spares")),
        ),
    )


def sheet_markdown(design: Design, stamp: Stamp) -> str:
    sheet = recovery_sheet(design, stamp)
    lines = [f"# {markdown_words(sheet.title)}", "", *_markdown_facts(sheet.facts)]
    for pool in sheet.pools:
        lines += ["", f"## {markdown_words(tell('Pool {pool}', pool=pool.name))}", "", *_markdown_facts(pool.facts), ""]
        lines += _markdown_table(pool.table)
        for step in pool.steps:
            lines += [
                "",
                f"### {_one_line(step.title)}",
                "",
                _one_line(step.text),
                "",
                *(f"    {line}" for line in step.commands),
            ]
    return "\n".join([*lines, ""])


def _markdown_facts(facts: tuple[tuple[str, str], ...]) -> list[str]:
    return [f"- {markdown_words(key)}: {_markdown_cell(value)}" for key, value in facts]


def _one_line(text: str) -> str:
    return " ".join(text.split())  # of a text that is told: no line of it is taken for a heading or a command


def _markdown_cell(text: str) -> str:
    return text if set(text) == {"_"} else markdown_words(text)  # a blank to fill in stays one


def _markdown_table(table: SheetTable) -> list[str]:
    rows = [
        tuple(cell if set(cell) == {"_"} else markdown_words(cell) for cell in row)
        for row in (table.headings, *table.rows)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.headings))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in rows]
    return [lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]]


# Paddings one by one and in pixels: what draws the page on paper knows no other form.
_STYLE = """
@page { size: A4 landscape; margin: 12mm; }
body { font-family: sans-serif; font-size: 9pt; color: #000; background: #fff; }
h1 { font-size: 15pt; } h2 { font-size: 12pt; margin-top: 14pt; } h3 { font-size: 10pt; margin-bottom: 2pt; }
table { border-collapse: collapse; margin-top: 6pt; margin-bottom: 6pt; }
th, td { border: 1px solid #888; text-align: left; }
th, td { padding-left: 6px; padding-right: 6px; padding-top: 2px; padding-bottom: 2px; }
th { background: #eee; } pre { background: #f2f2f2; font-size: 8pt; }
td.code { font-family: monospace; font-size: 8pt; } p { margin-top: 2pt; margin-bottom: 2pt; }
tr, pre { page-break-inside: avoid; }
"""


def sheet_html(design: Design, stamp: Stamp) -> str:
    """Return the sheet as one HTML page for printing; it loads nothing."""
    sheet = recovery_sheet(design, stamp)
    parts = [
        "<!DOCTYPE html>",  # for machines
        f'<html lang="{escape(language())}"><head><meta charset="utf-8"><title>{escape(comment(sheet.title))}</title>',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(sheet.title)}</h1>",
        _html_facts(sheet.facts),
    ]
    for pool in sheet.pools:
        parts += [
            f"<h2>{escape(tell('Pool {pool}', pool=pool.name))}</h2>",
            _html_facts(pool.facts),
            _html_table(pool.table),
        ]
        for step in pool.steps:
            text = escape("\n".join(step.commands))
            parts += [f"<h3>{escape(step.title)}</h3>", f"<p>{escape(step.text)}</p>", f"<pre>{text}</pre>"]
    return "\n".join([*parts, "</body></html>", ""])


def _html_facts(facts: tuple[tuple[str, str], ...]) -> str:
    rows = "".join(f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in facts)
    return f"<table>{rows}</table>"


def _html_table(table: SheetTable) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in table.headings)
    rows = "".join(
        "<tr>" + "".join(f'<td class="code">{escape(cell)}</td>' for cell in row) + "</tr>" for row in table.rows
    )
    return f'<table width="100%"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
