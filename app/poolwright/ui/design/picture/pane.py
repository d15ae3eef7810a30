"""The tab with the pool as a picture and as a tree, the verbs above them, and what is said of the selection below."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from poolwright.design.edits.places import Piece, VdevPlace
from poolwright.domain.finding import Finding
from poolwright.texts import _
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.content import Shelf, gravest, shelves_of
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.geometry import Placed, place_shelves
from poolwright.ui.design.picture.verbs import Verbs
from poolwright.ui.design.tree import DesignTree
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, show_finding
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ElidedLabel, ToneLabel
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.state.session import Session

_BESIDE_FROM = 150 * GRID
_MERGE_FROM, _SWAP_FROM = 88 * GRID, 98 * GRID


class PicturePane(QWidget):
    """Shows the design and lets it be changed; every edit is a step that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.editing = Editing(session, self)
        self.board = PictureBoard(self.editing, self)
        self.shelves = ShelfBoard(self.editing, self)
        self.tree = DesignTree(self.editing, self)
        self.strip = SelectionStrip(self.editing, self)
        self.verbs = Verbs(self.editing, self)
        self._none = ToneLabel(_("There are no disks yet. Choose where they come from first."), Tone.MUTED, self)
        lay.named(self._none, _("Why there is no picture"))
        self.views = lay.split(self, (self.board, 3), (self.shelves, 3), (self.tree, 2), across=True)
        self._bar = self._make_bar()
        self.key = lay.named(ElidedLabel(Tone.MUTED, self), _("Key of the marks"))
        self.key.setFont(text_font(SMALL_POINTS - 1))
        lay.column(self._bar, self._none, (self.views, 1), self.key, self.strip, of=self, gap=GRID // 2)
        self._wide = self._tree_chosen = False
        self.as_tree.clicked.connect(self._on_tree_chosen)
        self.as_tree.toggled.connect(self._arrange)
        self.by_shelf.toggled.connect(self._arrange)
        for signal in (self.board.menu_asked, self.shelves.menu_asked, self.tree.menu_asked):
            signal.connect(self.verbs.popup)
        self.strip.asked.connect(self._show_why)
        self._arrange()

    def refresh(self) -> None:
        self.editing.refresh()
        self.key.show_text(words.key_text(self.editing.content.tiles()))
        nothing = self.session.inventory is None and self.session.design is None
        self._none.setVisible(nothing)
        known = any(tile.disk.enclosure or tile.disk.controller for tile in self.editing.content.tiles())
        if known is self.by_shelf.isHidden():
            self.by_shelf.setVisible(known)
            self._arrange()
        for part in (self._bar, self.views, self.key, self.strip):
            part.setVisible(not nothing)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tree.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show picture and tree beside each other where there is room."""
        super().resizeEvent(event)
        # What two buttons do is in the menu as well; their room is needed in small windows.
        for button in self._buttons:
            least = {self.verbs.merge: _MERGE_FROM, self.verbs.swap: _SWAP_FROM}.get(button.defaultAction(), 0)
            button.setVisible(event.size().width() >= least)
        wide = event.size().width() >= _BESIDE_FROM
        if wide != self._wide:
            self._wide = wide
            if not self._tree_chosen:  # the room beside the picture is there: use it until somebody says otherwise
                self.as_tree.setChecked(wide)
            self._arrange()

    def _make_bar(self) -> QWidget:
        bar = QWidget(self)
        row = Flow(bar, gap=3)
        self._buttons = self.verbs.buttons(bar)
        for button in self._buttons:
            row.addWidget(button)
        by_shelf, tree = _("As they sit in shelves and behind controllers"), _("With everything in words")
        self.by_shelf = self._switch(_("Shelves"), _("Show by shelf"), by_shelf, bar)
        self.as_tree = self._switch(_("Tree"), _("Show as a tree"), tree, bar)
        row.addWidget(self.by_shelf)
        row.addWidget(self.as_tree)
        return bar

    def _switch(self, text: str, name: str, tip: str, parent: QWidget) -> QToolButton:
        made = lay.named(QToolButton(parent), name)
        made.setText(text)
        made.setToolTip(tip)
        made.setCheckable(True)
        made.setFont(text_font(SMALL_POINTS))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made

    def _on_tree_chosen(self) -> None:
        self._tree_chosen = True

    def _arrange(self) -> None:
        tree = self.as_tree.isChecked()
        shelf = self.by_shelf.isChecked() and not self.by_shelf.isHidden()
        drawn = self.shelves if shelf else self.board
        self.board.setVisible(drawn is self.board and (self._wide or not tree))
        self.shelves.setVisible(drawn is self.shelves and (self._wide or not tree))
        self.tree.setVisible(tree)
        self.setFocusProxy(drawn if self._wide or not tree else self.tree)
        self.tree.refresh()

    def _show_why(self, finding: Finding) -> None:
        show_finding(finding, self)


# Below the picture: what is selected, what becomes of the pool without it, and what the rules say of it.


class SelectionStrip(QWidget):
    """Three lines that keep their places; ``asked`` sends the finding whose “Why?” was pressed."""

    asked = Signal(object)

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self._editing = editing
        self._finding: Finding | None = None
        names = (_("What is selected"), _("If it is lost"), _("What the rules say of it"))
        self.selected, self.outcome, self.finding = (lay.named(ElidedLabel(Tone.TEXT, self), name) for name in names)
        self.selected.setFont(text_font(semibold=True))
        self._marks = {label: Mark("", self, size=icons.SMALL) for label in (self.outcome, self.finding)}
        self.why = lay.button(_("Why?"), self, self._ask, name=_("Why? What the rules say of the selection"))
        grid = lay.grid(of=self, gap=(GRID, 2), around=(GRID // 2, 0, 0, 0))
        grid.addWidget(self.selected, 0, 0, 1, 2)
        for row, (label, mark) in enumerate(self._marks.items(), start=1):
            grid.addWidget(mark, row, 0)
            grid.addWidget(label, row, 1)
        grid.addWidget(self.why, 1, 2, 2, 1)
        grid.setColumnStretch(1, 1)
        for row in range(3):
            grid.setRowMinimumHeight(row, 20)
        editing.selection_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        editing = self._editing
        spots, pieces = editing.selection.spots, editing.selection.pieces
        frames = [editing.frames[spot] for spot in spots if isinstance(spot, VdevPlace)]
        tiles = [editing.tiles[spot] for spot in spots if isinstance(spot, Piece)]
        self.selected.show_text(words.selection_text(tiles, frames))
        self._show_outcome()
        holders = (holder for piece in pieces if (holder := editing.holder(piece)) is not None)
        found = [f for frame in dict.fromkeys((*frames, *holders)) for f in frame.findings]
        found += [f for piece in pieces for f in editing.tiles[piece].findings]
        self._show_finding(gravest(found), len(dict.fromkeys(f.rule_id for f in found)))

    def _say(self, label: ElidedLabel, text: str, icon: str = "", tone: Tone = Tone.TEXT) -> None:
        label.show_text(text)
        self._marks[label].show_mark(icon, tone)

    def _show_outcome(self) -> None:
        blast = self._editing.selection.blast
        if blast is None:
            self._say(self.outcome, self._invitation())
            return
        text = words.blast_text(blast, len(blast.lost_keys))
        notes = " ".join(note for pool in blast.pools for note in pool.notes)
        self._say(self.outcome, text, *words.STATE_MARKS[blast.state])
        self.outcome.setToolTip(f"{text}\n{notes}".strip())

    def _invitation(self) -> str:
        """Return what can be done where nothing is told to be lost."""
        if self._editing.selection.pieces and not self._editing.selection.places:
            return _("In no vdev yet: N makes one of what is selected, M moves it into another.")
        return _("Press a disk, a vdev or a shelf to see what its loss does.")

    def _show_finding(self, finding: Finding | None, count: int) -> None:
        self._finding = finding
        self.why.setVisible(finding is not None)
        if finding is None:
            self._say(self.finding, "")
            return
        line = words.finding_line(finding)
        text = _("{line} (and {count} more)", line=line, count=count - 1) if count > 1 else line
        self._say(self.finding, text, finding.severity.value, SEVERITY_TONES[finding.severity])

    def _ask(self) -> None:
        if self._finding is not None:
            self.asked.emit(self._finding)


# The same disks by where they are.


class ShelfBoard(PictureBoard):
    """Moves and marks as the picture does; a press on a shelf selects all its disks. Nothing is dragged here."""

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(editing, parent)
        self.setAccessibleName(_("Picture of the shelves"))

    def arranged(self, width: float, height: float) -> Placed:
        return place_shelves(shelves_of(self._editing.content), width, height)

    def _shape_now(self) -> object:
        return self._editing.content  # a shelf is placed with what its tiles look like

    def mousePressEvent(self, event: QMouseEvent) -> None:
        shelf = self.area_at(event.position())
        if self.spot_at(event.position()) is None and event.button() == Qt.MouseButton.LeftButton:
            if isinstance(shelf, Shelf):
                found = [tile.piece for tile in shelf.tiles]
                self._editing.put_selection(found[0], found)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(event.position())

    def _leave(self) -> None:
        """Let Escape select the whole shelf of the current disk, or unmark what is marked."""
        current, tiles = self._editing.current, self.placed.tiles
        if self._editing.marks or not isinstance(current, Piece) or current not in tiles:
            self._editing.select(current)
            return
        shelf = self.placed.area_at(tiles[current].center())
        if isinstance(shelf, Shelf):
            self._editing.put_selection(current, [tile.piece for tile in shelf.tiles])
