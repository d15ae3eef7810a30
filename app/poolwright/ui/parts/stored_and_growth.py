"""The two assumptions from which a pool's growth follows: what is stored at first, and how fast it becomes more."""

from functools import partial

from poolwright.design.amounts import parse_growth, size_text
from poolwright.domain.read_back import growth_read, size_read
from poolwright.domain.units import parse_size
from poolwright.texts import tell
from poolwright.ui.parts.form import Field, Typed, short


def stored_and_growth(stored: str, growth: str) -> tuple[Field, Field]:
    """Return the fields in their order, called as people shall read them: bytes, and per cent a year."""
    return (
        Field("used_bytes", stored, Typed(partial(parse_size, what=tell("amount of data")), size_text, size_read)),
        Field("growth_percent", growth, Typed(parse_growth, short, growth_read)),
    )
