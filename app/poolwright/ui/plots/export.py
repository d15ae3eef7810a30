"""A chart as a picture or a table: copied, or saved to a file."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtWidgets import QGraphicsView

from poolwright.emit.chart import Chart
from poolwright.emit.chart_drawing import chart_drawing
from poolwright.emit.drawing_svg import svg
from poolwright.store.files import write_bytes
from poolwright.ui.parts.theme import theme

SCALE = 2  # pictures are twice as fine as the screen


def image_of(view: QGraphicsView) -> QImage:
    image = QImage(view.viewport().size() * SCALE, QImage.Format.Format_ARGB32)
    image.fill(theme().colour("base"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.render(painter)
    painter.end()
    return image


def png_of(view: QGraphicsView) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image_of(view))
    return bytes(buffer.data().data())


def save_chart(path: Path, view: QGraphicsView, chart: Chart) -> None:
    """Write the chart to ``path`` in the format its ending names; raises EnvironmentFailure.

    A table (csv) and a drawing (svg) hold all of it, a picture (png) what the view shows.
    """
    kind = path.suffix.lower()
    if kind == ".csv":
        write_bytes(path, chart.csv().encode())
    elif kind == ".svg":
        write_bytes(path, svg(chart_drawing(chart), with_colours=True).encode())
    else:
        write_bytes(path, png_of(view))
