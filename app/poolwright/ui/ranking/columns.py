"""The columns of the table of layouts: their order, names and meanings, and which are shown where."""

from enum import IntEnum

from PySide6.QtCore import QCoreApplication

from poolwright.ui.parts.theme import GRID


class CandidateColumn(IntEnum):
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
_SAID_BY_LAYOUT = frozenset(
    {
        CandidateColumn.FAMILY,
        CandidateColumn.POOLS,
        CandidateColumn.VDEVS,
        CandidateColumn.WIDTH,
        CandidateColumn.DISKS,
        CandidateColumn.SPARES,
    }
)
# What is predicted is shown by itself from these widths of the table on, in pixels; anybody may ask for it before.
PREDICTED_FROM = {
    CandidateColumn.RISK: 124 * GRID,
    CandidateColumn.READ: 152 * GRID,
    CandidateColumn.WRITE: 152 * GRID,
    CandidateColumn.REBUILD: 184 * GRID,
    CandidateColumn.RANDOM_READ: 184 * GRID,
    CandidateColumn.RANDOM_WRITE: 184 * GRID,
}
HIDDEN_AT_FIRST = _SAID_BY_LAYOUT | frozenset(PREDICTED_FROM)


def headings() -> dict[CandidateColumn, str]:
    """Return the header of each column, with its unit."""
    return {
        CandidateColumn.RANK: _tr("Rank"),
        CandidateColumn.SCORE: _tr("Score"),
        CandidateColumn.LAYOUT: _tr("Layout"),
        CandidateColumn.FAMILY: _tr("Family"),
        CandidateColumn.POOLS: _tr("Pools"),
        CandidateColumn.VDEVS: _tr("vdevs"),
        CandidateColumn.WIDTH: _tr("Width"),
        CandidateColumn.USABLE: _tr("Usable (TiB)"),
        CandidateColumn.SURVIVES: _tr("Survives"),
        CandidateColumn.DISKS: _tr("Disks"),
        CandidateColumn.SPARES: _tr("Spares"),
        CandidateColumn.UNASSIGNED: _tr("Unused"),
        CandidateColumn.STRANDED: _tr("Stranded (TB)"),
        CandidateColumn.FINDINGS: _tr("Findings"),
        CandidateColumn.COST: _tr("Cost"),
        CandidateColumn.READ: _tr("Read (MB/s)"),
        CandidateColumn.WRITE: _tr("Write (MB/s)"),
        CandidateColumn.RANDOM_READ: _tr("Read IOPS"),
        CandidateColumn.RANDOM_WRITE: _tr("Write IOPS"),
        CandidateColumn.RISK: _tr("Loss a year"),
        CandidateColumn.REBUILD: _tr("Rebuild (h)"),
    }


def meanings() -> dict[CandidateColumn, str]:
    """Return what each column holds."""
    return {
        CandidateColumn.RANK: _tr("The place in the ranking for your goal"),
        CandidateColumn.SCORE: _tr("Points for your goal, of at most 100"),
        CandidateColumn.LAYOUT: _tr("The vdevs of the pool and its hot spares; disk sizes where several are packed"),
        CandidateColumn.FAMILY: _tr("The kind of the data vdevs"),
        CandidateColumn.POOLS: _tr("The number of pools"),
        CandidateColumn.VDEVS: _tr("The number of data vdevs of the main pool"),
        CandidateColumn.WIDTH: _tr("The number of disks of a data vdev"),
        CandidateColumn.USABLE: _tr("What zfs list shows on the new, empty pool, of all pools together"),
        CandidateColumn.SURVIVES: _tr("That many disks may fail at once, whichever they are, and every pool is there"),
        CandidateColumn.DISKS: _tr("The number of disks used, spares included"),
        CandidateColumn.SPARES: _tr("The number of spares, hot and distributed"),
        CandidateColumn.UNASSIGNED: _tr("Ticked disks that have no place in this layout"),
        CandidateColumn.STRANDED: _tr("What assigned disks have more than any vdev can use, in drive makers' TB"),
        CandidateColumn.FINDINGS: _tr("Rules that this layout does not satisfy, by severity"),
        CandidateColumn.COST: _tr("The price of the disks used"),
        CandidateColumn.READ: _tr(
            "Sequential reads of one pool, typical, without the network; the outlook page has the band"
        ),
        CandidateColumn.WRITE: _tr("Sequential writes of one pool, typical, without the network"),
        CandidateColumn.RANDOM_READ: _tr("Random reads a second of one pool, typical"),
        CandidateColumn.RANDOM_WRITE: _tr(
            "Random writes a second of one pool, typical; ?: cannot tell, run the benchmark"
        ),
        CandidateColumn.RISK: _tr("The probability that a pool is lost within a year by whatever cause, typical"),
        CandidateColumn.REBUILD: _tr("The rebuild of one disk of the slowest vdev when the pool is 80 % full, typical"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("candidates", text)
