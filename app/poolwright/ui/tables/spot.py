"""A mark that was drawn, and where."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF

from poolwright.predict.table_drawing import Series, TableMark


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpot:
    """A mark at ``at`` in the plot's coordinates; a bar is met within ``reach`` up and down."""

    series: Series
    mark: TableMark
    at: QPointF
    reach: float | None = None
