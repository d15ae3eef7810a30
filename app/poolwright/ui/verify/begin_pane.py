"""Where a run begins: what and where, its limits, and in a high window every profile and what will run."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from poolwright.bench.profiles.effort import Writing, written_of
from poolwright.bench.profiles.profile import Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.bench.words import time_words
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import SmallHeading, ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.verify.limits_pane import LimitsPane
from poolwright.ui.verify.setup_pane import ProfileChoice, SetupPane

_LEAST_HEIGHT = 22 * GRID  # for a heading and a few rows; where there is less, the list above is enough


class BeginPane(QWidget):
    """Puts the parts one below the other; what they send is connected by who made them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setup = SetupPane(self)
        self.limits = LimitsPane(self)
        self.overview = RunOverview(self)
        self.overview.chosen.connect(self.setup.choose)
        self.setup.profile.currentIndexChanged.connect(self._follow)
        lay.column(self.setup, SmallHeading(tell("Limits"), self), self.limits, (self.overview, 1), of=self)

    def show_choices(self, choices: Sequence[ProfileChoice], name: str) -> None:
        self.overview.show_choices(choices)
        self.setup.show_choices(choices, name)
        self._follow()

    def _follow(self) -> None:
        choice = self.setup.choice()
        if choice is not None:
            self.overview.select(choice.name)


class RunOverview(QWidget):
    """Takes the room that is left, and shows nothing where that is little; ``chosen`` sends the name of a profile."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._holder = QWidget(self)
        self._holder.hide()
        self.choices = RowModel[ProfileChoice](_choice_columns(), self, key=lambda choice: choice.name)
        self.profiles = plain_table(tell("Profiles and their questions"), self.choices, self._holder)
        self.profiles.selectionModel().currentRowChanged.connect(self._on_row)
        self.writings = RowModel[Writing](_test_columns(), self, key=lambda writing: writing.test.name)
        self.tests = plain_table(tell("Tests of the profile"), self.writings, self._holder)
        self.missing = ToneLabel("", Tone.MUTED, self._holder)
        self.missing.setAccessibleName(tell("Why no tests are shown"))
        for view, stretched in ((self.profiles, 1), (self.tests, 0)):
            view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            view.horizontalHeader().setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
            view.setTextElideMode(Qt.TextElideMode.ElideRight)
        every = lay.column(SmallHeading(tell("Every profile"), self._holder), (self.profiles, 1), gap=GRID // 2)
        head = SmallHeading(tell("What will run"), self._holder)
        tests = lay.column(head, self.missing, (self.tests, 1), 0, gap=GRID // 2)
        lay.row((every, 1), (tests, 1), of=self._holder, gap=3 * GRID)
        self.show_profile(None, None)

    def show_choices(self, choices: Sequence[ProfileChoice]) -> None:
        self.choices.show_rows(choices)

    def select(self, name: str) -> None:
        """Mark the profile that is chosen."""
        line = self.choices.line_of(name)
        if line is not None and line != self.profiles.currentIndex().row():
            self.profiles.selectRow(line)

    def show_profile(self, profile: Profile | None, place: BenchPlace | None, problem: str = "") -> None:
        """Show the tests as they would run in this place; None: it is not known yet, or a problem keeps it from it."""
        there = profile is not None and place is not None
        self.writings.show_rows(written_of(profile.tests, place) if profile is not None and place is not None else ())
        self.tests.setVisible(there)
        self.missing.setVisible(not there)
        self.missing.setText(problem or tell("The tests depend on the place: they stand here once it was looked at."))

    def sizeHint(self) -> QSize:
        """Ask for nothing: it takes what the others leave."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._holder.setGeometry(self.rect())
        self._holder.setVisible(self.height() >= _LEAST_HEIGHT)

    def _on_row(self) -> None:
        index = self.profiles.currentIndex()
        if index.isValid() and index.row() < self.choices.rowCount():
            self.chosen.emit(self.choices.row(index.row()).name)


def _choice_columns() -> tuple[TableColumn[ProfileChoice], ...]:
    return (
        TableColumn(title=tell("Profile"), text=lambda choice: choice.shown),
        TableColumn(
            title=tell("Question"), text=lambda choice: choice.question, tip=lambda choice: choice.question
        ),
    )  # fmt: skip


def _test_columns() -> tuple[TableColumn[Writing], ...]:
    return (
        TableColumn(
            title=tell("Test"), text=lambda writing: writing.test.title, tip=lambda writing: writing.test.title
        ),
        TableColumn(title=tell("Repeats"), number=True, text=lambda writing: f"{writing.test.repeats}"),
        TableColumn(title=tell("Each"), meaning=tell("How long one repeat measures"), number=True, text=_each),
        TableColumn(
            title=tell("Files"),
            meaning=tell("What lies there while it runs"),
            number=True,
            text=lambda writing: binary(writing.test.file_bytes * writing.test.files),
        ),
        TableColumn(
            title=tell("Writes"),
            meaning=tell("What it writes at most, all repeats and the files laid out before"),
            number=True,
            text=lambda writing: binary(writing.whole),
        ),
    )


def _each(writing: Writing) -> str:
    seconds = writing.test.seconds
    return tell("all data") if seconds is None else time_words(seconds)
