"""The order in which Tab visits what is on the screen: as it is laid out, whatever was made first."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QTabBar,
    QTextEdit,
    QWidget,
)

# What is inside these is theirs: Tab stops at the whole.
_WHOLES = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar, QTextEdit)


def focus_order(root: QWidget) -> list[QWidget]:
    """Return the widgets from ``root`` down that take part in Tab now, as they are read."""
    if not root.isVisible() or not root.isEnabled():
        return []
    stops = root.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
    if isinstance(root, _WHOLES):
        return [root] if stops else []
    below = [stop for child in _children(root) for stop in focus_order(child)]
    if stops and not (isinstance(root, QScrollArea) and below):
        # An area is moved by what is focused in it; only one without such a thing needs the keys itself.
        return [root, *below]
    return below


def _children(parent: QWidget) -> list[QWidget]:
    laid_out = list(_laid_out(parent.layout()))
    if isinstance(parent, QSplitter):
        laid_out = [w for number in range(parent.count()) if (w := parent.widget(number)) is not None]
    known = set(laid_out)
    others = [c for c in parent.children() if isinstance(c, QWidget) and not c.isWindow() and c not in known]
    return [*laid_out, *others]


def _laid_out(layout: QLayout | None) -> Iterator[QWidget]:
    if layout is None:
        return
    for number in range(layout.count()):
        item = layout.itemAt(number)
        widget = item.widget() if item is not None else None
        if widget is not None:
            yield widget
        elif item is not None:
            yield from _laid_out(item.layout())
