"""The field of exchange rates: what a person says that one currency is worth in another, with the day."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from PySide6.QtWidgets import QWidget

from poolwright.domain.money import ExchangeRate, Money
from poolwright.texts import tell
from poolwright.ui.parts.form import FactEntry, Form, Typed
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
