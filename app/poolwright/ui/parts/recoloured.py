"""Taking new colours only where somebody sees them: most of what was ever shown is hidden when they change."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from poolwright.emit.palette import Colours
from poolwright.ui.parts.theme import theme


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
        """Catch up before the widget is seen again."""
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
