"""The hosts as a table: how each is reached, and what became of it."""

from PySide6.QtCore import QObject, Qt

from poolwright.domain.shown import shown_text
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, theme
from poolwright.ui.state.hosts import HostPhase, HostRow

PROGRESS = 3  # the column with the bar
_TONES = {HostPhase.READ: Tone.OK, HostPhase.FAILED: Tone.BLOCK, HostPhase.CANCELLED: Tone.MUTED}


class HostTable(RowModel[HostRow]):
    """One row a host; it stays one while its state changes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), parent, key=_key)


def state_text(row: HostRow) -> str:
    """Return what became of a host, in a few words."""
    if row.phase is HostPhase.READ and row.inventory is not None:
        disks = tell_counted("{count} disk", "{count} disks", len(row.inventory.disks))
        return tell("read: {disks}", disks=disks)
    if row.phase is HostPhase.FAILED and row.failure is not None:
        return row.failure.what
    return tell(row.phase.value)


def _key(row: HostRow) -> str:
    return row.name


def _reached(row: HostRow) -> str:
    if row.way is None:
        return ""
    if row.way.jump:
        return tell("{address} through {jump}", address=shown_text(row.way.words), jump=shown_text(row.way.jump))
    return shown_text(row.way.words)


def _look(row: HostRow, role: int) -> object:
    tone = _TONES.get(row.phase)
    return theme().colour(tone) if role == Qt.ItemDataRole.ForegroundRole and tone is not None else None


def _share(row: HostRow) -> float | None:
    return (row.fraction or 0.0) if row.busy else None


def _percent(row: HostRow) -> str:
    return f"{round(100 * row.fraction)} %" if row.busy and row.fraction is not None else ""


def _columns() -> tuple[TableColumn[HostRow], ...]:
    return (
        TableColumn(title=tell("Host"), text=lambda row: shown_text(row.name), tip=lambda row: shown_text(row.name)),
        TableColumn(
            title=tell("Reached as"),
            meaning=tell("What OpenSSH makes of the name, as ssh -G tells it"),
            text=_reached,
            tip=_reached,
        ),
        TableColumn(title=tell("From"), text=lambda row: tell("typed") if row.typed else tell("config")),
        TableColumn(title=tell("Progress"), text=_percent, share=_share, number=True),
        TableColumn(title=tell("State"), text=state_text, tip=state_text, look=_look),
    )
