"""A report in the window: the blocks that files and terminals show too, with commands to copy and links to press."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from PySide6.QtCore import QByteArray, QSize, QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QResizeEvent, QTextDocument
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from poolwright.emit.drawing import colour_rules, svg
from poolwright.emit.report import (
    Block,
    Code,
    Picture,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
    document_html,
    document_style,
    escape,
)
from poolwright.texts import _
from poolwright.ui.parts import icons
from poolwright.ui.parts.note_lines import TONE_ICONS
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Recoloured, Tone, theme

_SIZES = "h2{font-size:14pt}h3{font-size:12pt}th,td{font-size:10pt}"  # for machines
_BARE = "border:none;padding:4px 0 0 8px;white-space:nowrap"  # a cell
_SCALE = 2  # pictures are drawn at twice their size, to stay crisp on dense screens


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What is pressed behind the block above it; ``of`` is what `ReportView.pressed` sends."""

    text: str
    of: object = field(repr=False)


Shown = Block | Link


def subheading(text: str) -> ReportHeading:
    return ReportHeading(text=text, level=3)


def facts_table(facts: Iterable[tuple[str, str]]) -> ReportTable:
    rows = tuple((Words(text=name, tone=TextTone.MUTED), Words(text=text)) for name, text in facts if text)
    return ReportTable(header=("", ""), rows=rows)


class ReportView(QTextBrowser):
    """Shows blocks and links. ``pressed`` sends what a link is of; ``copied`` that commands are on the clipboard.

    One that ``grows`` is as high as what it shows, and the page around it scrolls.
    """

    pressed = Signal(object)
    copied = Signal(str)

    def __init__(
        self, name: str, parent: QWidget | None = None, *, least: int = 12 * GRID, grows: bool = False
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setMinimumHeight(least)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(2 * GRID)
        self.blocks: tuple[Shown, ...] = ()
        self._html = ""
        self.anchorClicked.connect(self._on_clicked)
        self._grows = grows
        if grows:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.document().documentLayout().documentSizeChanged.connect(self._grow)
        Recoloured(self, self._write)

    def show_blocks(self, blocks: Iterable[Shown]) -> None:
        """Show these; where one has scrolled to stays in sight."""
        shown = tuple(block for block in blocks if not isinstance(block, Words) or block.text)
        if shown != self.blocks:
            self.blocks = shown
            self._write()

    def _grow(self, size: QSizeF) -> None:
        self.setFixedHeight(math.ceil(size.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and any(isinstance(b, Picture) for b in self.blocks):
            self._write()

    def _write(self) -> None:
        style = document_style(theme().colours, SMALL_POINTS)
        parts = [self._part(number, block) for number, block in enumerate(self.blocks)]
        html = f"<style>{style}{_SIZES}</style>{''.join(parts)}"
        if html != self._html or "<img" in html:
            at, self._html = self.verticalScrollBar().value(), html
            self.setHtml(html)
            self.verticalScrollBar().setValue(at)
            if self._grows:
                self._grow(self.document().size())  # Qt lays out the rest of a long text only when asked

    def _part(self, number: int, block: Shown) -> str:
        if isinstance(block, Link):
            return _button(number, block.text)
        if isinstance(block, Picture):
            return self._picture(number, block)
        html = document_html(block)
        if isinstance(block, Words) and block.strong and str(block.tone) in TONE_ICONS:
            return self._marked(html, str(block.tone))
        if isinstance(block, Code):
            copy = _button(number, _("Copy"))
            look = f"border:1px solid {theme().colours.line};padding:3px 8px 0 8px"  # for machines
            cells = f'<td style="{look}">{html}</td><td width="1%" style="{_BARE}">{copy}</td>'
            return f'<table width="100%" cellspacing="0" style="margin:6px 0"><tr>{cells}</tr></table>'
        return html

    def _marked(self, html: str, tone: str) -> str:
        """Return what is found with the icon of how grave it is: the icon has the colour, the text is read."""
        name, size = f"mark:{tone}", icons.SMALL
        image = icons.icon(TONE_ICONS[Tone(tone)], Tone(tone)).pixmap(size, size).toImage()
        self.document().addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
        return html.replace(f'<span class="{tone}">', f'<img src="{name}" width="{size}" height="{size}">&nbsp; <span>')

    def _picture(self, number: int, block: Picture) -> str:
        drawing = svg(block.drawing).replace("<title>", f"<style>{colour_rules(theme().colours)}</style><title>", 1)
        renderer = QSvgRenderer(QByteArray(drawing.encode()))
        size = renderer.defaultSize()
        if size.width() > self.viewport().width():
            size = size.scaled(
                QSize(max(1, self.viewport().width()), size.height()), Qt.AspectRatioMode.KeepAspectRatio
            )
        image = QImage(size * _SCALE, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        name = f"picture:{number}"
        self.document().addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
        return f'<p><img src="{name}" width="{size.width()}" height="{size.height()}"></p>'

    def _on_clicked(self, url: QUrl) -> None:
        block = self.blocks[int(url.toString())]
        if isinstance(block, Code):
            QGuiApplication.clipboard().setText(block.text)
            self.copied.emit(block.text)
        elif isinstance(block, Link):
            self.pressed.emit(block.of)


def _button(number: int, text: str) -> str:
    return f'<a href="{number}" style="text-decoration:none">{escape(text)}</a>&nbsp;&nbsp; '
