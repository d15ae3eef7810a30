"""A column, a row, a grid, a button or an action in one line: a gap of `GRID` and no margins unless others are said.

Nothing else sets margins and gaps (`tests/test_house.py`).
"""

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QBoxLayout,
    QGraphicsGridLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import GRID

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
_Box = TypeVar("_Box", bound=QBoxLayout)
_ANYWHERE = Qt.AlignmentFlag(0)
Around = int | tuple[int, int, int, int]
Gap = int | tuple[int, int]


def column(*parts: Part, of: QWidget | None = None, gap: int = GRID, around: Around = 0) -> QVBoxLayout:
    """Return these parts one below the other, as the layout ``of`` a widget; a number is room that stretches.

    A part may have its share of the room and its place in it; ``around`` is one margin, or left, top, right, bottom.
    """
    return _filled(QVBoxLayout(of), parts, gap, around)  # type: ignore[arg-type]  # the stubs know of no None


def row(*parts: Part, of: QWidget | None = None, gap: int = GRID, around: Around = 0) -> QHBoxLayout:
    """Return these parts side by side; see `column`."""
    return _filled(QHBoxLayout(of), parts, gap, around)  # type: ignore[arg-type]  # the stubs know of no None


def grid(*, of: QWidget | None = None, gap: Gap = GRID, around: Around = 0) -> QGridLayout:
    """Return a grid, as the layout ``of`` a widget; ``gap`` is one, or that across and that down."""
    made = QGridLayout(of)
    room(made, gap=gap, around=around)
    return made


def room(
    what: QLayout | QGraphicsGridLayout | QWidget, *, gap: Gap | None = None, around: Around | None = None
) -> None:
    """Give a layout that is there already another gap, or a layout or a widget other margins."""
    if around is not None:
        what.setContentsMargins(*((around,) * 4 if isinstance(around, int) else around))
    if isinstance(what, QGridLayout) and gap is not None:
        across, down = (gap, gap) if isinstance(gap, int) else gap
        what.setHorizontalSpacing(across)
        what.setVerticalSpacing(down)
    elif isinstance(what, QLayout) and isinstance(gap, int):
        what.setSpacing(gap)


def button(
    text: str, parent: QWidget, pressed: object = None, *, icon: str = "", tip: str = "", name: str = ""
) -> QPushButton:
    """Return a button that calls the slot or signal ``pressed``.

    ``name`` is for assistive technology, where the text alone says too little.
    """
    made = QPushButton(text, parent)
    made.setToolTip(tip)
    if name:
        made.setAccessibleName(name)
    if icon:
        icons.give(made, icon)
    if pressed is not None:
        made.clicked.connect(pressed)
    return made


def action(text: str, of: QWidget, keys: str, pressed: object) -> QAction:
    """Return an action that stands in the menu of a widget, and has these keys while the keyboard is there."""
    made = QAction(text, of)
    made.setShortcut(QKeySequence(keys))
    made.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    made.triggered.connect(pressed)
    of.addAction(made)
    return made


def _filled(box: _Box, parts: tuple[Part, ...], gap: int, around: Around) -> _Box:
    room(box, gap=gap, around=around)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        what, share, place = (*part, _ANYWHERE)[:3] if isinstance(part, tuple) else (part, 0, _ANYWHERE)
        if isinstance(what, QLayout):
            box.addLayout(what, share)
        else:
            box.addWidget(what, share, place)
    return box
