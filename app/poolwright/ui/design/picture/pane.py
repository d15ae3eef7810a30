"""The tab with the pool as a picture and as a tree, what is selected and its verbs above, what is known of it below."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QIcon, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QToolButton, QTreeWidget, QTreeWidgetItem, QWidget

from poolwright.design.blast import Blast, State
from poolwright.design.edits.places import Piece
from poolwright.domain.disk import plan_only
from poolwright.domain.finding import Finding
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass
from poolwright.emit.disk_words import media_word
from poolwright.texts import _, ngettext
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.content import (
    BAY_CLASSES,
    EMPTY,
    Content,
    Frame,
    PoolBox,
    Shelf,
    Tile,
    gravest,
    shelves_of,
)
from poolwright.ui.design.picture.editing import Editing, Spot, states_of
from poolwright.ui.design.picture.geometry import PictureLayout, place_shelves
from poolwright.ui.design.picture.verbs import Verbs
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.finding_rows import SEVERITY_TONES, show_why
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
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
        switch = widgets.named(QToolButton(parent), name)
        switch.setText(text)
        switch.setToolTip(name)
        switch.setCheckable(True)
        switch.setFont(text_font(SMALL_POINTS))
        switch.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return switch

    def _arrange(self) -> None:
        tree = self.as_tree.isChecked()
        shelf = self.by_shelf.isChecked() and self.by_shelf.isEnabled()
        drawn = self.shelves if shelf else self.board
        self.board.setVisible(drawn is self.board and (self._wide or not tree))
        self.shelves.setVisible(drawn is self.shelves and (self._wide or not tree))
        self.tree.setVisible(tree)
        self.setFocusProxy(drawn if self._wide or not tree else self.tree)
        self.tree.refresh()


def _wide(buttons: Sequence[QToolButton]) -> int:
    return sum(button.sizeHint().width() + GRID // 2 for button in buttons)


# Below the picture: what the rules say of what is selected; while it fails, what is left of the pool.


class SelectionStrip(QWidget):
    """One line that keeps its place."""

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self._editing, self.session = editing, editing.session
        self._finding: Finding | None = None
        self.label = widgets.named(ElidedLabel(Tone.TEXT, self), _("About the selection"))
        self._mark = IconLabel("", self, size=icons.SMALL)
        self.why = widgets.button(_("Why?"), self, self._ask)
        widgets.row(self._mark, (self.label, 1), self.why, of=self)
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
        self.label.show_text(text)
        self._mark.show_icon(icon, tone)

    def _show_outcome(self, blast: Blast | None) -> None:
        if blast is None:
            self._say(_("Click the disks, vdevs or shelves that fail. Press Esc to finish."), "note", Tone.NOTE)
            return
        count = len(blast.lost_keys)
        text = ngettext("If it is lost: {told}", "If these {count} are lost: {told}", count, told=blast.sentence)
        notes = " ".join(note for pool in blast.pools for note in pool.notes)
        self._say(text, *words.STATE_MARKS[blast.state])
        self.label.setToolTip(f"{text}\n{notes}".strip())

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
            show_why(self, self._finding)


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


# The same as a tree: pool, purpose, vdev, disk; with the same selection and the same edits.

NAME, SIZE, WHAT, STATE, FINDINGS = range(5)
_WIDTHS = {NAME: 196, SIZE: 90, WHAT: 196, STATE: 110}
_SPOT = Qt.ItemDataRole.UserRole
_KEEP = QItemSelectionModel.SelectionFlag.NoUpdate


class DesignTree(QTreeWidget):
    """Shows an `Editing`; a column says what its loss would do. ``menu_asked`` sends where to open a menu."""

    menu_asked = Signal(QPoint)

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing = editing
        self._following = False
        self._fitted_for = (0, 0)
        self._content: Content = EMPTY
        self._by_spot: dict[Spot, QTreeWidgetItem] = {}
        # The lines with a state, each with the numbers of pool and vdev (None: the pool itself) or the key of the disk.
        self._stated: list[tuple[QTreeWidgetItem, tuple[int, int | None] | str]] = []
        self.setHeaderLabels([_("Name"), _("Size"), _("What it is"), _("If lost"), _("Findings")])
        self.headerItem().setTextAlignment(SIZE, Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(_("Tree of the pool"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setAlternatingRowColors(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.header().setSectionResizeMode(FINDINGS, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        for signal, slot in (
            (self.customContextMenuRequested, self._ask_menu),
            (editing.content_changed, self.refresh),
            (editing.selection_changed, self._take_selection),
            (self.itemSelectionChanged, self._send_selection),
            (self.currentItemChanged, self._send_selection),
            (theme().changed, self._draw_anew),
        ):
            signal.connect(slot)

    def refresh(self) -> None:
        """Show the content, while the tree is in sight; a tree that nobody sees costs nothing."""
        if not self.isVisible():
            return
        self._following = True
        if self._content is not self._editing.content:
            self._content = self._editing.content
            self._fill(self._content)
        self._fit_names()
        self._following = False
        self._take_selection()

    def item_of(self, spot: Spot | None) -> QTreeWidgetItem | None:
        """Return the line of a tile or vdev; None where there is none."""
        return self._by_spot.get(spot) if spot is not None else None

    def _fill(self, content: Content) -> None:
        self.clear()
        self._by_spot, self._stated = {}, []
        for pool in content.pools:
            self._add_pool(pool)
        tray = self._line(self, (words.tray_title(), "", words.tray_text(content.tray)))
        for tile in content.tray:
            self._add_tile(tray, tile, None)
        self.expandAll()

    def _line(
        self,
        above: QTreeWidget | QTreeWidgetItem,
        texts: Sequence[str],
        *,
        spot: Spot | None = None,
        findings: Sequence[Finding] = (),
        details: str = "",
    ) -> QTreeWidgetItem:
        said = "; ".join(dict.fromkeys(words.finding_line(finding) for finding in findings))
        line = QTreeWidgetItem(above, [*texts, "", said])
        line.setTextAlignment(SIZE, Qt.AlignmentFlag.AlignRight)
        line.setData(NAME, _SPOT, spot)
        for column in range(self.columnCount() if details else 0):
            line.setToolTip(column, details)
        worst = gravest(findings)
        if worst is not None:
            line.setIcon(FINDINGS, icons.icon(worst.severity.value, SEVERITY_TONES[worst.severity]))
        if spot is not None:
            self._by_spot[spot] = line
        _set_accessible_text(line)
        return line

    def _add_pool(self, pool: PoolBox) -> None:
        details = "\n".join([pool.name, words.pool_text(pool), *(words.finding_line(f) for f in pool.findings)])
        top = self._line(self, (pool.name, "", words.pool_text(pool)), findings=pool.findings, details=details)
        self._stated.append((top, (pool.number, None)))
        for vdev_class in (VdevClass.DATA, *BAY_CLASSES):
            frames = pool.serving(vdev_class)
            if frames:
                count = sum(len(frame.tiles) for frame in frames)
                group = self._line(top, (words.class_word(vdev_class), "", words.disks_text(count)))
                for frame in frames:
                    self._add_frame(group, frame)

    def _add_frame(self, group: QTreeWidgetItem, frame: Frame) -> None:
        size = binary(frame.usable_bytes) if frame.usable_bytes is not None else ""
        kind = words.kind_text(frame)
        if frame.vdev.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
            kind = f"{kind}, {words.parity_text(frame)}"
        texts, place, details = (frame.name, size, kind), frame.place, "\n".join(words.frame_lines(frame))
        line = self._line(group, texts, spot=place, findings=frame.findings, details=details)
        self._stated.append((line, (place.pool, place.vdev)))
        for tile in frame.tiles:
            self._add_tile(line, tile, frame)

    def _add_tile(self, above: QTreeWidgetItem, tile: Tile, frame: Frame | None) -> None:
        disk = tile.disk
        # Nobody knows the health of what is not there.
        state = plan_only((disk,), short=True) or words.health_text(disk)
        facts = (words.sector_word(disk), media_word(disk), state)
        texts = (words.tile_short_name(tile), words.piece_size(tile), ", ".join(fact for fact in facts if fact))
        details = "\n".join(words.tile_lines(tile, frame))
        line = self._line(above, texts, spot=tile.piece, findings=tile.findings, details=details)
        if frame is not None:
            self._stated.append((line, disk.key))

    def _show_states(self) -> None:
        blast = self._editing.selection.blast
        self.setColumnHidden(STATE, not self._editing.failing)
        states, lost = states_of(blast), blast.lost_keys if blast is not None else frozenset()
        for line, whose in self._stated:
            if isinstance(whose, str):
                state, of_pool = State.LOST if whose in lost else None, False
            else:
                state, of_pool = states.get(whose), whose[1] is None
            said = words.state_word(state, of_pool=of_pool) if state is not None else ""
            if said != line.text(STATE):
                line.setText(STATE, said)
                line.setIcon(STATE, icons.icon(*words.STATE_MARKS[state]) if state is not None else QIcon())
                _set_accessible_text(line)

    def _draw_anew(self) -> None:
        self._content = EMPTY
        self.refresh()

    def _fit_names(self) -> None:
        """Widen the names to what they need, within a third of the tree; only after rows or width have changed."""
        size = (len(self._content.tiles()), self.viewport().width())
        if size != self._fitted_for:
            self._fitted_for = size
            self.setColumnWidth(NAME, max(_WIDTHS[NAME], min(self.sizeHintForColumn(NAME), size[1] // 3)))

    def _take_selection(self) -> None:
        if self._following or not self.isVisible():
            return
        self._following = True
        self._show_states()
        editing = self._editing
        chosen = {id(self.item_of(spot)) for spot in editing.selection.spots}
        for line in self._by_spot.values():
            if line.isSelected() is not (id(line) in chosen):
                line.setSelected(not line.isSelected())
        current = self.item_of(editing.current)
        if current is not None:
            self.selectionModel().setCurrentIndex(self.indexFromItem(current), _KEEP)
            self.scrollToItem(current)
        self._following = False

    def _send_selection(self) -> None:
        if self._following:
            return
        marks = {spot for line in self.selectedItems() if (spot := line.data(NAME, _SPOT)) is not None}
        line = self.currentItem()
        spot = line.data(NAME, _SPOT) if line is not None else None
        self._following = True
        several = marks if len(marks) > 1 or self._editing.failing else ()
        self._editing.put_selection(spot or next(iter(marks), self._editing.current), several)
        self._show_states()
        self._following = False

    def _ask_menu(self, at: QPoint) -> None:
        self.menu_asked.emit(self.viewport().mapToGlobal(at))


def _set_accessible_text(line: QTreeWidgetItem) -> None:
    """Let a screen reader read the line with its name."""
    texts = (line.text(column) for column in range(line.columnCount()))
    line.setData(NAME, Qt.ItemDataRole.AccessibleTextRole, ", ".join(text for text in texts if text))
