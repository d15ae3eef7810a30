"""A page in HTML as PDF, as it is printed: A4 across, with page numbers. Needs Qt's GUI part, no window."""

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextDocument,
)

from poolwright.domain.errors import EnvironmentFailure
from poolwright.emit.palette import LIGHT
from poolwright.texts import tell

# As on a screen, so that the distances of the style sheet, in pixels, come out right; letters stay outlines.
_PDF_DPI, _MARGIN_MM = 96, 12


def on_paper(part: QRectF) -> QAbstractTextDocumentLayout.PaintContext:
    """Return how a part of a document is drawn on paper: dark, whatever colours the window has."""
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = part
    palette = QPalette(context.palette)
    palette.setColor(QPalette.ColorRole.Text, QColor(LIGHT.text))
    context.palette = palette
    return context


def pdf_of_page(page: str) -> bytes:
    """Return an HTML page as PDF, A4 across, with page numbers. Raises EnvironmentFailure where Qt cannot draw it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_PDF_DPI)
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    a4 = QPageSize(QPageSize.PageSizeId.A4)
    writer.setPageLayout(QPageLayout(a4, QPageLayout.Orientation.Landscape, margins, QPageLayout.Unit.Millimeter))
    painter = QPainter(writer)
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    document.setDocumentMargin(0)
    document.setHtml(page)
    foot = painter.fontMetrics().height() * 2
    size = QSizeF(writer.width(), writer.height() - foot)
    document.setPageSize(size)
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        painter.save()
        painter.translate(0, -number * size.height())
        context = on_paper(QRectF(0, number * size.height(), size.width(), size.height()))
        painter.setClipRect(context.clip)
        document.documentLayout().draw(painter, context)
        painter.restore()
        told = f"{number + 1} / {document.pageCount()}"
        room = QRectF(0, size.height(), size.width(), foot)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, told)
    painter.end()
    del document
    buffer.close()
    made = bytes(buffer.data().data())
    if not made.startswith(b"%PDF"):
        raise EnvironmentFailure(
            tell("The page could not be drawn as PDF"), todo=tell("Save it as HTML and print that.")
        )
    return made
