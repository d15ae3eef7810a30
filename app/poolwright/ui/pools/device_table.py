"""The vdevs and devices of one pool with state, errors and sizes, indented as `zpool status` prints them."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from poolwright.changes.audit import PoolAudit, tree_lines
from poolwright.domain.existing_pool import VdevSizes
from poolwright.domain.pool import PoolNode
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.save_file import KeptNames
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme

_WELL = frozenset({"ONLINE", "AVAIL"})
_LEAST = 24 * GRID  # px of a name: in a small window the others are scrolled to
_SOMETIMES = (4, 5, 6, 7)  # sizes, ashift and remark: shown where the pool has such


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLine:
    """A vdev or device, how deep it lies, and its sizes where they were read."""

    depth: int
    node: PoolNode
    sizes: VdevSizes | None

    @property
    def wrong(self) -> bool:
        """Tell whether its state is one that somebody must look at."""
        return self.node.state is not None and self.node.state not in _WELL


class PoolDevices(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: RowModel[DeviceLine] = RowModel(_columns(), self)
        self.view = plain_table(tell("Devices of the pool"), self.model, self)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names of one kind begin alike
        self._names = KeptNames(self.view, _LEAST)
        lay.column((self.view, 1), of=self)

    def show_audit(self, audit: PoolAudit) -> None:
        self.model.show_rows(
            DeviceLine(depth=depth, node=node, sizes=audit.known.vdev(node.name))
            for depth, node in tree_lines(audit.pool)
        )
        for column in _SOMETIMES:
            self.view.setColumnHidden(column, self.model.is_empty(column))
        self._names.keep()


def _columns() -> tuple[TableColumn[DeviceLine], ...]:
    return (
        TableColumn(title=tell("Device"), text=_name, tip=_tip),
        TableColumn(title=tell("Role"), text=_role),
        TableColumn(title=tell("State"), text=lambda line: line.node.state or "", look=_state_look),
        TableColumn(
            title=tell("Errors"),
            text=_errors,
            value=_sum_of_errors,
            number=True,
            look=_error_look,
            meaning=tell("Since they were last cleared"),
        ),
        TableColumn(title=tell("Size"), text=lambda line: _size(line, "size_bytes"), number=True),
        TableColumn(title=tell("Used"), text=lambda line: _size(line, "allocated_bytes"), number=True),
        TableColumn(
            title=tell("ashift"), text=_ashift, number=True, meaning=tell("The vdev's blocks are 2^ashift bytes.")
        ),
        TableColumn(title=tell("Remark"), text=lambda line: line.node.note or ""),
    )


def _name(line: DeviceLine) -> str:
    return "\u2003" * line.depth + line.node.label


def _tip(line: DeviceLine) -> str:
    return line.node.path or line.node.name


def _sum_of_errors(line: DeviceLine) -> int | None:
    node = line.node
    known = [each for each in (node.read_errors, node.write_errors, node.checksum_errors) if each is not None]
    return sum(known) if known else None


def _errors(line: DeviceLine) -> str:
    """Return how many errors of which kind were counted; a single zero for none of any."""
    node, total = line.node, _sum_of_errors(line)
    if not total:
        return "" if total is None else "0"
    parts = (
        tell("{count} read", count=node.read_errors) if node.read_errors else "",
        tell("{count} write", count=node.write_errors) if node.write_errors else "",
        tell("{count} checksum", count=node.checksum_errors) if node.checksum_errors else "",
    )
    return ", ".join(part for part in parts if part)


def _size(line: DeviceLine, name: str) -> str:
    size = getattr(line.sizes, name) if line.sizes is not None else None
    return binary(size) if size else ""


def _ashift(line: DeviceLine) -> str:
    return str(line.sizes.ashift) if line.depth == 0 and line.sizes is not None and line.sizes.ashift else ""


def _role(line: DeviceLine) -> str:
    return "" if line.depth else line.node.section


def _state_look(line: DeviceLine, role: int) -> object:
    if not line.wrong:
        return None
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.WARN)
    return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None


def _error_look(line: DeviceLine, role: int) -> object:
    if not _sum_of_errors(line):
        return None
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.WARN)
    return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None
