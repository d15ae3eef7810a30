"""The two assumptions from which a pool's growth follows: what is stored at first, and how fast it becomes more."""

from poolwright.advise.amounts import parse_growth, size_text
from poolwright.domain.read_back import growth_read, size_read
from poolwright.domain.units import parse_size
from poolwright.texts import tell
from poolwright.ui.parts.assumption_form import Assumption


def stored_and_growth(stored: str, growth: str) -> tuple[Assumption, Assumption]:
    """Return the fields in their order, called as people shall read them: bytes, and per cent a year."""
    return (
        Assumption(field="used_bytes", name=stored, parse=_size, told=size_read, shown=_shown_size),
        Assumption(field="growth_percent", name=growth, parse=parse_growth, told=growth_read, shown=_short),
    )


def _size(text: str) -> int:
    return parse_size(text, what=tell("amount of data"))


def _shown_size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | int) else ""
