"""The tab with the pool as a picture and as a tree, what is selected and its verbs above, what is known of it below."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from poolwright.design.blast import Blast
from poolwright.design.edits.places import Piece
from poolwright.domain.finding import Finding
from poolwright.texts import _, ngettext
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.content import Shelf, gravest, shelves_of
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.geometry import PictureLayout, place_shelves
from poolwright.ui.design.picture.verbs import Verbs
from poolwright.ui.design.tree import DesignTree
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, show_finding
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import ElidedLabel
from poolwright.ui.state.session import Session

_BESIDE_FROM = 150 * GRID
_KEY_FROM = 42 * GRID  # as high it does not push what is told of the selection out of sight


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
        self.views = widgets.split(self, (self.board, 3), (self.shelves, 3), (self.tree, 2), across=True)
        self._bar = self._make_bar()
        self.key = widgets.named(ElidedLabel(Tone.MUTED, self), _("Legend"))
        self.key.setFont(text_font(SMALL_POINTS - 1))
        widgets.column(self._bar, (self.views, 1), self.key, self.strip, of=self, gap=GRID // 2)
        self._wide = False
        self.as_tree.toggled.connect(self._arrange)
        self.by_shelf.toggled.connect(self._arrange)
        self.editing.selection_changed.connect(self._show_selected)
        for signal in (self.board.menu_asked, self.shelves.menu_asked, self.tree.menu_asked):
            signal.connect(self.verbs.popup)
        self.strip.asked.connect(self._show_why)
        self._arrange()

    def refresh(self) -> None:
        self.editing.refresh()
        self._tell_failing()
        self.key.show_text(words.key_text(self.editing.content.tiles()))
        known = any(tile.disk.enclosure or tile.disk.controller for tile in self.editing.content.tiles())
        if known is not self.by_shelf.isEnabled():
            self.by_shelf.setEnabled(known)
            self.by_shelf.setVisible(known)
            self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tree.refresh()
        self._tell_failing()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the tree beside the picture where there is room, else instead of it."""
        super().resizeEvent(event)
        room = event.size().width() - _wide(self._always) - self.selected.sizeHint().width()
        self.key.setVisible(event.size().height() >= _KEY_FROM)
        for number, button in enumerate(self._of_vdevs, start=1):  # “More” has what they do
            button.setVisible(room >= _wide(self._of_vdevs[:number]))
        wide = event.size().width() >= _BESIDE_FROM
        if wide != self._wide:
            self._wide = wide
            self._arrange()

    def _make_bar(self) -> QWidget:
        bar, verbs = QWidget(self), self.verbs
        self.selected = widgets.named(ElidedLabel(Tone.TEXT, bar), _("What is selected"))
        self.selected.setFont(text_font(SMALL_POINTS, semibold=True))
        self.selected.setMaximumWidth(20 * GRID)
        new, move, kind, remove, more = (
            verbs.button(verb, bar) for verb in (verbs.new, verbs.move, verbs.kind, verbs.remove, verbs.all)
        )
        self._of_any, self._of_vdevs = (new, move, more), (kind, remove)
        self.by_shelf = self._switch(_("Shelves"), _("Show by shelf"), bar)
        self.as_tree = self._switch("", _("Show as a tree"), bar)
        icons.set_icon(self.as_tree, "list")
        ways = verbs.button(verbs.fail, bar), self.by_shelf, self.as_tree
        self._always = (*self._of_any, *ways)
        widgets.row((self.selected, 9), new, move, kind, remove, more, 1, *ways, of=bar, gap=GRID // 2)
        return bar

    def _show_selected(self) -> None:
        editing, spots = self.editing, self.editing.selection.spots
        chosen = [editing.tiles[spot] if isinstance(spot, Piece) else editing.frames[spot] for spot in spots]
        self.selected.show_text(words.selection_text(chosen, failing=editing.failing))
        self._tell_failing()
        for button in self._of_any:
            button.setEnabled(not editing.failing)
        for button in self._of_vdevs:
            button.setEnabled(bool(editing.selection.places) and not editing.failing)

    def _tell_failing(self) -> None:
        editing = self.editing
        editing.session.failing.emit(self.isVisible() and editing.failing and bool(editing.marks))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tell_failing()

    def _switch(self, text: str, name: str, parent: QWidget) -> QToolButton:
        made = widgets.named(QToolButton(parent), name)
        made.setText(text)
        made.setToolTip(name)
        made.setCheckable(True)
        made.setFont(text_font(SMALL_POINTS))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made

    def _arrange(self) -> None:
        tree = self.as_tree.isChecked()
        shelf = self.by_shelf.isChecked() and self.by_shelf.isEnabled()
        drawn = self.shelves if shelf else self.board
        self.board.setVisible(drawn is self.board and (self._wide or not tree))
        self.shelves.setVisible(drawn is self.shelves and (self._wide or not tree))
        self.tree.setVisible(tree)
        self.setFocusProxy(drawn if self._wide or not tree else self.tree)
        self.tree.refresh()

    def _show_why(self, finding: Finding) -> None:
        show_finding(finding, self)


def _wide(buttons: Sequence[QToolButton]) -> int:
    return sum(button.sizeHint().width() + GRID // 2 for button in buttons)


# Below the picture: what the rules say of what is selected; while it fails, what is left of the pool.


class SelectionStrip(QWidget):
    """One line that keeps its place; ``asked`` sends the finding whose “Why?” was pressed."""

    asked = Signal(object)

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self._editing = editing
        self._finding: Finding | None = None
        self.told = widgets.named(ElidedLabel(Tone.TEXT, self), _("About the selection"))
        self._mark = IconLabel("", self, size=icons.SMALL)
        self.why = widgets.button(_("Why?"), self, self._ask)
        widgets.row(self._mark, (self.told, 1), self.why, of=self)
        self.setFixedHeight(4 * GRID)
        editing.selection_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        editing, picked = self._editing, self._editing.selection
        if editing.failing:
            self._finding = None
            self.why.hide()
            self._show_outcome(picked.blast)
            return
        frames = [editing.frames[place] for place in picked.places]
        found = [f for frame in frames for f in frame.findings]
        found += [f for piece in picked.pieces for f in editing.tiles[piece].findings]
        self._show_finding(gravest(found), len(dict.fromkeys(f.rule_id for f in found)))

    def _say(self, text: str, icon: str = "", tone: Tone = Tone.TEXT) -> None:
        self.told.show_text(text)
        self._mark.show_icon(icon, tone)

    def _show_outcome(self, blast: Blast | None) -> None:
        if blast is None:
            self._say(_("Click the disks, vdevs or shelves that fail. Press Esc to finish."), "note", Tone.NOTE)
            return
        count = len(blast.lost_keys)
        text = ngettext("If it is lost: {told}", "If these {count} are lost: {told}", count, told=blast.sentence)
        notes = " ".join(note for pool in blast.pools for note in pool.notes)
        self._say(text, *words.STATE_MARKS[blast.state])
        self.told.setToolTip(f"{text}\n{notes}".strip())

    def _show_finding(self, finding: Finding | None, count: int) -> None:
        self._finding = finding
        self.why.setVisible(finding is not None)
        if finding is None:
            self._say("")
            return
        line = words.finding_line(finding)
        text = _("{line} (and {count} more)", line=line, count=count - 1) if count > 1 else line
        self._say(text, finding.severity.value, SEVERITY_TONES[finding.severity])

    def _ask(self) -> None:
        if self._finding is not None:
            self.asked.emit(self._finding)


# The same disks by where they are.


class ShelfBoard(PictureBoard):
    """Moves and marks as the picture does; a press on a shelf selects all its disks."""

    hauls = False

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(editing, parent)
        self.setAccessibleName(_("Picture of the shelves"))

    def arranged(self, width: float, height: float) -> PictureLayout:
        return place_shelves(shelves_of(self._editing.content), width, height)

    def _shape_now(self) -> object:
        return self._editing.content  # a shelf is placed with what its tiles look like

    def _click(self, event: QMouseEvent) -> None:
        shelf = self.area_at(event.position())
        if self.spot_at(event.position()) is None and isinstance(shelf, Shelf):
            pieces, marks = {tile.piece for tile in shelf.tiles}, self._editing.marks
            wanted = marks - pieces if self._editing.failing and pieces <= marks else self._beside_band | pieces
            self._editing.put_selection(shelf.tiles[0].piece, wanted)
        else:
            super()._click(event)

    def _leave(self) -> None:
        """Let Escape select the whole shelf of the current disk, or unmark what is marked."""
        current, tiles = self._editing.current, self.placed.tiles
        if self._editing.marks or not isinstance(current, Piece) or current not in tiles:
            self._editing.select(current)
            return
        shelf = self.placed.area_at(tiles[current].center())
        if isinstance(shelf, Shelf):
            self._editing.put_selection(current, [tile.piece for tile in shelf.tiles])
