"""A comparison as a report: who is better at what and how sure that is, charts, properties, commands of each."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from poolwright.changes.growth.plan import brings_disks, price_of_step
from poolwright.design.compare import ComparedRow, Comparison, DiffKind, Section, lines_diff, verdict
from poolwright.design.compared import Cell, ComparedDesign
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.md_raid import RAID6_PARITY, MdRaid6
from poolwright.domain.units import KIB, drive_size
from poolwright.emit.chart import Chart, chart_drawing
from poolwright.emit.commands import ScriptCommand, commands, plan_actions
from poolwright.emit.comparison_charts import (
    LETTERS,
    best_words,
    cell_band,
    cell_text,
    comparison_charts,
    layout_with_badge,
    share_of,
)
from poolwright.emit.names import BY_ID, comment_line, device_path, device_problem
from poolwright.emit.report import (
    Block,
    Bullets,
    Code,
    Difference,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
    paragraph,
    plain,
    table,
)
from poolwright.predict.cost import Cost, DiskGroupCost
from poolwright.predict.number_words import UNKNOWN, Unit, inside
from poolwright.texts import N_, _

_SIGNS = {DiffKind.SAME: " ", DiffKind.GONE: "−", DiffKind.NEW: "+"}
_MOST_UPRIGHT = 3  # columns that fit on paper that stands


def comparison_report(comparison: Comparison, *, title: str, made: str, front: Chart | None = None) -> Report:
    names = ", ".join(f"{LETTERS[n]} {column.title}" for n, column in enumerate(comparison.columns))
    return Report(
        title=title,
        subtitle=names,
        blocks=(
            *_overview(comparison),
            *_tables(comparison),
            *_prices(comparison),
            *_charts(comparison, front),
            *_properties(comparison),
            *_commands(comparison),
            *_sources(comparison),
        ),
        foot=made,
        wide=len(comparison.columns) > _MOST_UPRIGHT,
    )


def value_blocks(comparison: Comparison) -> list[Block]:
    """Return what the report says below its first sentence, but its charts and commands."""
    parts = (_tables, _prices, _properties, _sources)
    return [*_overview(comparison)[1:], *(block for part in parts for block in part(comparison))]


def _overview(comparison: Comparison) -> list[Block]:
    letters = LETTERS[: len(comparison.columns)]
    names = [f"{letter} {column.title}" for letter, column in zip(letters, comparison.columns, strict=True)]
    rows = [plain(_("Layout"), *map(layout_with_badge, comparison.columns), "")]
    for row in comparison.deciding():
        cells = (
            replace(_table_cell(row, number), small=cell_band(cell, row.line.unit), share=None)
            for number, cell in enumerate(row.cells)
        )
        rows.append((*plain(row.line.title), *cells, Words(text=_how_sure(row), tone=TextTone.MUTED)))
    right = frozenset(range(1, len(letters) + 1))
    return [
        paragraph(verdict(comparison, letters), strong=True),
        ReportTable(header=("", *names, _("How sure")), rows=tuple(rows), right=right),
    ]


def _how_sure(row: ComparedRow) -> str:
    if all(cell.estimate is None for cell in row.cells):
        return _("exact")
    if not all(map(is_known, row.cells)):
        return ""
    if not row.best:
        return _("cannot tell apart")
    return _("certain") if row.sure else _("likely; bands overlap")


def _tables(comparison: Comparison) -> Iterator[Block]:
    names = [f"{LETTERS[n]} {column.title}" for n, column in enumerate(comparison.columns)]
    return section_blocks(comparison, names)


def section_blocks(
    comparison: Comparison,
    names: Sequence[str],
    sections: Iterable[Section] = Section,
    *,
    only_differences: bool = False,
) -> Iterator[Block]:
    """Yield a table a section, with ``names`` over the columns."""
    for section in sections:
        rows = [row for row in comparison.rows if row.line.section is section]
        rows = [row for row in rows if row.differs or not only_differences]
        told = [row for row in rows if any(is_known(cell) for cell in row.cells)]
        if told:
            yield ReportHeading(text=_(section.value))
            yield row_table(told, names, right=section is not Section.SHAPE)
        silent = [inside(row.line.title) for row in rows if not any(is_known(cell) for cell in row.cells)]
        if silent:
            yield paragraph(_("Unknown for all: {rows}.", rows=", ".join(silent)), TextTone.MUTED)


def _prices(comparison: Comparison) -> list[Block]:
    found: list[Block] = []
    for number, column in enumerate(comparison.columns):
        if column.evaluation is not None:
            name = f"{LETTERS[number]} {column.title}"
            found.extend(price_blocks(column.evaluation.cost, heading=name, level=3))
    return [ReportHeading(text=_("Prices")), *found] if found else []


def is_known(cell: Cell) -> bool:
    return cell.text is not None or cell.value is not None


def row_table(rows: Iterable[ComparedRow], names: Sequence[str], *, right: bool = True) -> ReportTable:
    numbers = range(1, len(names) + 1) if right else ()
    return ReportTable(header=("", *names), rows=tuple(map(_table_row, rows)), right=frozenset(numbers))


def _table_row(row: ComparedRow) -> tuple[Words, ...]:
    mark = "≠ " if row.differs else "  "
    return (Words(text=f"{mark}{row.line.title}"), *(_table_cell(row, number) for number in range(len(row.cells))))


def _table_cell(row: ComparedRow, number: int) -> Words:
    cell, best, unit = row.cells[number], best_words(row, number), row.line.unit
    text, terabytes = cell_text(cell, unit), ""
    if unit is Unit.BYTES:
        text, __, terabytes = text.removesuffix(")").partition(" (")
    small = "; ".join(part for part in (terabytes, best, cell_band(cell, unit), cell.note) if part)
    mark = "" if not best else "✓ " if row.sure else "~ "
    known = is_known(cell)
    return Words(
        text=f"{mark}{text}",
        tone=TextTone.OK if best else TextTone.PLAIN if known else TextTone.MUTED,
        strong=bool(best),
        small=small,
        share=share_of(row, number),
    )


def _charts(comparison: Comparison, front: Chart | None) -> Iterator[Block]:
    yield ReportHeading(text=_("Charts"))
    yield from (Picture(drawing=chart_drawing(chart)) for chart in comparison_charts(comparison))
    if front is not None:
        yield Picture(drawing=chart_drawing(front), caption=_("The line is the front: no layout has more of both."))


def _properties(comparison: Comparison) -> Iterator[Block]:
    if not comparison.properties:
        return
    yield ReportHeading(text=_("Properties"))
    rows = []
    for row in comparison.properties:
        values = (
            Words(text=s.value, strong=row.differs, small=s.reason)
            if s
            else Words(text=_("not set"), tone=TextTone.MUTED)
            for s in row.settings
        )
        rows.append((*plain(row.place, f"{'≠ ' if row.differs else ''}{row.name}"), *values))
    header = (_("Where"), _("Property"), *LETTERS[: len(comparison.columns)])
    yield ReportTable(header=header, rows=tuple(rows))


def _commands(comparison: Comparison) -> Iterator[Block]:
    first = comparison.columns[0]
    yield ReportHeading(text=_("Commands"))
    yield paragraph(_("To read and compare. The guarded script of a design is what builds it."), TextTone.MUTED)
    yield ReportHeading(text=f"A {first.title}", level=3)
    yield Code(text="\n".join(column_commands(first)))
    yield from difference_blocks(comparison.columns)


def difference_blocks(columns: Sequence[ComparedDesign], most: int | None = None) -> Iterator[Block]:
    """Yield what the commands of each further design change in those of the first; ``most`` lines of each at most."""
    # Designs of the same disks have most lines in common: an answer of the worker process holds each of them once.
    kept: dict[str, str] = {}
    first, *others = ([kept.setdefault(line, line) for line in column_commands(column)] for column in columns)
    for number, (column, its) in enumerate(zip(columns[1:], others, strict=True), start=1):
        lines = tuple((_SIGNS[line.kind], line.text) for line in lines_diff(first, its)[:most])
        design = f"{LETTERS[number]} {column.title}"
        yield ReportHeading(text=_("From A to {design}", design=design), level=3)
        yield Difference(lines=lines)


# What no number tells, and where the numbers come from, each said once.
def _sources(comparison: Comparison) -> Iterator[Block]:
    remarks = tuple(
        Words(text=f"{LETTERS[n]}: {remark.text}", small=remark.source)
        for n, column in enumerate(comparison.columns)
        for remark in column.remarks
    )
    if remarks:
        yield ReportHeading(text=_("What no number tells"))
        yield Bullets(items=remarks)
    yield ReportHeading(text=_("Where the figures come from"))
    yield origins_told((row.line.title, cell) for row in comparison.rows for cell in row.cells)


def origins_told(cells: Iterable[tuple[str, Cell]]) -> Bullets:
    """Return where predictions come from: each origin once, with the titles of the rows it stands behind."""
    found: dict[str, dict[str, None]] = {}
    for title, cell in cells:
        if cell.estimate is not None:
            found.setdefault(str(cell.estimate.origin), {}).setdefault(title)
    return Bullets(items=tuple(Words(text=", ".join(titles), small=source) for source, titles in found.items()))


# What the disks of a design cost, model by model: price, its currency, its date and where it comes from.

_UNKNOWN_DATE = N_("date unknown")
_HEADER = (
    N_("Disks"), N_("Model"), N_("Price of one"), N_("Together"), N_("Price of"), N_("From"),
)  # fmt: skip


def price_blocks(cost: Cost | None, *, heading: str = N_("Prices"), level: int = 2) -> Iterator[Block]:
    """Yield the table of prices with its sum.

    ``heading`` is told here.
    """
    if cost is None or not cost.groups:
        return
    rows = [price_row(group) for group in cost.groups]
    if cost.purchase is not None:
        whole = Words(text=str(cost.purchase), strong=True)
        rows.append((*plain(""), Words(text=_("All disks"), strong=True), *plain(""), whole, *plain("", "")))
    yield ReportHeading(text=_(heading), level=level)
    yield ReportTable(header=tuple(map(_, _HEADER)), rows=tuple(rows), right=frozenset((0, 2, 3)))
    if unnamed(cost):
        yield paragraph(_("Nobody said in which currency the prices without one are."), TextTone.WARN)
    if cost.problem:
        yield paragraph(cost.problem, TextTone.WARN)


def growth_blocks(design: Design) -> Iterator[Block]:
    if not design.growth:
        return
    rows = []
    for step in design.growth:
        price, on = price_of_step(step, design.budget)
        at_hand = ", ".join(design.disk(key).label for key in step.disk_keys)
        told = (_("nothing"), "") if not brings_disks(step) else (_(UNKNOWN), "")
        if price is not None and brings_disks(step):
            told = (str(price), on or _(_UNKNOWN_DATE))
        rows.append((str(step), at_hand, *told))
    yield ReportHeading(text=_("Planned growth"))
    header = (_("Step"), _("With disks already here"), _("Price of one disk"), _("Price of"))
    yield table(header, rows, (2,))


def price_row(group: DiskGroupCost) -> tuple[Words, ...]:
    """Return what equal disks cost, as a row under the header of `price_blocks`."""
    size = drive_size(group.size_bytes)
    model = f"{group.model} ({size})" if group.model else _("model unknown ({size})", size=size)
    if group.at_hand:
        return plain(str(group.count), model, _("already here"), _("nothing"), "", "")
    if group.price is None or group.price_origin is None:
        return plain(str(group.count), model, _(UNKNOWN), _(UNKNOWN), "", "")
    origin = group.price_origin
    told = (str(group.price), str(group.price * group.count), origin.when or _(_UNKNOWN_DATE), origin.source)
    return plain(str(group.count), model, *told)


def unnamed(cost: Cost) -> bool:
    return any(group.price is not None and group.price.currency is None for group in cost.groups)


# The commands behind a column of a comparison, as lines that can be compared.


def design_commands(design: Design) -> tuple[ScriptCommand, ...]:
    """Return the commands that make partitions and pools of ``design``, with placeholders for disks without a name.

    Raises Refusal with the reasons where a pool cannot be made.
    """
    return commands(plan_actions(design, placeholders=True))


def column_commands(column: ComparedDesign) -> tuple[str, ...]:
    """Return the lines of all commands of a column; a comment with the reason where there are none."""
    try:
        if column.raid is not None:
            found = md_commands(column.raid)
        elif column.evaluation is not None:
            found = design_commands(column.evaluation.design)
        else:
            found = ()
    except PoolwrightError as error:
        reasons = getattr(error, "reasons", ()) or (error.what,)
        return tuple(comment_line(reason) for reason in (_("There are no commands:"), *reasons))
    return tuple(line for command in found for line in command.text.splitlines())


# Linux software RAID 6 as commands for people: text to compare with, never part of a script of ours.

_CONF = "/etc/mdadm/mdadm.conf"
_LONGEST_NAME = 26  # mdadm takes 32; a dash and a number follow
_LONGEST_XFS_LABEL = 12
_NOT_PORTABLE = re.compile(r"[^A-Za-z0-9_.-]")


def md_commands(raid: MdRaid6) -> tuple[ScriptCommand, ...]:
    """Return the commands that make the arrays, join them, write the file system and the configuration, in order.

    Disks without a by-id name are written as ``<disk 1>``.
    """
    name = _NOT_PORTABLE.sub("-", raid.device_name)[:_LONGEST_NAME]
    many = len(raid.arrays) > 1
    numbers = {disk.key: number for number, disk in enumerate(raid.disks, start=1)}
    made, devices = [], []
    for place, array in enumerate(raid.arrays):
        device = f"/dev/md/{name}-{place + 1}" if many else f"/dev/md/{name}"
        # Spares are dealt round; mdadm --monitor moves them between arrays of one spare-group.
        spares = raid.spares[place :: len(raid.arrays)]
        made.append(_create(device, array, spares, raid.chunk_bytes, numbers))
        devices.append(device)
    device = f"/dev/md/{name}"
    if many:
        made.append(_join(device, devices, raid.chunk_bytes))
    return (*made, *_afterwards(raid, name, device, grouped=many and bool(raid.spares)))


def _create(
    device: str, array: tuple[Disk, ...], spares: tuple[Disk, ...], chunk_bytes: int, numbers: dict[str, int]
) -> ScriptCommand:
    options = [("--metadata=1.2", "--level=6", f"--raid-devices={len(array)}"), (f"--chunk={chunk_bytes // KIB}",)]
    options.append(("--bitmap=internal",))
    if spares:
        options.append((f"--spare-devices={len(spares)}",))
    paths = tuple((_path(disk, numbers[disk.key]),) for disk in (*array, *spares))
    return ScriptCommand(
        rows=(("mdadm", "--create", device), *options, *paths),
        reason=_("RAID 6 of {disks} disks; the first sync begins at once", disks=len(array)),
    )


def _join(device: str, arrays: list[str], chunk_bytes: int) -> ScriptCommand:
    options = ("--metadata=1.2", "--level=0", f"--raid-devices={len(arrays)}", f"--chunk={chunk_bytes // KIB}")
    return ScriptCommand(
        rows=(("mdadm", "--create", device), options, *((array,) for array in arrays)),
        reason=_("One device striped over all arrays, as a pool is over its vdevs"),
    )


def _afterwards(raid: MdRaid6, name: str, device: str, *, grouped: bool) -> tuple[ScriptCommand, ...]:
    scan = "mdadm --detail --scan"  # for machines
    if grouped:
        scan += f" | sed '/{name}-[0-9]/s/$/ spare-group={name}/'"  # for machines
    return (
        _one(_("A file system that knows the stripes"), "mkfs.xfs", *_geometry(raid), device),
        _one(_("Where it is mounted"), "mkdir", "-p", f"/{name}"),
        _one(_("Mounted now; a line in /etc/fstab keeps it"), "mount", device, f"/{name}"),
        _one(_("Found again under its name after a restart"), "sh", "-c", f"{scan} >>{_CONF}"),
        _one(_("The boot image holds a copy of that file"), "update-initramfs", "-u"),
    )


def _one(reason: str, *argv: str) -> ScriptCommand:
    return ScriptCommand(rows=(argv,), reason=reason)


def _geometry(raid: MdRaid6) -> tuple[str, ...]:
    label = ("-L", raid.device_name) if len(raid.device_name) <= _LONGEST_XFS_LABEL else ()
    widths = {len(array) for array in raid.arrays}
    if len(widths) > 1:
        return label  # stripes of several widths have no geometry
    units = (widths.pop() - RAID6_PARITY) * len(raid.arrays)
    return (*label, "-d", f"su={raid.chunk_bytes // KIB}k,sw={units}")


def _path(disk: Disk, number: int) -> str:
    return f"{BY_ID}<disk {number}>" if device_problem(disk) is not None else device_path(disk)
