"""The content of the picture as a tree: pool, purpose, vdev, disk; the same selection and the same edits."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from poolwright.design.blast import State
from poolwright.domain.disk import plan_only
from poolwright.domain.finding import Finding
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass
from poolwright.texts import _
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import BAY_CLASSES, EMPTY, Content, Frame, PoolBox, Tile, gravest
from poolwright.ui.design.picture.editing import Editing, Spot, states_of
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.parts import icons
from poolwright.ui.parts.finding_rows import SEVERITY_TONES
from poolwright.ui.parts.theme import theme

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
        facts = (words.sector_word(disk), disk_columns.media_word(disk), state)
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
        asked = (len(self._content.tiles()), self.viewport().width())
        if asked != self._fitted_for:
            self._fitted_for = asked
            self.setColumnWidth(NAME, max(_WIDTHS[NAME], min(self.sizeHintForColumn(NAME), asked[1] // 3)))

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
