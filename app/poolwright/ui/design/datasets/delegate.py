"""Editors for values of properties: a list of the possible ones to choose from, or to type over."""

from functools import partial

from PySide6.QtCore import QAbstractItemModel, QObject, Qt
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from poolwright.domain.dataset_properties import ValueKind, dataset_property
from poolwright.domain.dataset_values import entered_bytes
from poolwright.domain.read_back import size_read
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.texts import tell
from poolwright.ui.parts.cell_echo import CellEcho
from poolwright.ui.parts.model_index import KEY_ROLE, Index

_BLOCKS = ("4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "4M", "16M")
_MOST_WORDS = 60


def size_words(name: str, text: str, version: ZfsVersion) -> str:
    """Return what a typed value means as a size; empty where it is none. Raises UserError."""
    size = entered_bytes(name, text, version)
    return size_read(size) if size else ""


class ValueDelegate(QStyledItemDelegate):
    """Edits the values of a `PropertyTable`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.version: ZfsVersion = DEFAULT_VERSION

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return a box with the values that OpenZFS takes; others can be typed."""
        name = str(index.data(KEY_ROLE))
        box = QComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setAccessibleName(tell("Value of {name}", name=name))
        box.addItems(list(self.words_for(name)[:_MOST_WORDS]))
        CellEcho(box, partial(self.read, name))
        return box

    def words_for(self, name: str) -> tuple[str, ...]:
        """Return the values to choose from; others can be typed."""
        known = dataset_property(name, self.version)
        if known is None:
            return ()
        if known.kind is ValueKind.BLOCK:
            return (("0",) if name == "special_small_blocks" else ()) + _BLOCKS
        return ("none",) if known.kind is ValueKind.SPACE else known.words

    def read(self, name: str, text: str) -> str:
        """Return what a typed value means as a size; empty where it is none. Raises UserError."""
        return size_words(name, text, self.version)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Begin with the value in force."""
        if isinstance(editor, QComboBox):
            editor.setCurrentText(str(index.data(Qt.ItemDataRole.EditRole)))
            line = editor.lineEdit()
            if line is not None:
                line.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand over what was chosen or typed."""
        if isinstance(editor, QComboBox):
            model.setData(model.index(index.row(), index.column()), editor.currentText(), Qt.ItemDataRole.EditRole)
