"""A small choice among several, on one line."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.card import ChoiceCard, inert
from poolwright.ui.parts.theme import GRID


class Chip(ChoiceCard):
    """A checkable card with a word or two; ``key`` is what it stands for."""

    def __init__(self, key: str, title: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.key = key
        self.setText(title)
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        lay.room(self.body, around=GRID)
        label = inert(QLabel(title, self))
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.body.addWidget(label)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
