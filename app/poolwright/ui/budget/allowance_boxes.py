"""Check boxes for what is recommended only where somebody wishes it, each with its sentence."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from poolwright.design.allowances import allowance_sentence, allowance_title
from poolwright.domain.workload import Allowance
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import SmallHeading, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone


class AllowanceBoxes(QWidget):
    """The group “Allow”. ``changed`` sends the allowances that are ticked, in their order."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Allow"))
        grid = lay.grid(of=self, gap=(2 * GRID, GRID // 2))
        grid.setColumnStretch(1, 1)
        grid.addWidget(SmallHeading(tell("Allow"), self), 0, 0)
        about = tell("A first choice does without these, unless you allow them.")
        grid.addWidget(ToneLabel(about, Tone.MUTED, self, small=True), 0, 1, Qt.AlignmentFlag.AlignBottom)
        self._boxes: dict[Allowance, QCheckBox] = {}
        for row, allowance in enumerate(Allowance, start=1):
            box = QCheckBox(allowance_title(allowance), self)
            sentence = allowance_sentence(allowance)
            box.setAccessibleDescription(sentence)
            box.setToolTip(sentence)
            box.clicked.connect(self._on_clicked)
            self._boxes[allowance] = box
            grid.addWidget(box, row, 0)
            grid.addWidget(ToneLabel(sentence, Tone.MUTED, self, small=True), row, 1)

    def show_allowed(self, allowed: Iterable[Allowance]) -> None:
        ticked = set(allowed)
        for allowance, box in self._boxes.items():
            box.setChecked(allowance in ticked)

    def _on_clicked(self) -> None:
        self.changed.emit(tuple(allowance for allowance, box in self._boxes.items() if box.isChecked()))
