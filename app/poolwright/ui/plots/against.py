"""What usable capacity is plotted against: each better to the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor, log10

from poolwright.advise.candidate import Candidate
from poolwright.domain.units import GB
from poolwright.texts import tell
from poolwright.ui.parts.expected_words import axis_odds

_RAREST = 1e-15


class Against(StrEnum):
    """The choices for the horizontal axis."""

    SURVIVED = "survived"
    RISK = "risk"
    READ = "read"
    WRITE = "write"
    RANDOM_READ = "random-read"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontAxis:
    """A choice: its name, the title of the axis with its unit, the heading of a CSV column, the value of a layout."""

    name: str
    title: str
    heading: str
    value: Callable[[Candidate], float]


def axes() -> dict[Against, FrontAxis]:
    """Return every choice; the first is shown at first."""
    return {
        Against.SURVIVED: FrontAxis(
            name=tell("Failures survived"),
            title=tell("Failures survived, whichever disks (count)"),
            heading="failures_survived",
            value=_survived,
        ),
        Against.RISK: FrontAxis(
            name=tell("Yearly risk"),
            title=tell("Yearly risk of losing a pool, predicted (rarer to the right)"),
            heading="yearly_loss_minus_log10",
            value=_rarity,
        ),
        Against.READ: FrontAxis(
            name=tell("Sequential read"),
            title=tell("Sequential read of one pool, predicted (GB/s)"),
            heading="seq_read_gb_s",
            value=_read,
        ),
        Against.WRITE: FrontAxis(
            name=tell("Sequential write"),
            title=tell("Sequential write of one pool, predicted (GB/s)"),
            heading="seq_write_gb_s",
            value=_write,
        ),
        Against.RANDOM_READ: FrontAxis(
            name=tell("Random reads"),
            title=tell("Random reads of one pool, predicted (operations/s)"),
            heading="rand_read_iops",
            value=_random_read,
        ),
    }


def span(against: Against, values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: from zero where that means nothing at all, whole powers of ten for a risk."""
    least, most = min(values, default=0.0), max(values, default=0.0)
    if against is Against.SURVIVED:
        return least - 0.55, most + 0.55
    if against is Against.RISK:
        return float(floor(least)), float(max(ceil(most), floor(least) + 1))
    return 0.0, (most or 1.0) * 1.04


def ticks(against: Against, values: Sequence[float]) -> list[tuple[float, str]] | None:
    """Return the marks of the axis; None leaves them to the plot."""
    if against is Against.SURVIVED:
        least, most = round(min(values, default=0.0)), round(max(values, default=0.0))
        return [(x, str(x)) for x in range(least, most + 1)]
    if against is Against.RISK:
        first, last = span(against, values)
        step = max(1, ceil((last - first) / 3))
        return [(x, axis_odds(-x)) for x in range(int(first), int(last) + 1, step)]
    return None


def _survived(candidate: Candidate) -> float:
    return candidate.failures_survived


def _rarity(candidate: Candidate) -> float:
    return -log10(max(_RAREST, candidate.yearly_loss))


def _read(candidate: Candidate) -> float:
    return candidate.measures.forecast.speed.seq_read / GB


def _write(candidate: Candidate) -> float:
    return candidate.measures.forecast.speed.seq_write / GB


def _random_read(candidate: Candidate) -> float:
    return candidate.measures.forecast.speed.rand_read_iops
