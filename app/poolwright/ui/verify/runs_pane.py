"""The runs of the library: the latest first, opened again, compared, put into the bin; and the bin itself."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QLineEdit, QPushButton, QWidget

from poolwright.bench.judging.side_by_side import MOST_RUNS
from poolwright.store.runs import StoredRun
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.notice import Notice
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.theme import Tone
from poolwright.ui.verify.runs_table import DESIGN, HOST, POOL, RunsTable


class RunsPane(QWidget):
    """``opened``, ``deleted`` and ``put_back`` send the key of a run, ``compared`` those of the runs that are ticked.

    ``emptied`` says that what is in the bin is to go for good.
    """

    opened = Signal(str)
    deleted = Signal(str)
    put_back = Signal(str)
    compared = Signal(object)
    emptied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last: str | None = None
        self._runs: tuple[tuple[StoredRun, ...], tuple[StoredRun, ...]] = ((), ())
        self.table = RunsTable(self)
        self.table.ticks_changed.connect(self._show_buttons)
        self.view = plain_table(tell("Runs"), self.table, self)
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self.view.doubleClicked.connect(self._on_open)
        for keys, slot in ((Qt.Key.Key_Return, self._on_open), (Qt.Key.Key_Delete, self._on_delete)):
            shortcut = QShortcut(QKeySequence(keys), self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(slot)
        self.view.selectionModel().currentRowChanged.connect(self._show_buttons)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(tell("Filter: name, profile, host, pool, design…"))
        self.search.setAccessibleName(tell("Filter the runs"))
        self.search.setClearButtonEnabled(True)
        icons.lead(self.search, "search")
        self.search.textChanged.connect(self._show)
        self._empty = ToneLabel("", Tone.MUTED, self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.notice = Notice(tell("What was deleted"), self)
        self.notice.pressed.connect(self._on_notice)
        self._make_buttons()
        line = lay.row(self.open, self.compare, self.delete, self.back, self.empty, 1, self.bin)
        lay.column(self.notice, self.search, (self.view, 1), (self._empty, 1), line, of=self)
        self.show_runs((), ())

    def _make_buttons(self) -> None:
        self.open = lay.button(tell("Open"), self, self._on_open, icon="open")
        self.compare = lay.button(tell("Compare"), self, self._on_compare, icon="compare")
        self.compare.setToolTip(
            tell(
                "Tick from 2 to {most} runs to put them side by side, more of one profile for a look over time.",
                most=MOST_RUNS,
            )
        )
        self.delete = lay.button(tell("Delete"), self, self._on_delete, icon="delete")
        self.back = lay.button(tell("Put back"), self, self._on_back, icon="undo")
        self.empty = lay.button(tell("Empty the bin…"), self, self._on_empty, icon="delete")
        self.bin = QPushButton(self)
        self.bin.setCheckable(True)
        self.bin.setToolTip(tell("Runs that were deleted, until the bin is emptied"))
        self.bin.toggled.connect(self._show)

    def show_runs(self, kept: Sequence[StoredRun], in_bin: Sequence[StoredRun]) -> None:
        """Show what is kept, or what is in the bin; the latest is on top until another order is chosen."""
        self._runs = (tuple(kept), tuple(in_bin))
        self.bin.setText(tell("Bin ({count})", count=len(in_bin)))
        self.bin.setVisible(bool(in_bin) or self.bin.isChecked())
        if not in_bin and self.bin.isChecked():
            self.bin.setChecked(False)
        self._show()

    def selected(self) -> StoredRun | None:
        index = self.view.currentIndex()
        return self.table.row(index.row()) if index.isValid() and index.row() < self.table.rowCount() else None

    def _show(self) -> None:
        in_bin = self.bin.isChecked()
        listed = self._runs[in_bin]
        found = tuple(run for run in listed if run.has_words(self.search.text()))
        self.search.setVisible(len(listed) > 1)
        self.table.show_runs(found, listed, can_tick=not in_bin)
        self.view.setVisible(self.table.rowCount() > 0)
        for column in (POOL, HOST, DESIGN):
            self.view.setColumnHidden(column, self.table.is_empty(column))
        none = tell("No run has these words.") if listed else tell("No run has been kept yet. Each one made here is.")
        self._empty.setText(none)
        self._empty.setVisible(not self.table.rowCount())
        for button in (self.open, self.compare, self.delete):
            button.setVisible(not in_bin)
        for button in (self.back, self.empty):
            button.setVisible(in_bin)
        self._show_buttons()

    def _show_buttons(self) -> None:
        chosen = self.selected() is not None
        for button in (self.open, self.delete, self.back):
            button.setEnabled(chosen)
        self.compare.setEnabled(self._can_compare())

    def _can_compare(self) -> bool:
        count = len(self.table.ticked)
        profiles = {run.profile for run in self._runs[0] if run.key in self.table.ticked}
        return 2 <= count <= MOST_RUNS or (count > MOST_RUNS and len(profiles) == 1)

    def _on_open(self) -> None:
        run = self.selected()
        if run is not None and not self.bin.isChecked():
            self.opened.emit(run.key)

    def _on_compare(self) -> None:
        self.compared.emit(self.table.ticked)

    def _on_delete(self) -> None:
        run = self.selected()
        if run is not None and not self.bin.isChecked():
            self._last = run.key
            self.deleted.emit(run.key)
            self.notice.show_text(tell("“{name}” is in the bin.", name=run.name), action=tell("Put back"))

    def _on_back(self) -> None:
        run = self.selected()
        if run is not None:
            self.put_back.emit(run.key)

    def _on_empty(self) -> None:
        count = len(self._runs[1])
        text = tell_counted("{count} run goes for good.", "{count} runs go for good.", count)
        self._last = None
        self.notice.show_text(text, Tone.WARN, action=tell("Empty the bin"))

    def _on_notice(self) -> None:
        self.notice.hide()
        if self._last is not None:
            self.put_back.emit(self._last)
        else:
            self.emptied.emit()
