"""The vdevs and devices of one pool with state, errors and sizes, indented as `zpool status` prints them."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QWidget

from poolwright.advise.existing.audit import PoolAudit, tree_lines
from poolwright.domain.existing_pool import VdevSizes
from poolwright.domain.pool import PoolNode
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, text_font, theme

_WELL = frozenset({"ONLINE", "AVAIL"})


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
    """Holds the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: RowModel[DeviceLine] = RowModel(_columns(), self)
        view = plain_table(tell("Devices of the pool"), self.model, self)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        lay.column((view, 1), of=self)

    def show_audit(self, audit: PoolAudit) -> None:
        """Show the devices of a pool."""
        self.model.show_rows(
            DeviceLine(depth=depth, node=node, sizes=audit.known.vdev(node.name))
            for depth, node in tree_lines(audit.pool)
        )


def _columns() -> tuple[TableColumn[DeviceLine], ...]:
    return (
        TableColumn(title=tell("Device"), text=_name, tip=_tip),
        TableColumn(title=tell("Role"), text=_role),
        TableColumn(title=tell("State"), text=lambda line: line.node.state or "", look=_state_look),
        TableColumn(
            title=tell("Read"), text=lambda line: _count(line.node.read_errors), number=True, look=_error_look("read")
        ),
        TableColumn(
            title=tell("Write"),
            text=lambda line: _count(line.node.write_errors),
            number=True,
            look=_error_look("write"),
        ),
        TableColumn(
            title=tell("Checksum"),
            text=lambda line: _count(line.node.checksum_errors),
            number=True,
            look=_error_look("checksum"),
        ),
        TableColumn(title=tell("Size"), text=lambda line: _size(line, "size_bytes"), number=True),
        TableColumn(title=tell("Used"), text=lambda line: _size(line, "allocated_bytes"), number=True),
        TableColumn(
            title=tell("ashift"), text=_ashift, number=True, meaning=tell("The vdev's blocks are 2^ashift bytes.")
        ),
        TableColumn(title=tell("Remark"), text=lambda line: line.node.note or ""),
    )


def _name(line: DeviceLine) -> str:
    return "\u2003" * line.depth + line.node.name.rpartition("/")[2]


def _tip(line: DeviceLine) -> str:
    return line.node.path or line.node.name


def _count(errors: int | None) -> str:
    return "" if errors is None else str(errors)


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


class _error_look:  # noqa: N801 - used as a function
    """Colours a count of errors that is not zero."""

    def __init__(self, name: str) -> None:
        self._name = f"{name}_errors"

    def __call__(self, line: DeviceLine, role: int) -> object:
        if not getattr(line.node, self._name):
            return None
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().colour(Tone.WARN)
        return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None
