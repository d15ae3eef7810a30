"""Speeds as people read them on the command line: no bare number where the band says that it is worth little."""

from collections.abc import Callable

from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import rate_text
from poolwright.predict.number_words import banded_text, operations_text, rounded
from poolwright.predict.speed import SpeedPrediction
from poolwright.texts import either, marked, tell

# What a narrow column says in the place of `CANNOT_TELL`.
UNTOLD = "?"
TABLE_HEADER = (marked("reads GB/s"), marked("writes GB/s"), marked("random reads/s"), marked("random writes/s"))
_GB = 1e9


def speed_lines(speed: SpeedPrediction) -> tuple[str, str]:
    """Return the sequential and the random speeds of a pool, a line each."""
    reads, writes = (banded_text(rate, rate_text) for rate in (speed.seq_read, speed.seq_write))
    some, more = (banded_text(rate, operations_text) for rate in (speed.rand_read_iops, speed.rand_write_iops))
    return tell("sequential: reads {reads}, writes {writes}", reads=reads, writes=writes), tell(
        "random, a second: reads {some}, writes {more}", some=some, more=more
    )


def table_cells(speed: SpeedPrediction) -> tuple[str, str, str, str]:
    """Return the speeds for the columns of `TABLE_HEADER`: the typical value, the band behind it where it is wide."""
    read, write = (_cell(rate, gigabytes_text) for rate in (speed.seq_read, speed.seq_write))
    some, more = (_cell(rate, operations_text) for rate in (speed.rand_read_iops, speed.rand_write_iops))
    return read, write, some, more


def cell_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a speed in a narrow column: both values where one question decides, a mark where nobody can tell."""
    if not estimate.cannot_tell:
        return text(estimate.typical)
    return either([text(case.value) for case in estimate.cases]) or UNTOLD


def _cell(estimate: Estimate, text: Callable[[float], str]) -> str:
    value = cell_text(estimate, text)
    return f"{value} ({text(estimate.low)}-{text(estimate.high)})" if estimate.wide else value


def gigabytes_text(rate: float) -> str:
    """Return a rate in GB a second, without its unit."""
    return f"{rounded(rate / _GB, 2):g}"
