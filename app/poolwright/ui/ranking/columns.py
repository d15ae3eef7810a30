"""The columns of the table of layouts: their order, what they mean and show, and which are shown where."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from poolwright.design.candidate import Candidate
from poolwright.design.enumerate import family_words
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.units import GB, TB, TIB
from poolwright.predict.number_words import odds_text, operations_text, rounded
from poolwright.predict.speed_words import cell_text, gigabytes_text
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.theme import GRID


class CandidateColumn(IntEnum):
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


# From these widths of the table on, in pixels, what is predicted is shown by itself; anybody may ask for it before.
_WIDE, _WIDER, _WIDEST = 124 * GRID, 152 * GRID, 184 * GRID
SHOWN_STRANDED = 5_000_000_000  # bytes: less is the partition table and the rounding of slices


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What only the whole ranking tells of a layout: its place, its words once made, its bar, and how it is marked."""

    rank: Callable[[Candidate], int]
    words: Callable[[Candidate], str]
    share: Callable[[Candidate], float]
    look: Callable[[Candidate, int], object]
    cost: Callable[[Candidate], str]


def layout_columns(told: Told) -> tuple[TableColumn[Candidate], ...]:
    columns = {**_named(told), **_counted(), **_valued(told), **_predicted()}
    return tuple(columns[column] for column in CandidateColumn)


def _named(told: Told) -> dict[CandidateColumn, TableColumn[Candidate]]:
    words = told.words
    return {
        CandidateColumn.RANK: _column(tell("Rank"), tell("The place in the ranking for your goal"), told.rank),
        CandidateColumn.SCORE: _column(
            tell("Score"),
            tell("Points for your goal, of at most 100"),
            lambda c: round(c.score, 1),
            lambda value: f"{value:.1f}",
            best=max,
        ),
        CandidateColumn.LAYOUT: TableColumn(
            title=tell("Layout"),
            meaning=tell("The vdevs of the pool and its hot spares; disk sizes where several are packed"),
            text=words,
            value=words,
            tip=words,
            look=told.look,
        ),
        # The layout in words says these as well.
        CandidateColumn.FAMILY: TableColumn(
            title=tell("Family"),
            meaning=tell("The kind of the data vdevs"),
            text=lambda c: family_words(c.family),
            value=lambda c: c.family,
            hidden=True,
        ),
    }


def _counted() -> dict[CandidateColumn, TableColumn[Candidate]]:
    return {
        CandidateColumn.POOLS: _column(tell("Pools"), tell("The number of pools"), lambda c: c.pool_count, hidden=True),
        CandidateColumn.VDEVS: _column(
            tell("vdevs"), tell("The number of data vdevs of the main pool"), lambda c: c.vdevs, hidden=True
        ),
        CandidateColumn.WIDTH: replace(
            _column(
                tell("Width"), tell("The number of disks of a data vdev"), lambda c: sum(c.widths) / 2, hidden=True
            ),
            text=_width_text,
        ),
        CandidateColumn.SURVIVES: _column(
            tell("Survives"),
            tell("That many disks may fail at once, whichever they are, and every pool is there"),
            lambda c: c.failures_survived,
            best=max,
        ),
        CandidateColumn.DISKS: _column(
            tell("Disks"), tell("The number of disks used, spares included"), lambda c: c.used, hidden=True
        ),
        CandidateColumn.SPARES: _column(
            tell("Spares"), tell("The number of spares, hot and distributed"), lambda c: c.spares, hidden=True
        ),
        CandidateColumn.UNASSIGNED: _column(
            tell("Unused"), tell("Ticked disks of the data’s medium without a place here"), lambda c: c.idle_disks
        ),
    }


def _valued(told: Told) -> dict[CandidateColumn, TableColumn[Candidate]]:
    return {
        CandidateColumn.USABLE: _column(
            tell("Usable (TiB)"),
            tell("What zfs list shows on the new, empty pool, of all pools together"),
            lambda c: c.usable_bytes / TIB,
            lambda value: f"{value:.2f}",
            best=max,
            share=told.share,
        ),
        CandidateColumn.STRANDED: _column(
            tell("Stranded (TB)"),
            tell("What assigned disks have more than any vdev can use, in drive makers' TB"),
            lambda c: c.stranded_bytes / TB,
            lambda value: f"{value:.2f}" if value * TB >= SHOWN_STRANDED else "–",
        ),
        CandidateColumn.FINDINGS: replace(
            _column(tell("Findings"), tell("Rules that this layout does not satisfy, by severity"), _findings),
            text=gravest_text,
            tip=findings_text,
            plain=findings_text,
        ),
        CandidateColumn.COST: replace(
            _column(tell("Cost"), tell("The price of the disks used"), _cost, best=min),
            text=lambda c: "–" if c.cost is None else str(c.cost),
            plain=told.cost,
        ),
    }


def _predicted() -> dict[CandidateColumn, TableColumn[Candidate]]:
    """Return what is predicted: the risk is that of losing any pool, the rebuild that of the main one."""
    return {
        CandidateColumn.READ: _speed(
            tell("Read (GB/s)"),
            tell("Sequential reads of one pool, as clients get them, typical; the outlook page has the band"),
            "seq_read",
            _WIDER,
        ),
        CandidateColumn.WRITE: _speed(
            tell("Write (GB/s)"),
            tell("Sequential writes of one pool, as clients get them, typical"),
            "seq_write",
            _WIDER,
        ),
        CandidateColumn.RANDOM_READ: _speed(
            tell("Read IOPS"), tell("Random reads a second of one pool, typical"), "rand_read_iops", _WIDEST
        ),
        CandidateColumn.RANDOM_WRITE: _speed(
            tell("Write IOPS"),
            tell("Random writes a second of one pool, typical; ?: cannot tell, run the benchmark"),
            "rand_write_iops",
            _WIDEST,
        ),
        CandidateColumn.RISK: _column(
            tell("Loss a year"),
            tell("The probability that a pool is lost within a year by whatever cause, typical"),
            lambda c: c.yearly_loss,
            odds_text,
            best=min,
            wide_from=_WIDE,
        ),
        CandidateColumn.REBUILD: _column(
            tell("Rebuild (h)"),
            tell("The rebuild of one disk of the slowest vdev when the pool is 80 % full, typical"),
            lambda c: c.measures.forecast.rebuild_hours,
            lambda value: f"{value:.1f}",
            best=min,
            wide_from=_WIDEST,
        ),
    }


def _column(
    title: str,
    meaning: str,
    value: Callable[[Candidate], float | None],
    shown: Callable[[float], str] = "{:.0f}".format,
    **more: Any,
) -> TableColumn[Candidate]:
    """Return a column of numbers, "–" where there is none."""

    def text(candidate: Candidate) -> str:
        known = value(candidate)
        return "–" if known is None else shown(known)

    def plain(candidate: Candidate) -> str:
        return _csv_value(value(candidate))

    return TableColumn(title=title, meaning=meaning, value=value, text=text, plain=plain, number=True, **more)


def _speed(title: str, meaning: str, name: str, wide_from: int) -> TableColumn[Candidate]:
    """Return a column of one speed of a pool, as clients get it; `cell_text` where its band is wide."""
    counted = name.endswith("iops")

    def value(candidate: Candidate) -> float:
        speed: float = getattr(candidate.measures.forecast.speed, name)
        return speed if counted else min(speed, candidate.outlook.around.network) / GB

    def text(candidate: Candidate) -> str:
        rate: Estimate = getattr(candidate.predictions.speed, name)
        if rate.cannot_tell:
            return cell_text(rate, operations_text if counted else gigabytes_text)
        return operations_text(rate.typical) if counted else f"{rounded(rate.typical / GB, 3):,g}"

    return replace(_column(title, meaning, value, best=max, wide_from=wide_from), text=text)


def violations(candidate: Candidate, severity: Severity) -> int:
    """Return how many rules of this severity the layout violates."""
    return sum(1 for f in candidate.findings if f.outcome is Outcome.VIOLATED and f.severity is severity)


def _told_findings(candidate: Candidate) -> list[str]:
    warnings, notes = violations(candidate, Severity.WARN), violations(candidate, Severity.NOTE)
    told = [tell_counted("{count} warning", "{count} warnings", warnings)] if warnings else []
    return [*told, tell_counted("{count} note", "{count} notes", notes)] if notes else told


def findings_text(candidate: Candidate) -> str:
    """Return how many warnings and notes a layout has, in words."""
    return ", ".join(_told_findings(candidate)) or tell("none")


def gravest_text(candidate: Candidate) -> str:
    """Return how many of its gravest findings a layout has: the warnings, else the notes."""
    return next(iter(_told_findings(candidate)), "") or tell("none")


def _findings(candidate: Candidate) -> float:
    return 100.0 * violations(candidate, Severity.WARN) + violations(candidate, Severity.NOTE)


def _width_text(candidate: Candidate) -> str:
    least, most = candidate.widths
    return f"{least}" if least == most else f"{least}–{most}"


def _cost(candidate: Candidate) -> float | None:
    return None if candidate.cost is None else float(candidate.cost.amount)


def _csv_value(value: float | None) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    # Probabilities are smaller than any fixed number of digits.
    return f"{value:.6f}".rstrip("0").rstrip(".") if value == 0 or value >= 1 else f"{value:.6g}"
