"""Why the other families were not chosen, and on request what would change the answer."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from poolwright.design.candidate import Recommendation, Rejected
from poolwright.design.changes import Change
from poolwright.design.enumerate import family_words
from poolwright.domain.units import binary
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import what_would_change
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.recommending import request_of
from poolwright.ui.state.session import Session

JOB_TARGET = "recommendation changes"  # for machines


class WhyNotPane(QWidget):
    """The list and a button that works out the changes. ``asked`` sends the id of the rule that is asked about."""

    asked = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: Recommendation | None = None
        self._lines: tuple[Rejected, ...] = ()
        self._asking = Asking(session.jobs, self)
        self._asking.answered.connect(self._on_tried)
        self._asking.ended.connect(self._allow)
        self.list = WhyNotList(self)
        self.list.asked.connect(self.asked)
        tip = tell("Tries other numbers of disks, failures and clients, more space, a lower price")
        self.look = lay.button(tell("What would change the answer?"), self, self._start, tip=tip)
        lay.column((self.list, 1), (self.look, 0, Qt.AlignmentFlag.AlignLeft), of=self)
        self.setFocusProxy(self.list)

    def show_ranking(self, found: Recommendation | None, lines: Sequence[Rejected], *, whole: bool) -> None:
        """Show why not of a ranking; ``whole`` tells that it came to its end, so that changes can be tried."""
        self._asking.forget()
        self._found, self._lines = found, tuple(lines)
        self.list.show_rejected(self._lines)
        self.look.setVisible(whole and found is not None)
        self.look.setEnabled(True)

    def _start(self) -> None:
        request = request_of(self._session)
        if request is None or self._found is None:
            return
        self.look.setEnabled(False)
        self._asking.ask(WorkerJob(tell("Trying changes"), JOB_TARGET, self, what_would_change, request))

    def _allow(self) -> None:
        self.look.setEnabled(True)

    def _on_tried(self, changes: tuple[Change, ...]) -> None:
        self.look.hide()
        self.list.show_rejected((*(self._line(change) for change in changes), *self._lines))
        self.list.verticalScrollBar().setValue(0)

    def _line(self, change: Change) -> Rejected:
        if change.choice is None:
            return Rejected(family=tell("Would not change"), reason=change.said)
        told = tell("{said}: {layout}, {space} usable")
        space = binary(change.choice.usable_bytes)
        reason = told.format(said=change.said, layout=change.choice.words, space=space)
        return Rejected(family=tell("Would change"), reason=reason, feasible=True)


# Why the other families of layouts were not chosen: a line each, with the rule where one speaks against it.


class WhyNotList(ScrolledRows):
    """Shows rejected families; ``asked`` sends the id of the rule whose button was pressed."""

    asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tell("Why not the other families"), parent)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 12 * GRID)

    def show_rejected(self, rejected: Sequence[Rejected]) -> None:
        inner = QWidget(self)
        grid = lay.grid(of=inner, gap=(2 * GRID, GRID), around=(0, 0, GRID, 0))
        grid.setColumnStretch(1, 1)
        for row, line in enumerate(rejected):
            family = QLabel(family_words(line.family), inner)
            family.setFont(text_font(semibold=True))
            grid.addWidget(family, row, 0, Qt.AlignmentFlag.AlignTop)
            tone = Tone.TEXT if line.feasible else Tone.MUTED
            reason = ToneLabel(line.reason, tone, inner)
            reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(reason, row, 1, Qt.AlignmentFlag.AlignTop)
            if line.rule_id is not None:
                name = tell("Why not {family}? Rule {rule}", family=family_words(line.family), rule=line.rule_id)
                button = lay.button(tell("Why?"), inner, self._ask, tip=line.rule_id, name=name)
                button.setProperty("ruleId", line.rule_id)
                grid.addWidget(button, row, 2, Qt.AlignmentFlag.AlignTop)
        grid.setRowStretch(len(rejected), 1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _ask(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QPushButton)
        self.asked.emit(str(sender.property("ruleId")))
