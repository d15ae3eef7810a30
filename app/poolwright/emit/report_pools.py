"""Pools that exist as reports: their audit, one held against its design, and what would improve one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from poolwright.capacity.explained import SizeCascade
from poolwright.changes.as_design import why_no_pool
from poolwright.changes.audit import PoolAudit, tree_lines
from poolwright.changes.explain import SizesExplained
from poolwright.changes.improve.pool_change import ChangeKind, PoolChange, PoolImprovements, PoolNumbers, Urgency
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import LiveComparison, LiveDifference, LiveWay, total_hours
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool, PoolNode, ScanKind
from poolwright.domain.units import binary
from poolwright.emit.chart import cascade_chart
from poolwright.emit.difference_script import live_commands
from poolwright.emit.names import comment_line
from poolwright.emit.remedies import FirstStep, first_steps, remedy_of
from poolwright.emit.report import (
    Block,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
    bullets,
    code,
    table,
)  # fmt: skip
from poolwright.predict.number_words import band_text, hours_text, odds_text
from poolwright.rules.existing_judge import last_scrub
from poolwright.shipped import shipped
from poolwright.texts import N_, _, before_colon, capital, dated, listed, ngettext, numeral, sentence

_TITLES = {Severity.BLOCK: N_("Critical"), Severity.WARN: N_("Warnings"), Severity.NOTE: N_("Notes")}
TONES = {Severity.BLOCK: TextTone.BLOCK, Severity.WARN: TextTone.WARN, Severity.NOTE: TextTone.NOTE}
_HEALTHY = frozenset({"ONLINE", "AVAIL"})


def audit_report(audits: Sequence[PoolAudit], inventory: Inventory, *, made: str) -> Report:
    numbers: dict[str, int] = {}
    blocks: list[Block] = list(_overview(audits, numbers))
    if not audits:
        why, todo = why_no_pool(inventory)
        blocks.extend((Words(sentence(why)), Words(todo, TextTone.MUTED)))
    named = [(capital(_("pool {name}", name=audit.pool.name)), audit) for audit in audits]
    for title, audit in named:
        blocks += (ReportHeading(text=title), *_state_blocks(audit, numbers))
    if any(audit.sizes is not None for audit in audits):
        blocks.append(ReportHeading(text=_("Where did the space go?")))
    for title, audit in named:
        if audit.sizes is not None:
            blocks += (ReportHeading(text=title, level=3), *size_blocks(audit.sizes, every_step=False))
    return Report(
        title=_("Audit of the pools of {machine}", machine=inventory.name),
        subtitle=answer_of(audits),
        blocks=tuple(blocks),
        foot=made,
    )


def answer_of(audits: Sequence[PoolAudit]) -> str:
    """Return in a sentence how the worst pool is, which comes first, and how many others want something."""
    if not audits:
        return ""
    worst, *others = audits
    words = {"pool": worst.pool.name, "state": worst.pool.state}
    text = _("{pool} is {state}", **words) if worst.pool.state else _("{pool}: state unknown", **words)
    findings = _counts(worst, worst_only=bool(others))  # the table has the others
    text = f"{text}, {_('nothing is urgent') if worst.gravest in {None, Severity.NOTE} else findings}"
    if not others:
        return sentence(text)
    wanting = sum(audit.gravest in {Severity.BLOCK, Severity.WARN} for audit in others)
    rest = (
        ngettext("{count} other needs attention", "{count} others need attention", wanting)
        if wanting
        else ngettext("the other needs nothing now", "the others need nothing now", len(others))
    )
    count = ngettext("{count} pool", "{count} pools", len(audits))
    return _("{count}: {worst}; {others}.", count=count, worst=text, others=rest)


def overview_table(audits: Sequence[PoolAudit]) -> ReportTable:
    header = (_("Pool"), _("State"), _("Full"), _("Crit"), capital(_("warn")), _("Note"), _("Scrubbed"))
    return table(header, map(_overview_row, audits), (2, 3, 4, 5))


def _overview_row(audit: PoolAudit) -> tuple[str, ...]:
    fill, scrubbed = audit.known.number("capacity"), last_scrub(audit.known)
    day = dated(scrubbed) if scrubbed is not None else _("never") if audit.pool.status_read else _("unknown")
    counts = (str(_count(audit, severity)) for severity in Severity)
    return (audit.pool.name, _state(audit), "" if fill is None else f"{fill} %", *counts, day)


def _state(audit: PoolAudit) -> str:
    return audit.pool.state or _("unknown")


def _overview(audits: Sequence[PoolAudit], numbers: dict[str, int]) -> Iterator[Block]:
    if len(audits) > 1:
        yield overview_table(audits)
    steps = first_steps(audits, numbers)
    if steps:
        yield ReportHeading(text=_("Now, in this order"))
    for number, step in enumerate(steps, 1):
        text, tone = f"{number}. {step.finding.sentence}", TONES[step.finding.severity]
        yield Words(text, tone, small=f"{step.advice} {step.remedy.then}".strip())
        yield from code(step.commands)


def summary_of(audit: PoolAudit) -> str:
    findings = _counts(audit)
    return _("{name}: {state}, {findings}", name=audit.pool.name, state=_state(audit), findings=findings)


def _counts(audit: PoolAudit, *, worst_only: bool = False) -> str:
    grave, warnings, notes = (_count(audit, severity) for severity in Severity)
    counts = (
        ngettext("{count} critical finding", "{count} critical findings", grave) if grave else "",
        ngettext("{count} warning", "{count} warnings", warnings) if warnings else "",
        ngettext("{count} note", "{count} notes", notes) if notes else "",
    )
    nothing = _("nothing found") if audit.pool.status_read else _("nothing found in what was read")
    words = [text for text in counts if text]
    return ", ".join(words[:1] if worst_only else words) or nothing


def _count(audit: PoolAudit, severity: Severity) -> int:
    return sum(finding.severity is severity for finding in audit.findings)


def sizes_line(audit: PoolAudit) -> str:
    known = audit.known
    size, used, fill = known.number("size"), known.number("allocated"), known.number("capacity")
    fragments = known.number("fragmentation")
    parts = [
        f"SIZE {binary(size)}" if size is not None else "",
        f"ALLOC {binary(used)}" if used is not None else "",
        _("{percent} % full", percent=fill) if fill is not None else "",
        _("free space {percent} % fragmented", percent=fragments) if fragments is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def pool_blocks(audit: PoolAudit, numbers: dict[str, int], *, every_step: bool) -> Iterator[Block]:
    """Yield the state of a pool, what was found and what its sizes are; ``every_step`` with the way to each of them."""
    yield from _state_blocks(audit, numbers)
    if audit.sizes is not None:
        yield ReportHeading(text=_("Where did the space go?"), level=3)
        yield from size_blocks(audit.sizes, every_step=every_step)


def _state_blocks(audit: PoolAudit, numbers: dict[str, int]) -> Iterator[Block]:
    tone = TextTone.OK if audit.gravest in {None, Severity.NOTE} else TONES[audit.gravest]
    yield Words(summary_of(audit), tone, strong=True)
    yield from state_facts(audit)
    yield devices_table(audit)
    yield from finding_blocks(audit, numbers)
    yield from unruled_blocks(audit)


def state_facts(audit: PoolAudit, *, sizes: bool = True) -> Iterator[Block]:
    muted = (audit.pool.status, *audit.pool.scans, *audit.pool.operations)
    promised = ("", TextTone.PLAIN) if audit.promises is None else (audit.promises.text, TextTone.PLAIN)
    lines = [(audit.unread, TextTone.WARN), promised, *((text, TextTone.MUTED) for text in muted)]
    if sizes:
        lines.insert(0, (sizes_line(audit), TextTone.PLAIN))
    yield from bullets(*(Words(text=text, tone=tone) for text, tone in lines if text))


def finding_blocks(audit: PoolAudit, numbers: dict[str, int]) -> Iterator[Block]:
    steps = [step.finding for step in first_steps((audit,))]  # whose commands stand above all already
    for severity, title in _TITLES.items():
        found = [finding for finding in audit.findings if finding.severity is severity]
        if found:
            yield ReportHeading(text=_(title), level=3)
        for finding in found:
            yield from _finding(finding, audit, numbers, above=any(finding is one for one in steps))


def unruled_blocks(audit: PoolAudit) -> Iterator[Block]:
    """Yield what is to be said beside the findings: that there is none, what is not known, what a design says."""
    if not audit.findings:
        # Of a pool that was read by half that is little.
        whole = audit.pool.status_read
        yield Words(_("No findings.") if whole else _("No rule speaks against what was read of this pool."))
    for finding in audit.unsure:
        yield Words(finding.text, TextTone.MUTED)  # each says what was not read
    if audit.problem:
        yield Words(audit.problem, TextTone.MUTED)
    if audit.misplaced is not None:
        yield ReportHeading(text=_("Against the design"), level=3)
        right = Words(text=_("Every disk is where the design says."), tone=TextTone.OK)
        yield from bullets(*([Words(text=p.text, tone=TextTone.WARN) for p in audit.misplaced] or [right]))


def size_blocks(sizes: SizesExplained, *, every_step: bool) -> Iterator[Block]:
    for cascade in sizes.cascades():
        yield from _cascade(cascade, every_step=every_step)
    notes = [_("Not read: {what}", what=text) for text in sizes.missing]
    if sizes.rounded:
        notes.insert(0, _("The sizes were printed with three digits; with -p they are exact."))
    yield from bullets(*notes)


def devices_table(audit: PoolAudit) -> ReportTable:
    header = (_("Device"), _("State"), _("Errors"), _("Size"))
    rows = [_row(depth, node, audit) for depth, node in tree_lines(audit.pool)]
    kept = [n for n in range(len(header)) if n < 2 or any(row[n].text for row in rows)]
    right = (at for at, n in enumerate(kept) if n > 1)
    return table([header[n] for n in kept], ([row[n] for n in kept] for row in rows), right)


def _row(depth: int, node: PoolNode, audit: PoolAudit) -> tuple[Words, ...]:
    sizes = audit.known.vdev(node.name)
    wrong = bool(node.state and node.state not in _HEALTHY)
    counts = (("READ", node.read_errors), ("WRITE", node.write_errors), ("CKSUM", node.checksum_errors))
    errors = ", ".join(f"{count} {name}" for name, count in counts if count)
    ashift = sizes.ashift if sizes is not None and depth == 0 else None
    section = "" if node.section == "data" or depth else node.section
    label = node.label if ashift is None else f"{node.label}, ashift {ashift}"
    return (
        Words(text="\u2003\u2003" * depth + label, small=" ".join(filter(None, (section, node.note)))),
        Words(text=node.state or "", tone=TextTone.WARN if wrong else TextTone.PLAIN, strong=wrong),
        Words(text=errors or ("" if counts[2][1] is None else "0"), tone=TextTone.WARN if errors else TextTone.PLAIN),
        Words(text=binary(sizes.size_bytes) if sizes is not None and sizes.size_bytes else ""),
    )


def _finding(finding: Finding, audit: PoolAudit, numbers: dict[str, int], *, above: bool) -> Iterator[Block]:
    remedy = remedy_of(finding, audit, numbers)
    note, why = finding.severity is Severity.NOTE, why_words(finding)
    small = ("" if note else why, advice_words(finding), remedy.then, gain_words(audit, finding), remedy.rewrite)
    words = Words(
        text=f"{finding.text} [{finding.rule_id}]",
        tone=TONES[finding.severity],
        strong=not note,
        small="\n".join(part for part in small if part),
        full=f"{why if note else ''} {source_words(finding)}",
    )
    yield from bullets(words)
    yield from code(() if above else remedy.commands)


def gain_words(audit: PoolAudit, finding: Finding) -> str:
    gain = audit.gain(finding.rule_id)
    return _("Gain: {gain}", gain=gain.text) if gain is not None else ""


def why_words(finding: Finding) -> str:
    return _("Why: {text}", text=finding.why) if finding.why else ""


def advice_words(finding: Finding) -> str:
    return _("Advice: {text}", text=finding.advice) if finding.advice else ""


def source_words(finding: Finding) -> str:
    own = tuple(shipped("audit")["not_published"].split("|"))
    found = (_(one.ref) for one in finding.sources if one.kind != "table" and not one.ref.startswith(own))
    sources = "; ".join(dict.fromkeys(found))
    return _("Source: {source}.", source=sources) if sources else ""


def _cascade(cascade: SizeCascade, *, every_step: bool) -> Iterator[Block]:
    yield Picture(drawing=cascade_chart(cascade.title, cascade.steps))
    rest = _("Explained to the byte.")
    if cascade.rest_bytes:
        rest = _("{count} bytes are not told by any property.", count=abs(cascade.rest_bytes))
    if every_step:
        steps = ((s.title, signed(s.change_bytes), numeral(s.bytes_left), s.why) for s in cascade.steps)
        yield table((cascade.title, _("Bytes"), _("Left"), _("Why")), steps, (1, 2))
        yield from bullets(Words(text=rest, tone=TextTone.MUTED))
        return
    first, *others = cascade.steps
    changes = (
        f"{s.title} {'−' if s.change_bytes < 0 else '+'}{binary(abs(s.change_bytes))}"
        for s in others
        if s.change_bytes and s.name != "rest"
    )
    begin = f"{first.title} {binary(first.bytes_left)}" if first.bytes_left else ""
    way = ", ".join(part for part in (begin, *changes) if part)
    yield from bullets(Words(text=f"{cascade.title}: {binary(cascade.printed_bytes)} = {way}", small=rest))


def signed(change: int) -> str:
    return f"{'+' if change > 0 else '−'}{numeral(abs(change))}" if change else ""


# A pool that exists, as blocks: held against its design, and what would improve it.

WAYS = {
    LiveWay.STEP: (N_("What turns the pool into the design, in this order"), TextTone.PLAIN),
    LiveWay.CANNOT: (N_("What cannot be changed"), TextTone.WARN),
    LiveWay.LEFT: (N_("What is left as it is"), TextTone.NOTE),
    LiveWay.UNKNOWN: (N_("What is not known"), TextTone.MUTED),
}


def live_report(comparison: LiveComparison, *, made: str) -> Report:
    return Report(
        title=_("The pool {pool} against its design", pool=comparison.pool.name),
        subtitle=counted_words(comparison),
        blocks=tuple(live_blocks(comparison)),
        foot=made,
    )


def live_blocks(comparison: LiveComparison) -> Iterator[Block]:
    """Yield what differs, each with the commands that mend it, in the order in which they are to be typed."""
    first = (_("First: {text}", text=text) for text in comparison.before)
    yield from bullets(*(Words(text=text, tone=TextTone.WARN) for text in first))
    lines = live_commands(comparison)
    for way, (title, tone) in WAYS.items():
        found = list(comparison.of_way(way))
        if found:
            yield ReportHeading(text=_(title))
        for one in found:
            small = "\n".join(part for part in (one.reason, one.rewrite) if part)
            yield from bullets(Words(text=one.text, tone=tone, strong=way is LiveWay.CANNOT, small=small))
            yield from code(lines.get(one, ()))


def counted_words(comparison: LiveComparison) -> str:
    steps = sum(1 for __ in comparison.of_way(LiveWay.STEP))
    others = len(comparison.differences) - steps
    if not comparison.differences:
        return _("The pool {pool} is as the design says, as far as it was read.", pool=comparison.pool.name)
    barred = comparison.barred_by
    if barred:
        stays = listed([_("{what} ({why})", what=one.place, why=one.found) for one in barred])
        return ngettext("{pool} cannot become this design: {vdevs} stays in the pool, and the design does not have "
                            "it. No commands are written.",
                            "{pool} cannot become this design: {vdevs} stay in the pool, and the design does not have "
                            "them. No commands are written.",
                            len(barred), pool=comparison.pool.name, vdevs=stays)  # fmt: skip
    first = ngettext("{pool} needs {count} change to match the design.",
                     "{pool} needs {count} changes to match the design.", steps, pool=comparison.pool.name)  # fmt: skip
    then = ngettext("{count} difference stays.", "{count} differences stay.", others) if others else ""
    return f"{first} {then}".rstrip()


# How the improvements of an existing pool are told, and the commands of each.

# Changes by way of another pool: against this one their design would only add to what is wrong with it.
ANEW = (ChangeKind.NEW_POOL, ChangeKind.REBUILD)


def pasted(steps: Sequence[FirstStep]) -> tuple[str, int]:
    """Return what is safe to paste of steps that have commands, and how many commands that are.

    All up to what a person looks at first, else the very first: each runs when the one before it has ended well.
    """
    ready = list(takewhile(lambda step: step.remedy.ready, steps))
    found = [(step, (*step.commands, step.remedy.wait)) for step in ready] or [(s, s.commands[:1]) for s in steps[:1]]
    parts = (f"{comment_line(step.finding.text)}\n" + " &&\n".join(filter(None, lines)) for step, lines in found)
    return " &&\n".join(parts) + "\n", sum(len(step.commands) for step in ready) or len(found)


def free_mends(audit: PoolAudit) -> tuple[FirstStep, ...]:
    return tuple(step for step in first_steps((audit,)) if step.commands and not step.remedy.buys)


def steps_of_change(change: PoolChange, inventory: Inventory, pool: Pool) -> dict[LiveDifference, tuple[str, ...]]:
    """Return the steps from the pool to what it is after a change, in order, with their commands.

    None where commands lead to another pool. While the pool is at work on itself only what is urgent has
    steps: what they would name may be another device when that has ended.
    """
    known = inventory.facts_of(pool)
    busy = known is not None and known.runs(ScanKind.RESILVER, ScanKind.REMOVAL, ScanKind.EXPANSION)
    if change.design is None or change.kind in ANEW or (busy and change.urgency is not Urgency.FIRST):
        return {}
    try:
        return live_commands(compare_with_live(change.design, inventory, pool))
    except PoolwrightError:
        return {}


def course_line(steps: Iterable[LiveDifference]) -> str:
    """Return how long the disks of a change are exchanged one after the other, and what is borne all the time."""
    exchanged = [step.effect for step in steps if step.effect is not None]
    if not exchanged:
        return ""
    hours, least = total_hours(exchanged), min(effect.survives for effect in exchanged)
    bears = ngettext("any {count} disk may fail at every moment", "any {count} disks may fail at every moment",
                         least) if least else _("nothing else protects the data")  # fmt: skip
    count = ngettext("{count} resilver", "{count} resilvers", len(exchanged))
    if hours is None:
        return _("{count}, one after the other; {bears}.", count=count, bears=bears)
    time = band_text(hours, hours_text)
    return _("{count}, one after the other, {time} in all; {bears}.", count=count, time=time, bears=bears)


def change_title(change: PoolChange, to_name_a_price: str) -> str:
    """Return a change with what it costs, where it brings disks; ``to_name_a_price`` helps where nobody knows."""
    if change.design is None and not change.bought:
        return change.title
    cost = _("no price known: the catalogue has no such drive. {todo}", todo=to_name_a_price)
    if change.cost is not None:
        origins = (origin for disk in change.bought for name, origin in disk.origins if name == "price")
        days = ", ".join(dict.fromkeys(origin.when for origin in origins if origin.when))
        own = _("{amount} and disks already here", amount=change.cost) if change.at_hand else f"{change.cost}"
        own = f"{own} ({days})" if days else own
        nothing = _("room elsewhere for a full copy") if change.kind is ChangeKind.REBUILD else _("nothing to buy")
        cost = own if change.cost.amount else nothing
    return f"{change.title}: {cost}"


_WORTH = {
    Urgency.FIRST: N_("first of all"), Urgency.WORTH: N_("yes"), Urgency.LITTLE: N_("little"),
    Urgency.DEAR: N_("over budget"), Urgency.ASK: N_("unknown"), Urgency.NOT: N_("better not"),
}  # fmt: skip


def changes_table(found: PoolImprovements, *, judged: bool = True) -> ReportTable:
    """Return the pool as it is and each change, or those that nobody can tell or advises."""

    def row(number: str, cost: str, numbers: PoolNumbers | None, worth: str, title: str) -> tuple[str, ...]:
        usable, loss = (numbers.usable_bytes, numbers.loss) if numbers is not None else (None, None)
        known = "" if usable is None else binary(usable), "" if loss is None else odds_text(loss)
        return number, cost, *known, worth, title

    rows = [row("", "", found.before, "", _("as it is now"))] if judged else []
    for number, change in enumerate(found.changes, 1):
        nothing = _("full copy") if change.kind is ChangeKind.REBUILD else "0"
        cost = "?" if change.cost is None else str(change.cost) if change.cost.amount else nothing
        title = before_colon(change.title)  # which disks come for it is told with the reasons
        if judged is not (change.urgency in (Urgency.ASK, Urgency.NOT)):
            rows.append(row(str(number), cost, change.after, _(_WORTH[change.urgency]), title))
    return table(("#", _("Costs"), _("Usable"), _("Loss a year"), capital(_("worth it")), _("Change")), rows, range(4))


def summary_line(found: PoolImprovements) -> str:
    fill = _("{percent} % full", percent=found.fill_percent) if found.fill_percent is not None else ""
    spend = _("{amount} to spend", amount=found.money) if found.money is not None else "" if fill else _("no limit")
    partly = found.money is not None and found.left not in (None, found.money)
    rest = _("{amount} of it left when the urgent is paid", amount=found.left) if partly else ""
    parts = [part for part in (fill, spend, rest) if part]
    return _("{name}: {value}", name=found.pool_name, value=", ".join(parts))
