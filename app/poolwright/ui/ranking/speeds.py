"""Which speeds of a layout nobody can tell: their cells in the table of layouts send to the benchmark."""

from poolwright.advise.candidate import Candidate
from poolwright.predict.speed_words import UNTOLD
from poolwright.ui.ranking.columns import CandidateColumn

_NAMES = {
    CandidateColumn.READ: "seq_read",
    CandidateColumn.WRITE: "seq_write",
    CandidateColumn.RANDOM_READ: "rand_read_iops",
    CandidateColumn.RANDOM_WRITE: "rand_write_iops",
}


def untold(candidate: Candidate, column: int) -> str:
    """Return what stands in a cell in the place of a speed whose band is too wide; empty where it can be told."""
    name = _NAMES.get(CandidateColumn(column))
    return UNTOLD if name is not None and getattr(candidate.itself, name).cannot_tell else ""
