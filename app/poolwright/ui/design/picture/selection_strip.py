"""Below the picture: what is selected, what becomes of the pool without it, and what the rules say of it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from poolwright.domain.finding import Finding
from poolwright.texts import tell
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.concerns import gravest
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.elided_label import ElidedLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.severities import SEVERITY_TONES
from poolwright.ui.parts.theme import GRID, Tone, text_font


class SelectionStrip(QWidget):
    """Three lines that keep their places; ``asked`` sends the finding whose “Why?” was pressed."""

    asked = Signal(object)

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self._editing = editing
        self._finding: Finding | None = None
        self.selected = ElidedLabel(Tone.TEXT, self)
        self.selected.setFont(text_font(semibold=True))
        self.selected.setAccessibleName(tell("What is selected"))
        self.outcome = ElidedLabel(Tone.TEXT, self)
        self.outcome.setAccessibleName(tell("If it is lost"))
        self.finding = ElidedLabel(Tone.TEXT, self)
        self.finding.setAccessibleName(tell("What the rules say of it"))
        self._outcome_mark, self._finding_mark = (Mark("", self, size=icons.SMALL) for _ in range(2))
        self.why = lay.button(tell("Why?"), self, self._ask, name=tell("Why? What the rules say of the selection"))
        grid = lay.grid(of=self, gap=(GRID, 2), around=(GRID // 2, 0, 0, 0))
        grid.addWidget(self.selected, 0, 0, 1, 2)
        grid.addWidget(self._outcome_mark, 1, 0)
        grid.addWidget(self.outcome, 1, 1)
        grid.addWidget(self._finding_mark, 2, 0)
        grid.addWidget(self.finding, 2, 1)
        grid.addWidget(self.why, 1, 2, 2, 1)
        grid.setColumnStretch(1, 1)
        for row in range(3):
            grid.setRowMinimumHeight(row, 20)
        editing.selection_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        editing = self._editing
        spots = editing.acted_on()
        frames = [frame for spot in spots if (frame := editing.frame_at(spot)) is not None]
        tiles = [tile for spot in spots if (tile := editing.tile_at(spot)) is not None]
        self.selected.show_text(words.selection_text(tiles, frames))
        self._show_outcome()
        found = [f for frame in frames for f in frame.findings]
        found += [f for piece in editing.pieces() if (t := editing.tile(piece)) is not None for f in t.findings]
        holders = (editing.place_of(piece) for piece in editing.pieces())
        for place in dict.fromkeys(place for place in holders if place is not None):
            holder = editing.frame(place)
            found += [f for f in (holder.findings if holder is not None else ()) if f not in found]
        self._show_finding(gravest(found), len(dict.fromkeys(f.rule_id for f in found)))

    def _show_outcome(self) -> None:
        blast = self._editing.blast()
        if blast is None:
            self.outcome.show_text(self._invitation())
            self._outcome_mark.show_mark("", Tone.TEXT)
            return
        icon, tone = words.STATE_MARKS[blast.state]
        text = words.blast_text(blast, len(blast.lost_keys))
        notes = " ".join(note for pool in blast.pools for note in pool.notes)
        self.outcome.show_text(text)
        self.outcome.setToolTip(f"{text}\n{notes}".strip())
        self._outcome_mark.show_mark(icon, tone)

    def _invitation(self) -> str:
        """Return what can be done where nothing is told to be lost."""
        editing = self._editing
        pieces = editing.pieces()
        if pieces and all(editing.place_of(piece) is None for piece in pieces):
            return tell("In no vdev yet: N makes one of what is selected, M moves it into another.")
        return tell("Press a disk, a vdev or a shelf to see what its loss does.")

    def _show_finding(self, finding: Finding | None, count: int) -> None:
        self._finding = finding
        self.why.setVisible(finding is not None)
        if finding is None:
            self.finding.show_text("")
            self._finding_mark.show_mark("", Tone.TEXT)
            return
        line = words.finding_line(finding)
        self.finding.show_text(tell("{line} (and {count} more)", line=line, count=count - 1) if count > 1 else line)
        tone = SEVERITY_TONES[finding.severity]
        self._finding_mark.show_mark(finding.severity.value, tone)

    def _ask(self) -> None:
        if self._finding is not None:
            self.asked.emit(self._finding)
