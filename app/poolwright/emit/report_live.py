"""The report of a design held against the pool that exists, as blocks."""

from collections.abc import Iterator

from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.emit.live_commands import live_commands
from poolwright.emit.report_blocks import Block, Code, Paragraph, Report, ReportHeading, TextTone, Words, paragraph
from poolwright.texts import listed, marked, tell, tell_counted

_TONES = {
    LiveWay.STEP: TextTone.PLAIN,
    LiveWay.CANNOT: TextTone.WARN,
    LiveWay.LEFT: TextTone.NOTE,
    LiveWay.UNKNOWN: TextTone.MUTED,
}


def live_report(comparison: LiveComparison, *, made: str) -> Report:
    """Return the report; ``made`` tells program, version and time."""
    return Report(
        title=tell("The pool {pool} against its design", pool=comparison.pool.name),
        subtitle=counted_words(comparison),
        blocks=tuple(_blocks(comparison)),
        foot=made,
    )


def _blocks(comparison: LiveComparison) -> Iterator[Block]:
    for text in comparison.before:
        yield paragraph(tell("First: {text}", text=text), TextTone.WARN)
    for way in WAYS:
        found = list(comparison.of_way(way))
        if found:
            yield ReportHeading(text=way_title(way))
        yield from (_difference(one) for one in found)
    text = "\n".join(line for one in live_commands(comparison) for line in one.lines)
    if text:
        yield ReportHeading(text=tell("The commands"))
        yield Code(text=text)


def _difference(one: LiveDifference) -> Paragraph:
    small = " ".join(part for part in (one.reason, one.rewrite) if part)
    return Paragraph(words=Words(text=one.text, tone=_TONES[one.way], strong=one.way is LiveWay.CANNOT, small=small))


# How a design held against a pool is told, wherever it is shown.

WAYS = (LiveWay.STEP, LiveWay.CANNOT, LiveWay.LEFT, LiveWay.UNKNOWN)
_TITLES = {
    LiveWay.STEP: marked("What turns the pool into the design, in this order"),
    LiveWay.CANNOT: marked("What cannot be changed"),
    LiveWay.LEFT: marked("What is left as it is"),
    LiveWay.UNKNOWN: marked("What is not known"),
}


def way_title(way: LiveWay) -> str:
    """Return the heading over the differences of a kind."""
    return tell(_TITLES[way])


def counted_words(comparison: LiveComparison) -> str:
    """Return in a sentence how much differs."""
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
