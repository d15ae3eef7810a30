"""The place of the lanes of a test: what is under the pointer, a switch for each curve, a menu to save them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from poolwright.bench.charts.answer import lane_chart, lanes_legend
from poolwright.bench.lanes import Lane, lanes_csv
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.chart_drawing import chart_drawing
from poolwright.emit.drawing import stacked, svg
from poolwright.store.files import write_bytes
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import Legend, PlotParts, how_to_read, image_of, png_of

if TYPE_CHECKING:
    from poolwright.ui.plots.time_lanes import TimeLanes


class LanesPlace(QWidget):
    """Keeps what it was told until lanes can be drawn. ``failed`` sends why a file was not written.

    ``missing`` is said while there is nothing to draw; ``head`` takes further controls. ``menu_button`` may stand
    elsewhere.
    """

    failed = Signal(str)

    def __init__(self, missing: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: TimeLanes | None = None
        self.stem = "lanes"
        self._lanes: tuple[Lane, ...] = ()
        self.hint = ToneLabel("", Tone.MUTED, self, small=True)
        self.hint.setAccessibleName(tell("Values under the pointer"))
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.hint.setMinimumHeight(2 * self.hint.fontMetrics().lineSpacing())
        self.menu_button = QToolButton(self)
        icons.give(self.menu_button, "export")
        self.menu_button.setAccessibleName(tell("Copy or save the curves"))
        self.menu_button.setToolTip(f"{self.menu_button.accessibleName()}. {how_to_read()}")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(self._made_menu())
        self.legend = Legend(self)
        self.legend.switched.connect(self._on_switched)
        self._missing = ToneLabel(missing, Tone.MUTED, self)
        self.head = lay.row((self.menu_button, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight))
        self._missing.setAlignment(Qt.AlignmentFlag.AlignCenter)  # in itself: aligned in the layout it is squeezed
        waiting = (self._missing, 1)
        # What is read of the curves stands below them: in a low window they come first.
        self._column = lay.column(self.head, waiting, self.legend, self.hint, of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)
        self.show_lanes(())

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return self._lanes

    def say_missing(self, text: str) -> None:
        """Say this while there is nothing to draw."""
        self._missing.setText(text)

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        self._lanes = tuple(lanes)
        self.legend.show_chart(lanes_legend(self._lanes))
        self.menu_button.setEnabled(bool(lanes))
        self._missing.setVisible(not lanes)
        if self.plot is not None:
            self.plot.setVisible(bool(lanes))
            self.plot.show_lanes(self._lanes)
        elif lanes and self.isVisible():
            self._parts.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw soon after the place came into sight."""
        super().showEvent(event)
        if self.plot is None and self._lanes:
            self._parts.start()

    def menu(self) -> QMenu:
        """Return the menu by which the curves are copied or saved."""
        return self._menu

    def save(self, path: str) -> None:
        """Write the curves in the format that the file's ending names; what could not be written is told."""
        kind = Path(path).suffix.lower()
        try:
            if kind == ".csv":
                write_bytes(Path(path), lanes_csv(self._lanes).encode())
            elif kind == ".svg":
                write_bytes(Path(path), self._svg().encode())
            elif self.plot is not None:
                write_bytes(Path(path), png_of(self.plot.view))
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def _svg(self) -> str:
        between = self.plot.shown_seconds if self.plot is not None else (None, None)
        charts = [lane_chart(lane, *between, stem=self.stem).without(self.legend.off) for lane in self._lanes]
        return svg(stacked([chart_drawing(chart) for chart in charts], self.stem), with_colours=True)

    def _made_menu(self) -> QMenu:
        self._menu = QMenu(self)
        self._add(tell("Show all"), self._show_all)
        self._add(tell("Copy"), self._copy, "copy")
        for ending in ("svg", "png", "csv"):
            self._add(tell("Save as {kind}…", kind=ending.upper()), self._ask_where, "save").setData(ending)
        return self._menu

    def _add(self, text: str, pressed: object, icon: str = "") -> QAction:
        action = QAction(text, self)
        if icon:
            icons.give(action, icon)
        action.triggered.connect(pressed)
        self._menu.addAction(action)
        return action

    def _show_all(self) -> None:
        if self.plot is not None:
            self.plot.show_all()

    def _copy(self) -> None:
        if self.plot is not None:
            QGuiApplication.clipboard().setImage(image_of(self.plot.view))

    def _ask_where(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QAction)
        ending = str(sender.data())
        dialog = save_dialog(self, tell("Save the curves"), f"{self.stem}.{ending}", ending.upper(), ending)
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def _make(self) -> None:
        from poolwright.ui.plots.time_lanes import TimeLanes  # noqa: PLC0415

        if self.plot is not None:
            return
        self.plot = TimeLanes(self)
        self.plot.hovered.connect(self.hint.setText)
        self._column.insertWidget(1, self.plot, 1)
        self.plot.setVisible(bool(self._lanes))
        self.plot.show_lanes(self._lanes)

    def _on_switched(self) -> None:
        if self.plot is not None:
            self.plot.set_off(self.legend.off)
