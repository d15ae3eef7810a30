"""The names of the second, third … pool of a design, a field each; hidden where there is one pool only."""

from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from poolwright.design.edits.pooling import rename_pool
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.session import Session

_FIELDS_A_ROW = 4


class FurtherPoolNames(QWidget):
    """A name that is left is given to the pool as one step that can be undone; one that is refused says why."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.fields: list[QLineEdit] = []
        self._label = QLabel(tell("Further pools"), self)
        self._label.setFont(text_font(semibold=True))
        self.problem = ToneLabel("", Tone.BLOCK, self)
        self.problem.setAccessibleName(tell("What is wrong with the name of a further pool"))
        self.problem.hide()
        self._grid = lay.grid(gap=(GRID, GRID // 2))
        self._grid.addWidget(self._label, 0, 0)
        lay.column(self._grid, self.problem, of=self, gap=GRID // 2)
        self.hide()

    def show_design(self, design: Design | None) -> None:
        """Show a field for each pool after the first."""
        pools = () if design is None else design.further_pools
        while len(self.fields) < len(pools):
            self._add_field()
        for number, field in enumerate(self.fields):
            field.setVisible(number < len(pools))
            if number < len(pools) and not field.hasFocus():
                field.setText(pools[number].pool_name)
        self.setVisible(bool(pools))
        self._say("")

    def _add_field(self) -> None:
        number = len(self.fields)
        field = QLineEdit(self)
        field.setAccessibleName(tell("Name of pool {number}", number=number + 2))
        field.setMaxLength(300)
        field.setMinimumWidth(10 * GRID)
        field.textEdited.connect(self._on_edited)
        field.editingFinished.connect(self._on_left)
        self._grid.addWidget(field, number // _FIELDS_A_ROW, 1 + number % _FIELDS_A_ROW)
        self._grid.setColumnStretch(1 + number % _FIELDS_A_ROW, 1)
        self.fields.append(field)
        if number == 0:
            self._label.setBuddy(field)

    def _renamed(self, field: QLineEdit) -> Design | None:
        """Return the design with the name in the field; None where it cannot be, which is told."""
        design = self._session.design
        if design is None or self.fields.index(field) >= len(design.further_pools):
            return None
        try:
            changed = rename_pool(design, self.fields.index(field) + 1, field.text())
        except PoolwrightError as error:
            self._say(error.text)
            return None
        self._say("")
        return changed

    def _on_edited(self) -> None:
        field = self.sender()
        if isinstance(field, QLineEdit):
            self._renamed(field)

    def _on_left(self) -> None:
        field = self.sender()
        if isinstance(field, QLineEdit):
            changed = self._renamed(field)
            if changed is not None and changed != self._session.design:
                self._session.change_design(changed, tell("Rename a pool"))

    def _say(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
