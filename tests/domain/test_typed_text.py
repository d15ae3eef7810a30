"""Any text that is typed as a size or a rate gives a value or a reason, in time proportional to its length."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.rates import parse_disk_rate, parse_link_rate
from poolwright.domain.units import drive_text, parse_block_size, parse_drive_size, parse_size, written_bytes
from poolwright.domain.vdev import parse_spec

PARSERS = (
    parse_size, parse_drive_size, parse_block_size, parse_disk_rate, parse_link_rate, parse_spec, parse_growth_step,
)  # fmt: skip
LIKELY = st.text("0123456789.,'  _xKMGTiBbes/:@%", max_size=30) | st.text(max_size=30)


@pytest.mark.parametrize("parse", PARSERS, ids=lambda parse: parse.__name__)
@given(text=LIKELY)
def test_that_any_text_gives_a_value_or_a_reason(parse: Callable[[str], object], text: str) -> None:
    try:
        parse(text)
    except UserError:
        return


@given(st.integers(1, (1 << 62)))
def test_that_a_disk_is_read_back_as_it_was_shown(size: int) -> None:
    assert parse_drive_size(drive_text(size)) == size
    assert parse_drive_size(written_bytes(size)) == size


@pytest.mark.parametrize("parse", PARSERS, ids=lambda parse: parse.__name__)
@pytest.mark.parametrize("part", [" ", "1", "1,", "1 ", " at ", "@", "B"])
def test_that_a_long_text_takes_time_in_proportion(parse: Callable[[str], object], part: str) -> None:
    def seconds(length: int) -> float:
        text = "attach 1" + part * length + "!"
        begin = time.process_time()
        for _ in range(5):
            with pytest.raises(UserError):
                parse(text)
        return time.process_time() - begin

    small, large = (min(seconds(length) for _ in range(2)) for length in (8_000, 32_000))
    assert large < 12 * small + 0.02
