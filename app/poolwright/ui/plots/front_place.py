"""The place of the chart of layouts: usable capacity against what one chooses."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.design.candidate import Candidate
from poolwright.design.compared import ComparedDesign
from poolwright.emit.front_chart import AXES, Against, front_chart
from poolwright.texts import tell
from poolwright.ui.plots.place import ChartPlace


class FrontPlace(ChartPlace):
    """Shows layouts, the first choice and the designs compared; a mark is ``of`` its candidate.

    The table beside it says the same to those who do not see the chart.
    """

    def __init__(self, hint: str, against: Against, parent: QWidget | None = None) -> None:
        super().__init__(hint, parent, lines=2)
        self._layouts: tuple[Sequence[Candidate], Candidate | None, Sequence[ComparedDesign]] = ((), None, ())
        self._stale = False
        self.hint.setAccessibleName(tell("Layout under the pointer"))
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("Plot capacity against"))
        for choice, axis in AXES.items():
            self.choice.addItem(tell(axis.name), choice)
        self.choice.setCurrentIndex(self.choice.findData(against))
        self.choice.currentIndexChanged.connect(self._refresh)
        self.head.insertWidget(1, self.choice, 0, Qt.AlignmentFlag.AlignTop)

    def show_layouts(
        self, candidates: Sequence[Candidate], first: Candidate | None, columns: Sequence[ComparedDesign] = ()
    ) -> None:
        """Show these; ``first`` is the first choice, ``columns`` are the designs of a comparison."""
        self._layouts = (candidates, first, columns)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the chart of what was told while nobody saw it."""
        if self._stale:
            self._stale = False
            self._build()
        super().showEvent(event)

    def _refresh(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            self._build()

    def _build(self) -> None:
        candidates, first, columns = self._layouts
        self.show_chart(front_chart(candidates, first, Against(self.choice.currentData()), columns))
