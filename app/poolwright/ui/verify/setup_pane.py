"""What is measured and where: the profile with its question and cost, the directory and what was found there."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QSizePolicy, QWidget

from poolwright.bench.running.place import BenchPlace
from poolwright.domain.shown import shown_text
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import SmallHeading, ToneLabel
from poolwright.ui.parts.notice import Message, Notice
from poolwright.ui.parts.save_file import open_dialog
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.verify.place_words import place_words

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
