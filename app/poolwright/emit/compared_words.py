"""The cells of a comparison in words: for its tables and its charts, in reports and in the window."""

from poolwright.design.compare import ComparedRow, Section
from poolwright.design.compared import Cell, ComparedDesign
from poolwright.predict.number_words import UNKNOWN, Unit, band_text, has_band, speed_text
from poolwright.texts import marked, tell

LETTERS = "ABCDEF"
_SECTIONS = {
    Section.SHAPE: marked("Layout"),
    Section.SPACE: marked("Space"),
    Section.SAFETY: marked("Safety"),
    Section.SPEED: marked("Speed"),
    Section.COST: marked("Cost"),
    Section.RULES: marked("Rules"),
}


def section_words(section: Section) -> str:
    """Return the heading of a part of the table."""
    return tell(_SECTIONS[section])


def cell_text(cell: Cell, unit: Unit) -> str:
    """Return the value of a cell for people; “unknown” where it is."""
    if unit is Unit.TEXT:
        return cell.text or "—"
    if cell.value is None:
        return tell(UNKNOWN)
    if cell.money is not None:
        return str(cell.money)
    if cell.estimate is not None and unit in (Unit.RATE, Unit.OPERATIONS):
        return speed_text(cell.estimate, unit.text)
    text = unit.text(cell.value)
    return f"{text} {cell.currency or ''}".strip() if unit is Unit.MONEY else text


def cell_band(cell: Cell, unit: Unit) -> str:
    """Return low and high end of a cell's value; empty where it has no band."""
    if cell.estimate is None or not has_band(cell.estimate, unit.text):
        return ""
    return band_text(cell.estimate, unit.text)


def best_words(row: ComparedRow, number: int) -> str:
    """Return the mark of the better value in words; empty for the others."""
    if number not in row.best:
        return ""
    if len(row.best) == 1:
        return tell("best") if row.sure else tell("likely best")
    return tell("tied for best") if row.sure else tell("likely tied for best")


def share_of(row: ComparedRow, number: int) -> float | None:
    """Return the value as a share of the row's largest, for a bar; None where a bar says nothing."""
    if row.line.unit is Unit.MONEY and row.currency is None and len({c.unit_of_money for c in row.cells}) > 1:
        return None
    if row.line.unit not in (Unit.BYTES, Unit.RATE, Unit.OPERATIONS, Unit.HOURS, Unit.MONEY):
        return None
    known = [cell.value for cell in row.cells if cell.value is not None]
    value, most = row.cells[number].value, max(known, default=0.0)
    return None if value is None or most <= 0 or len(known) < 2 else value / most


def layout_with_badge(column: ComparedDesign) -> str:
    """Return the layout of a column, and behind it that its disks are planned where they are."""
    badge = column.badge[0]
    return tell("{layout} ({badge})", layout=column.layout, badge=badge) if badge else column.layout
