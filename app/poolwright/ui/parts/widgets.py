"""A column, a row, a grid, a button or a timer in one line: a gap of `GRID` and no margins unless others are said.

Nothing else sets margins and gaps (`tests/test_house.py`)."""

import re
from collections.abc import Iterable
from typing import TypeVar

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QGraphicsGridLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from poolwright.texts import punctuated
from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, SMALL_POINTS, TEXT_POINTS, Tone, set_tone, text_font, theme

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
_Box = TypeVar("_Box", bound=QBoxLayout)
_Widget = TypeVar("_Widget", bound=QWidget)
_Sender = TypeVar("_Sender", bound=QObject)
_ANYWHERE = Qt.AlignmentFlag(0)
Around = int | tuple[int, int, int, int]
Gap = int | tuple[int, int]


def column(*parts: Part, of: QWidget | None = None, gap: int = GRID, around: Around = 0) -> QVBoxLayout:
    """Return these parts one below the other, as the layout ``of`` a widget; a number is room that stretches.

    A part may have its share of the room and its place in it; ``around`` is one margin, or left, top, right, bottom.
    """
    return _filled(QVBoxLayout(of), parts, gap, around)  # type: ignore[arg-type]  # the stubs know of no None


def row(*parts: Part, of: QWidget | None = None, gap: int = GRID, around: Around = 0) -> QHBoxLayout:
    return _filled(QHBoxLayout(of), parts, gap, around)  # type: ignore[arg-type]  # the stubs know of no None


def grid(*, of: QWidget | None = None, gap: Gap = GRID, around: Around = 0) -> QGridLayout:
    layout = QGridLayout(of)
    room(layout, gap=gap, around=around)
    return layout


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


def keyless(text: str) -> str:
    """Return a text without the mark of its key: New of “&New”, 新建 of “新建(&N)”."""
    return re.sub(r"\(&.\)|&", "", text)


def named(widget: _Widget, name: str) -> _Widget:
    """Say what a control is, for assistive technology; of a label the text is read, and then what it is."""
    if isinstance(widget, QLabel):
        widget.setAccessibleDescription(name)
    else:
        widget.setAccessibleName(name)
    return widget


def button(
    text: str, parent: QWidget, pressed: object = None, *, icon: str = "", tip: str = "", name: str = ""
) -> QPushButton:
    """Return a button that calls the slot or signal ``pressed``.

    ``name`` is for assistive technology, where the text alone says too little.
    """
    control = QPushButton(text, parent)
    control.setToolTip(tip)
    if name:
        control.setAccessibleName(name)
    if icon:
        icons.set_icon(control, icon)
    if icon == "next":  # an arrow points away from its words
        control.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    if pressed is not None:
        control.clicked.connect(pressed)
    return control


def entry(parent: QWidget, name: str, hint: str = "") -> QLineEdit:
    """Return a field for a line of text, with its name for assistive technology and what stands in it while empty."""
    field = named(QLineEdit(parent), name)
    field.setPlaceholderText(hint)
    return field


def search_line(parent: QWidget, name: str, hint: str, changed: object) -> QLineEdit:
    """Return a field whose words are looked for as they are typed."""
    field = entry(parent, name, hint)
    field.setClearButtonEnabled(True)
    field.setMinimumWidth(13 * GRID)
    looking = field.addAction(icons.icon("search", Tone.MUTED), QLineEdit.ActionPosition.LeadingPosition)
    icons.set_icon(looking, "search", Tone.MUTED)
    field.textChanged.connect(changed)
    return field


def split(parent: QWidget, *parts: tuple[QWidget, int], across: bool = False) -> QSplitter:
    """Return parts one below the other, or ``across`` side by side, that share the room; it can be moved."""
    splitter = QSplitter(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical, parent)
    splitter.setChildrenCollapsible(False)
    for number, (part, share) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(number, share)
    return splitter


def sent(of: QObject, kind: type[_Sender]) -> _Sender:
    """Return what sent the signal that ``of`` answers."""
    sender = of.sender()
    assert isinstance(sender, kind)
    return sender


def action(text: str, of: QWidget, keys: str, pressed: object) -> QAction:
    """Return an action that stands in the menu of a widget, and has these keys while the keyboard is there."""
    menu_entry = QAction(text, of)
    menu_entry.setShortcut(QKeySequence(keys))
    menu_entry.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    menu_entry.triggered.connect(pressed)
    of.addAction(menu_entry)
    return menu_entry


def tabs(parent: QWidget, name: str) -> QTabBar:
    bar = named(QTabBar(parent), name)
    bar.setDrawBase(False)
    bar.setExpanding(False)
    return bar


def single_shot_timer(of: QObject, milliseconds: int, slot: object) -> QTimer:
    """Return a timer that calls ``slot`` once, so long after it is started."""
    timer = QTimer(of)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer


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


class ChoiceBox(QComboBox):
    """A box of words, each with what it stands for as its data; ``chosen`` is called when a person chose.

    It has room for so many ``letters``, else for the longest words.
    """

    def __init__(self, parent: QWidget, name: str, chosen: object = None, *, letters: int = 0) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        if letters:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(letters)
        if chosen is not None:
            self.activated.connect(chosen)

    def offer(self, things: Iterable[tuple[str, object]], chosen: object = None) -> None:
        """Offer these without a signal; in front is what is called ``chosen`` or stands for it, else the first."""
        offered = [*things]
        with QSignalBlocker(self):
            if offered != [(self.itemText(at), self.itemData(at)) for at in range(self.count())]:
                self.clear()
                for text, of in offered:
                    self.addItem(text, of)
            self.setCurrentIndex(next((at for at, thing in enumerate(offered) if chosen in thing), 0))


# Labels in the few kinds the window uses.


class Heading(QLabel):
    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setFont(text_font(HEADING_POINTS, semibold=True))


class ToneLabel(QLabel):
    """Text in one of the named colours that follows the theme."""

    def __init__(
        self,
        text: str = "",
        tone: Tone = Tone.MUTED,
        parent: QWidget | None = None,
        *,
        small: bool = False,
        bold: bool = False,
        selectable: bool = False,
        wrapped: bool = True,
    ) -> None:
        super().__init__(punctuated(text), parent)
        self._tone = tone
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrapped)
        if small or bold:
            self.setFont(text_font(SMALL_POINTS if small else TEXT_POINTS, semibold=bold))
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme().changed.connect(self._recolour)
        self._recolour()

    def setText(self, text: str) -> None:
        super().setText(punctuated(text))

    def set_tone(self, tone: Tone) -> None:
        if tone is not self._tone:  # to give a palette takes longer than anything else that is done to a label
            self._tone = tone
            self._recolour()

    def _recolour(self) -> None:
        set_tone(self, self._tone)


class Complaint(ToneLabel):
    """Says what is wrong, and is there only while something is; ``name`` is for assistive technology."""

    def __init__(self, name: str, parent: QWidget, tone: Tone = Tone.BLOCK, *, small: bool = False) -> None:
        super().__init__("", tone, parent, small=small)
        named(self, name)
        self.hide()

    def say(self, text: str) -> None:
        """Say this; nothing is wrong where it is empty."""
        self.setText(text)
        self.setVisible(bool(text))


class SmallHeading(ToneLabel):
    """The heading of a section within a part of a page."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, Tone.TEXT, parent, bold=True)
        room(self, around=(0, GRID, 0, 0))


# A label on one line that shortens its text to the room there is; the tooltip has all of it.


class ElidedLabel(ToneLabel):
    def __init__(self, tone: Tone = Tone.MUTED, parent: QWidget | None = None) -> None:
        super().__init__("", tone, parent, wrapped=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        self.setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * GRID, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        room = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, self.alignment(), shown)
