"""What a profile should give here, drawn before it runs; the same models as on every page."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from poolwright.bench.charts.verdict import expected_charts
from poolwright.bench.judging.foretold_words import nothing_foretold
from poolwright.bench.profiles.profile import Profile
from poolwright.emit.chart import Chart
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.verify.limits_pane import RunLimits
from poolwright.ui.verify.measuring import Measuring


class ExpectedPane(QWidget):
    """A chart of bytes and one of operations a second, each where a test measures such; else why nothing is told.

    Worked out when it is in sight: a profile of many tests takes a while.
    """

    def __init__(self, measuring: Measuring, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._asked: tuple[Profile, RunLimits] | None = None
        self._stale = False
        self.text = ToneLabel("", Tone.MUTED, self)
        self.text.setAccessibleName(tell("Of what nothing is expected"))
        self.places = tuple(ChartPlace("", self, lines=1) for _ in range(2))
        for place in self.places:
            place.failed.connect(measuring.failed)
        # Below charts, at the top where there is none: what is left over goes to the last.
        lay.column(*((place, 1000) for place in self.places), self.text, 1, of=self, gap=GRID)

    def show_profile(self, profile: Profile | None, limits: RunLimits) -> None:
        """Show what is expected of this profile; None: nothing can be run yet."""
        self._asked = None if profile is None else (profile, limits)
        self._stale = True
        if self.isVisible():
            self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what changed while another part was in front."""
        super().showEvent(event)
        if self._stale:
            self._show()

    def _show(self) -> None:
        self._stale = False
        charts: tuple[Chart, ...] = ()
        lines = [tell("Choose a profile, and a directory on the pool: then it is shown what the design should give.")]
        if self._asked is not None:
            profile, limits = self._asked
            foretold = self._measuring.foresee(profile, limits)
            charts, lines = expected_charts(profile, foretold), list(nothing_foretold(profile.tests, foretold))
        for number, place in enumerate(self.places):
            chart = charts[number] if number < len(charts) else None
            place.say(tell("{chart}: typical value and band of each test.", chart=chart.title) if chart else "")
            place.show_chart(chart)
        self.text.setText("\n".join(lines))
        self.text.setVisible(bool(lines))
