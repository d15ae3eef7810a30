"""The saved versions of a design: each can be opened again."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from poolwright.store.designs import DesignVersion
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.moment import when
from poolwright.ui.parts.theme import GRID, Tone, text_font

_NUMBER_ROLE = Qt.ItemDataRole.UserRole


class VersionList(QWidget):
    """Shows versions, newest first. ``opened`` carries the number of the one to open."""

    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ToneLabel("", Tone.TEXT, self)
        self._title.setFont(text_font(semibold=True))
        self._open = lay.button(
            tell("Open this version"),
            self,
            self._on_open,
            icon="open",
            tip=tell("It becomes the newest version; the others stay"),
        )
        head = lay.row((self._title, 1), self._open)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName(tell("Versions"))
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAlternatingRowColors(True)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._on_selected)
        self.list.itemActivated.connect(self._on_open)
        lay.column(head, (self.list, 1), of=self, around=(0, GRID, 0, 0))
        self.setMinimumHeight(14 * GRID)

    def show_versions(self, name: str, versions: Sequence[DesignVersion]) -> None:
        """Show the versions of the design called ``name``."""
        self.setVisible(bool(versions))
        count = tell_counted("{count} version", "{count} versions", len(versions))
        self._title.setText(f"{name}: {count}")
        self.list.clear()
        for place, version in enumerate(versions):
            word = tell("newest") if place == 0 else ""
            item = QTreeWidgetItem([when(version.saved), version.summary, word])
            item.setData(0, _NUMBER_ROLE, version.number)
            self.list.addTopLevelItem(item)
        if versions:
            self.list.setCurrentIndex(self.list.model().index(0, 0))
        self._on_selected()

    def _on_selected(self) -> None:
        item = self.list.currentItem()
        self._open.setEnabled(item is not None and item is not self.list.topLevelItem(0))

    def _on_open(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.opened.emit(item.data(0, _NUMBER_ROLE))
