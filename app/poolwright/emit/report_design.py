"""One design as a report: what it is, why, what to expect of it, what the rules say, and how it is made."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.advise.allowances import allowed_words
from poolwright.advise.compare import LINES, ComparedQuantity, Section
from poolwright.advise.compared import ComparedDesign, layout_words, zfs_column
from poolwright.advise.evaluate import Evaluation, PoolEvaluation
from poolwright.advise.rank import ScoreTerm
from poolwright.capacity.cascade import cascade
from poolwright.domain.design import Design, HostAdvice, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.steps import at_once
from poolwright.domain.units import binary, counted, decimal, drive_size
from poolwright.domain.workload import Budget
from poolwright.emit.cascade_drawing import cascade_chart
from poolwright.emit.chart import ChartMark
from poolwright.emit.chart_drawing import chart_drawing
from poolwright.emit.column_commands import design_commands
from poolwright.emit.compared_words import cell_band, cell_text
from poolwright.emit.comparison_charts import rows_chart
from poolwright.emit.report_blocks import (
    Block,
    Bullets,
    Code,
    Paragraph,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
    paragraph,
    plain,
)
from poolwright.emit.report_comparison import origins_told
from poolwright.emit.report_html import html_text
from poolwright.emit.report_markdown import markdown_text
from poolwright.emit.report_prices import growth_blocks, price_blocks
from poolwright.emit.shown_document import shown_document
from poolwright.predict.number_words import Unit, hours_text, odds_text, rate_text, speed_text

_TONES = {Severity.BLOCK: TextTone.BLOCK, Severity.WARN: TextTone.WARN, Severity.NOTE: TextTone.NOTE}
_WORDS = {Severity.BLOCK: "Blocks", Severity.WARN: "Warning", Severity.NOTE: "Note"}
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSubject:
    """What a report on one design is made of.

    ``terms`` is what its score is made of, where it came from a recommendation; ``advice`` is for the host; ``made``
    tells program, version and time.
    """

    evaluation: Evaluation
    advice: tuple[HostAdvice, ...] = ()
    terms: tuple[ScoreTerm, ...] = ()
    made: str = "Poolwright"


def report_markdown(subject: DesignSubject) -> str:
    """Return the report on a design as Markdown."""
    return markdown_text(design_report(subject))


def report_html(subject: DesignSubject) -> str:
    """Return the report on a design as one HTML file."""
    return html_text(design_report(subject))


def design_report(subject: DesignSubject) -> Report:
    """Return the report on a design as blocks."""
    return at_once(design_report_in_steps(subject))


def design_report_in_steps(subject: DesignSubject) -> Generator[None, None, Report]:
    """Return the same as `design_report`; yields between its sections."""
    design = subject.evaluation.design
    subtitle = (
        f"{layout_words(design)}; pool {', '.join(p.pool_name for p in design.pools())}, "
        f"OpenZFS {design.version}, goal {design.workload.goal.value}"
    )
    blocks: list[Block] = []
    for section in _sections(subject):
        yield
        blocks += shown_document(tuple(section))
    head = shown_document(Report(title=design.name, subtitle=subtitle, blocks=(), foot=subject.made))
    return replace(head, blocks=tuple(blocks))


def _sections(subject: DesignSubject) -> Iterator[Iterable[Block]]:
    evaluation = subject.evaluation
    design, column = evaluation.design, zfs_column(evaluation)
    yield _short(column)
    yield _why(subject)
    for pool in evaluation.pools:
        yield _space(pool, many=len(evaluation.pools) > 1)
    yield _expected(column)
    yield price_blocks(evaluation.cost)
    yield growth_blocks(design)
    yield _findings(evaluation.findings)
    yield _settings(design)
    yield _disks(design)
    yield _advice(subject.advice)
    yield _commands(design)


def _short(column: ComparedDesign) -> list[Block]:
    lines = {line.name: line for line in LINES}
    rows = []
    for name in ("usable", "plan", "survived", "loss", "seq_read", "seq_write", "rebuild", "purchase"):
        line, cell = lines[name], column.cell(name)
        small = "; ".join(part for part in (cell_band(cell, line.unit), cell.note) if part)
        rows.append((*plain(line.title), Words(text=cell_text(cell, line.unit), strong=True, small=small)))
    problems = [paragraph(remark.text, TextTone.BLOCK) for remark in column.remarks]
    return [ReportHeading(text="In short"), *problems, ReportTable(header=("", ""), rows=tuple(rows))]


def _why(subject: DesignSubject) -> list[Block]:
    """Return why this layout: the terms of its score, or what is wanted where nobody ranked it."""
    design = subject.evaluation.design
    budget = design.budget
    asked = _asked(budget)
    blocks: list[Block] = [ReportHeading(text="Why this design")]
    text = f"The goal is {design.workload.goal.value}"
    blocks.append(
        paragraph(f"{text}; asked for: {', '.join(asked)}." if asked else f"{text}; nothing else was asked for.")
    )
    if not subject.terms:
        blocks.append(
            paragraph("The layout was not taken from a ranking, so there is no score to break down.", TextTone.MUTED)
        )
        return blocks
    rows = tuple(
        (
            *plain(term.title),
            Words(
                text=f"{term.points:.1f}" + (f" of {term.weight:g}" if term.weight else ""),
                share=term.points / term.weight if term.weight else None,
            ),
            *plain(term.why),
        )
        for term in subject.terms
    )
    total = sum(term.points for term in subject.terms)
    score = (Words(text="Score", strong=True), Words(text=f"{total:.1f}", strong=True), Words(text=""))
    blocks.append(ReportTable(header=("Term", "Points", "Why"), rows=(*rows, score), right=frozenset((1,))))
    return blocks


def _asked(budget: Budget) -> list[str]:
    """Return the wishes in words."""
    asked = []
    if budget.least_usable_bytes is not None:
        asked.append(f"at least {binary(budget.least_usable_bytes)} usable")
    if budget.survive is not None:
        asked.append(f"survives {counted(budget.survive, 'failure')}")
    if budget.spares is not None:
        asked.append(counted(budget.spares, "spare"))
    if budget.bays is not None:
        asked.append(counted(budget.bays, "bay"))
    if budget.money is not None:
        asked.append(f"at most {budget.money}")
    if budget.most_yearly_loss is not None:
        asked.append(f"loss within a year at most {odds_text(budget.most_yearly_loss)}")
    if budget.most_rebuild_hours is not None:
        asked.append(f"a rebuild of at most {hours_text(budget.most_rebuild_hours)}")
    for rate, what in ((budget.least_read_bytes_per_second, "read"), (budget.least_write_bytes_per_second, "write")):
        if rate is not None:
            asked.append(f"sequential {what} of at least {rate_text(rate)}")
    if budget.allow:
        asked.append(allowed_words(budget.allow))
    return asked


def _space(pool: PoolEvaluation, *, many: bool) -> list[Block]:
    name = f"Space of {pool.design.pool_name}" if many else "Space"
    if pool.capacity is None:
        return [ReportHeading(text=name), paragraph(f"Unknown. {pool.problem}".strip(), TextTone.WARN)]
    steps = cascade(pool.capacity)
    rows = tuple(
        (
            *plain(step.title, f"−{binary(-step.change_bytes)}" if step.change_bytes else ""),
            Words(text=binary(step.bytes_left), small=decimal(step.bytes_left)),
            *plain(step.why),
        )
        for step in steps
    )
    return [
        ReportHeading(text=name),
        Picture(drawing=cascade_chart("From raw to planned bytes", steps)),
        ReportTable(header=("Step", "Loss", "Left", "Why"), rows=rows, right=frozenset((1, 2))),
        paragraph(
            f"Computed as OpenZFS {pool.capacity.version} computes it, at ashift {pool.capacity.ashift}; `zpool list` "
            f"will print {binary(pool.capacity.pool_size_bytes)}.",
            TextTone.MUTED,
        ),
    ]


def _expected(column: ComparedDesign) -> list[Block]:
    blocks: list[Block] = [ReportHeading(text="What to expect")]
    for section in (Section.SAFETY, Section.SPEED, Section.COST):
        rows = [row for line in LINES if line.section is section and (row := _expected_row(column, line))]
        if rows:
            blocks.append(ReportHeading(text=section.value, level=3))
            header = ("", "Typical", "Band", "Limited by")
            blocks.append(ReportTable(header=header, rows=tuple(rows), right=frozenset((1,))))
        if section is Section.SPEED:
            blocks.extend(_speed_chart(column))
    origins = origins_told((line.title, column.cell(line.name)) for line in LINES)
    return [*blocks, ReportHeading(text="Where these come from", level=3), origins]


def _expected_row(column: ComparedDesign, line: ComparedQuantity) -> tuple[Words, ...] | None:
    """Return a row; None where nothing is known of it and there is nothing to say about that."""
    cell = column.cell(line.name)
    if cell.value is None and not cell.note:
        return None
    estimate = cell.estimate
    value = Words(
        text=cell_text(cell, line.unit), strong=cell.value is not None, small=cell.note,
        tone=TextTone.PLAIN if cell.value is not None else TextTone.MUTED,
    )  # fmt: skip
    limit = estimate.limit if estimate is not None else ""
    return (*plain(line.title), value, *plain(cell_band(cell, line.unit), limit))


def _speed_chart(column: ComparedDesign) -> list[Block]:
    rows, marks = ("Sequential read", "Sequential write"), []
    for number, name in enumerate(("seq_read", "seq_write")):
        found = column.cell(name).estimate
        if found is not None:
            told = speed_text(found, rate_text)
            marks.append(
                ChartMark(
                    x=found.typical,
                    y=number,
                    low=found.low,
                    high=found.high,
                    label=told,
                    told=f"{rows[number]}: {told}",
                )
            )
    chart = rows_chart("speed", "Sequential speed, with band", Unit.RATE, rows, {"": marks})
    return [Picture(drawing=chart_drawing(chart))] if marks else []


def _findings(findings: tuple[Finding, ...] | None) -> list[Block]:
    blocks: list[Block] = [ReportHeading(text="What the rules say")]
    if findings is None:
        return [*blocks, paragraph("The rules were not asked.", TextTone.MUTED)]
    violated = [finding for finding in findings if finding.outcome is Outcome.VIOLATED]
    unsure = [finding for finding in findings if finding.outcome is Outcome.CANNOT_TELL]
    holds = sum(finding.outcome is Outcome.HOLDS for finding in findings)
    if not violated:
        blocks.append(paragraph("No rule speaks against this design.", TextTone.OK))
    for severity in Severity:
        items = tuple(_finding(finding) for finding in violated if finding.severity is severity)
        if items:
            blocks.append(Bullets(items=items))
    if unsure:
        blocks.append(ReportHeading(text="Rules that cannot tell", level=3))
        items = tuple(
            Words(text=f"{f.title} ({f.subject})", small=f"not known: {', '.join(f.missing)}") for f in unsure
        )
        blocks.append(Bullets(items=items))
    blocks.append(paragraph(f"{holds} answers agree with the design.", TextTone.MUTED))
    return blocks


def _finding(finding: Finding) -> Words:
    sources = "; ".join(dict.fromkeys(f"{s.kind}: {s.ref}" for s in finding.sources))
    small = " ".join(
        part
        for part in (
            f"Why: {finding.why}" if finding.why else "",
            f"Advice: {finding.advice}" if finding.advice else "",
            f"Rule {finding.rule_id} ({finding.basis}){', your own' if finding.users_own else ''}.",
            f"Source: {sources}." if sources else "",
        )
        if part
    )
    text = f"{_WORDS[finding.severity]}: {finding.text}"
    return Words(text=text, tone=_TONES[finding.severity], strong=finding.severity is not Severity.NOTE, small=small)


def _settings(design: Design) -> list[Block]:
    rows: list[tuple[Words, ...]] = []
    for pool in design.pools():
        rows.extend(_setting_row(f"pool {pool.pool_name}", setting) for setting in pool.pool_settings)
        for dataset in pool.datasets:
            place = f"{pool.pool_name}/{dataset.name}" if dataset.name else f"{pool.pool_name} (root)"
            if dataset.volume_bytes is not None:
                rows.append(plain(place, "volsize", binary(dataset.volume_bytes), "size of the volume"))
            rows.extend(_setting_row(place, setting) for setting in dataset.settings)
    blocks: list[Block] = [ReportHeading(text="Properties")]
    ashifts = ", ".join(f"{pool.pool_name}: ashift {pool.ashift}" for pool in design.pools())
    blocks.append(paragraph(f"{ashifts}. It is fixed when a vdev is made and cannot be changed later."))
    if rows:
        blocks.append(ReportTable(header=("Where", "Property", "Value", "Reason"), rows=tuple(rows)))
    return blocks


def _setting_row(place: str, setting: Setting) -> tuple[Words, ...]:
    reason = Words(text=setting.reason, small=f"rule {setting.rule_id}" if setting.rule_id else "")
    return (*plain(place, setting.name, setting.value), reason)


def _disks(design: Design) -> list[Block]:
    """Return every disk with its place, vdev by vdev, then those without one."""
    rows: list[tuple[Words, ...]] = []
    for pool in design.pools():
        numbers: Counter[str] = Counter()
        for vdev in pool.vdevs:
            word = _vdev_word(vdev)
            place = f"{pool.pool_name}: {word}-{numbers[word]}"
            numbers[word] += 1
            for member in vdev.members:
                part = f", partition {member.part}, {drive_size(member.slice_bytes)}" if member.slice_bytes else ""
                rows.append(_disk_row(design.disk(member.disk_key), f"{place}{part}"))
    used = design.used_keys()
    rows.extend(_disk_row(disk, "no place") for disk in design.disks if disk.key not in used)
    header = ("Place", "Disk", "Size", "Sectors", "Bay")
    origin = f"Disks as read: {design.inventory_origin}." if design.inventory_origin is not None else ""
    note: Sequence[Paragraph] = (paragraph(origin, TextTone.MUTED),) if origin else ()
    return [ReportHeading(text="Disks"), *note, ReportTable(header=header, rows=tuple(rows), right=frozenset((2,)))]


def _vdev_word(vdev: Vdev) -> str:
    kind = f"{vdev.kind.value}{vdev.parity or ''}" if vdev.kind.value != "stripe" else "disk"
    return kind if vdev.vdev_class.value == "data" else f"{vdev.vdev_class.value} {kind}"


def _disk_row(disk: Disk, place: str) -> tuple[Words, ...]:
    sectors = (disk.logical_sector_bytes, disk.physical_sector_bytes)
    words = "/".join(_UNKNOWN if size is None else str(size) for size in sectors)
    bay = " ".join(part for part in (disk.enclosure, disk.slot) if part)
    name = disk.by_id_name or disk.label
    told = f"{disk.model or 'model unknown'}, serial {disk.serial or _UNKNOWN}"
    return (*plain(place), Words(text=name, small=told), *plain(drive_size(disk.size_bytes), words, bay))


def _advice(advice: Sequence[HostAdvice]) -> list[Block]:
    if not advice:
        return []
    blocks: list[Block] = [ReportHeading(text="The machine around it")]
    for item in advice:
        sources = "; ".join(dict.fromkeys(source.ref for source in item.sources))
        small = " ".join(part for part in (item.why, f"Source: {sources}." if sources else "") if part)
        blocks.append(
            Paragraph(words=Words(text=f"{item.title}: {item.reason}" if item.reason else item.title, small=small))
        )
        if item.command:
            blocks.append(Code(text=item.command))
        if item.content:
            blocks.append(paragraph(f"In {item.file}:"))
            blocks.append(Code(text=item.content, shell=False))
    return blocks


def _commands(design: Design) -> list[Block]:
    blocks: list[Block] = [ReportHeading(text="Commands")]
    try:
        found = design_commands(design)
    except PoolwrightError as error:
        return [*blocks, paragraph(f"There are none: {error.text}", TextTone.WARN)]
    blocks.append(paragraph("To read. The guarded script checks every disk before it runs them.", TextTone.MUTED))
    blocks.append(Code(text="\n".join(f"# {command.reason}\n{command.text}" for command in found)))
    return blocks
