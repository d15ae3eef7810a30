"""The content of the picture as a tree: pool, purpose, vdev, disk; what they are, and what is found about them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from poolwright.advise.blast import State
from poolwright.domain.finding import Finding
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.concerns import gravest
from poolwright.ui.design.picture.content import EMPTY, Content, Frame, PoolBox, Tile
from poolwright.ui.design.picture.editing import Editing, Spot
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.severities import SEVERITY_TONES

_ROOT = QModelIndex()
COLUMNS = 5
NAME, SIZE, WHAT, STATE, FINDINGS = range(COLUMNS)


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """A line of the tree; ``pool`` and ``vdev`` say whose state it shows."""

    texts: tuple[str, str, str]
    parent: "Node | None" = None
    row: int = 0
    spot: Spot | None = None
    findings: tuple[Finding, ...] = ()
    details: str = ""
    pool: int | None = None
    vdev: int | None = None
    disk_key: str = ""
    children: "list[Node]" = field(default_factory=list)

    def add(self, child: "Node") -> "Node":
        """Put a line below this one and return it."""
        child.parent, child.row = self, len(self.children)
        self.children.append(child)
        return child

    def below(self) -> "Iterator[Node]":
        """Yield every line below this one, as they are read."""
        for child in self.children:
            yield child
            yield from child.below()


class DesignTree(QAbstractItemModel):
    """Follows an `Editing`; the column of states says what the loss of the selection would do."""

    def __init__(self, editing: Editing, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editing = editing
        self._content: Content = EMPTY
        self._top = Node(texts=("", "", ""))
        self._by_spot: dict[Spot, Node] = {}
        self._states: dict[tuple[int, int | None], State] = {}
        self._lost: frozenset[str] = frozenset()

    def show(self, content: Content) -> None:
        """Show this content."""
        if content is self._content:
            return
        self.beginResetModel()
        self._content = content
        self._top = Node(texts=("", "", ""))
        for pool in content.pools:
            _add_pool(self._top, pool)
        tray = self._top.add(Node(texts=(words.tray_title(), "", words.tray_text(content.tray))))
        for tile in content.tray:
            tray.add(_tile_node(tile, None))
        self._by_spot = {node.spot: node for node in self._top.below() if node.spot is not None}
        self.endResetModel()

    def show_blast(self) -> None:
        """Tell what the loss of what is selected now would do."""
        blast = self._editing.blast()
        states: dict[tuple[int, int | None], State] = {}
        order = list(State)
        for number, pool in enumerate(blast.pools if blast is not None else ()):
            states[number, None] = pool.state
            for vdev in pool.vdevs:
                before = states.get((number, vdev.index), State.ONLINE)
                states[number, vdev.index] = max(before, vdev.state, key=order.index)
        self._states = states
        self._lost = blast.lost_keys if blast is not None else frozenset()
        for node in self._top.below():
            if node.pool is not None or node.disk_key:
                at = self.createIndex(node.row, STATE, node)
                self.dataChanged.emit(at, at)

    def index_of(self, spot: Spot) -> QModelIndex:
        """Return the line of a tile or vdev; invalid where there is none."""
        node = self._by_spot.get(spot)
        return self.createIndex(node.row, NAME, node) if node is not None else QModelIndex()

    def spot_of(self, index: Index) -> Spot | None:
        """Return the tile or vdev of a line; None for pools and headings."""
        return self._node(index).spot if index.isValid() else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of lines below a line."""
        return len(self._node(parent).children) if parent.column() <= 0 else 0

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: ARG002
        """Return the number of columns."""
        return COLUMNS

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """Return the index of a line."""
        children = self._node(parent).children
        if not (0 <= row < len(children) and 0 <= column < COLUMNS):
            return QModelIndex()
        return self.createIndex(row, column, children[row])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """Return the line above a line."""
        above = self._node(index).parent if index.isValid() else None
        if above is None or above is self._top:
            return QModelIndex()
        return self.createIndex(above.row, 0, above)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Return the heading of a column."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            names = (self.tr("Name"), self.tr("Size"), self.tr("What it is"), self.tr("If lost"), self.tr("Findings"))
            return names[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell: text, icon, details, and all of the line for screen readers."""
        node, column = self._node(index), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(node, column)
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(node, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return node.details
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(t for n in range(COLUMNS) if (t := self._text(node, n))) if column == NAME else None
        if role == Qt.ItemDataRole.TextAlignmentRole and column == SIZE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _node(self, index: Index) -> Node:
        if not index.isValid():
            return self._top
        node = index.internalPointer()
        assert isinstance(node, Node)
        return node

    def _text(self, node: Node, column: int) -> str:
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


def _add_pool(top: Node, pool: PoolBox) -> None:
    details = "\n".join([pool.name, words.pool_text(pool), *(words.finding_line(f) for f in pool.findings)])
    node = top.add(
        Node(texts=(pool.name, "", words.pool_text(pool)), pool=pool.number, findings=pool.findings, details=details)
    )
    groups = [(VdevClass.DATA, pool.data), *((box.bay.vdev_class, box.frames) for box in pool.bays)]
    for vdev_class, frames in groups:
        if not frames:
            continue
        count = sum(len(frame.tiles) for frame in frames)
        group = node.add(Node(texts=(words.class_word(vdev_class), "", words.disks_text(count))))
        for frame in frames:
            _add_frame(group, frame)


def _add_frame(group: Node, frame: Frame) -> None:
    size = binary(frame.usable_bytes) if frame.usable_bytes is not None else ""
    kind = words.kind_text(frame)
    if frame.vdev.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
        kind = f"{kind}, {words.parity_text(frame)}"
    node = group.add(
        Node(
            texts=(frame.name, size, kind),
            spot=frame.place,
            findings=frame.findings,
            details="\n".join(words.frame_lines(frame)),
            pool=frame.place.pool,
            vdev=frame.place.vdev,
        )
    )
    for tile in frame.tiles:
        node.add(_tile_node(tile, frame))


def _tile_node(tile: Tile, frame: Frame | None) -> Node:
    facts = (words.sector_word(tile.disk), disk_columns.media_word(tile.disk), words.health_text(tile.disk))
    return Node(
        texts=(words.tile_short_name(tile), words.piece_size(tile), ", ".join(fact for fact in facts if fact)),
        spot=tile.piece,
        findings=tile.findings,
        details="\n".join(words.tile_lines(tile, frame)),
        disk_key="" if frame is None else tile.disk.key,
    )
