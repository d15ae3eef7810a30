"""A pool that exists, as blocks: held against its design, and what would improve it."""

import shlex
from collections.abc import Iterable, Iterator

from poolwright.changes.against.difference import against_live
from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.values import ChangeKind, PoolChange, PoolImprovements, Urgency
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.existing_pool import ScanKind
from poolwright.domain.finding import Severity
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool
from poolwright.emit.live_commands import live_commands
from poolwright.emit.remedies import FirstStep, remedy_of
from poolwright.emit.report import Block, Bullets, Code, Report, ReportHeading, TextTone, Words
from poolwright.predict.number_words import hours_text
from poolwright.texts import listed, marked, tell, tell_counted

_TONES = {
    LiveWay.STEP: TextTone.PLAIN,
    LiveWay.CANNOT: TextTone.WARN,
    LiveWay.LEFT: TextTone.NOTE,
    LiveWay.UNKNOWN: TextTone.MUTED,
}


def live_report(comparison: LiveComparison, *, made: str) -> Report:
    return Report(
        title=tell("The pool {pool} against its design", pool=comparison.pool.name),
        subtitle=counted_words(comparison),
        blocks=tuple(live_blocks(comparison)),
        foot=made,
    )


def live_blocks(comparison: LiveComparison) -> Iterator[Block]:
    """Yield what differs, each with the commands that mend it, in the order in which they are to be typed."""
    if comparison.before:
        first = (tell("First: {text}", text=text) for text in comparison.before)
        yield Bullets(items=tuple(Words(text=text, tone=TextTone.WARN) for text in first))
    lines = live_commands(comparison)
    for way in WAYS:
        found = list(comparison.of_way(way))
        if found:
            yield ReportHeading(text=way_title(way))
        for one in found:
            small = "\n".join(part for part in (one.reason, one.rewrite) if part)
            strong = one.way is LiveWay.CANNOT
            yield Bullets(items=(Words(text=one.text, tone=_TONES[one.way], strong=strong, small=small),))
            if one in lines:
                yield Code(text="\n".join(lines[one]))


# How a design held against a pool is told, wherever it is shown.

WAYS = (LiveWay.STEP, LiveWay.CANNOT, LiveWay.LEFT, LiveWay.UNKNOWN)
_TITLES = {
    LiveWay.STEP: marked("What turns the pool into the design, in this order"),
    LiveWay.CANNOT: marked("What cannot be changed"),
    LiveWay.LEFT: marked("What is left as it is"),
    LiveWay.UNKNOWN: marked("What is not known"),
}


def way_title(way: LiveWay) -> str:
    return tell(_TITLES[way])


def counted_words(comparison: LiveComparison) -> str:
    steps = sum(1 for _ in comparison.of_way(LiveWay.STEP))
    others = len(comparison.differences) - steps
    if not comparison.differences:
        return tell("The pool {pool} is as the design says, as far as it was read.", pool=comparison.pool.name)
    barred = comparison.barred_by
    if barred:
        stays = listed([tell("{vdev} ({what})", vdev=one.place, what=one.found) for one in barred])
        return tell_counted("{pool} cannot become this design: {vdevs} stays in the pool, and the design does not have "
                            "it. No commands are written.",
                            "{pool} cannot become this design: {vdevs} stay in the pool, and the design does not have "
                            "them. No commands are written.",
                            len(barred), pool=comparison.pool.name, vdevs=stays)  # fmt: skip
    first = tell_counted("{count} step", "{count} steps", steps)
    then = tell_counted("{count} difference stays", "{count} differences stay", others)
    return tell("The pool {pool} against the design {design}: {steps}, {stays}.", pool=comparison.pool.name,
                design=comparison.design.name, steps=first, stays=then)  # fmt: skip


# How the improvements of an existing pool are told, and the commands of each.

# Changes by way of another pool: against this one their design would only add to what is wrong with it.
ANEW = (ChangeKind.NEW_POOL, ChangeKind.REBUILD)
URGENCY_TITLES = {
    Urgency.FIRST: marked("First of all"),
    Urgency.WORTH: marked("Worth it, the best first"),
    Urgency.LITTLE: marked("Brings little here"),
    Urgency.DEAR: marked("More than there is to spend"),
    Urgency.ASK: marked("Not known enough to say"),
    Urgency.NOT: marked("Better not, or not possible"),
}


def free_mends(audit: PoolAudit) -> tuple[FirstStep, ...]:
    """Return the grave findings and warnings that cost nothing to mend, the gravest first; the same mend once."""
    found: list[FirstStep] = []
    for finding in audit.findings:
        remedy = remedy_of(finding, audit)
        free = finding.severity is not Severity.NOTE and remedy.commands and not remedy.buys
        if free and all(mend.commands != remedy.commands for mend in found):
            found.append(FirstStep(audit=audit, finding=finding, commands=remedy.commands))
    return tuple(found)


def commands_of_change(change: PoolChange, inventory: Inventory, pool: Pool) -> tuple[str, ...]:
    """Return the command lines of a change; of one by way of another pool the line that plans the move.

    None where there is no way by commands.
    """
    if change.kind in ANEW:
        return _moving(change, pool)
    return tuple(line for lines in steps_of_change(change, inventory, pool).values() for line in lines)


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
        return live_commands(against_live(change.design, inventory, pool))
    except PoolwrightError:
        return {}


def course_line(steps: Iterable[LiveDifference]) -> str:
    """Return how long the disks of a change are exchanged one after the other, and what is borne all the time."""
    exchanged = [step for step in steps if step.survives is not None]
    hours = [step.hours for step in exchanged if step.hours is not None]
    if not exchanged:
        return ""
    least = min(step.survives or 0 for step in exchanged)
    bears = tell_counted("any {count} disk may fail at every moment", "any {count} disks may fail at every moment",
                         least) if least else tell("nothing else protects the data")  # fmt: skip
    count = tell_counted("{count} resilver", "{count} resilvers", len(exchanged))
    if len(hours) < len(exchanged):
        return tell("{count}, one after the other; {bears}.", count=count, bears=bears)
    low, high = hours_text(sum(h.low for h in hours)), hours_text(sum(h.high for h in hours))
    return tell("{count}, one after the other, {low} to {high} in all; {bears}.", count=count, low=low, high=high,
                bears=bears)  # fmt: skip


def _moving(change: PoolChange, pool: Pool) -> tuple[str, ...]:
    if change.move is None:
        return ()
    buys = ["--buy", change.move.bought] if change.move.bought else []
    return (shlex.join(["poolwright", "migrate", "--pool", pool.name, "--layout", change.move.layout, *buys]),)


def cost_words(change: PoolChange, to_name_a_price: str) -> str:
    """Return what a change costs; that its price is unknown, and what to do then; empty where it brings no disks."""
    if change.design is None and not change.bought:
        return ""
    if change.cost is None:
        return tell("no price known: the catalogue has no such drive. {todo}", todo=to_name_a_price)
    if not change.cost.amount:
        return tell("nothing to buy")
    return tell("{amount}", amount=change.cost) if not change.at_hand else tell("{amount} and disks at hand",
                                                                               amount=change.cost)  # fmt: skip


def summary_line(found: PoolImprovements) -> str:
    fill = tell("{percent} % full", percent=found.fill_percent) if found.fill_percent is not None else ""
    spend = tell("{amount} to spend", amount=found.money) if found.money is not None else tell("no limit told")
    rest = tell("{amount} of it left when the urgent is paid", amount=found.left) if _partly(found) else ""
    parts = [part for part in (fill, spend, rest) if part]
    return tell("{pool}: {facts}", pool=found.pool_name, facts=", ".join(parts))


def _partly(found: PoolImprovements) -> bool:
    return found.money is not None and found.left is not None and found.left != found.money
