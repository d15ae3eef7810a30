"""The row above a comparison: which saved one is open, its name, and what can be done with it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QLineEdit, QListView, QMenu, QToolButton, QWidget

from poolwright.design.compare import LEAST_COLUMNS, MOST_COLUMNS
from poolwright.store.library import SavedComparison
from poolwright.texts import tell
from poolwright.ui.compare.comparing import Choice, Comparable, ComparableList
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import ROW_ROLE
from poolwright.ui.parts.theme import GRID, Tone

_BESIDE = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
FORMATS = {"html": "HTML", "pdf": "PDF", "md": "Markdown", "csv": "CSV"}


class SavedRow(QWidget):
    """``opened`` sends the key of a saved comparison, empty for a new one; the other signals ask for what they say."""

    opened = Signal(str)
    saved = Signal()
    deleted = Signal()
    exported = Signal(str)  # the ending of the file

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = lay.named(QComboBox(self), tell("Saved comparisons"))
        self.choice.setMinimumContentsLength(14)
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.activated.connect(self._on_activated)
        self.name = lay.named(QLineEdit(self), tell("Name of the comparison"))
        self.name.setPlaceholderText(tell("Name of the comparison"))
        self.name.returnPressed.connect(self.saved)
        self.save = lay.button(tell("Save"), self, self.saved, icon="save")
        tip = tell("Forget this comparison; its designs stay in the library")
        self.delete = lay.button(tell("Delete"), self, self.deleted, icon="delete", tip=tip)
        self.export = lay.named(QToolButton(self), tell("Export the comparison"))
        self.export.setText(tell("Export"))
        icons.give(self.export, "export")
        self.export.setToolButtonStyle(_BESIDE)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.export)
        for ending, word in FORMATS.items():
            action = QAction(tell("{kind}…", kind=word), menu)
            action.setData(ending)
            action.triggered.connect(self._on_export)
            menu.addAction(action)
        self.export.setMenu(menu)
        lay.row((self.choice, 1), (self.name, 1), self.save, self.delete, self.export, of=self)

    def show_entries(self, entries: Sequence[SavedComparison], current: str) -> None:
        """Show what is saved; ``current`` is the key of the one that is open, empty for none."""
        self.choice.clear()
        self.choice.addItem(tell("New comparison"), "")
        for entry in entries:
            self.choice.addItem(entry.name, entry.key)
        self.choice.setCurrentIndex(max(0, self.choice.findData(current)))
        self.delete.setEnabled(bool(current))

    def allow(self, *, complete: bool) -> None:
        self.save.setEnabled(complete)
        self.export.setEnabled(complete)

    def _on_activated(self) -> None:
        self.opened.emit(str(self.choice.currentData()))

    def _on_export(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self.exported.emit(str(action.data()))


# The list from which two to six designs are ticked, with a filter.

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
        name, hint = tell("Filter what can be compared"), tell("Filter the designs")
        self.search = lay.search_line(self, name, hint, self.model.show_with)
        self.view = lay.named(QListView(self), tell("Designs to compare"))
        self.view.setModel(self.model)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._count = lay.named(ToneLabel("", Tone.MUTED, self, small=True), tell("Designs ticked"))
        tip = tell("Go on with the selected design in place of the one that is open")
        self.open = lay.button(tell("Open this design"), self, self._on_open, icon="open", tip=tip)
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
        return line.choice if isinstance(line, Comparable) and line.opens else None

    def _on_current(self) -> None:
        self.open.setEnabled(self._selected() is not None)

    def _on_open(self) -> None:
        choice = self._selected()
        if choice is not None:
            self.opened.emit(choice)

    def _on_full(self) -> None:
        self._count.setText(tell("{most} are ticked, which is the most. Untick one first.", most=MOST_COLUMNS))
