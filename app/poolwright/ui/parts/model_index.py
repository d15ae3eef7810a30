"""An index as Qt hands it to a model, and the roles by which several models answer."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
# What a column is sorted by, and the key of what stands in the row.
SORT_ROLE = Qt.ItemDataRole.UserRole
KEY_ROLE = Qt.ItemDataRole.UserRole + 1
