"""Colours, fonts and distances of the window, light and dark.

Everything is drawn from the palette and from the seven named colours, so that a change of the system's scheme
repaints the whole window.
"""

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from poolwright.emit.palette import DARK, LIGHT, Colours

GRID = 8  # every distance is a multiple of this, in device-independent pixels
TEXT_POINTS = 11.0
TITLE_POINTS = 20.0
HEADING_POINTS = 14.0
SMALL_POINTS = 10.0
_TONE = "textTone"  # a property of what is written in a named colour


class Scheme(StrEnum):
    """Which colours the user wants."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Tone(StrEnum):
    """The seven named colours, the palette's own text and muted text, and text on the accent colour."""

    ACCENT = "accent"
    OK = "ok"
    NOTE = "note"
    WARN = "warn"
    BLOCK = "block"
    UNKNOWN = "unknown"
    SELECTION = "selection"
    TEXT = "text"
    MUTED = "muted"
    ON_ACCENT = "on_accent"


# Qt's Fusion style draws the outlines of these in 1/1.4 of the lightness of the ground: on a dark one nobody sees them.
_OUTLINED = ("QAbstractSpinBox", "QComboBox", "QCheckBox", "QRadioButton")
_FUSION_DARKENS = 140


def outlined(colours: Colours) -> QPalette:
    qt_palette = palette(colours)
    qt_palette.setColor(QPalette.ColorRole.Window, QColor(colours.edge).lighter(_FUSION_DARKENS))
    qt_palette.setColor(QPalette.ColorRole.Button, QColor(colours.base))  # a field as those beside it, no button
    return qt_palette


def palette(colours: Colours) -> QPalette:
    qt_palette = QPalette()
    role = QPalette.ColorRole
    pairs = (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.base),
        (role.AlternateBase, colours.alternate),
        (role.Text, colours.text),
        (role.Button, colours.button),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.on_accent),
        (role.ToolTipBase, colours.base),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Highlight, colours.selection),
        (role.HighlightedText, colours.text),
        (role.Accent, colours.accent),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.Light, colours.base),
        (role.Midlight, colours.alternate),
        (role.Mid, colours.line),
        (role.Dark, colours.line),
        (role.Shadow, colours.line),
    )
    for which, colour in pairs:
        qt_palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        qt_palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.disabled))
    return qt_palette


def text_font(points: float = TEXT_POINTS, *, semibold: bool = False) -> QFont:
    """Return the system's font with digits of equal width."""
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(points)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setWeight(QFont.Weight.DemiBold if semibold else QFont.Weight.Normal)
    return font


def mono_font(points: float = TEXT_POINTS) -> QFont:
    font = QFont("monospace")
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(points)
    return font


class Theme(QObject):
    """The scheme in force. ``changed`` is sent after the palette was replaced."""

    changed = Signal()

    def __init__(self, application: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent if parent is not None else application)
        self._application = application
        self.scheme = Scheme.SYSTEM
        application.setFont(text_font())
        application.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        self._apply()

    @property
    def dark(self) -> bool:
        if self.scheme is Scheme.SYSTEM:
            return self._application.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return self.scheme is Scheme.DARK

    def colour(self, tone: Tone | str) -> QColor:
        """Return one of the named colours (or any field of Colours) for painting."""
        return QColor(getattr(self.colours, str(tone)))

    def choose(self, scheme: Scheme) -> None:
        if scheme is not self.scheme:
            self.scheme = scheme
            if self._in_force() is not self.colours:  # else every widget would be styled anew as it is
                self._apply()

    def _on_system_changed(self) -> None:
        if self.scheme is Scheme.SYSTEM:
            self._apply()

    def _in_force(self) -> Colours:
        return DARK if self.dark else LIGHT

    def _apply(self) -> None:
        self.colours = self._in_force()
        self._application.setPalette(palette(self.colours))
        for kind in _OUTLINED:
            # Its stub asks for bytes, which it then refuses.
            self._application.setPalette(outlined(self.colours), kind)  # type: ignore[arg-type]
        self.changed.emit()


_of_program: list[Theme] = []  # the one in force; looked up for every label and line


def theme() -> Theme:
    if not _of_program or not isValid(_of_program[0]):
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        _of_program[:] = [Theme(application)]
    return _of_program[0]


def set_tone(widget: QWidget, tone: Tone) -> None:
    """Show the widget's text in a named colour; call again from a slot on ``theme().changed``."""
    widget.setProperty(_TONE, tone.value)
    colours = widget.palette()
    colours.setColor(QPalette.ColorRole.WindowText, theme().colour(tone))
    widget.setPalette(colours)
    # Inside a button a label would take the button's role instead.
    widget.setForegroundRole(QPalette.ColorRole.WindowText)


def take_tones(root: QWidget) -> None:
    """Give every text below ``root`` its named colour again, which a change of the style sheet took from it."""
    for widget in root.findChildren(QWidget):
        tone = widget.property(_TONE)
        if tone:
            set_tone(widget, Tone(tone))


# Taking new colours only where somebody sees them: most of what was ever shown is hidden when they change.


class Recoloured(QObject):
    """Calls ``take`` after the colours changed: at once while ``widget`` is seen, else just before it is shown.

    The events of a widget are looked at only while it is behind: each costs a turn through Python.
    """

    def __init__(self, widget: QWidget, take: Callable[[], object]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._take = take
        self._taken: Colours = theme().colours
        theme().changed.connect(self._on_theme_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - it watches one
        if event.type() is QEvent.Type.Show:
            self._catch_up()
        return False

    def _on_theme_changed(self) -> None:
        if self._widget.isVisible():
            self._catch_up()
        else:
            self._widget.installEventFilter(self)

    def _catch_up(self) -> None:
        self._widget.removeEventFilter(self)
        colours = theme().colours
        if colours is not self._taken:
            self._taken = colours
            self._take()
