"""The runs of the library: the latest first, opened again, put into the bin."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QWidget

from poolwright.bench.words import time_words
from poolwright.store.runs import StoredRun
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.moment import when
from poolwright.ui.parts.notice import Notice
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone

_NAME = 1


class RunsPane(QWidget):
    """``opened``, ``deleted`` and ``put_back`` send the key of a run."""

    opened = Signal(str)
    deleted = Signal(str)
    put_back = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last: str | None = None
        self.table = RowModel[StoredRun](_columns(), self, key=_key)
        self.view = plain_table(tell("Runs"), self.table, self)
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        self.view.doubleClicked.connect(self._on_open)
        for keys, slot in ((Qt.Key.Key_Return, self._on_open), (Qt.Key.Key_Delete, self._on_delete)):
            shortcut = QShortcut(QKeySequence(keys), self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(slot)
        self.view.selectionModel().currentRowChanged.connect(self._show_buttons)
        self._empty = ToneLabel(tell("No run has been kept yet. Each one that is made here is."), Tone.MUTED, self)
        self.notice = Notice(tell("What was deleted"), self)
        self.notice.pressed.connect(self._on_put_back)
        self.open = lay.button(tell("Open"), self, self._on_open, icon="open")
        self.delete = lay.button(tell("Delete"), self, self._on_delete, icon="delete")
        lay.column(self.notice, (self.view, 1), self._empty, lay.row(self.open, self.delete, 1), of=self)
        self.show_runs(())

    def show_runs(self, runs: Iterable[StoredRun]) -> None:
        """Show these; the latest is on top until another order is chosen."""
        self.table.show_rows(runs)
        self.view.setVisible(self.table.rowCount() > 0)
        self._empty.setVisible(not self.table.rowCount())
        self._show_buttons()

    def selected(self) -> StoredRun | None:
        """Return the selected run."""
        index = self.view.currentIndex()
        return self.table.row(index.row()) if index.isValid() and index.row() < self.table.rowCount() else None

    def _show_buttons(self) -> None:
        chosen = self.selected() is not None
        self.open.setEnabled(chosen)
        self.delete.setEnabled(chosen)

    def _on_open(self) -> None:
        run = self.selected()
        if run is not None:
            self.opened.emit(run.key)

    def _on_delete(self) -> None:
        run = self.selected()
        if run is not None:
            self._last = run.key
            self.deleted.emit(run.key)
            self.notice.show_text(tell("“{name}” is in the bin.", name=run.name), action=tell("Put back"))

    def _on_put_back(self) -> None:
        self.notice.hide()
        if self._last is not None:
            self.put_back.emit(self._last)


def _key(run: StoredRun) -> str:
    return run.key


def _columns() -> tuple[TableColumn[StoredRun], ...]:
    return (
        TableColumn(title=tell("Begun"), text=lambda run: when(run.made), value=lambda run: run.made),
        TableColumn(title=tell("Profile"), text=lambda run: run.name, tip=lambda run: run.profile),
        TableColumn(title=tell("Verdict"), text=lambda run: run.judgement),
        TableColumn(title=tell("Pool"), text=lambda run: run.pool or ""),
        TableColumn(title=tell("Host"), text=lambda run: run.host),
        TableColumn(title=tell("Design"), text=lambda run: run.design_name or ""),
        TableColumn(
            title=tell("Took"),
            text=lambda run: time_words(run.seconds),
            value=lambda run: run.seconds,
            number=True,
        ),
    )
