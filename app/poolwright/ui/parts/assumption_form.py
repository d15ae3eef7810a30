"""Rows of assumptions that can be typed over: empty is what the model or the machine says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from poolwright.ui.parts.form import Field, Form, Remark
from poolwright.ui.state.expectations import Expectations


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
