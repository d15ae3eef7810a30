"""A report as PDF: text flows over pages, pictures stay vectors. Needs Qt's GUI part, no window and no screen.

QTextDocument lays out text and tables; each picture is an object in its text, drawn by the SVG renderer straight into
the PDF.
"""

import os

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QPyTextObject,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtSvg import QSvgRenderer

from poolwright.domain.command import Reading
from poolwright.domain.shown import shown_text
from poolwright.emit.drawing import svg
from poolwright.emit.palette import LIGHT
from poolwright.emit.report import (
    Block,
    Bullets,
    Code,
    Picture,
    Report,
    ReportHeading,
    Words,
    document_html,
    document_style,
    escape,
    front_html,
)
from poolwright.process.python_process import done_elsewhere

_DPI = 300
_MARGIN_MM = 14.0
_FOOT_POINTS = 18.0
_TEXT_POINTS, _SMALL_POINTS = 9.0, 7.5
_FEW, _TIGHTER = 0.15, 0.96
_EDGE = 4.0  # letters reach out of their line; at the edge of a page they would be cut
_LONGEST = 12  # lines of a paragraph that is kept on a page
_MANY = 1500  # paragraphs
_FILLS = 0.5  # letters of a line, the rest of its height is air
_HALF = 0.49  # of the page: two pictures side by side on paper that lies across
_OBJECT = QTextFormat.ObjectTypes.UserObject + 1
_SVG = QTextFormat.Property.UserProperty + 1
_PICTURE = "￼"  # the character that stands for an object


class _Pictures(QPyTextObject):
    """Draws the pictures of a document, each as wide as the page at most."""

    def __init__(self, parent: QTextDocument, most: float) -> None:
        super().__init__(parent)
        self._most = most

    def intrinsicSize(self, _document: QTextDocument, _position: int, look: QTextFormat) -> QSizeF:
        size = QSizeF(QSvgRenderer(look.property(_SVG)).defaultSize())
        scale = min(self._most / size.width(), _DPI / 96 * 0.85)
        return size * scale

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, _document: QTextDocument, _position: int, look: QTextFormat
    ) -> None:
        QSvgRenderer(look.property(_SVG)).render(painter, QRectF(rect))


def pdf_of(report: Report) -> bytes:
    """Return the report as the bytes of a PDF file, A4, across where a table is wide. Wants a QGuiApplication."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setTitle(shown_text(report.title))
    writer.setCreator("Poolwright")
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    across = QPageLayout.Orientation.Landscape if report.wide else QPageLayout.Orientation.Portrait
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize.PageSizeId.A4), across, margins, QPageLayout.Unit.Millimeter))
    painter = QPainter(writer)
    foot = _FOOT_POINTS * _DPI / 72
    page = QSizeF(writer.width(), writer.height() - foot)
    document = _document(report, writer, page)
    foot_of_last = document.documentLayout().blockBoundingRect(document.lastBlock()).bottom()
    if foot_of_last > page.height() and foot_of_last % page.height() < _FEW * page.height():
        document = _document(report, writer, page, _TEXT_POINTS * _TIGHTER)  # a few lines have no page for themselves
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        _draw_page(painter, document, page, number)
        _draw_foot(painter, report, QRectF(0, page.height(), page.width(), foot), number, document.pageCount())
    painter.end()
    return bytes(buffer.data().data())


def pdf_without_window(report: Report) -> bytes:
    """Return the report as PDF where no application runs: one is made for it, without a window."""
    application = QGuiApplication.instance() or QGuiApplication(["poolwright"])
    assert application is not None
    return pdf_of(report)


def _document(report: Report, writer: QPdfWriter, page: QSizeF, points: float = _TEXT_POINTS) -> QTextDocument:
    document = QTextDocument()
    font = QFont("sans-serif")
    font.setStyleHint(QFont.StyleHint.SansSerif)
    font.setPointSizeF(points)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(document_style(LIGHT, _SMALL_POINTS * points / _TEXT_POINTS))
    document.setDocumentMargin(0)
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(page)
    edges = QTextFrameFormat(document.rootFrame().frameFormat())
    edges.setTopMargin(_EDGE)
    edges.setBottomMargin(_EDGE)
    document.rootFrame().setFrameFormat(edges)
    document.documentLayout().registerHandler(
        _OBJECT, _Pictures(document, page.width() * (_HALF if report.wide else 1))
    )
    cursor = QTextCursor(document)
    for number, line in enumerate(front_html(report)):
        if number:
            cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        cursor.insertHtml(line)
    leading: set[int] = set()
    before: Block | None = None
    for block in report.blocks:
        beside = report.wide and isinstance(block, Picture) and isinstance(before, Picture) and not before.caption
        before = block
        if beside:  # on the same line, where two have room
            assert isinstance(block, Picture)
            _insert_picture(cursor, block)
            continue
        # Fresh formats, or the next goes on with the list before; an empty paragraph would have a page for itself.
        if not (isinstance(block, ReportHeading) and block.page and not cursor.block().text()):
            cursor.insertBlock(_spacing(block), QTextCharFormat())
        first = cursor.block()
        if isinstance(block, ReportHeading) or (isinstance(block, Words) and block.strong):
            leading.add(cursor.blockNumber())
        if isinstance(block, Picture):
            _insert_picture(cursor, block)
        else:
            cursor.insertHtml(document_html(block))
            if isinstance(block, ReportHeading):
                cursor.mergeBlockFormat(_spacing(block))
            elif isinstance(block, Bullets):  # a list begins below the paragraph that it is inserted in
                QTextCursor(first).deleteChar()
        cursor.movePosition(QTextCursor.MoveOperation.End)
    every = document.blockCount() < _MANY  # each push lays out all again
    for number in range(document.blockCount()) if every else sorted(leading):
        _keep_whole(document, number, with_next=number in leading)
    return document


def _spacing(block: Block) -> QTextBlockFormat:
    """Return the room around a Words, in points of the screen, which the layout scales to the paper."""
    look = QTextBlockFormat()
    if isinstance(block, ReportHeading):
        look.setTopMargin(18 if block.level == 2 else 10)
        look.setBottomMargin(4)
        if block.page:
            look.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
    elif isinstance(block, Words | Picture):
        look.setTopMargin(3)
        look.setBottomMargin(5)
    elif isinstance(block, Code):  # its first line; the others have it by the style
        look.setBackground(QColor(LIGHT.window))
    return look


def _keep_whole(document: QTextDocument, number: int, *, with_next: bool) -> None:
    """Begin a page at a paragraph that the foot of one would cut, at a heading that would stand there alone."""
    begins = document.findBlockByNumber(number)
    if table := QTextCursor(begins).currentTable():
        _keep_row(document, table, begins)
        return
    ends = begins.next() if with_next else begins
    while with_next and ends.isValid() and not ends.text().strip():
        ends = ends.next()
    if not ends.isValid() or ends.layout().lineCount() > _LONGEST:
        return
    layout, page = document.documentLayout(), document.pageSize().height()
    above, below = layout.blockBoundingRect(begins), layout.blockBoundingRect(ends)
    line = ends.layout().lineAt(ends.layout().lineCount() - 1)
    foot = below.top() + line.y() + line.height()
    if int(foot // page) != int(above.top() // page):
        look = QTextBlockFormat(begins.blockFormat())
        look.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        QTextCursor(begins).setBlockFormat(look)


def _keep_row(document: QTextDocument, table: QTextTable, block: QTextBlock) -> None:
    """Push a row that the foot of a page would cut to the next one: the row above fills the page."""
    layout, page, cell = document.documentLayout(), document.pageSize().height(), table.cellAt(QTextCursor(block))
    tops = [layout.blockBoundingRect(table.cellAt(cell.row(), n).firstCursorPosition().block()).top()
            for n in range(table.columns())]  # fmt: skip
    first, rect = min(tops), layout.blockBoundingRect(block)
    room = page - first % page
    if rect.bottom() - first <= room or rect.bottom() - first > page / 2:
        return
    if cell.row() <= table.format().headerRowCount():  # no header stays behind alone
        whole = QTextTableFormat(table.format())
        whole.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        table.setFormat(whole)
        return
    # Padding would go along to the next page; an empty line as high as what is left does not.
    look = QTextCharFormat()
    look.setFontPointSize(room * 72 / _DPI * _FILLS)
    table.cellAt(cell.row() - 1, 0).lastCursorPosition().insertText("\u2028 ", look)


def _insert_picture(cursor: QTextCursor, block: Picture) -> None:
    look = QTextCharFormat()
    look.setObjectType(_OBJECT)
    look.setProperty(_SVG, QByteArray(svg(block.drawing, with_colours=True).encode()))
    cursor.insertText(_PICTURE, look)
    if block.caption:
        cursor.insertBlock()
        cursor.insertHtml(f'<p class="sub">{escape(block.caption)}</p>')


def _draw_page(painter: QPainter, document: QTextDocument, page: QSizeF, number: int) -> None:
    top = number * page.height()
    painter.save()
    painter.translate(0, -top)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = QRectF(0, top, page.width(), page.height())
    palette = QPalette(context.palette)
    palette.setColor(QPalette.ColorRole.Text, QColor(LIGHT.text))  # dark, whatever colours the window has
    context.palette = palette
    painter.setClipRect(context.clip)
    document.documentLayout().draw(painter, context)
    painter.restore()


def _draw_foot(painter: QPainter, report: Report, room: QRectF, number: int, pages: int) -> None:
    font = QFont("sans-serif")
    font.setPointSizeF(_SMALL_POINTS)
    painter.setFont(font)
    painter.setPen(QColor(LIGHT.muted))
    bottom = Qt.AlignmentFlag.AlignBottom
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | bottom, report.foot)
    painter.drawText(room, Qt.AlignmentFlag.AlignRight | bottom, f"{number + 1} / {pages}")


# For the window, by a process of its own: Qt draws pages in one go, in a tenth of a second or many.


def drawn_elsewhere(report: Report) -> Reading[bytes]:
    """Return the PDF of a report, in the letters of this window; raises EnvironmentFailure where Qt cannot draw it."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or "C"  # letters are chosen by it, too
    return done_elsewhere(drawn, report, QGuiApplication.font().toString(), locale)


def drawn(report: Report, font: str, locale: str) -> bytes:
    if QGuiApplication.instance() is not None:
        return pdf_of(report)
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "LC_ALL": locale}
    application = QGuiApplication(["poolwright"])
    letters = QFont()
    letters.fromString(font)
    application.setFont(letters)
    return pdf_of(report)
