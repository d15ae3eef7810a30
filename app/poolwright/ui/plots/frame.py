"""What plots have in common: axes in the colours of the window, a menu to copy and save, and no zooming by accident."""

from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.export import image_of, save_plot

LEAST_HEIGHT = 25 * GRID  # lower, a plot cannot be read


class PlotFrame(QWidget):
    """A plot in ``view``. ``failed`` sends why a file was not written, ``hovered`` what is under the pointer.

    Subclasses return their values from ``csv``, a file name from ``file_stem``, and take colours in ``recolour``.
    """

    failed = Signal(str)
    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = pg.PlotWidget(self)
        self.view.setMinimumHeight(LEAST_HEIGHT)
        self.view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.item = self.view.getPlotItem()
        self.item.setMenuEnabled(False)
        self.item.hideButtons()
        self.item.setMouseEnabled(False, False)
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickFont=text_font(SMALL_POINTS), tickTextOffset=GRID // 2)
        self.view.scene().sigMouseMoved.connect(self._on_moved)
        self._make_menu()
        lay.column(self.view, of=self)
        Recoloured(self, self.recolour)

    def csv(self) -> str:
        """Return the plotted values as CSV."""
        raise NotImplementedError

    def file_stem(self) -> str:
        """Return the name suggested for a file, without its ending."""
        raise NotImplementedError

    def told(self, at: QPointF) -> str:
        """Return what there is to say of a point in coordinates of the scene; empty where nothing is near."""
        raise NotImplementedError

    def recolour(self) -> None:
        """Draw ground and axes in the colours in force now."""
        self.view.setBackground(theme().colour("base"))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(theme().colour("line")))
            axis.setTextPen(pg.mkPen(theme().colour(Tone.MUTED)))

    def set_axis_title(self, side: str, text: str) -> None:
        """Name an axis."""
        style = {"color": theme().colour(Tone.MUTED).name(), "font-size": f"{SMALL_POINTS:.0f}pt"}
        self.item.setLabel(side, text, **style)

    def menu(self) -> QMenu:
        """Return the menu with which the plot is copied or saved."""
        return self._menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy or save the plot."""
        self._menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the picture with the usual keys."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
            return
        super().keyPressEvent(event)

    def _make_menu(self) -> None:
        self._menu = QMenu(self)
        self._add_action(tell("Copy"), "copy").triggered.connect(self._copy)
        for ending in ("svg", "png", "csv"):
            action = self._add_action(tell("Save as {kind}…", kind=ending.upper()), "save")
            action.setData(ending)
            action.triggered.connect(self._ask_where)

    def _add_action(self, text: str, icon: str) -> QAction:
        action = QAction(text, self)
        icons.give(action, icon)
        self._menu.addAction(action)
        return action

    def _copy(self) -> None:
        QGuiApplication.clipboard().setImage(image_of(self.view))

    def _ask_where(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QAction)
        ending = str(sender.data())
        name = f"{self.file_stem()}.{ending}"
        dialog = save_dialog(self, tell("Save the plot"), name, ending.upper(), ending)
        dialog.fileSelected.connect(self._save)
        dialog.open()

    def _save(self, path: str) -> None:
        try:
            save_plot(Path(path), self.view, self.accessibleName(), self.csv())
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def _on_moved(self, where: QPointF) -> None:
        inside = self.item.vb.sceneBoundingRect().contains(where)
        self.hovered.emit(self.told(where) if inside else "")
