"""The content of the picture as a tree: pool, purpose, vdev, disk; what they are, and what is found about them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from poolwright.advise.blast import State
from poolwright.domain.finding import Finding
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.concerns import gravest
from poolwright.ui.design.picture.content import EMPTY, Content, Frame, PoolBox, Tile
from poolwright.ui.design.picture.editing import Editing, Spot
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.severities import SEVERITY_TONES
from poolwright.ui.parts.table import TableColumn
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
        """Show this content."""
        if content is self._content:
            return
        self._content = content
        tray = Node(texts=(words.tray_title(), "", words.tray_text(content.tray)))
        for tile in content.tray:
            tray.add(_tile_node(tile, None))
        self.put([*(_pool_node(pool) for pool in content.pools), tray])
        self._by_spot = {node.spot: node for node in self.lines() if node.spot is not None}

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
        return tuple(
            TableColumn(
                title=name,
                text=partial(self._text, number),
                tip=lambda node: node.details,
                look=partial(self._look, number),
                number=number == SIZE,
            )
            for number, name in enumerate(names)
        )

    def _look(self, column: int, node: Node, role: int) -> object:
        """Return the icon of a cell, and all of the line for screen readers."""
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
    groups = [(VdevClass.DATA, pool.data), *((box.bay.vdev_class, box.frames) for box in pool.bays)]
    for vdev_class, frames in groups:
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
