"""The content of the picture as a tree: pool, purpose, vdev, disk; the same selection and the same edits."""

from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from poolwright.design.blast import State
from poolwright.domain.disk import plan_only
from poolwright.domain.finding import Finding
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import BAY_CLASSES, EMPTY, Content, Frame, PoolBox, Tile, gravest
from poolwright.ui.design.picture.editing import Editing, Spot, states_of
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.parts import icons
from poolwright.ui.parts.finding_rows import SEVERITY_TONES
from poolwright.ui.parts.table import Index, TableColumn
from poolwright.ui.parts.tree import TreeLine, TreeModel

COLUMNS = 5
NAME, SIZE, WHAT, STATE, FINDINGS = range(COLUMNS)


@dataclass(slots=True, kw_only=True, eq=False)
class Node(TreeLine):
    """A line of the tree; ``pool`` and ``vdev`` say whose state it shows."""

    texts: tuple[str, str, str]
    spot: Spot | None = None
    findings: tuple[Finding, ...] = ()
    details: str = ""
    pool: int | None = None
    vdev: int | None = None
    disk_key: str = ""


class DesignTree(TreeModel[Node]):
    """Follows an `Editing`; the column of states says what the loss of the selection would do."""

    def __init__(self, editing: Editing, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent)
        self._editing = editing
        self._content: Content = EMPTY
        self._by_spot: dict[Spot, Node] = {}
        self._states: dict[tuple[int, int | None], State] = {}
        self._lost: frozenset[str] = frozenset()

    def show(self, content: Content) -> None:
        if content is self._content:
            return
        self._content = content
        tray = Node(texts=(words.tray_title(), "", words.tray_text(content.tray)))
        for tile in content.tray:
            tray.add(_tile_node(tile, None))
        self.put([*(_pool_node(pool) for pool in content.pools), tray])
        self._by_spot = {node.spot: node for node in self.lines() if node.spot is not None}

    def show_blast(self) -> None:
        blast = self._editing.blast()
        self._states = states_of(blast)
        self._lost = blast.lost_keys if blast is not None else frozenset()
        for node in self.lines():
            if node.pool is not None or node.disk_key:
                at = self.index_at(node, STATE)
                self.dataChanged.emit(at, at)

    def index_of(self, spot: Spot) -> QModelIndex:
        """Return the line of a tile or vdev; invalid where there is none."""
        return self.index_at(self._by_spot.get(spot))

    def spot_of(self, index: Index) -> Spot | None:
        """Return the tile or vdev of a line; None for pools and headings."""
        return self.line(index).spot if index.isValid() else None

    def _make_columns(self) -> tuple[TableColumn[Node], ...]:
        names = (tell("Name"), tell("Size"), tell("What it is"), tell("If lost"), tell("Findings"))
        return tuple(starmap(self._column, enumerate(names)))

    def _column(self, number: int, name: str) -> TableColumn[Node]:
        text, look = partial(self._text, number), partial(self._look, number)
        return TableColumn(title=name, text=text, tip=lambda node: node.details, look=look, number=number == SIZE)

    def _look(self, column: int, node: Node, role: int) -> object:
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(node, column)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == NAME:
            return ", ".join(text for number in range(COLUMNS) if (text := self._text(number, node)))
        return None

    def _text(self, column: int, node: Node) -> str:
        if column < STATE:
            return node.texts[column]
        if column == STATE:
            state = self._state(node)
            return words.state_word(state, of_pool=node.vdev is None and not node.disk_key) if state else ""
        return "; ".join(dict.fromkeys(words.finding_line(finding) for finding in node.findings))

    def _state(self, node: Node) -> State | None:
        if node.disk_key:
            return State.LOST if node.disk_key in self._lost else None
        return self._states.get((node.pool, node.vdev)) if node.pool is not None else None

    def _icon(self, node: Node, column: int) -> Any:
        if column == STATE and (state := self._state(node)) is not None:
            return icons.icon(*words.STATE_MARKS[state])
        worst = gravest(node.findings) if column == FINDINGS else None
        return icons.icon(worst.severity.value, SEVERITY_TONES[worst.severity]) if worst is not None else None


def _pool_node(pool: PoolBox) -> Node:
    details = "\n".join([pool.name, words.pool_text(pool), *(words.finding_line(f) for f in pool.findings)])
    node = Node(texts=(pool.name, "", words.pool_text(pool)), pool=pool.number, findings=pool.findings, details=details)
    for vdev_class in (VdevClass.DATA, *BAY_CLASSES):
        frames = pool.serving(vdev_class)
        if not frames:
            continue
        count = sum(len(frame.tiles) for frame in frames)
        group = node.add(Node(texts=(words.class_word(vdev_class), "", words.disks_text(count))))
        for frame in frames:
            _add_frame(group, frame)
    return node


def _add_frame(group: Node, frame: Frame) -> None:
    size = binary(frame.usable_bytes) if frame.usable_bytes is not None else ""
    kind = words.kind_text(frame)
    if frame.vdev.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
        kind = f"{kind}, {words.parity_text(frame)}"
    texts, place, details = (frame.name, size, kind), frame.place, "\n".join(words.frame_lines(frame))
    node = Node(texts=texts, spot=place, findings=frame.findings, details=details, pool=place.pool, vdev=place.vdev)
    group.add(node)
    for tile in frame.tiles:
        node.add(_tile_node(tile, frame))


def _tile_node(tile: Tile, frame: Frame | None) -> Node:
    disk = tile.disk
    state = plan_only((disk,), short=True) or words.health_text(disk)  # nobody knows the health of what is not there
    facts = (words.sector_word(disk), disk_columns.media_word(disk), state)
    texts = (words.tile_short_name(tile), words.piece_size(tile), ", ".join(fact for fact in facts if fact))
    details, key = "\n".join(words.tile_lines(tile, frame)), "" if frame is None else tile.disk.key
    return Node(texts=texts, spot=tile.piece, findings=tile.findings, details=details, disk_key=key)


_WIDTHS = {NAME: 196, SIZE: 90, WHAT: 196, STATE: 110}


class DesignTreeView(QTreeView):
    """Shows an `Editing` as a tree. ``menu_asked`` wants the menu of edits there."""

    menu_asked = Signal(QPoint)

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing = editing
        self._following = False
        self._fitted_for = (0, 0)
        self.design = DesignTree(editing, self)
        self.setModel(self.design)
        self.setAccessibleName(tell("Tree of the pool"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setAlternatingRowColors(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_menu)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(FINDINGS, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        editing.content_changed.connect(self.refresh)
        editing.selection_changed.connect(self._follow)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.selectionModel().currentChanged.connect(self._on_current)

    def refresh(self) -> None:
        """Show the content, while the tree is in sight; a tree that nobody sees costs nothing."""
        if not self.isVisible():
            return
        self._following = True
        self.design.show(self._editing.content)
        self.expandAll()
        self._fit_names()
        self._following = False
        self._follow()

    def _fit_names(self) -> None:
        """Let names be read as far as there is room; asked again only for another number of rows or another width."""
        asked = (len(self._editing.content.tiles()), self.viewport().width())
        if asked != self._fitted_for:
            self._fitted_for = asked
            self.setColumnWidth(NAME, max(_WIDTHS[NAME], min(self.sizeHintForColumn(NAME), asked[1] // 3)))

    def _follow(self) -> None:
        if self._following or not self.isVisible():
            return
        self._following = True
        self.design.show_blast()
        model, selection = self.selectionModel(), QItemSelection()
        editing = self._editing
        for spot in editing.marks or ({editing.current} if editing.current is not None else set()):
            index = self.design.index_of(spot)
            if index.isValid():
                selection.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        model.select(selection, flags.ClearAndSelect | flags.Rows)
        if editing.current is not None:
            current = self.design.index_of(editing.current)
            if current.isValid():
                model.setCurrentIndex(current, flags.NoUpdate)
                self.scrollTo(current)
        self._following = False

    def _on_selected(self, _new: QItemSelection, _old: QItemSelection) -> None:
        self._tell()

    def _on_current(self, _new: QModelIndex, _old: QModelIndex) -> None:
        self._tell()

    def _tell(self) -> None:
        if self._following:
            return
        spots = {self.design.spot_of(index) for index in self.selectionModel().selectedRows(NAME)}
        marks = {spot for spot in spots if spot is not None}
        current = self.design.spot_of(self.currentIndex()) or next(iter(marks), self._editing.current)
        self._following = True
        self._editing.put_selection(current, marks if len(marks) > 1 else ())
        self.design.show_blast()
        self._following = False

    def _ask_menu(self, at: QPoint) -> None:
        self.menu_asked.emit(self.viewport().mapToGlobal(at))
