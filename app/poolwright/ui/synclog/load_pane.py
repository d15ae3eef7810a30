"""The place of the plot of the load."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from poolwright.predict.synclog.simulate import LogRun
from poolwright.texts import tell
from poolwright.ui.plots.place import PlotPlace

if TYPE_CHECKING:
    from poolwright.ui.synclog.load_plot import LoadPlot


class LoadPane(PlotPlace):
    """Holds the plot of a run; keeps what it was told until there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        hint = tell("Height is the number of log blocks: grey the one being written, coloured those that wait.")
        super().__init__(hint, tell("Copy or save the plot of the load"), parent)
        self.plot: LoadPlot | None = None
        self._run: LogRun | None = None
        self.hint.setAccessibleName(tell("Device under the pointer"))

    def show_run(self, run: LogRun) -> None:
        """Show this run."""
        self._run = run
        if self.plot is not None:
            self.plot.show_run(run)

    def make_plot(self) -> "LoadPlot":
        """Return the plot of the load."""
        from poolwright.ui.synclog.load_plot import LoadPlot  # noqa: PLC0415

        self.plot = LoadPlot(self)
        if self._run is not None:
            self.plot.show_run(self._run)
        return self.plot
