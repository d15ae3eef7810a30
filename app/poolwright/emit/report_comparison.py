"""A comparison as a report: who is better at what and how sure that is, charts, properties, commands of each."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from poolwright.capacity.md_raid import RAID6_PARITY, MdRaid6
from poolwright.changes.growth.plan import brings_disks, price_of_step
from poolwright.design.compare import LEAST_COLUMNS, ComparedRow, Comparison, Section, verdict
from poolwright.design.comparison_columns import Cell, ComparedDesign
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import SEVERITY_WORDS, violated
from poolwright.domain.grouping import grouped
from poolwright.domain.units import KIB, drive_size
from poolwright.emit.chart import Chart, chart_drawing
from poolwright.emit.commands import ScriptCommand, commands, plan_actions, short_lines
from poolwright.emit.comparison_charts import LETTERS, Against, cell_band, cell_text, front_chart, share_of
from poolwright.emit.drawing import vdevs_drawing
from poolwright.emit.names import StandIns, comment_line
from poolwright.emit.report import (
    Block,
    Bullets,
    Code,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    RowCells,
    TextTone,
    Words,
    table,
)
from poolwright.predict.cost import Cost, DiskGroupCost
from poolwright.predict.number_words import UNKNOWN, Unit
from poolwright.rules.presets import presets_of
from poolwright.texts import N_, _, capital, inside, listed, sentence

_MOST_UPRIGHT = 3  # columns that fit on a page in portrait format
_SPACE, _NO_BREAK = re.compile(r"(?<=×) | (?=×)|(?<=\d) (?=[KMGTP]i?B)|(?<=, \d) "), "\u00a0"


def comparison_report(comparison: Comparison, *, title: str, made: str, front: Chart | None = None) -> Report:
    used, about = _subject(comparison)
    wide = len(comparison.columns) > _MOST_UPRIGHT  # the chart has the next page then, and room below it
    return Report(
        title=title or (_("Comparison: {what}", what=used) if used else capital(_("comparison"))),
        subtitle=about,
        blocks=(
            Words(verdict(comparison, LETTERS), strong=True),
            *_pictures(comparison),
            deciding_table(comparison),
            *_chart(comparison, front),
            ReportHeading(text=_("All values"), page=not wide),
            *value_blocks(comparison, brief=True),
            *_commands(comparison),
        ),
        foot=made,
        wide=wide,
    )


def _subject(comparison: Comparison) -> tuple[str, str]:
    """Return the disks, what the pool is for and which disks are not used; empty where that differs."""
    designs = [column.evaluation.design for column in comparison.columns if column.evaluation is not None]
    if len({frozenset(disk.key for disk in design.disks) for design in designs}) != 1:
        return "", ""
    keys = set().union(*(design.used_keys() for design in designs))
    kinds = [Counter(disk_words(d) for d in designs[0].disks if (d.key in keys) is used) for used in (True, False)]
    used, unused = (listed([f"{count} × {what}" for what, count in kind.items()]) for kind in kinds)
    sentences = [_("Not used: {disks}.", disks=unused)] if unused else []
    if len({(design.workload.uses, design.workload.goal) for design in designs}) == 1:
        workload = designs[0].workload
        goal = _("{name}: {value}", name=_("Goal"), value=_(workload.goal.value))
        data = ", ".join(_(preset.title) for preset in presets_of(workload))
        sentences.insert(0, sentence(_("{what} ({why})", what=goal, why=data) if data else goal))
    return used, " ".join(sentences)


def disk_words(disk: Disk) -> str:
    media = disk.media.words if disk.media is not None else ""
    return " ".join(filter(None, (drive_size(disk.size_bytes), media, disk.model)))


def _chart(comparison: Comparison, front: Chart | None) -> Iterator[Block]:
    """Yield the designs among the ranked layouts, or more than two of them alone."""
    if front is not None or len(comparison.columns) > LEAST_COLUMNS:
        yield Picture(drawing=chart_drawing(front or front_chart((), None, Against.RISK, comparison.columns)))


def _pictures(comparison: Comparison) -> Iterator[Block]:
    for letter, column in zip(LETTERS, comparison.columns, strict=False):
        layout = "" if column.layout in column.title else column.layout
        yield Words(f"{letter}  {column.title}", strong=True, small=layout)
        if column.vdevs:
            yield Picture(drawing=vdevs_drawing(column.vdevs, named=False))


def deciding_table(comparison: Comparison, *, named: bool = False) -> ReportTable:
    """Return what decides in most cases, and how sure each difference is; what letters stand for where ``named``."""
    rows: list[RowCells] = []
    for row in comparison.deciding():
        cells = (_table_cell(row, number) for number in range(len(row.cells)))
        sizes = row.line.unit is Unit.BYTES
        cells = (replace(c, share=None, small=c.small.partition(";")[0] if sizes else "") for c in cells)
        rows.append((row.line.title, *cells, Words(text=_how_sure(row), tone=TextTone.MUTED)))
    names = list(LETTERS[: len(comparison.columns)])
    if named:
        titles = (column.layout if column.layout in column.title else column.title for column in comparison.columns)
        names = [f"{letter}  {_SPACE.sub(_NO_BREAK, title)}" for letter, title in zip(names, titles, strict=True)]
    return table(("", *names, _("How sure")), rows, range(1, len(names) + 1))


def _how_sure(row: ComparedRow) -> str:
    if all(cell.estimate is None for cell in row.cells):
        return _("exact")
    if not all(map(is_known, row.cells)):
        return ""
    if not row.best:
        return _("cannot tell apart")
    return _("certain") if row.sure else _("likely")


def value_blocks(comparison: Comparison, *, brief: bool = False) -> Iterator[Block]:
    """Yield every value, what things cost, and where the numbers come from: ``brief``, or each by itself."""
    yield from section_blocks(comparison, LETTERS[: len(comparison.columns)])
    for letter, column in zip(LETTERS, comparison.columns, strict=False):
        cost = column.evaluation.cost if column.evaluation is not None else None
        if cost is not None and any(group.price for group in cost.groups):
            yield from price_blocks(cost, heading=_("Prices of {design}", design=letter))
    yield from _properties(comparison)
    yield from _sources(comparison, brief=brief)


def section_blocks(
    comparison: Comparison,
    names: Sequence[str],
    sections: Iterable[Section] = Section,
    *,
    only_differences: bool = False,
) -> Iterator[Block]:
    """Yield a table a section of what differs, with ``names`` over the columns, and what is the same for all."""
    for section in sections:
        asked = comparison.of_section(section)
        rows = [row for row in asked if any(map(is_known, row.cells))]
        differing = [row for row in rows if row.differs]
        if differing or not only_differences:
            yield ReportHeading(text=_(section.value), level=3)
        if differing:
            right = range(1, len(names) + 1) if section is not Section.SHAPE else ()
            yield table(("", *names), map(_table_row, differing), right)
        same = [f"{inside(row.line.title)} {cell_text(row.cells[0], row.line.unit)}" for row in rows if not row.differs]
        unknown = [inside(row.line.title) for row in asked if row not in rows]
        for text, what in ((_("The same: {rows}."), same), (_("Unknown: {rows}."), unknown)):
            if what and not only_differences:
                yield Words(text.format(rows="; ".join(what)), TextTone.MUTED)
        if section is Section.RULES and (findings := tuple(_differing_findings(comparison, names))):
            yield Bullets(items=findings)


def _differing_findings(comparison: Comparison, names: Sequence[str]) -> Iterator[Words]:
    """Yield what the rules find in some of the designs, with the names of these."""
    judged = ((name, column.evaluation) for name, column in zip(names, comparison.columns, strict=True))
    designs_by_finding = grouped(
        ((_(SEVERITY_WORDS[finding.severity]), finding.title), name)
        for name, evaluation in judged
        for finding in {f.rule_id: f for f in violated((evaluation and evaluation.findings) or ())}.values()
    )
    for (severity, title), designs in designs_by_finding.items():
        if len(designs) < len(names):
            yield Words(f"{', '.join(designs)}: {title}", small=severity)


def is_known(cell: Cell) -> bool:
    return cell.text is not None or cell.value is not None


def _table_row(row: ComparedRow) -> tuple[Words, ...]:
    notes = {cell.note for cell in row.cells}
    common = notes.pop() if len(notes) == 1 else ""  # of all columns, said once
    cells = (_table_cell(row, number, common) for number in range(len(row.cells)))
    return (Words(text=row.line.title, small=common), *cells)


def _table_cell(row: ComparedRow, number: int, common: str = "") -> Words:
    cell, best, unit = row.cells[number], number in row.best, row.line.unit
    text, terabytes = cell_text(cell, unit), ""
    if unit is Unit.BYTES:
        text, __, terabytes = text.removesuffix(")").partition(" (")
    note = "" if cell.note == common else cell.note
    return Words(
        text=f"✓ {text}" if best else text,
        tone=TextTone.OK if best else TextTone.PLAIN if is_known(cell) else TextTone.MUTED,
        strong=best,
        small="; ".join(part for part in (terabytes, cell_band(cell, unit), note) if part),
        share=share_of(row, number),
    )


def _properties(comparison: Comparison) -> Iterator[Block]:
    if not comparison.properties:
        return
    yield ReportHeading(text=_("Properties"))
    same, rows = dict[str, list[str]](), list[RowCells]()
    for row in comparison.properties:
        first, *__ = row.settings
        if not row.differs and first is not None:
            same.setdefault(row.place, []).append(f"{row.name}={first.value}")
            continue
        values = (
            Words(text=s.value, small=s.why) if s else Words(text=_("not set"), tone=TextTone.MUTED)
            for s in row.settings
        )
        rows.append((row.place, row.name, *values))
    if rows:
        yield table((_("Where"), _("Property"), *LETTERS[: len(comparison.columns)]), rows)
    if same:
        listing = "; ".join(f"{place}: {', '.join(settings)}" for place, settings in same.items())
        yield Words(_("The same: {rows}.", rows=listing), TextTone.MUTED)


def _commands(comparison: Comparison) -> Iterator[Block]:
    designs = [each for each in zip(LETTERS, comparison.columns, strict=False) if each[1].evaluation is not None]
    if not designs:
        return
    yield ReportHeading(text=_("Commands"))
    yield Words(_("The guarded script runs these after it has checked every disk."), TextTone.MUTED)
    lines = [line for letter, column in designs for line in (f"# {letter}", *column_commands(column, short=True))]
    yield Code(text="\n".join(lines))


# Remarks that no number shows, and the origins of the numbers.
def _sources(comparison: Comparison, *, brief: bool) -> Iterator[Block]:
    remarks = tuple(
        Words(text=f"{LETTERS[n]}: {remark.text}", small=remark.source)
        for n, column in enumerate(comparison.columns)
        for remark in column.remarks
    )
    if remarks:
        yield ReportHeading(text=_("What no number tells"))
        yield Bullets(items=remarks)
    yield ReportHeading(text=_("Where the figures come from"))
    if not brief:
        yield origin_list((row.line.title, cell) for row in comparison.rows for cell in row.cells)
        return
    speeds = (cell.estimate for cell in comparison.row("seq_write").cells if cell.estimate is not None)
    model = {"; ".join(str(speed.origin).split("; ")[:2]) for speed in speeds}
    exact = _("Space is computed as OpenZFS computes it; all else is predicted, within the band below each value.")
    yield Words(" ".join([exact, *(_("Speeds: {origin}.", origin=origin) for origin in sorted(model))]))


def origin_list(cells: Iterable[tuple[str, Cell]]) -> Bullets:
    """Return where predictions come from: each origin once, with the titles of its rows."""
    titles_of: dict[str, dict[str, None]] = {}
    for title, cell in cells:
        if cell.estimate is not None:
            titles_of.setdefault(str(cell.estimate.origin), {}).setdefault(title)
    return Bullets(items=tuple(Words(text=", ".join(titles), small=source) for source, titles in titles_of.items()))


# What the disks of a design cost, model by model: price, its currency, its date and where it comes from.

_UNKNOWN_DATE = N_("date unknown")
_HEADER = (
    N_("Disks"), N_("Model"), N_("Price of one"), N_("Together"), N_("Price of"), N_("From"),
)  # fmt: skip


def price_blocks(cost: Cost | None, *, heading: str = N_("Prices")) -> Iterator[Block]:
    """Yield the table of prices with its sum; ``heading`` is translated here."""
    if cost is None or not any(group.at_hand or group.price is not None for group in cost.groups):
        return
    yield ReportHeading(text=_(heading))
    rows = [price_row(group) for group in cost.groups]
    if cost.purchase is not None:
        whole = Words(text=str(cost.purchase), strong=True)
        rows.append(("", Words(text=_("All disks"), strong=True), "", whole, "", ""))
    yield table(map(_, _HEADER), rows, (0, 2, 3))
    if any(group.price is not None and group.price.currency is None for group in cost.groups):
        yield Words(_("The currency of prices without one is unknown."), TextTone.WARN)
    if cost.problem:
        yield Words(cost.problem, TextTone.WARN)


def growth_blocks(design: Design) -> Iterator[Block]:
    if not design.growth:
        return
    rows = []
    for step in design.growth:
        price, on = price_of_step(step, design.budget)
        at_hand = ", ".join(design.disk(key).label for key in step.disk_keys)
        cells = (_(UNKNOWN), "") if brings_disks(step) else (_("nothing"), "")
        if price is not None and brings_disks(step):
            cells = (str(price), on or _(_UNKNOWN_DATE))
        rows.append((str(step), at_hand, *cells))
    yield ReportHeading(text=_("Planned growth"))
    header = (_("Step"), _("With disks already here"), _("Price of one disk"), _("Price of"))
    yield table(header, rows, (2,))


def price_row(group: DiskGroupCost) -> RowCells:
    """Return what equal disks cost, as a row under the header of `price_blocks`."""
    size = drive_size(group.size_bytes)
    model = f"{group.model} ({size})" if group.model else _("model unknown ({size})", size=size)
    if group.at_hand:
        return (str(group.count), model, _("already here"), _("nothing"), "", "")
    if group.price is None or group.price_origin is None:
        return (str(group.count), model, _(UNKNOWN), _(UNKNOWN), "", "")
    origin = group.price_origin
    prices = (str(group.price), str(group.price * group.count))
    return (str(group.count), model, *prices, origin.when or _(_UNKNOWN_DATE), origin.source)


# The commands behind a column of a comparison, as lines that can be compared.


def design_commands(design: Design) -> tuple[ScriptCommand, ...]:
    """Return the commands that make partitions and pools of ``design``, with placeholders for disks without a name.

    Raises Refusal with the reasons where a pool cannot be made.
    """
    return commands(plan_actions(design, placeholders=True))


def column_commands(column: ComparedDesign, *, short: bool = False) -> tuple[str, ...]:
    """Return the lines of all commands of a column, ``short`` with disks as numbers; else a comment with the reason."""
    design = column.evaluation.design if column.evaluation is not None else None
    try:
        if short and design is not None:
            partitioning, commands_of_pools = short_lines(design)
            return (*partitioning, *(line for command in commands_of_pools for line in command))
        found = md_commands(column.raid) if column.raid else design_commands(design) if design else ()
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

    Disks without a by-id name are written as `StandIns` has them.
    """
    name = _NOT_PORTABLE.sub("-", raid.device_name)[:_LONGEST_NAME]
    many = len(raid.arrays) > 1
    name_of = StandIns().path
    paths = {disk.key: name_of(disk) for disk in raid.disks}
    made, devices = [], []
    for place, array in enumerate(raid.arrays):
        device = f"/dev/md/{name}-{place + 1}" if many else f"/dev/md/{name}"
        # Spares are dealt round; mdadm --monitor moves them between arrays of one spare-group.
        spares = raid.spares[place :: len(raid.arrays)]
        made.append(_create(device, array, spares, raid.chunk_bytes, paths))
        devices.append(device)
    device = f"/dev/md/{name}"
    if many:
        made.append(_join(device, devices, raid.chunk_bytes))
    return (*made, *_afterwards(raid, name, device, grouped=many and bool(raid.spares)))


def _create(
    device: str, array: tuple[Disk, ...], spares: tuple[Disk, ...], chunk_bytes: int, paths: dict[str, str]
) -> ScriptCommand:
    options = [("--metadata=1.2", "--level=6", f"--raid-devices={len(array)}"), (f"--chunk={chunk_bytes // KIB}",)]
    options.append(("--bitmap=internal",))
    if spares:
        options.append((f"--spare-devices={len(spares)}",))
    return ScriptCommand(
        rows=(("mdadm", "--create", device), *options, *((paths[disk.key],) for disk in (*array, *spares))),
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
