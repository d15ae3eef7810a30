"""A framed piece of a page with its own ground, and one that can be chosen like a button."""

from typing import TypeVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID, Tone, theme

_RADIUS = 8
_W = TypeVar("_W", bound=QWidget)


class Card(QWidget):
    """A rounded frame on the base colour. Put content into ``self.body``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.body = lay.column(of=self, around=2 * GRID)
        theme().changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground and frame."""
        painter = QPainter(self)
        draw_card(painter, QRectF(self.rect()))


class ChoiceCard(QAbstractButton):
    """A card that is pressed as a whole: an action, or one of several choices when checkable.

    Its content is laid out in ``self.body`` from labels that let the pointer through (see `inert`).
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.body = lay.column(of=self, around=2 * GRID)
        theme().changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground and frame, marked when hovered, focused or chosen."""
        painter = QPainter(self)
        draw_card(
            painter,
            QRectF(self.rect()),
            chosen=self.isChecked() or self.isDown(),
            marked=self.hasFocus(),
            hovered=self.underMouse(),
        )


def draw_card(
    painter: QPainter, where: QRectF, *, chosen: bool = False, marked: bool = False, hovered: bool = False
) -> None:
    """Draw the ground and frame of a card into ``where``."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colours = theme()
    width = 2.0 if chosen or marked else 1.0
    line = Tone.ACCENT if chosen or marked else Tone.MUTED if hovered else "line"
    painter.setPen(QPen(colours.colour(line), width))
    painter.setBrush(colours.colour(Tone.SELECTION if chosen else "base"))
    inset = width / 2
    painter.drawRoundedRect(where.adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)


def inert(widget: _W) -> _W:
    """Let the pointer through ``widget`` to the card below it; return it."""
    widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return widget
