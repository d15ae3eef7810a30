"""The list from which two to six designs are ticked, with a filter."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListView, QWidget

from poolwright.design.compare import LEAST_COLUMNS, MOST_COLUMNS
from poolwright.texts import tell
from poolwright.ui.compare.comparing import Choice, ChoiceKind, Comparable, ComparableList
from poolwright.ui.compare.table import OfferLines
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import ROW_ROLE
from poolwright.ui.parts.theme import GRID, Tone

_LEAST = 26 * GRID


class ComparisonChooser(QWidget):
    """``asked`` sends a choice and whether it is wanted, ``opened`` one that should become the open design."""

    asked = Signal(object, bool)
    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparableList(self)
        self.model.asked.connect(self.asked)
        self.model.full.connect(self._on_full)
        self.setMinimumWidth(_LEAST)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(tell("Filter the designs"))
        self.search.setAccessibleName(tell("Filter what can be compared"))
        self.search.setClearButtonEnabled(True)
        icons.lead(self.search, "search")
        self.search.textChanged.connect(self.model.show_with)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(OfferLines(self.view))
        self.view.setAccessibleName(tell("Designs to compare"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._count = ToneLabel("", Tone.MUTED, self, small=True)
        self._count.setAccessibleName(tell("Designs ticked"))
        self.open = lay.button(
            tell("Open this design"),
            self,
            self._on_open,
            icon="open",
            tip=tell("Go on with the selected design in place of the one that is open"),
        )
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.model.modelReset.connect(self._on_current)
        self._on_current()
        lay.column(self.search, (self.view, 1), self.open, self._count, of=self)

    def show_offers(self, offers: Sequence[Comparable], chosen: Sequence[Choice]) -> None:
        at = self.view.currentIndex().row()
        self.model.show_offers(offers, chosen)
        if 0 <= at < self.model.rowCount() and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(at, 0))
        text = tell("{count} ticked, of {least} to {most}. The first is the reference.")
        self._count.setText(text.format(count=len(chosen), least=LEAST_COLUMNS, most=MOST_COLUMNS))

    def recolour(self) -> None:
        """Take the colours in force; a move to another parent brings those of the parent along."""
        self._count.set_tone(Tone.MUTED)

    def _selected(self) -> Choice | None:
        """Return what could be opened: a design that is not open already, and no md RAID."""
        line = self.view.currentIndex().data(ROW_ROLE)
        if not isinstance(line, Comparable) or line.choice.kind in (ChoiceKind.CURRENT, ChoiceKind.MD_RAID6):
            return None
        return line.choice

    def _on_current(self) -> None:
        self.open.setEnabled(self._selected() is not None)

    def _on_open(self) -> None:
        choice = self._selected()
        if choice is not None:
            self.opened.emit(choice)

    def _on_full(self) -> None:
        self._count.setText(tell("{most} are ticked, which is the most. Untick one first.", most=MOST_COLUMNS))
