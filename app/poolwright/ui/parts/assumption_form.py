"""Rows of assumptions that can be typed over: empty is what the model or the machine says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.fact_form import FactEntry, FactForm, Remark
from poolwright.ui.state.expectations import Expectations


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A field of `Assumptions`: its name for people, how it is read and shown."""

    field: str
    name: str
    parse: Callable[[str], object]
    shown: Callable[[object], str] = str
    told: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What holds while nothing is typed, short enough for an empty field, and why it does."""

    value: str
    why: str


class AssumptionForm(QWidget):
    """Shows and changes some of what `Expectations` assume."""

    def __init__(self, rows: Sequence[Assumption], expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self.form = FactForm(self)
        lay.column(self.form, of=self)
        self._entries: dict[str, FactEntry] = {}
        for row in rows:
            entry = FactEntry(row.name, row.parse, row.shown, self.form, told=row.told)
            entry.setProperty("assumption", row.field)
            entry.value_changed.connect(self._on_value)
            self._entries[row.field] = entry
            self.form.add_row(row.name, entry)

    def show_standing(self, standing: dict[str, Standing]) -> None:
        """Show what is assumed, and in empty fields what holds instead."""
        for field, entry in self._entries.items():
            holds = standing.get(field, Standing(value="", why=""))
            entry.show_value(getattr(self._expectations.assumed, field), Remark(text=holds.why), holds.value)

    def entry(self, field: str) -> FactEntry:
        """Return the editor of a field."""
        return self._entries[field]

    def _on_value(self, value: object) -> None:
        sender = self.sender()
        if isinstance(sender, FactEntry):
            self._expectations.assume(**{str(sender.property("assumption")): value})
