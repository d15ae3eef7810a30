"""The field of exchange rates: what a person says that one currency is worth in another, with the day."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from PySide6.QtWidgets import QWidget

from poolwright.domain.money import ExchangeRate, Money
from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.texts import marked, tell
from poolwright.ui.parts.form import FactEntry, Field, Form, Remark, Typed
from poolwright.ui.state.expectations import Expectations
from poolwright.ui.state.money_of_budget import lacking_rate, parse_rates, rates_remark, rates_text
from poolwright.ui.state.session import Session


class RatesEntry(FactEntry):
    """Changes the rates of the session's budget; ``amounts`` tells what has to be converted beside its own."""

    def __init__(
        self, name: str, session: Session, amounts: Callable[[], Iterable[Money | None]], parent: QWidget | None = None
    ) -> None:
        super().__init__(name, Typed(self._read, rates_text), parent)
        self._session, self._amounts = session, amounts
        self.value_changed.connect(self._on_rates)

    def lacking(self) -> tuple[str, str] | None:
        return lacking_rate(self._session.budget, self._amounts())

    def refresh(self) -> None:
        budget = self._session.budget
        self.show_value(budget.rates or None, rates_remark(budget, self.lacking()), tell("none"))

    def _read(self, text: str) -> tuple[ExchangeRate, ...]:
        # A bare number is a rate between the two currencies that meet, whether or not one was typed already.
        asked = lacking_rate(replace(self._session.budget, rates=()), self._amounts())
        return parse_rates(text, self._session.budget.rates, today=today_text(), asked=asked)

    def _on_rates(self, rates: object) -> None:
        told = rates if isinstance(rates, tuple) else ()
        self._session.set_budget(replace(self._session.budget, rates=told))


class RateRow(Form):
    """A row with the field; hidden where nothing has to be converted."""

    def __init__(
        self, session: Session, amounts: Callable[[], Iterable[Money | None]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        name = tell("Exchange rate")
        self.entry = RatesEntry(name, session, amounts, self)
        self.add_row(name, self.entry)
        self.hide()

    def refresh(self) -> None:
        """Ask for a rate where amounts meet that have different currencies."""
        self.entry.refresh()
        self.setVisible(bool(self._session.budget.rates) or self.entry.lacking() is not None)


def today_text() -> str:
    """Return the date of today where the user is, in ISO form."""
    return datetime.now().astimezone().date().isoformat()


# Rows of assumptions that can be typed over: empty is what the model or the machine says.


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What holds while nothing is typed, short enough for an empty field, and why it does."""

    value: str
    why: str


class AssumptionForm(Form):
    """Shows and changes some of what `Expectations` assume."""

    def __init__(self, rows: Sequence[Field], expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self.add(*rows)
        self.edited.connect(self._on_edited)

    def show_standing(self, standing: Mapping[str, Standing]) -> None:
        """Show what is assumed, and in empty fields what holds instead."""
        for key, holds in standing.items():
            self.editor(key).show_value(getattr(self._expectations.assumed, key), Remark(text=holds.why), holds.value)

    def _on_edited(self, key: str, value: object) -> None:
        self._expectations.assume(**{key: value})


# Room beside the data as the makers of systems divide disks, to be chosen instead of typed.

# Key, what it is called, and what is reserved.
USUAL_RESERVES = (
    ("proxmox", marked("Proxmox VE"), ("bios=1MiB", "esp=1GiB")),
    ("truenas", marked("older TrueNAS"), ("truenas=2GiB",)),
    ("debian", marked("Debian"), ("bios=1MiB", "esp=512MiB")),
    ("system", marked("ESP, boot, swap"), ("esp=512MiB", "boot=2GiB", "swap=8GiB:last")),
)


def usual_partitions(texts: tuple[str, ...]) -> tuple[ReservedPartition, ...]:
    return tuple(parse_reserve(text).partition for text in texts)
