"""The list from which two to six designs are ticked, with a filter."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListView, QVBoxLayout, QWidget

from poolwright.advise.compare import LEAST_COLUMNS, MOST_COLUMNS
from poolwright.ui import icons
from poolwright.ui.comparing import Choice, Offer
from poolwright.ui.models.comparable_list import ComparableList
from poolwright.ui.theme import GRID, Tone
from poolwright.ui.widgets.comparison_cells import OfferLines
from poolwright.ui.widgets.labels import ToneLabel

_LEAST = 26 * GRID


class ComparisonChooser(QWidget):
    """``asked`` sends a choice and whether it is wanted."""

    asked = Signal(object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparableList(self)
        self.model.asked.connect(self.asked)
        self.model.full.connect(self._on_full)
        self.setMinimumWidth(_LEAST)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Filter the designs"))
        self.search.setAccessibleName(self.tr("Filter what can be compared"))
        self.search.setClearButtonEnabled(True)
        self.search.addAction(icons.icon("search", Tone.MUTED), QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(self.model.keep)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(OfferLines(self.view))
        self.view.setAccessibleName(self.tr("Designs to compare"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._count = ToneLabel("", Tone.MUTED, self, small=True)
        self._count.setAccessibleName(self.tr("Designs ticked"))
        column.addWidget(self.search)
        column.addWidget(self.view, 1)
        column.addWidget(self._count)

    def show_offers(self, offers: Sequence[Offer], chosen: Sequence[Choice]) -> None:
        """Show what can be compared and what is."""
        at = self.view.currentIndex().row()
        self.model.show_offers(offers, chosen)
        if 0 <= at < self.model.rowCount() and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(at))
        text = self.tr("{count} ticked, of {least} to {most}. The first is the reference.")
        self._count.setText(text.format(count=len(chosen), least=LEAST_COLUMNS, most=MOST_COLUMNS))

    def recolour(self) -> None:
        """Take the colours in force; a move to another parent brings those of the parent along."""
        self._count.set_tone(Tone.MUTED)

    def _on_full(self) -> None:
        self._count.setText(
            self.tr("{most} are ticked, which is the most. Untick one first.").format(most=MOST_COLUMNS)
        )
