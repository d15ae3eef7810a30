"""Our symbolic icons: one SVG set, drawn in the colour the palette asks for, crisp at every scale."""

import re
from functools import cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QWidget

from poolwright.emit.palette import Colours
from poolwright.paths import resources_folder
from poolwright.ui.parts.theme import Recoloured, Tone, take_tones, theme

SMALL = 16
MEDIUM = 20
_LARGEST = 60  # medium at 300 %; what a screen that is plugged in later needs is made from it
_ASIDE = 2  # of a small icon in a button with words
_PROPERTY = "iconName"


@cache
def _source(name: str) -> bytes:
    return (resources_folder() / "icons" / f"{name}.svg").read_bytes()


def _pixels() -> list[int]:
    """Return the sizes that are drawn: small and medium on the screens there are, for drawing all sizes takes long.

    And twice as large, which texts show at half the size.
    """
    scales = {2.0, *(screen.devicePixelRatio() for screen in QGuiApplication.screens())}
    return sorted({round(size * scale) for size in (SMALL, MEDIUM) for scale in scales} | {_LARGEST})


def _drawing(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace(b"currentColor", colour.encode())))


def _render(drawing: QSvgRenderer, pixels: int, aside: int = 0) -> QPixmap:
    pixmap = QPixmap(QSize(pixels + 2 * aside, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    drawing.render(painter, QRectF(aside, 0, pixels, pixels))
    painter.end()
    return pixmap


@cache
def _icon(name: str, colour: str, disabled: str, aside: int = 0) -> QIcon:
    qt_icon = QIcon()
    usual, grey = _drawing(name, colour), _drawing(name, disabled)
    for pixels in _pixels():
        left = aside * pixels // SMALL
        drawn = _render(usual, pixels, left)
        # In a selected row the style would tint it towards the selection.
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            qt_icon.addPixmap(drawn, mode)
        qt_icon.addPixmap(_render(grey, pixels, left), QIcon.Mode.Disabled)
    return qt_icon


def icon(name: str, tone: Tone = Tone.TEXT, aside: int = 0) -> QIcon:
    """Return an icon, with so much room on either side of it: a button puts its words right behind it."""
    colours = theme()
    return _icon(name, colours.colour(tone).name(), colours.colour("disabled").name(), aside)


def paint(painter: QPainter, name: str, where: QRectF, tone: Tone = Tone.TEXT) -> None:
    colour = theme().colour(tone).name()
    _drawing(name, colour).render(painter, where)


def set_icon(target: QAction | QAbstractButton, name: str, tone: Tone = Tone.TEXT) -> None:
    """Set the icon of an action or button, none where it is empty, and remember it for a change of colours."""
    aside = 0
    if isinstance(target, QPushButton):
        aside = _ASIDE
        target.setIconSize(QSize(SMALL + 2 * aside, SMALL))
    target.setProperty(_PROPERTY, f"{name}:{tone.value}")
    target.setIcon(icon(name, tone, aside) if name else QIcon())


def recolour(target: QAction | QAbstractButton, tone: Tone) -> None:
    """Draw the icon that was given to an action or button in another colour; nothing where it has none."""
    name, _, _ = str(target.property(_PROPERTY) or "").partition(":")
    if name:
        set_icon(target, name, tone)


def recolour_all(root: QObject) -> None:
    targets: list[QAction | QAbstractButton] = [*root.findChildren(QAction), *root.findChildren(QAbstractButton)]
    for target in targets:
        name, _, tone = str(target.property(_PROPERTY) or "").partition(":")
        if name:
            set_icon(target, name, Tone(tone))


# An icon of a page in one of the named colours, which it takes anew when they change.

LARGE = 28


class IconLabel(QWidget):
    """Draws one icon; nothing without a name."""

    def __init__(self, name: str, parent: QWidget | None = None, tone: Tone = Tone.ACCENT, size: int = LARGE) -> None:
        super().__init__(parent)
        self._name, self._tone, self._size = name, tone, size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, name: str, tone: Tone) -> None:
        self._name, self._tone = name, tone
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._size, self._size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._name:
            paint(QPainter(self), self._name, QRectF(0, 0, self._size, self._size), self._tone)


# The style sheet, kept by each part of the window for itself: Qt restyles every widget of the program when the sheet of
# the application changes, which takes well over a second once all pages were seen. So each page, and each part around
# the pages, has the sheet of its own, and a hidden part takes new colours when it is shown.


@cache
def style_sheet(colours: Colours) -> str:
    text = (resources_folder() / "styles" / "window.qss").read_text(encoding="utf-8")
    return re.sub(r"@([a-z_]+)", lambda name: str(getattr(colours, name[1])), text)


class Sheet(QObject):
    """Keeps the style sheet and the icons of ``part``, and of all below it, in the colours in force."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        part.setStyleSheet(style_sheet(theme().colours))
        Recoloured(part, self._wear)

    def _wear(self) -> None:
        self._part.setStyleSheet(style_sheet(theme().colours))
        recolour_all(self._part)
        take_tones(self._part)
