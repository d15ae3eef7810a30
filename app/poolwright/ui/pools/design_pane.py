"""The open design against the pool that exists: what differs, the commands that change it, what cannot be changed."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from poolwright.changes.against.difference import against_live_in_steps
from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.domain.design import Design
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import Pool
from poolwright.domain.steps import at_each
from poolwright.emit.live_commands import guarded_text, live_commands
from poolwright.emit.live_words import WAYS, counted_words, way_title
from poolwright.jobs.asking import Asking
from poolwright.jobs.sliced_job import SlicedJob, Work
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import SmallHeading, ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.scrolled_rows import ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone, mono_font
from poolwright.ui.state.session import Session

_MARKS = {
    LiveWay.STEP: ("next", Tone.ACCENT),
    LiveWay.CANNOT: ("block", Tone.BLOCK),
    LiveWay.LEFT: ("note", Tone.NOTE),
    LiveWay.UNKNOWN: ("unknown", Tone.MUTED),
}


class AgainstDesign(QWidget):
    """Holds the open design against one pool whenever either is another, with commands to be copied or saved."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._text = ""
        self._of: tuple[Design, Inventory, Pool] | None = None
        self._asking = Asking(session.jobs, self)
        self._asking.answered.connect(self._show_comparison)
        self._asking.failed.connect(self.say)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("The pool against the design"))
        self._copy = lay.button(tell("Copy commands"), self, self._on_copy, icon="copy")
        self._save = lay.button(tell("Save commands…"), self, self._on_save, icon="save")
        self.list = ScrolledRows(tell("What differs"), self)
        lay.column(lay.row((self.told, 1), self._copy, self._save), (self.list, 1), of=self)
        self.compare(None, None, None)

    def compare(self, design: Design | None, inventory: Inventory | None, pool: Pool | None) -> None:
        """Hold this design against this pool of the machine; without a design say how to come by one."""
        if design is None or inventory is None or pool is None:
            self._of = None
            self._asking.forget()
            self.say(tell("Open a design or make one, and it is held against this pool here."))
            return
        now = (design, inventory, pool)
        if self._of is not None and all(old is new for old, new in zip(self._of, now, strict=True)):
            return
        self._of = now
        self._asking.ask(SlicedJob(tell("Comparing with the design"), "design", _comparing(*now), self))

    def say(self, text: str) -> None:
        """Show that there is nothing to compare yet, and why."""
        self._text = ""
        self.told.setText(text)
        self.told.set_tone(Tone.MUTED)
        self._show_rows(None)

    def _show_comparison(self, comparison: LiveComparison) -> None:
        self._text = guarded_text(comparison)
        self.told.setText(counted_words(comparison))
        self.told.set_tone(Tone.TEXT if comparison.differences else Tone.OK)
        self._show_rows(comparison)

    def _show_rows(self, comparison: LiveComparison | None) -> None:
        for button in (self._copy, self._save):
            button.setVisible(bool(self._text))
        inner = QWidget(self)
        column = lay.column(of=inner, gap=GRID, around=(0, 0, GRID, 0))
        if comparison is not None:
            self._fill(comparison, inner, column)
        column.addStretch(1)
        self.list.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _fill(self, comparison: LiveComparison, inner: QWidget, column: QVBoxLayout) -> None:
        for text in comparison.before if self._text else ():
            column.addWidget(ToneLabel(tell("First: {text}", text=text), Tone.WARN, inner))
        lines = {id(one.difference): one.lines for one in live_commands(comparison)}
        for way in WAYS:
            found = list(comparison.of_way(way))
            if found:
                column.addWidget(SmallHeading(way_title(way), inner))
            for one in found:
                column.addWidget(DifferenceRow(one, lines.get(id(one), ()), inner))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self._session.say(tell("The commands were copied. Read them before you run them."))

    def _on_save(self) -> None:
        dialog = save_dialog(self, tell("Save the commands"), "change-pool.sh", tell("Shell script"), "sh")
        dialog.fileSelected.connect(self.write)
        dialog.open()

    def write(self, name: str) -> None:
        """Write the text of the commands into a file."""
        try:
            with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123 - the name comes from the dialog
                file.write(self._text)
        except OSError as error:
            self._session.complain(tell("The commands were not saved: {why}", why=error.strerror or str(error)))
            return
        self._session.say(tell("Saved as {name}.", name=name))


def _comparing(design: Design, inventory: Inventory, pool: Pool) -> Work:
    return (yield from at_each(against_live_in_steps(design, inventory, pool), lambda _: None))


class DifferenceRow(QWidget):
    """One difference with its reason, and the commands where there are some."""

    def __init__(self, difference: LiveDifference, lines: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.difference = difference
        icon, tone = _MARKS[difference.way]
        texts = lay.column(ToneLabel(difference.text, Tone.TEXT, self), gap=2)
        for text in (difference.reason, difference.rewrite):
            if text:
                texts.addWidget(ToneLabel(text, Tone.MUTED, self, small=True))
        if lines:
            commands = ToneLabel("\n".join(lines), Tone.TEXT, self)
            commands.setFont(mono_font())
            commands.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            commands.setAccessibleName(tell("Commands for a person to run"))
            texts.addWidget(commands)
        lay.row((Mark(icon, self, tone, icons.SMALL), 0, Qt.AlignmentFlag.AlignTop), (texts, 1), of=self)
