"""The measured tables by subject, with a search over everything they hold."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from poolwright.predict.table_model import Subject, Table, Tables
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.tables.words import haystack, subject_words

_TABLE_ROLE = Qt.ItemDataRole.UserRole
_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1


class TableList(QWidget):
    """Lists tables under their subjects. ``chosen`` sends the table that was selected."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(tell("Search: slog, lz4, rebuild…"))
        self._search.setAccessibleName(tell("Search the tables"))
        self._search.setClearButtonEnabled(True)
        icons.lead(self._search, "search")
        self._search.textChanged.connect(self._on_search)
        self._tree = QTreeWidget(self)
        self._tree.setAccessibleName(tell("Tables by subject"))
        self._tree.setHeaderHidden(True)
        self._tree.setRootIsDecorated(False)
        self._tree.setItemsExpandable(False)
        self._tree.setIndentation(GRID)
        self._tree.setUniformRowHeights(True)
        self._tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._tree.currentItemChanged.connect(self._on_current)
        self._count = ToneLabel("", Tone.MUTED, self, small=True)
        self._count.setAccessibleName(tell("Tables found"))
        lay.column(self._search, (self._tree, 1), self._count, of=self)

    def show_tables(self, tables: Tables) -> None:
        self._tree.clear()
        for subject in Subject:
            of_subject = [table for table in tables if table.subject is subject]
            if of_subject:
                self._add_subject(subject, of_subject)
        self._tree.expandAll()
        self._on_search()

    def choose(self, name: str) -> None:
        for item in self._items():
            if item.data(0, _TABLE_ROLE).name == name:
                self._tree.setCurrentItem(item)

    def shown(self) -> tuple[Table, ...]:
        """Return the tables that the search leaves, from top to bottom."""
        return tuple(item.data(0, _TABLE_ROLE) for item in self._items() if not item.isHidden())

    def _add_subject(self, subject: Subject, tables: list[Table]) -> None:
        head = QTreeWidgetItem(self._tree, [subject_words(subject)])
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        head.setFont(0, text_font(semibold=True))
        for table in tables:
            item = QTreeWidgetItem(head, [table.short])
            item.setData(0, _TABLE_ROLE, table)
            item.setData(0, _TEXT_ROLE, haystack(table))
            item.setToolTip(0, table.title)

    def _heads(self) -> list[QTreeWidgetItem]:
        heads = (self._tree.topLevelItem(number) for number in range(self._tree.topLevelItemCount()))
        return [head for head in heads if head is not None]

    def _items(self) -> list[QTreeWidgetItem]:
        return [item for head in self._heads() for item in _children(head)]

    def _on_search(self) -> None:
        words = self._search.text().casefold().split()
        for head in self._heads():
            for item in _children(head):
                text = str(item.data(0, _TEXT_ROLE))
                item.setHidden(not all(word in text for word in words))
            head.setHidden(all(item.isHidden() for item in _children(head)))
        shown = [item for item in self._items() if not item.isHidden()]
        self._count.setText(tell("{shown} of {total} tables", shown=len(shown), total=len(self._items())))
        current = self._tree.currentItem()
        if shown and (current is None or current.isHidden() or current.data(0, _TABLE_ROLE) is None):
            self._tree.setCurrentItem(shown[0])

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        table = item.data(0, _TABLE_ROLE) if item is not None else None
        if isinstance(table, Table):
            self.chosen.emit(table)


def _children(head: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (head.child(number) for number in range(head.childCount()))
    return [child for child in children if child is not None]
