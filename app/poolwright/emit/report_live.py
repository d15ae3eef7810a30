"""The report of a design held against the pool that exists, as blocks."""

from collections.abc import Iterator

from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.emit.live_commands import live_commands
from poolwright.emit.live_words import WAYS, counted_words, way_title
from poolwright.emit.report_blocks import Block, Code, Paragraph, Report, ReportHeading, TextTone, Words, paragraph
from poolwright.texts import tell

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
