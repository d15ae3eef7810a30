"""What speaks against the present use of the flash drives, and a button for the better one."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.advise.roles.critique import Critique
from poolwright.texts import tell
from poolwright.ui.design.roles import words
from poolwright.ui.design.roles.card import wraps
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.theme import GRID, Tone


class CritiqueRows(QWidget):
    """A line for each critique. ``accepted`` carries the role that is criticised when its button is pressed."""

    accepted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = lay.column(of=self)
        self._shown: tuple[Critique, ...] = ()
        self._rows: list[_Row] = []
        self.hide()

    def show_critiques(self, critiques: Sequence[Critique]) -> None:
        """Replace the lines."""
        self._shown = tuple(critiques)
        while len(self._rows) < len(self._shown):
            row = _Row(self)
            row.button.clicked.connect(self._on_pressed)
            self._rows.append(row)
            self._column.addWidget(row)
        for number, row in enumerate(self._rows):
            row.setVisible(number < len(self._shown))
            if number < len(self._shown):
                row.show_critique(self._shown[number])
        self.setVisible(bool(self._shown))

    def _on_pressed(self) -> None:
        sender = self.sender()
        for row, critique in zip(self._rows, self._shown, strict=False):
            if row.button is sender:
                self.accepted.emit(critique.role.value)
                return


class _Row(QWidget):
    """Text and button."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines = NoteLines(tell("Against the present use"), self, most=1)
        wraps(self.lines)
        self.button = QPushButton(self)
        icons.give(self.button, "refresh")
        lay.row((self.lines, 1), (self.button, 0, Qt.AlignmentFlag.AlignTop), of=self, gap=2 * GRID)

    def show_critique(self, critique: Critique) -> None:
        """Show this one."""
        self.lines.show_lines((Line(text=critique.text, tone=Tone.WARN),))
        if critique.better:
            better = ", ".join(words.role_title(role) for role in critique.better)
            text = tell("Use as {role} instead", role=better)
        else:
            text = tell("Leave them out")
        self.button.setText(text)
        self.button.setAccessibleName(f"{text}: {words.role_title(critique.role)}")
