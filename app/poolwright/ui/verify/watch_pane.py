"""A test as it runs, or as it ran: its lanes, and which test and repeat they are of."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.bench.lanes import lanes_of, lanes_of_repeat
from poolwright.bench.record import RunRecord
from poolwright.domain.estimate import Estimate
from poolwright.domain.measurement import TimeCurve
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import Tone
from poolwright.ui.plots.lanes_place import LanesPlace


class WatchPane(QWidget):
    """Shows what grows while a run goes on; afterwards each repeat of the run can be chosen.

    ``failed`` sends why a file was not written.
    """

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._record: RunRecord | None = None
        self._bands: dict[str, Estimate] = {}
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("Test and repeat that is shown"))
        self.choice.currentIndexChanged.connect(self._show_chosen)
        self.doing = ToneLabel("", Tone.MUTED, self)
        self.doing.setAccessibleName(tell("What is shown"))
        self.lanes = LanesPlace(
            tell("Nothing has been measured yet. Choose a profile and a directory, then press Run."), self
        )
        self.lanes.failed.connect(self.failed)
        self.lanes.head.insertWidget(0, self.doing, 1)
        self.lanes.head.insertWidget(1, self.choice)
        lay.column((self.lanes, 1), of=self)
        self.choice.hide()

    def expect(self, bands: dict[str, Estimate]) -> None:
        """Draw these bands behind the application's curves, by the name of the test."""
        self._bands = bands

    def show_live(self, test: str, title: str, curves: tuple[TimeCurve, ...]) -> None:
        self.choice.hide()
        self.doing.setText(title)
        self.lanes.say_missing(tell("The first values come within seconds."))
        self.lanes.show_lanes(lanes_of(curves, self._bands.get(test)))

    def show_record(self, record: RunRecord) -> None:
        """Show a run; its first repeat is in front, and any other can be chosen."""
        self._record = record
        self.choice.blockSignals(True)
        self.choice.clear()
        for at, run in enumerate(record.tests):
            for place, repeat in enumerate(run.repeats):
                text = tell("{test}, repeat {number}", test=run.test.title, number=repeat.number)
                self.choice.addItem(text, (at, place))
        self.choice.blockSignals(False)
        self.choice.setVisible(self.choice.count() > 0)
        self.lanes.say_missing(tell("Nothing was recorded over time."))
        self.lanes.stem = f"{record.profile.name}-{record.name}"
        self._show_chosen()

    def show_test(self, name: str) -> None:
        """Bring the first repeat of a test to the front."""
        if self._record is None:
            return
        for number in range(self.choice.count()):
            at, place = self.choice.itemData(number)
            if self._record.tests[at].test.name == name and place == 0:
                self.choice.setCurrentIndex(number)
                return

    def _show_chosen(self) -> None:
        chosen = self.choice.currentData()
        if self._record is None or chosen is None:
            self.lanes.show_lanes(())
            return
        run = self._record.tests[chosen[0]]
        repeat = run.repeats[chosen[1]]
        self.doing.setText(repeat.why or tell("It took {seconds:.0f} s", seconds=repeat.seconds))
        self.lanes.show_lanes(lanes_of_repeat(repeat, self._bands.get(run.test.name)))
