"""The columns of the table of layouts: their order, names and meanings, and which are shown where."""

from enum import IntEnum

from PySide6.QtCore import QCoreApplication

from poolwright.ui.parts.theme import GRID


class Column(IntEnum):
    """The columns, from left to right."""

    RANK = 0
    SCORE = 1
    LAYOUT = 2
    FAMILY = 3
    POOLS = 4
    VDEVS = 5
    WIDTH = 6
    USABLE = 7
    SURVIVES = 8
    DISKS = 9
    SPARES = 10
    UNASSIGNED = 11
    STRANDED = 12
    FINDINGS = 13
    COST = 14
    READ = 15
    WRITE = 16
    RANDOM_READ = 17
    RANDOM_WRITE = 18
    RISK = 19
    REBUILD = 20


# The layout in words says these as well.
_SAID_BY_LAYOUT = frozenset({Column.FAMILY, Column.POOLS, Column.VDEVS, Column.WIDTH, Column.DISKS, Column.SPARES})
# What is predicted is shown by itself from these widths of the table on, in pixels; anybody may ask for it before.
PREDICTED_FROM = {
    Column.RISK: 124 * GRID,
    Column.READ: 152 * GRID,
    Column.WRITE: 152 * GRID,
    Column.REBUILD: 184 * GRID,
    Column.RANDOM_READ: 184 * GRID,
    Column.RANDOM_WRITE: 184 * GRID,
}
HIDDEN_AT_FIRST = _SAID_BY_LAYOUT | frozenset(PREDICTED_FROM)


def headings() -> dict[Column, str]:
    """Return the header of each column, with its unit."""
    return {
        Column.RANK: _tr("Rank"),
        Column.SCORE: _tr("Score"),
        Column.LAYOUT: _tr("Layout"),
        Column.FAMILY: _tr("Family"),
        Column.POOLS: _tr("Pools"),
        Column.VDEVS: _tr("vdevs"),
        Column.WIDTH: _tr("Width"),
        Column.USABLE: _tr("Usable (TiB)"),
        Column.SURVIVES: _tr("Survives"),
        Column.DISKS: _tr("Disks"),
        Column.SPARES: _tr("Spares"),
        Column.UNASSIGNED: _tr("Unused"),
        Column.STRANDED: _tr("Stranded (TB)"),
        Column.FINDINGS: _tr("Findings"),
        Column.COST: _tr("Cost"),
        Column.READ: _tr("Read (MB/s)"),
        Column.WRITE: _tr("Write (MB/s)"),
        Column.RANDOM_READ: _tr("Read IOPS"),
        Column.RANDOM_WRITE: _tr("Write IOPS"),
        Column.RISK: _tr("Loss a year"),
        Column.REBUILD: _tr("Rebuild (h)"),
    }


def meanings() -> dict[Column, str]:
    """Return what each column holds."""
    return {
        Column.RANK: _tr("The place in the ranking for your goal"),
        Column.SCORE: _tr("Points for your goal, of at most 100"),
        Column.LAYOUT: _tr("The vdevs of the pool and its hot spares; disk sizes where several are packed"),
        Column.FAMILY: _tr("The kind of the data vdevs"),
        Column.POOLS: _tr("The number of pools"),
        Column.VDEVS: _tr("The number of data vdevs of the main pool"),
        Column.WIDTH: _tr("The number of disks of a data vdev"),
        Column.USABLE: _tr("What zfs list shows on the new, empty pool, of all pools together"),
        Column.SURVIVES: _tr("That many disks may fail at once, whichever they are, and every pool is there"),
        Column.DISKS: _tr("The number of disks used, spares included"),
        Column.SPARES: _tr("The number of spares, hot and distributed"),
        Column.UNASSIGNED: _tr("Ticked disks that have no place in this layout"),
        Column.STRANDED: _tr("What assigned disks have more than any vdev can use, in drive makers' TB"),
        Column.FINDINGS: _tr("Rules that this layout does not satisfy, by severity"),
        Column.COST: _tr("The price of the disks used"),
        Column.READ: _tr("Sequential reads of one pool, typical, without the network; the outlook page has the band"),
        Column.WRITE: _tr("Sequential writes of one pool, typical, without the network"),
        Column.RANDOM_READ: _tr("Random reads a second of one pool, typical"),
        Column.RANDOM_WRITE: _tr("Random writes a second of one pool, typical; ?: cannot tell, run the benchmark"),
        Column.RISK: _tr("The probability that a pool is lost within a year by whatever cause, typical"),
        Column.REBUILD: _tr("The rebuild of one disk of the slowest vdev when the pool is 80 % full, typical"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("candidates", text)
