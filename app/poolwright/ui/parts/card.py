"""A framed piece of a page with its own ground, and one that can be chosen like a button."""

from typing import TypeVar

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QPushButton, QScrollArea, QSizePolicy, QWidget

from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import ElidedLabel, ToneLabel

_RADIUS, _PREFERRED = 8, QSizePolicy.Policy.Preferred
_W = TypeVar("_W", bound=QWidget)


class Card(QWidget):
    """A rounded frame on the base colour. Put content into ``self.body``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.body = widgets.column(of=self, around=2 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_card(painter, QRectF(self.rect()))


class ChoiceCard(QAbstractButton):
    """A card that is pressed as a whole: an action, or one of several choices when checkable.

    Its content is laid out in ``self.body`` from labels that let the pointer through (see `inert`). One that is
    chosen has a ground of its own where it is ``filled``.
    """

    filled = True

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.body = widgets.column(of=self, around=2 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, on = QPainter(self), self.isChecked() or self.isDown()
        draw_card(painter, QRectF(self.rect()), chosen=on and self.filled, marked=on, hovered=self.underMouse())
        if self.hasFocus():  # unlike what is chosen
            painter.setPen(QPen(theme().colour(Tone.ACCENT), 1.0, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(4.5, 4.5, -4.5, -4.5), _RADIUS - 4, _RADIUS - 4)


def draw_card(
    painter: QPainter, where: QRectF, *, chosen: bool = False, marked: bool = False, hovered: bool = False
) -> None:
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


# A word or two that are chosen or not: alone as a chip with a tick, or joined to others in one row.


class Chip(QPushButton):
    """``key`` is what it stands for; ``look`` is chip or segment (`resources/styles/window.qss`)."""

    def __init__(self, key: str, title: str, parent: QWidget, *, look: str = "chip") -> None:
        super().__init__(title, parent)
        self.key = key
        self.setCheckable(True)
        self.setAutoExclusive(look != "chip")
        self.setProperty("look", look)
        if look == "chip":
            self.toggled.connect(self._show_tick)

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(GRID, 0)  # the style takes the room for the text before it is bold

    def _show_tick(self, on: bool) -> None:
        icons.set_icon(self, "tick" if on else "", Tone.ACCENT)


# What few people need, folded into one row that tells in a line what it holds.


class FoldRow(ChoiceCard):
    """What a fold is opened by: an arrow, a title, and at the right in words what is inside. It stands on a card."""

    def __init__(self, title: str, parent: QWidget | None = None, *, height: int = 6 * GRID) -> None:
        super().__init__(title, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(height)
        self._arrow = inert(icons.IconLabel("", self, size=icons.SMALL))
        self._title = inert(ToneLabel(title, Tone.TEXT, self, bold=True, wrapped=False))
        self._words = inert(ElidedLabel(Tone.MUTED, self))
        self._words.setFont(text_font(SMALL_POINTS))
        self._words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        widgets.room(self.body, around=(2 * GRID, 0, 2 * GRID, 0))
        self.row = widgets.row(self._arrow, self._title, (self._words, 1))
        self.body.addLayout(self.row)

    def show_title(self, title: str) -> None:
        self._title.setText(title)
        self.setAccessibleName(title)

    def show_words(self, words: str) -> None:
        self._words.show_text(words)
        self.setAccessibleDescription(words)

    def show_folded(self, *, folded: bool) -> None:
        self._arrow.show_icon("fold-right" if folded else "fold-down", Tone.MUTED)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.hasFocus() or self.underMouse():
            draw_card(QPainter(self), QRectF(self.rect()), marked=self.hasFocus(), hovered=self.underMouse())


class FoldCard(Card):
    """A row with a title and what is inside in words; a press shows ``inner`` below it, or takes it away again.

    What was opened comes into sight: as much of it as the page that scrolls has room for.
    """

    def __init__(self, title: str, inner: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inner = QWidget(self)
        widgets.column(inner, of=self._inner, around=(2 * GRID, GRID, 2 * GRID, 2 * GRID))
        self.head = FoldRow(title, self)
        self.head.clicked.connect(self._on_pressed)
        widgets.room(self.body, gap=0, around=0)
        self.body.addWidget(self.head)
        self.body.addWidget(self._inner)
        self._laid_out = widgets.single_shot_timer(self, 0, self._come_up)
        self.fold(folded=True)

    def fold(self, *, folded: bool) -> None:
        self._inner.setVisible(not folded)
        self.setSizePolicy(_PREFERRED, QSizePolicy.Policy.Maximum if folded else _PREFERRED)
        self.head.show_folded(folded=folded)

    def _on_pressed(self) -> None:
        self.fold(folded=not self._inner.isHidden())
        self._laid_out.start()

    def _come_up(self) -> None:
        for area in self.window().findChildren(QScrollArea):
            if area.isAncestorOf(self) and not self._inner.isHidden():
                area.verticalScrollBar().setValue(self.y())
