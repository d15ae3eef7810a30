"""An index as Qt hands it to a model, and the roles by which several models answer."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
# The key of what stands in the row, the row itself, and how far a bar in the cell reaches.
KEY_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_ROLE = Qt.ItemDataRole.UserRole + 2
SHARE_ROLE = Qt.ItemDataRole.UserRole + 3
