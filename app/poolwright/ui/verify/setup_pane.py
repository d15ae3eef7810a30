"""What is measured and where: the profile with its question and cost, the directory and what was found there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QHeaderView, QLineEdit, QSizePolicy, QWidget

from poolwright.bench.profiles.built_in.load import MOST_FIRST
from poolwright.bench.profiles.effort import Writing, written_of
from poolwright.bench.profiles.ground import BenchWishes
from poolwright.bench.profiles.profile import Effort, Profile
from poolwright.bench.record import time_words
from poolwright.bench.running.listening import RunBudget
from poolwright.bench.running.place import BenchPlace
from poolwright.bench.running.run import RunProgress
from poolwright.design.amounts import parse_count, size_text
from poolwright.domain.shown import shown_text
from poolwright.domain.units import binary, parse_size
from poolwright.predict.runs import parse_number
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Field, Form, Remark, Typed, short
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.save_file import open_dialog
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone

COPY = "copy"
_NARROW = 92 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChoice:
    """A profile that can be chosen, before it was made for a place; one that ``reads_disks`` needs no directory."""

    name: str
    title: str
    question: str
    own: bool = False
    reads_disks: bool = False

    @property
    def shown(self) -> str:
        return tell("{title} (own)", title=self.title) if self.own else self.title


class SetupPane(QWidget):
    """``chosen`` sends the name of a profile, ``asked`` a directory to be looked at on `host`, empty where disks alone
    are read, ``moved`` that another place is meant than the one that was looked at; ``copied`` the commands that a
    person is to run.
    """

    chosen = Signal(str)
    asked = Signal(str)
    moved = Signal()
    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place: BenchPlace | None = None
        self.profile = QComboBox(self)
        self.profile.setAccessibleName(tell("Profile"))
        self.profile.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.profile.setMinimumContentsLength(20)
        self.profile.setMaxVisibleItems(24)
        self.profile.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.profile.activated.connect(self._on_chosen)
        self.question = ToneLabel("", Tone.TEXT, self)
        self.question.setAccessibleName(tell("The question it answers"))
        self.cost = ToneLabel("", Tone.MUTED, self, small=True)
        self.cost.setAccessibleName(tell("What it costs at most"))
        self.machine = QComboBox(self)
        self.machine.setAccessibleName(tell("Machine"))
        self.machine.setToolTip(tell("Hosts of ~/.ssh/config, and those that were typed on the page “Hosts over SSH”"))
        self.machine.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.machine.setMinimumContentsLength(12)
        self.machine.activated.connect(self._on_machine)
        self.directory = QLineEdit(self)
        self.directory.setAccessibleName(tell("Directory"))
        self.directory.setPlaceholderText(
            tell("a directory on the pool, such as {path}", path="/tank/poolwright-bench")
        )
        self.directory.returnPressed.connect(self.ask)
        self.directory.textEdited.connect(self._on_edited)
        self._browse = lay.button(tell("Choose…"), self, self._on_browse, icon="open")
        self._look = lay.button(tell("Look"), self, self.ask, icon="search")
        self.found = ToneLabel("", Tone.MUTED, self, small=True)
        self.found.setAccessibleName(tell("What was found there"))
        self.notice = Notice(tell("Whether one may measure there"), self)
        self.notice.pressed.connect(self._on_notice)
        what = QWidget(self)
        lay.column(
            SmallHeading(tell("What to measure"), self),
            self.profile,
            self.question,
            self.cost,
            1,
            of=what,
            gap=GRID // 2,
        )
        where = QWidget(self)
        # A path is long: it has a row of its own, but for what is pressed when it is there.
        machine = lay.row((self.machine, 1), self._browse)
        path = lay.row((self.directory, 1), self._look)
        lay.column(SmallHeading(tell("Where"), self), machine, path, self.found, 1, of=where, gap=GRID // 2)
        self._sides = lay.row((what, 1), (where, 1), gap=3 * GRID)
        lay.column(self._sides, self.notice, of=self)

    def show_choices(self, choices: Sequence[ProfileChoice], name: str) -> None:
        self.profile.clear()
        for choice in choices:
            self.profile.addItem(choice.shown, choice)
        at = next((number for number, choice in enumerate(choices) if choice.name == name), 0)
        self.profile.setCurrentIndex(at)
        self._show_choice()

    def choose(self, name: str) -> None:
        """Choose the profile of this name, as if it was done by hand; nothing where it is chosen."""
        chosen = self.choice()
        numbers = (n for n in range(self.profile.count()) if self.profile.itemData(n).name == name)
        number = next(numbers, None)
        if number is not None and (chosen is None or chosen.name != name):
            self.profile.setCurrentIndex(number)
            self._on_chosen()

    def show_hosts(self, names: Sequence[str]) -> None:
        """Offer this machine and these; the chosen one stays, as long as it is offered."""
        chosen = self.host()
        self.machine.clear()
        self.machine.addItem(tell("this machine"), None)
        for name in names:
            self.machine.addItem(shown_text(name), name)
        self.machine.setCurrentIndex(max(0, self.machine.findData(chosen)) if chosen is not None else 0)
        if self.host() != chosen:
            self._on_machine()
        else:
            self._show_choice()

    def host(self) -> str | None:
        """Return the host that is meant; None is this machine."""
        name = self.machine.currentData()
        return name if isinstance(name, str) else None

    def choice(self) -> ProfileChoice | None:
        chosen = self.profile.currentData()
        return chosen if isinstance(chosen, ProfileChoice) else None

    def show_cost(self, text: str) -> None:
        """Say what the profile takes at most."""
        self.cost.setText(text)

    def show_place(self, place: BenchPlace | None, *, looking: bool) -> None:
        """Show what was found in the directory, and each reason against measuring there."""
        self._place = place
        self.notice.hide()
        reads = self.reads_disks()
        if place is None and looking:
            self.found.setText(tell("Looking at the machine.") if reads else tell("Looking at the directory."))
        elif reads:
            self.found.setText(tell("Disks are read here, before they become a pool. No directory is needed."))
        elif place is None:
            self.found.setText(tell("Press Look: it is only read."))
        if place is None or reads:
            return
        self.found.setText(place_words(place))
        if place.refusals:
            self._say(tell("Nothing is measured there."), Tone.BLOCK, place, place.refusals)
        elif place.warnings:
            self._say(tell("It can be measured, with a remark."), Tone.WARN, place, place.warnings)

    def _say(self, title: str, tone: Tone, place: BenchPlace, reasons: Sequence[str]) -> None:
        offers = ((tell("Copy the commands"), COPY),) if place.commands else ()
        self.notice.say(
            Message(title=title, tone=tone, reasons="\n".join(reasons), todo="\n".join(place.commands), offers=offers)
        )

    def _on_notice(self, pressed: str) -> None:
        if pressed == COPY and self._place is not None:
            self.copied.emit("\n".join(self._place.commands) + "\n")

    def _on_chosen(self) -> None:
        self._show_choice()
        choice = self.choice()
        if choice is not None:
            self.chosen.emit(choice.name)

    def _show_choice(self) -> None:
        choice, reads = self.choice(), self.reads_disks()
        self.question.setText("" if choice is None else choice.question)
        for part in (self.directory, self._look):
            part.setVisible(not reads)
        self._browse.setVisible(not reads and self.host() is None)  # its dialog shows this machine

    def reads_disks(self) -> bool:
        """Tell whether the chosen profile reads disks alone."""
        choice = self.choice()
        return choice is not None and choice.reads_disks

    def missing(self, *, looking: bool) -> str:
        """Return what is missing for a run as long as no place is known."""
        if not self.reads_disks():
            return tell("Name a directory on the pool and press Look.")
        return tell("The machine is being looked at.") if looking else tell("The machine could not be looked at.")

    def ask(self) -> None:
        """Ask for a look at what the chosen profile is run on, where it is told."""
        text = self.directory.text().strip()
        if self.reads_disks():
            self.asked.emit("")
        elif text:
            self.asked.emit(text)

    def _on_edited(self) -> None:
        self.moved.emit()

    def _on_machine(self) -> None:
        self._show_choice()
        self.moved.emit()
        if self.reads_disks():
            self.ask()

    def _on_browse(self) -> None:
        dialog = open_dialog(self, tell("A directory on the pool"), QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._on_browsed)
        dialog.open()

    def _on_browsed(self, path: str) -> None:
        self.directory.setText(path)
        self.ask()


# Where a run begins: what and where, its limits, and in a high window every profile and what will run.

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


# A place, what a profile costs, and how far a run is, each in a line of words.


def place_words(place: BenchPlace) -> str:
    """Return what was found in a directory: filesystem or dataset and pool, room, versions, memory."""
    parts = [_where(place), tell("{size} free", size=binary(place.free_bytes))]
    if place.pool is not None:
        parts.append(_pool(place))
    if place.arc_most_bytes is not None:
        parts.append(tell("ARC up to {size}", size=binary(place.arc_most_bytes)))
    elif place.ram_bytes is not None:
        parts.append(tell("{size} of RAM", size=binary(place.ram_bytes)))
    parts.append(_versions(place))
    return " · ".join(part for part in parts if part)


def _where(place: BenchPlace) -> str:
    if place.dataset is None:
        return tell("{filesystem}, no ZFS: it can be measured, not judged", filesystem=place.filesystem)
    return tell("dataset {dataset}", dataset=place.dataset)


def _pool(place: BenchPlace) -> str:
    health = place.pool_health or tell("health unknown")
    if place.fill_percent is None:
        return tell("pool {pool}, {health}", pool=place.pool, health=health)
    return tell("pool {pool}, {health}, {fill} % full", pool=place.pool, health=health, fill=place.fill_percent)


def _versions(place: BenchPlace) -> str:
    parts = []
    if place.module is not None:
        parts.append(tell("OpenZFS {version}", version=place.module))
    if place.fio is not None:
        parts.append(place.fio)
    return ", ".join(parts)


def effort_words(profile: Profile | None, effort: Effort | None) -> str:
    """Return what a profile costs at most, in a line; empty where there is none."""
    if profile is None or effort is None:
        return ""
    parts = [
        tell("At most {time}", time=time_words(effort.seconds)),
        tell("writes {size}", size=binary(effort.written_bytes)),
        tell("takes {size} of room meanwhile", size=binary(effort.space_bytes)),
    ]
    if effort.wear is not None:
        parts.append(tell("{share:.3f} % of the rated writes", share=100 * effort.wear))
    return ", ".join(parts) + "."


def progress_words(progress: RunProgress) -> str:
    """Return how far a run is: the share, the time left, what was written, the hottest disk."""
    parts = [f"{progress.fraction * 100:.0f} %"]
    if progress.seconds_left is not None:
        parts.append(tell("{time} left", time=time_words(progress.seconds_left)))
    if not progress.untold:
        parts.append(tell("{size} written", size=binary(progress.written_bytes)))
    if progress.celsius is not None:
        parts.append(f"{progress.celsius:.0f} °C")
    return ", ".join(parts)


# What a run may cost at most, and how often each test is repeated. Empty leaves it to the profile.

HOTTEST_CELSIUS = 60.0  # where the makers of most hard disks end their warranty


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Limits as typed; None is no limit, or what the profile has. ``minutes`` are of the whole run.

    ``own_dataset``: the run has a dataset made for itself where it may.
    """

    repeats: int | None = None
    seconds: float | None = None
    minutes: float | None = None
    written_bytes: int | None = None
    fill_percent: int | None = None
    celsius: float | None = HOTTEST_CELSIUS
    own_dataset: bool = True

    @property
    def wishes(self) -> BenchWishes:
        return BenchWishes(
            repeats=self.repeats, seconds=self.seconds, most_bytes=self.written_bytes, fill_percent=self.fill_percent
        )

    @property
    def budget(self) -> RunBudget:
        whole = None if self.minutes is None else self.minutes * 60
        return RunBudget(seconds=whole, written_bytes=self.written_bytes, celsius=self.celsius)


class LimitsPane(QWidget):
    """``changed`` says that ``limits`` are others."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.limits = RunLimits()
        self.form = Form(self)
        self.form.add(*_fields())
        self.form.edited.connect(self._on_edited)
        lay.column(self.form, 1, of=self)
        self.form.show_values(self.limits, _remark)

    def problem(self) -> str:
        """Return which limits nobody understands; empty where all are."""
        return ", ".join(self.form.unread())

    def _on_edited(self, key: str, value: Any) -> None:
        self.limits = replace(self.limits, **{key: value})
        self.changed.emit()


def _remark(field: Field, _value: object) -> Remark:
    return Remark(text=field.help)


def _fields() -> tuple[Field, ...]:
    own, none = tell("the profile's"), tell("no limit")
    minutes = Typed(partial(parse_number, what=tell("number of minutes")), short)
    seconds = Typed(partial(parse_number, what=tell("number of seconds")), short)
    degrees = Typed(partial(parse_number, what=tell("temperature")), short)
    return (
        Field(
            "repeats",
            tell("Repeats of each test"),
            Typed(partial(parse_count, what=tell("number of repeats"), least=1), str),
            tell("Three at least tell a spread; ten where it is large."),
            own,
        ),
        Field(
            "seconds",
            tell("Seconds of a repeat"),
            seconds,
            tell("Four transaction groups at least (20 s), or writes are measured into memory."),
            own,
        ),
        Field("minutes", tell("Minutes in all"), minutes, tell("What is finished by then is kept."), none),
        Field(
            "written_bytes",
            tell("Written in all"),
            Typed(partial(parse_size, what=tell("amount of writes")), size_text),
            tell("Flash wears by what is written. Such as 200 GiB."),
            none,
        ),
        Field(
            "fill_percent",
            tell("Filled first to, %"),
            Typed(partial(parse_count, what=tell("fill level"), least=1, most=MOST_FIRST), str),
            tell("By writes all over, as a pool in use is; emptied again at the end."),
            tell("as it is"),
        ),
        Field(
            "celsius",
            tell("Hottest disk, °C"),
            degrees,
            tell("The run ends when a disk is this warm, where its temperature can be read."),
            none,
        ),
        Field(
            "own_dataset",
            tell("Dataset"),
            ((True, tell("a new one")), (False, tell("the one there"))),
            tell("Made where root measures, below the one that is there, and destroyed with its files."),
        ),
    )
