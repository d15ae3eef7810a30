"""A plot as a picture or a table: copied, or saved to a file."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from poolwright.store.files import write_bytes
from poolwright.ui.parts.theme import theme

SCALE = 2  # pictures are twice as fine as the screen


def image_of(view: QGraphicsView) -> QImage:
    """Return what the view shows, twice as fine."""
    image = QImage(view.viewport().size() * SCALE, QImage.Format.Format_ARGB32)
    image.fill(theme().colour("base"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.render(painter)
    painter.end()
    return image


def svg_of(view: QGraphicsView, title: str) -> bytes:
    """Return what the view shows as an SVG document."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    size: QSize = view.viewport().size()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    whole = QRectF(0, 0, size.width(), size.height())
    painter.fillRect(whole, theme().colour("base"))
    view.render(painter, whole, view.viewport().rect())
    painter.end()
    return bytes(buffer.data().data())


def png_of(view: QGraphicsView) -> bytes:
    """Return what the view shows as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image_of(view))
    return bytes(buffer.data().data())


def save_plot(path: Path, view: QGraphicsView, title: str, csv: str) -> None:
    """Write the plot to ``path`` in the format its ending names (svg, png, csv); raises EnvironmentFailure."""
    kind = path.suffix.lower()
    if kind == ".csv":
        write_bytes(path, csv.encode())
    elif kind == ".svg":
        write_bytes(path, svg_of(view, title))
    else:
        write_bytes(path, png_of(view))
