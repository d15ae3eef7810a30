"""What is measured and where: the profile with its question and cost, the directory and what was found there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QWidget

from poolwright.bench import own_profiles
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.built_in import MOST_FIRST
from poolwright.bench.profiles.catalogue import BUILT_IN, reads_disks
from poolwright.bench.record import BenchTarget, Effort, Profile, time_words
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import RunProgress
from poolwright.design.amounts import parse_count, size_text
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.shown import shown_text
from poolwright.domain.units import binary, parse_size
from poolwright.predict.measured_runs import parse_number
from poolwright.texts import _, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.form import Field, Form, Remark, Typed, short
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.save_file import ask_files
from poolwright.ui.parts.theme import GRID, Tone, mono_font
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel

AGAIN = "again"  # for machines: the name of the profile that is a run as it was


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChoice:
    """A profile that can be chosen, before it was made for a place; one that ``reads_disks`` needs no directory."""

    name: str
    title: str
    question: str = ""
    own: bool = False
    reads_disks: bool = False

    @property
    def shown(self) -> str:
        return _("{title} (own)", title=self.title) if self.own else self.title


class SetupPane(QWidget):
    """``chosen`` sends the name of a profile, ``asked`` a directory to be looked at on `host`, empty where disks alone
    are read, ``moved`` that another place is meant than the one that was looked at; ``copied`` the commands that a
    person is to run. ``limited`` says that ``limits`` are others.
    """

    chosen = Signal(str)
    asked = Signal(str)
    moved = Signal()
    copied = Signal(str)
    limited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looked_at: tuple[str, str | None] = "", None
        self.profile = ChoiceBox(self, _("Profile"), self._on_chosen, letters=20)
        self.profile.setMaxVisibleItems(24)
        self.profile.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.question, self.found = (ToneLabel("", Tone.MUTED, self, small=True) for __ in range(2))
        self.machine = ChoiceBox(self, _("Machine"), self._on_machine, letters=12)
        self.directory = widgets.entry(self, _("Directory"), "/tank/bench")
        self.directory.editingFinished.connect(self._on_left)
        self.directory.textEdited.connect(self._on_edited)
        browse = partial(ask_files, self, self._on_browsed, folder=True)
        self._browse = widgets.button(_("Choose…"), self, browse, icon="open")
        self.notice = Notice(_("Directory"), self)
        profile, target = QLabel(_("&Profile"), self), QLabel(_("&Target"), self)
        profile.setBuddy(self.profile)
        target.setBuddy(self.directory)
        grid = widgets.grid(gap=(GRID, GRID // 2))
        for column, part in enumerate((profile, self.profile, target, self.machine, self.directory, self._browse)):
            grid.addWidget(part, 0, column)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(4, 3)
        grid.addWidget(self.question, 1, 0, 1, 2)
        grid.addWidget(self.found, 1, 2, 1, 4)
        self.limits = RunLimits()
        self.form = Form(self)
        self.form.add(*_fields())
        self.form.edited.connect(self._on_limit)
        self.form.show_values(self.limits, lambda field, _value: Remark(text=field.help))
        widgets.column(grid, self.notice, of=self)

    def show_choices(self, again: Profile | None, name: str) -> None:
        """Offer the profiles that ship and one's own; first the run that is to be done ``again``."""
        choices = [
            ProfileChoice(name=b.name, title=_(b.title), question=_(b.question), reads_disks=b.reads_disks)
            for b in BUILT_IN
        ]
        if again is not None:
            title, reads = _("{title}, as it was run", title=again.title), not again.own and reads_disks(again.name)
            choices.insert(0, ProfileChoice(name=AGAIN, title=title, question=again.question, reads_disks=reads))
        names = {choice.name for choice in choices}
        own = (ProfileChoice(name=own.name, title=own.name, own=True) for own in own_profiles.kept_profiles())
        offered = (*choices, *(each for each in own if each.name not in names))
        chosen = next((choice for choice in offered if choice.name == name), None)
        self.profile.offer(((choice.shown, choice) for choice in offered), chosen)
        self._show_choice()

    def show_hosts(self, names: Sequence[str]) -> None:
        chosen = self.host()
        self.machine.offer(((_("this machine"), None), *((shown_text(name), name) for name in names)), chosen)
        self.machine.setVisible(bool(names))
        if self.host() != chosen:
            self._on_machine()
        else:
            self._show_choice()

    def host(self) -> str | None:
        name = self.machine.currentData()
        return name if isinstance(name, str) else None

    def choice(self) -> ProfileChoice | None:
        chosen = self.profile.currentData()
        return chosen if isinstance(chosen, ProfileChoice) else None

    def show_place(self, place: BenchTarget | None, *, looking: bool) -> None:
        self.notice.hide()
        reads = self.reads_disks()
        if place is None and looking:
            self.found.setText(_("Looking at the machine"))
        elif reads:
            self.found.setText(_("Reads the disks before they join a pool. Needs no directory."))
        else:
            self.found.setText("" if place is None else place_words(place))
        if place is None or reads or not (place.refusals or place.warnings):
            return
        refused = _("Nothing is measured there."), Tone.BLOCK, place.refusals
        warned = _("Read this before you run."), Tone.WARN, place.warnings
        title, tone, reasons = refused if place.refusals else warned
        todo = "\n".join(place.commands)
        offers = ((_("Copy commands"), partial(self.copied.emit, f"{todo}\n")),) if place.commands else ()
        self.notice.say(Message(title=title, tone=tone, reasons="\n".join(reasons), todo=todo, offers=offers))

    def show_details(self, *, shown: bool) -> None:
        """Show what is asked and where it is, or only the fields, which are fixed while it runs."""
        for part in (self.question, self.found):
            part.setVisible(shown)
        for field in (self.profile, self.machine, self.directory, self._browse):
            field.setEnabled(shown)

    def _on_limit(self, key: str, value: Any) -> None:
        self.limits = replace(self.limits, **{key: value})
        self.limited.emit()

    def _on_chosen(self) -> None:
        self._show_choice()
        choice = self.choice()
        if choice is not None:
            self.chosen.emit(choice.name)

    def _show_choice(self) -> None:
        choice, reads = self.choice(), self.reads_disks()
        self.question.setText("" if choice is None else choice.question)
        self.directory.setVisible(not reads)
        self._browse.setVisible(not reads and self.host() is None)  # its dialog shows this machine

    def reads_disks(self) -> bool:
        choice = self.choice()
        return choice is not None and choice.reads_disks

    def missing(self, *, looking: bool) -> str:
        if looking:
            return _("Looking at the machine")
        unread = _("The machine could not be looked at.") if self.reads_disks() else ""
        return unread if self.names_place else _("Name a directory on the pool.")

    @property
    def names_place(self) -> bool:
        return self.reads_disks() or bool(self.directory.text().strip())

    def _on_edited(self) -> None:
        self._looked_at = "", None
        self.moved.emit()

    def _on_left(self) -> None:
        """Look at a directory once it is typed; the field is also left without another one."""
        if self._looked_at != (self.directory.text().strip(), self.host()) and not self.reads_disks():
            self.ask()

    def ask(self) -> None:
        text = self.directory.text().strip()
        self._looked_at = text, self.host()
        if self.reads_disks():
            self.asked.emit("")
        elif text:
            self.asked.emit(text)

    def _on_machine(self) -> None:
        self._show_choice()
        self.moved.emit()
        if self.reads_disks():
            self.ask()

    def _on_browsed(self, paths: Sequence[str]) -> None:
        self.directory.setText(paths[0])
        self.ask()


# A place, what a profile costs, and how far a run is, each in a line of words.


def place_words(place: BenchTarget) -> str:
    """Return what decides about a place; what else was found there stands in the report."""
    no_zfs = _("{filesystem}, not ZFS: no verdict", filesystem=place.filesystem)
    parts = [_("{size} free", size=binary(place.free_bytes)), no_zfs if place.dataset is None else place.dataset]
    if place.pool is not None and place.pool_health != "ONLINE":
        parts.append(place.pool_health or _("health unknown"))
    if place.pool is not None and place.fill_percent is not None:
        parts.append(_("{percent} % full", percent=place.fill_percent))
    return ", ".join(parts)


def effort_words(profile: Profile | None, effort: Effort | None) -> str:
    if profile is None or effort is None:
        return ""
    parts = [
        _("At most {time}", time=time_words(effort.seconds)),
        _("writes {size}", size=binary(effort.written_bytes)),
    ]
    if effort.wear is not None:
        parts.append(_("{share:.3f} % of the rated writes", share=100 * effort.wear))
    return ", ".join(parts) + "."


def progress_words(progress: RunProgress) -> str:
    parts = [_("{time} left", time=time_words(progress.seconds_left))]
    if not progress.untold:
        parts.append(_("{size} written", size=binary(progress.written_bytes)))
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


def _fields() -> tuple[Field, ...]:
    own, none = _("the profile's"), _("no limit")
    repeats = Typed(partial(parse_count, least=1), str)
    number, written = Typed(parse_number, short), Typed(parse_size, size_text)
    filled = Typed(partial(parse_count, least=1, most=MOST_FIRST), str)
    places = ((True, _("a new one")), (False, _("the one there")))
    spread = _("At least 3 to tell the spread; 10 where it is large.")
    in_use = _("By scattered writes; emptied again at the end.")
    return (
        Field("repeats", _("Repeats of each test"), repeats, spread, own),
        Field("seconds", _("Seconds of a repeat"), number, _("At least 20 s, else writes only reach memory."), own),
        Field("minutes", _("Minutes in all"), number, _("What is finished by then is kept."), none),
        Field("written_bytes", _("Written in all"), written, _("Writes wear flash. Such as 200 GiB."), none),
        Field("fill_percent", _("Filled first to, %"), filled, in_use, _("as it is")),
        Field("celsius", _("Hottest disk, °C"), number, _("The run ends when a disk is this warm."), none),
        Field("own_dataset", _("Dataset"), places, _("Created where root measures, destroyed afterwards.")),
    )


# Jobs of one's own: fio job files that are written here, told what is wrong with them line by line, kept, deleted.

_CHECK_MILLISECONDS = 200
_BEGIN = """[global]
size=1g
runtime=60
time_based=1

[records]
rw=randwrite
bs=16k
numjobs=8
refill_buffers=1
"""


class OwnJobsPane(QWidget):
    """``kept`` sends the name of a profile that was kept or put back, ``forgotten`` that one was deleted.

    ``making`` is asked what a profile lacks where one measures now; it raises UserError.
    """

    kept = Signal(str)
    forgotten = Signal(str)

    def __init__(
        self,
        taken: Callable[[str], bool],
        making: Callable[[own_profiles.OwnProfile], None],
        complain: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        """``taken`` tells whether a profile that ships has a name."""
        super().__init__(parent)
        self._taken, self._making, self._complain = taken, making, complain
        self._own: own_profiles.OwnProfile | None = None
        self._later = widgets.single_shot_timer(self, _CHECK_MILLISECONDS, self.check)
        self.choice = ChoiceBox(self, _("Your own jobs"), self._on_chosen)
        self.name = widgets.entry(self, _("Name of the job file"), _("Name"))
        self.name.textEdited.connect(self._later.start)
        self.keep_button = widgets.button(_("Save"), self, self._on_keep, icon="save")
        self.delete_button = widgets.button(_("Delete"), self, self._on_delete, icon="delete")
        self.notice = Notice(_("What was deleted"), self)
        self._make_editor()
        line = widgets.row((self.choice, 1), (self.name, 1), self.keep_button, self.delete_button)
        widgets.column(line, self.notice, (widgets.row((self.text, 3), (self.problems, 2)), 1), of=self)
        self.show_kept()
        self._on_chosen()

    def _make_editor(self) -> None:
        self.text = widgets.named(QPlainTextEdit(self), _("Text of the job file"))
        self.text.setFont(mono_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(20 * GRID)
        self.text.textChanged.connect(self._later.start)
        self.problems = widgets.named(ToneLabel("", Tone.MUTED, self, selectable=True), _("What is wrong, by line"))
        self.problems.setAlignment(Qt.AlignmentFlag.AlignTop)

    def show_kept(self, name: str = "") -> None:
        kept = own_profiles.kept_profiles()
        self.choice.offer(((_("New job"), ""), *((own.name, own.name) for own in kept)), name)
        self._show_buttons()

    def show_one(self, name: str) -> None:
        self.show_kept(name)
        self._on_chosen()

    def open_file(self, path: Path) -> None:
        """Show the text of a job file, to be mended and kept; what is wrong with it is told beside it."""
        if path.is_file():
            self.choice.setCurrentIndex(0)
            self._show_text(path.read_bytes().decode("utf-8", "replace"), path.stem)

    def check(self) -> None:
        self._later.stop()
        text, name = self.text.toPlainText(), self.name.text().strip()
        self._own, problems = own_profiles.problems_in(text, name or "own")
        found = list(problems)
        if self._own is not None:
            found += self._of_place(self._own, text)
            if self._taken(self._own.name):
                said = _("“{name}” is a built-in profile; choose another name.", name=self._own.name)
                found.append(own_profiles.TextProblem(line=None, text=said))
                self._own = None
        self._show_problems(found)
        self._show_buttons()

    def _of_place(self, own: own_profiles.OwnProfile, text: str) -> list[own_profiles.TextProblem]:
        try:
            self._making(own)
        except UserError as error:
            named = next((name for name, __ in own.sections if name in error.what), "")
            said = " ".join(part for part in (error.what, error.todo) if part)
            return [own_profiles.TextProblem(line=own_profiles.line_of_section(text, named), text=said)]
        return []

    def _show_problems(self, problems: list[own_profiles.TextProblem]) -> None:
        count = 0 if self._own is None else len(self._own.sections)
        lines = [
            each.text if each.line is None else _("Line {line}: {text}", line=each.line, text=each.text)
            for each in problems
        ] or [ngettext("{count} job is valid.", "{count} jobs are valid.", count)]
        self.problems.setText("\n".join(lines))
        self.problems.set_tone(Tone.BLOCK if problems else Tone.MUTED)

    def _show_text(self, text: str, name: str) -> None:
        self.name.setText(name)
        self.text.setPlainText(text)
        self.check()

    def _show_buttons(self) -> None:
        self.keep_button.setEnabled(self._own is not None and bool(self.name.text().strip()))
        self.delete_button.setEnabled(bool(self.choice.currentData()))

    def _on_chosen(self) -> None:
        name = self.choice.currentData()
        try:
            self._show_text(own_profiles.text_of(name) if name else _BEGIN, name or "")
        except PoolwrightError as error:
            self._complain(error.text)

    def _on_keep(self) -> None:
        self.check()
        if self._own is None:
            return
        try:
            own = own_profiles.keep_text(self.text.toPlainText(), self.name.text().strip())
        except PoolwrightError as error:
            self._complain(error.text)
            return
        self.notice.hide()
        self.name.setText(own.name)
        self.show_kept(own.name)
        self.kept.emit(own.name)

    def _on_delete(self) -> None:
        name = self.choice.currentData()
        try:
            text = own_profiles.text_of(name)
            own_profiles.forget(name)
        except PoolwrightError as error:
            self._complain(error.text)
            return
        self.show_one("")
        put_back = partial(self._put_back, name, text)
        self.notice.show_text(_("“{name}” was deleted.", name=name), action=_("Put back"), does=put_back)
        self.forgotten.emit(name)

    def _put_back(self, name: str, text: str) -> None:
        self.notice.hide()
        own_profiles.keep_text(text, name)
        self.show_one(name)
        self.kept.emit(name)
