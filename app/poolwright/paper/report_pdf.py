"""A report as PDF: text flows over pages, pictures stay vectors. Needs Qt's GUI part, no window and no screen.

QTextDocument lays out text and tables; each picture is an object in its text, drawn by the SVG renderer straight into
the PDF.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

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
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
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
    front_html,
)
from poolwright.process.worker import done_elsewhere

_DPI = 300
_MARGIN_MM = 14.0
_FOOT_POINTS = 18.0
_TEXT_POINTS, _SMALL_POINTS = 9.0, 7.5
_FEW, _TIGHTER = 0.15, 0.96
_EDGE = 4.0  # letters reach out of their line; at the edge of a page they would be cut
_LONGEST = 12  # lines of a paragraph that is kept on a page
_SHORT = 12  # rows of a table that is rather kept on a page
_RATHER, _ALWAYS = 1, 2
_FULL = {_RATHER: 0.7, _ALWAYS: 0.3}  # of a page that ends before what belongs together
_INDENT = 14
_HALF = 0.49  # of the page that lies across: a picture as wide as it would fill it
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
    width, height = float(writer.width()), writer.height() - foot
    document, pieces = _document(report, writer, width)
    pages = tuple(_pages(pieces, QSizeF(width, height - 2 * _EDGE)))
    if len(pages) > 1 and pages[-1][1].height() < _FEW * height:  # a few lines have no page for themselves
        document, pieces = _document(report, writer, width, _TEXT_POINTS * _TIGHTER)
        pages = tuple(_pages(pieces, QSizeF(width, height - 2 * _EDGE)))
    for number, page in enumerate(pages):
        if number:
            writer.newPage()
        _draw_page(painter, document, page)
        _draw_foot(painter, report, QRectF(0, height, width, foot), number, len(pages))
    painter.end()
    return bytes(buffer.data().data())


def _document(report: Report, writer: QPdfWriter, width: float, points: float = _TEXT_POINTS) -> "_Laid":
    document = QTextDocument()
    font = QFont("sans-serif")
    font.setStyleHint(QFont.StyleHint.SansSerif)
    font.setPointSizeF(points)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(document_style(LIGHT, _SMALL_POINTS * points / _TEXT_POINTS))
    document.setDocumentMargin(0)
    document.setIndentWidth(_INDENT)
    document.documentLayout().setPaintDevice(writer)
    document.setTextWidth(width)
    document.documentLayout().registerHandler(_OBJECT, _Pictures(document, width * (_HALF if report.wide else 1)))
    cursor = QTextCursor(document)
    for number, line in enumerate(front_html(report)):
        if number:
            cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        cursor.insertHtml(line)
    begins, stays = set[int](), dict[int, int]()
    before, opened = cast("Block | None", None), False
    for block in report.blocks:
        _close(cursor, stays, before, block, opened=opened)
        opened, before = isinstance(before, ReportHeading), block
        # Fresh formats, or the next goes on with the list before; an empty paragraph would have a page for itself.
        cursor.insertBlock(_spacing(block), QTextCharFormat())
        first = cursor.block()
        if isinstance(block, Picture):
            _insert_picture(cursor, block)
        else:
            cursor.insertHtml(document_html(block))
            if isinstance(block, ReportHeading):
                cursor.mergeBlockFormat(_spacing(block))
            elif isinstance(block, Bullets):  # a list begins below the paragraph that it is inserted in
                QTextCursor(first).deleteChar()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if isinstance(block, ReportHeading) and block.page:
            begins.add(first.blockNumber())
        if isinstance(block, Code | Picture):  # lines that are typed together, a picture and its caption
            stays.update(dict.fromkeys(range(first.blockNumber(), cursor.blockNumber()), _RATHER))
    return document, tuple(_pieces(document, begins, stays))


def _close(cursor: QTextCursor, stays: dict[int, int], before: Block | None, block: Block, *, opened: bool) -> None:
    """Say whether what stands there, which ``opened`` a section, stays with the ``block`` that follows."""
    leads = isinstance(before, ReportHeading) or not isinstance(block, ReportHeading)
    words = isinstance(before, Words | Bullets) and (opened or isinstance(block, Code))
    strong = isinstance(before, Words) and before.strong
    drawn = isinstance(before, Picture) and not isinstance(block, Picture)  # with its caption
    if leads and (isinstance(before, ReportHeading) or drawn or words or strong):
        stays[cursor.blockNumber()] = _ALWAYS
    elif isinstance(before, Code) and isinstance(block, Code):
        stays[cursor.blockNumber()] = _RATHER
    elif isinstance(before, Code):
        foot = QTextBlockFormat()
        foot.setBottomMargin(5)
        cursor.mergeBlockFormat(foot)


def _spacing(block: Block) -> QTextBlockFormat:
    """Return the room around a Words, in points of the screen, which the layout scales to the paper."""
    look = QTextBlockFormat()
    if isinstance(block, ReportHeading):
        look.setTopMargin(18 if block.level == 2 else 10)
        look.setBottomMargin(4)
    elif isinstance(block, Words | Picture):
        look.setTopMargin(3)
        look.setBottomMargin(5)
    elif isinstance(block, Code):  # its first line; the others have it by the style
        look.setBackground(QColor(LIGHT.window))
    return look


# The text is laid out once, as on a roll of paper; pages are cut from it where nothing that belongs together is parted.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """What is never cut, from ``top`` to ``bottom``: a line, a paragraph, a row of a table under its ``header``."""

    top: float
    bottom: float
    begins: bool = False  # a page
    stays: int = 0  # on the page of the next one, _RATHER or _ALWAYS
    header: tuple[float, float] = (0, 0)


_Laid = tuple[QTextDocument, tuple[_Piece, ...]]


def _pieces(document: QTextDocument, begins: set[int], stays: dict[int, int]) -> Iterator[_Piece]:
    layout, at = document.documentLayout(), document.rootFrame().begin()
    while not at.atEnd():
        block = at.currentBlock()
        if isinstance(table := at.currentFrame(), QTextTable):
            yield from _rows(layout, table, document.textWidth() / 2)
        elif block.isValid() and block.text():
            rect, number = layout.blockBoundingRect(block), block.blockNumber()
            lines = [block.layout().lineAt(n) for n in range(block.layout().lineCount())]
            parts = lines if len(lines) > _LONGEST or _PICTURE in block.text() else lines[:1]
            tops = [rect.top(), *(rect.top() + line.y() for line in parts[1:]), rect.bottom()]
            for n, (top, bottom) in enumerate(pairwise(tops), 1):
                stay = stays.get(number, 0) if n == len(parts) else 0
                yield _Piece(top=top, bottom=bottom, begins=n == 1 and number in begins, stays=stay)
        at += 1


def _rows(layout: QAbstractTextDocumentLayout, table: QTextTable, most: float) -> Iterator[_Piece]:
    heads = table.format().headerRowCount()
    tops = [
        min(layout.blockBoundingRect(table.cellAt(row, n).firstCursorPosition().block()).top()
            for n in range(table.columns()))
        for row in range(table.rows())
    ]  # fmt: skip
    tops.append(layout.frameBoundingRect(table).bottom())
    header, last = (tops[0], tops[heads]), table.rows() - 1
    for row, (top, bottom) in enumerate(pairwise(tops)):
        stays = _ALWAYS if row <= heads or row == last - 1 else _RATHER if last <= _SHORT else 0  # no row stands alone
        above = header if row >= heads else (0, 0)
        over = int((bottom - top) / most)  # of a row that fills pages
        yield from (_Piece(top=top + n * most, bottom=top + (n + 1) * most, header=above) for n in range(over))
        yield _Piece(top=top + over * most, bottom=bottom, stays=stays if row < last else 0, header=above)


def _pages(pieces: Sequence[_Piece], size: QSizeF) -> Iterator[tuple[QRectF, QRectF]]:
    """Yield what is cut for each page, after the header of its table: a foot moves up before what it would part."""
    start, width = 0, size.width()
    while start < len(pieces):
        first = pieces[start]
        room = first.top + size.height() - (first.header[1] - first.header[0])
        end = start + 1
        while end < len(pieces) and pieces[end].bottom <= room and not pieces[end].begins:
            end += 1
        for strength, least in _FULL.items():
            whole = end
            while start + 1 < whole < len(pieces) and pieces[whole - 1].stays >= strength:
                whole -= 1
            if pieces[whole - 1].bottom - first.top > size.height() * least:
                end = whole
                break
        last = pieces[end - 1]
        header = QRectF(0, first.header[0], width, first.header[1] - first.header[0])
        bottom = min(piece.bottom if piece is last else piece.top for piece in pieces[end - 1 : end + 1])
        yield header, QRectF(0, first.top, width, bottom - first.top)
        start = end


def _insert_picture(cursor: QTextCursor, block: Picture) -> None:
    look = QTextCharFormat()
    look.setObjectType(_OBJECT)
    look.setProperty(_SVG, QByteArray(svg(block.drawing, with_colours=True).encode()))
    cursor.insertText(_PICTURE, look)


def _draw_page(painter: QPainter, document: QTextDocument, page: tuple[QRectF, QRectF]) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette(context.palette)
    palette.setColor(QPalette.ColorRole.Text, QColor(LIGHT.text))  # dark, whatever colours the window has
    context.palette = palette
    for part, top in ((part, top) for part, top in zip(page, (0.0, page[0].height()), strict=True) if part.height()):
        painter.save()
        painter.translate(0, _EDGE + top - part.top())
        context.clip = part.adjusted(0, _EDGE, 0, -_EDGE)  # no words of neighbours that would be there unseen
        painter.setClipRect(part)
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
    return done_elsewhere(pdf_without_window, report, QGuiApplication.font().toString(), locale)


def pdf_without_window(report: Report, font: str = "", locale: str = "") -> bytes:
    """Return the report as PDF where no application runs: one is made for it, without a window, with this font."""
    if QGuiApplication.instance() is not None:
        return pdf_of(report)
    os.environ |= {"QT_QPA_PLATFORM": "offscreen"} | ({"LC_ALL": locale} if locale else {})
    application = QGuiApplication(["poolwright"])
    letters = QFont()
    if letters.fromString(font):
        application.setFont(letters)
    return pdf_of(report)
