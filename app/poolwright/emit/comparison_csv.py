"""A comparison as CSV for spreadsheets: plain numbers in base units, one line a row and column."""

from poolwright.design.compare import Comparison
from poolwright.domain.cells import csv_text
from poolwright.texts import tell

HEADER = (
    "section", "row", "title", "unit", "currency", "better", "design", "layout", "value", "low", "high", "text", "best",
    "sure", "differs", "origin", "note",
)  # fmt: skip


def comparison_csv(comparison: Comparison) -> str:
    """Return all rows, then the properties (section “Properties”, the place before the name)."""
    lines: list[dict[str, str]] = []
    for row in comparison.rows:
        for number, (column, cell) in enumerate(zip(comparison.columns, row.cells, strict=True)):
            line, estimate, best = row.line, cell.estimate, number in row.best
            written = {
                "section": line.section.value,
                "row": line.name,
                "title": line.title,
                "unit": line.unit.value,
                "currency": cell.unit_of_money or "",
                "better": line.better.value,
                "design": column.title,
                "layout": column.layout,
                "value": _number(cell.value) if cell.money is None else cell.money.plain(),
                "text": cell.text or "",
                "note": cell.note,
                "low": _number(estimate.low) if estimate else "",
                "high": _number(estimate.high) if estimate else "",
                "best": _word(best),
                "sure": _word(row.sure) if best else "",
                "differs": _word(row.differs),
                "origin": str(cell.source) if cell.source is not None else "",
            }
            lines.append(written)
    for prop in comparison.properties:
        for column, setting in zip(comparison.columns, prop.settings, strict=True):
            written = {
                "section": "Properties",
                "row": f"{prop.place}: {prop.name}",
                "title": prop.name,
                "unit": "text",
                "better": "none",
                "design": column.title,
                "layout": column.layout,
                "text": setting.value if setting else "",
                "note": setting.reason if setting else tell("not set"),
                "best": "no",
                "differs": _word(prop.differs),
            }
            lines.append(written)
    return csv_text([HEADER, *([line.get(name, "") for name in HEADER] for line in lines)])


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e18 else repr(float(value))


def _word(answer: bool) -> str:
    return "yes" if answer else "no"
