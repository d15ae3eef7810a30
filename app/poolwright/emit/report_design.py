"""One design as a report: what it is, why, what to expect of it, what the rules say, and how it is made."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.explained import cascade
from poolwright.design.compare import LINES, QUANTITIES, ComparedQuantity, Section
from poolwright.design.comparison_columns import Cell, Cells, ComparedDesign, zfs_column
from poolwright.design.evaluate import Evaluation, PoolEvaluation
from poolwright.design.wishes import wishes_words
from poolwright.domain.as_built import as_built
from poolwright.domain.design import Design, HostAdvice, Ranking, ScoreTerm, Vdev
from poolwright.domain.disk import Disk, shelf_words
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import OriginKind
from poolwright.domain.finding import SEVERITY_WORDS, Finding, Outcome, Severity, violated
from poolwright.domain.grouping import grouped
from poolwright.domain.inheritance import Resolver
from poolwright.domain.outage import UnitKind, numbered, survives, units_of
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.domain.vdev import VdevClass, VdevKind, short_words
from poolwright.emit.command_lines import SUPPORT_WORDS
from poolwright.emit.commands import short_lines
from poolwright.emit.comparison_charts import cell_band, cell_text
from poolwright.emit.drawing import vdevs_drawing
from poolwright.emit.partitions import reserved_words
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
from poolwright.emit.report_comparison import disk_words, growth_blocks, origin_list, price_blocks
from poolwright.emit.report_pools import TONES, advice_words, why_words
from poolwright.predict.number_words import UNKNOWN, share_text
from poolwright.texts import N_, _, capital, inside, listed, ngettext, numeral, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSubject:
    """What a report on one design is made of: ``advice`` is for the host; ``made`` tells program, version and time."""

    evaluation: Evaluation
    advice: tuple[HostAdvice, ...] = ()
    made: str = "Poolwright"


def design_report(subject: DesignSubject) -> Report:
    design = subject.evaluation.design
    subtitle = _(
        "Pool {pools}, OpenZFS {version}, goal {goal}",
        pools=", ".join(p.pool_name for p in design.pools()),
        version=design.made_for,
        goal=_goal_words(design),
    )
    blocks = tuple(block for section in _sections(subject) for block in section)
    return Report(title=design.name, subtitle=subtitle, blocks=blocks, foot=subject.made)


def _goal_words(design: Design) -> str:
    main, *others = design.pools()
    goal = main.workload.goal
    differing = [f"{p.pool_name}: {_(p.workload.goal.value)}" for p in others if p.workload.goal is not goal]
    return _("{what} ({why})", what=_(goal.value), why=", ".join(differing)) if differing else _(goal.value)


def _sections(subject: DesignSubject) -> Iterator[Iterable[Block]]:
    evaluation = subject.evaluation
    design, column = evaluation.design, zfs_column(evaluation)
    yield _decision(evaluation)
    yield _short(column)
    yield _against(evaluation)
    yield _commands(design)
    yield _advice(_("Decide before the pool is created"), [item for item in subject.advice if item.choice])
    yield _disks(design)
    yield _expected(column)
    yield _why(design)
    yield price_blocks(evaluation.cost)
    yield growth_blocks(design)
    yield findings_blocks(evaluation.findings)
    yield _advice(_("Set up on the machine"), [item for item in subject.advice if not item.choice])
    for pool in evaluation.pools:
        yield space_blocks(pool, many=len(evaluation.pools) > 1)
    yield _settings(design)
    yield (ReportHeading(text=_("Where the figures come from")), origins_of(column.cells))


def _decision(evaluation: Evaluation) -> Iterator[Block]:
    """Yield what is proposed in a sentence, why, and its picture: the first page is for who decides."""
    design, usable = evaluation.design, evaluation.usable_bytes
    layout = listed([short_words(pool.design.layout()) for pool in evaluation.pools])
    what = _("Build {layout}", layout=layout)
    if design.exists:
        what = _("{what} ({why})", what=design.pool_name, why=layout)
    text = sentence(what)
    if usable is not None and evaluation.survived is not None:
        words = {"what": what, "binary": binary(usable), "decimal": decimal(usable)}
        text = _("{what}: {binary} usable ({decimal}). One failed disk can lose it.", **words)
        if evaluation.survived:
            text = ngettext(
                "{what}: {binary} usable ({decimal}), any {count} disk may fail.",
                "{what}: {binary} usable ({decimal}), any {count} disks may fail.",
                evaluation.survived,
                **words,
            )
    yield Words(text, strong=True)
    yield Words(" ".join(_because(evaluation)))
    yield Picture(drawing=vdevs_drawing(sum((pool.design.layout() for pool in evaluation.pools), ())))


def _because(evaluation: Evaluation) -> Iterator[str]:
    """Yield how the layout was found, then what its kind of vdev gives for what it takes."""
    design = evaluation.design
    if (ranking := design.ranked) is not None:
        words = {"rank": ranking.rank, "count": ranking.examined, "goal": _(ranking.goal.value)}
        text = N_("Number {rank:,} of {count:,} layouts for {goal} ({score:.1f} of 100 points).")
        if ranking.rank == 1:
            text = N_("The best of {count:,} layouts for {goal} ({score:.1f} of 100 points).")
        yield _(text, **words, score=ranking.score)
    data = [spec for spec in design.layout() if spec.vdev_class is VdevClass.DATA]
    raw = sum(size for spec in data for size in spec.sizes)
    if raw and evaluation.capacity is not None:
        usable = evaluation.capacity.available_bytes
        yield _(_GIVES[data[0].kind], word=data[0].word, share=share_text(usable / raw))


_GIVES = {
    VdevKind.STRIPE: N_("Single disks: {share} of the raw space, no protection."),
    VdevKind.MIRROR: N_("Mirrors: the most random I/O, short resilvers, {share} of the raw space."),
    VdevKind.RAIDZ: N_("{word} keeps {share} of the raw space; each vdev has the random I/O of one disk."),
    VdevKind.DRAID: N_("{word} resilvers onto spare space on all disks: far faster."),
}  # fmt: skip


def _against(evaluation: Evaluation) -> Iterator[Block]:
    """Yield what the rules warn of, the gravest first, and that nothing takes over by itself."""
    grave = violated(evaluation.findings, Severity.BLOCK, Severity.WARN)
    items = [Words(text=f.sentence, tone=TONES[f.severity]) for f in grave[:_MOST_AGAINST]]
    layout = evaluation.design.layout()
    if layout and evaluation.survived and not (evaluation.spares or any(spec.draid_spares for spec in layout)):
        items += (Words(_("No hot spare: keep a tested disk at hand.")),)
    if items:
        yield ReportHeading(text=_("Drawbacks"))
        yield Bullets(items=tuple(items))


_MOST_AGAINST = 3


def _short(column: ComparedDesign) -> Iterator[Block]:
    yield ReportHeading(text=_("In short"))
    if column.badge:
        yield Words(_("This is a plan: its disks are not bought, or not named, yet."), TextTone.NOTE)
    yield from (Words(remark.text, TextTone.BLOCK) for remark in column.remarks)
    names = ("usable", "plan", "survived", "loss", "disk_loss", "seq_read", "seq_write", "rebuild", "purchase")
    known = (name for name in names if column.cell(name).value is not None)
    rows = (_row(QUANTITIES[name], column.cell(name))[:-1] for name in known)
    yield table(("", _("Typical"), _("Band")), rows, (1,))


# What was wanted, and what the score of a ranked layout is made of.
def _why(design: Design) -> Iterator[Block]:
    asked = ", ".join(wishes_words(design.budget))
    if asked or design.ranked is not None:
        yield ReportHeading(text=_("Why this design"))
    if asked:
        yield Words(_("The goal is {goal}; asked for: {wishes}.", goal=_goal_words(design), wishes=asked))
    if design.ranked is not None:
        yield from _score(design.ranked)


def score_table(terms: Iterable[ScoreTerm], score: float) -> ReportTable:
    rows: list[RowCells] = []
    for term in terms:
        points, share = numeral(term.points, ".1f"), None
        if term.weight:
            points = _("{points:.1f} of {most:g}", points=term.points, most=term.weight)
            share = term.points / term.weight
        rows.append((term.title, Words(text=points, share=share), term.why))
    rows.append((Words(text=_("Score"), strong=True), Words(text=numeral(score, ".1f"), strong=True), ""))
    return table((_("Counted"), _("Points"), _("Why")), rows, (1,))


def _score(ranking: Ranking) -> Iterator[Block]:
    yield score_table(ranking.terms, ranking.score)
    if ranking.not_chosen:
        others = ((one.family, one.reason) for one in ranking.not_chosen)
        yield table((_("Not chosen"), _("Why not")), others)


def space_blocks(pool: PoolEvaluation, *, many: bool) -> Iterator[Block]:
    yield ReportHeading(text=_("Space of {pool}", pool=pool.design.pool_name) if many else _("Space"))
    if pool.capacity is None:
        yield Words(_("Unknown. {problem}", problem=pool.problem).strip(), TextTone.WARN)
        return
    rows = (
        (
            step.title,
            f"−{binary(-step.change_bytes)}" if step.change_bytes else "",
            Words(text=binary(step.bytes_left), small=decimal(step.bytes_left)),
            step.why,
        )
        for step in cascade(pool.capacity)
    )
    yield table((_("Step"), _("Change"), _("Left"), _("Why")), rows, (1, 2))
    yield Words(
        _(
            "Computed as OpenZFS {version} computes it, at ashift {ashift}; `zpool list` will print {size}.",
            version=pool.capacity.version,
            ashift=pool.capacity.ashift,
            size=binary(pool.capacity.pool_size_bytes),
        ),
        TextTone.MUTED,
    )


def _expected(column: ComparedDesign) -> Iterator[Block]:
    yield ReportHeading(text=_("What to expect"), page=True)
    for section in (Section.SAFETY, Section.SPEED, Section.COST):
        found = expected_table(column.cells, section)
        known = tuple(dict.fromkeys(row for row in found.rows if row[1].strong))
        if known:
            yield from (ReportHeading(text=_(section.value), level=3), replace(found, rows=known))
        if section is not Section.SPEED and (
            unknown := [inside(row[0].text) for row in found.rows if not row[1].strong]
        ):
            yield Words(_("Unknown: {rows}.", rows="; ".join(unknown)), TextTone.MUTED)


def expected_table(cells: Cells, section: Section) -> ReportTable:
    """Return what is known of the quantities of a section, and of what is not known why."""
    lines = (line for line in LINES if line.section is section and line.name in cells)
    # That so many random failures are survived in any case is told by the failures survived.
    lines = (line for line in lines if (line.name[:9], cells[line.name].value) != ("survives_", 1))
    rows = (_row(line, cell) for line in lines if (cell := cells[line.name]).value is not None or cell.note)
    return table(("", _("Typical"), _("Band"), _("Limited by")), rows, (1,))


def origins_of(cells: Cells) -> Bullets:
    return origin_list((line.title, cells[line.name]) for line in LINES if line.name in cells)


def _row(line: ComparedQuantity, cell: Cell) -> RowCells:
    value = Words(
        text=cell_text(cell, line.unit), strong=cell.value is not None,
        tone=TextTone.PLAIN if cell.value is not None else TextTone.MUTED,
    )  # fmt: skip
    limit = cell.estimate.limit if cell.estimate is not None else ""
    return (Words(text=line.title, small=cell.note), value, cell_band(cell, line.unit), limit)


def _settings(design: Design) -> Iterator[Block]:
    rows: list[RowCells] = []
    for pool in design.pools():
        place, resolver = _("pool {name}", name=pool.pool_name), Resolver(pool)
        rows += ((place, one.name, one.value, one.why) for one in pool.pool_settings)
        for dataset in pool.datasets:
            place = _("{pool} (root)", pool=pool.pool_name)
            if dataset.name:
                place = f"{pool.pool_name}/{dataset.name}"
            if dataset.volume_bytes is not None:
                rows.append((place, "volsize", binary(dataset.volume_bytes), _("size of the volume")))
            rows += [(place, one.name, one.value, one.why) for one in resolver.written(dataset)]
    yield ReportHeading(text=_("Properties"))
    ashifts = ", ".join(f"{p.pool_name}: ashift {p.known_ashift or _('not read')}" for p in design.pools())
    yield Words(_("{ashifts}. It is fixed when a vdev is made and cannot be changed later.", ashifts=ashifts))
    if rows:
        yield table((_("Where"), _("Property"), _("Value"), _("Reason")), rows)


def _disks(design: Design) -> Iterator[Block]:
    design = as_built(design)
    yield ReportHeading(text=_("Disks"))
    if design.inventory_origin is not None and design.inventory_origin.kind is not OriginKind.TYPED:
        origin = re.sub(r"(?<!\S)/\S*/", "", str(design.inventory_origin))  # a client learns no folders of ours
        yield Words(_("Disks as read: {origin}.", origin=origin), TextTone.MUTED)
    yield from (Words(_("Beside the data: {words}.", words=words)) for words in reserved_words(design))
    found: dict[tuple[str, ...], list[Disk]] = {}  # equal disks of a vdev are a row; without names those of several
    places: dict[tuple[str, ...], list[str]] = {}
    for place, vdev in _named_vdevs(design):
        for member in vdev.members:
            size = drive_size(member.slice_bytes)
            here = _("{place}, partition {number}, {size}", place=place, number=member.part, size=size)
            here = here if member.slice_bytes else place
            disk = design.disk(member.disk_key)
            kind = here.rpartition("-")[0] if disk.planned and vdev.kind is not VdevKind.STRIPE else here
            facts = (kind, SUPPORT_WORDS.get(vdev.vdev_class, ""), *_disk_facts(disk))
            found.setdefault(facts, []).append(disk)
            places.setdefault(facts, []).append(here)
    used = design.used_keys()
    for disk in design.disks:
        if disk.key not in used:
            found.setdefault((_("not used"), "", *_disk_facts(disk)), []).append(disk)
    rows = (_disk_row(facts, disks, places.get(facts, [])) for facts, disks in found.items())
    yield table((_("Place"), _("Disks"), capital(_("sectors"))), rows)
    yield from _placement(design)


def _placement(design: Design) -> Iterator[Block]:
    """Yield how many disks of each vdev are in which shelf, and which shelves the pools can lose."""
    shelves = [unit for unit in units_of(design.used_disks()) if unit.kind is UnitKind.ENCLOSURE]
    if len(shelves) < 2:
        return
    shelves.sort(key=lambda unit: (len(unit.name), unit.name))  # 2 before 10
    vdevs = [(name, Counter(design.disk(key).enclosure for key in vdev.keys)) for name, vdev in _named_vdevs(design)]
    names: list[str | None] = [unit.name for unit in shelves]
    if any(counts[None] for __, counts in vdevs):
        names.append(None)
    header = (capital(shelf_words(name)) if name else capital(_(UNKNOWN)) for name in names)
    rows = [(place, *(str(counts[name] or "–") for name in names)) for place, counts in vdevs]
    yield table((_("Place"), *header), rows, right=range(1, len(names) + 1))
    deadly = [u.name for u in shelves if not all(survives(pool.vdevs, u.disk_keys) for pool in design.pools())]
    if deadly:
        yield Words(_("Shelves whose loss takes a pool: {shelves}.", shelves=", ".join(deadly)), TextTone.WARN)
    elif None not in names:
        yield Words(_("The pool survives the loss of any one shelf."))


def _named_vdevs(design: Design) -> Iterator[tuple[str, Vdev]]:
    for pool in design.pools():
        for _index, vdev, number in numbered(pool):
            kind = f"{vdev.kind.value}{vdev.parity or ''}" if vdev.kind is not VdevKind.STRIPE else _("disk")
            of_class = "" if vdev.vdev_class is VdevClass.DATA else f"{vdev.vdev_class.value} "
            word = f"{pool.pool_name}: {of_class}{kind}"
            yield word if vdev.kind is VdevKind.STRIPE else f"{word}-{number}", vdev


def _disk_facts(disk: Disk) -> tuple[str, ...]:
    sectors = (disk.logical_sector_bytes, disk.physical_sector_bytes)
    words = _(UNKNOWN) if None in sectors else "/".join(map(str, sectors))
    return disk_words(disk), words


def _disk_row(facts: tuple[str, ...], disks: list[Disk], places: list[str]) -> RowCells:
    place, use, what, sectors = facts
    if places and places[0] != place:
        last = places[-1].partition(": ")[2]
        place = places[0] if places[0] == places[-1] else _("{low} to {high}", low=places[0], high=last)
    names = (" ".join(filter(None, (disk.serial or disk.label, disk.place))) for disk in disks if not disk.planned)
    counted = Words(text=f"{len(disks)} × {what}", small=", ".join(names))
    return (Words(text=place, small=_(use) if use else ""), counted, sectors)


def _advice(title: str, advice: Sequence[HostAdvice]) -> Iterator[Block]:
    if advice:
        yield ReportHeading(text=title)
    for item in advice:
        reason = sentence(capital(item.reason))
        yield Words(item.title, strong=True, small=" ".join(filter(None, (reason, item.why))))
        if item.command:
            yield Code(text=item.command)
        if item.content:
            yield Words(_("In {file}:", file=item.file))
            yield Code(text=item.content, shell=False)


def _commands(design: Design) -> Iterator[Block]:
    if design.exists:
        return
    yield ReportHeading(text=_("Commands"))
    try:
        cut, made = short_lines(design)
    except PoolwrightError as error:
        yield Words(_("None: {reason}", reason=error.text), TextTone.WARN)
        return
    text = "\n".join((*cut, *(row for command in made for row in command)))
    note = _("The guarded script runs these after it has checked every disk, and marks the pool as its own.")
    names = ""
    if "DISK01" in text:
        names = _("DISK01 and so on stand for the disks below, in their order.")
    yield Words(f"{note} {names}".rstrip(), TextTone.MUTED)
    yield Code(text=text)


# What the rules say of a design, as a part of its report.


def findings_blocks(findings: tuple[Finding, ...] | None) -> Iterator[Block]:
    yield ReportHeading(text=_("What the rules say"))
    if findings is None:
        yield Words(_("The rules were not checked."), TextTone.MUTED)
        return
    unsure = dict.fromkeys(finding.title for finding in findings if finding.outcome is Outcome.CANNOT_TELL)
    holds = sum(finding.outcome is Outcome.HOLDS for finding in findings)
    if not violated(findings):
        yield Words(_("No findings."), TextTone.OK)
    for severity in Severity:
        alike = grouped((found.rule_id, found) for found in violated(findings, severity))
        if alike:
            yield Bullets(items=tuple(_finding(*group) for group in alike.values()))
    if unsure:
        yield Words(sentence(f"{_('Rules without enough data')}: {'; '.join(unsure)}"), TextTone.MUTED)
    yield Words(ngettext("{count} check passed.", "{count} checks passed.", holds), TextTone.MUTED)


def _finding(finding: Finding, *others: Finding) -> Words:
    rule, basis = finding.rule_id, _(finding.basis)
    of_rule = _("Rule {rule} ({basis}).", rule=rule, basis=basis)
    if finding.users_own:
        of_rule = _("Rule {rule} ({basis}), your own.", rule=rule, basis=basis)
    small = " ".join(part for part in (why_words(finding), advice_words(finding), of_rule) if part)
    text = f"{_(SEVERITY_WORDS[finding.severity])}: {finding.text}"
    if others:
        text = f"{text} {_('The same: {rows}.', rows=', '.join(_(other.subject) for other in others))}"
    return Words(text=text, tone=TONES[finding.severity], strong=finding.severity is not Severity.NOTE, small=small)
