"""The panel below the table: everything known of the selected disk, or what several selected disks have in common."""

import re
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFontMetrics, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from poolwright.domain.disk import Disk
from poolwright.domain.units import binary, decimal
from poolwright.texts import tell, tell_counted
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import DiskColumn
from poolwright.ui.disks.facts import Fact, facts, heed
from poolwright.ui.parts import icons
from poolwright.ui.parts.note_lines import TONE_ICONS, Line
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_TWO_BLOCKS_FROM = 1080
_FOLDER = re.compile(r"\((?:/[^/()]+)*/(?=[^/()]+\))")
_LEAST_ORIGIN = 20 * GRID
_SCALE = 2  # icons are drawn at twice their size and shown at half, to stay crisp on dense screens
_SHARED = (
    DiskColumn.SIZE, DiskColumn.MODEL, DiskColumn.MEDIA, DiskColumn.SECTORS, DiskColumn.HEALTH,
    DiskColumn.HOURS, DiskColumn.TEMPERATURE, DiskColumn.USE,
)  # fmt: skip


class DiskDetail(QTextBrowser):
    """Text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Details of the selected disk"))
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setOpenLinks(False)
        self.setMinimumHeight(10 * GRID)
        self.document().setDocumentMargin(GRID)
        self.setFont(text_font(SMALL_POINTS))
        self._disks: tuple[Disk, ...] = ()
        self._among: tuple[Disk, ...] = ()
        self._in_blocks = 1
        self._summed: tuple[tuple[Disk, ...], int, int, tuple[Fact, ...]] = ((), 0, 0, ())
        Recoloured(self, self._show)
        self._show()

    def show_disks(self, disks: Sequence[Disk], among: Sequence[Disk] = ()) -> None:
        """Show these; where none is selected, what those ``among`` which one can choose have in common."""
        if (tuple(disks), tuple(among)) != (self._disks, self._among):
            self._disks, self._among = tuple(disks), tuple(among)
            self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the facts in one block or two."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._show()

    def _blocks(self) -> int:
        return 2 if self.viewport().width() >= _TWO_BLOCKS_FROM else 1

    def _show(self) -> None:
        self._in_blocks = self._blocks()
        for tone, name in TONE_ICONS.items():
            picture = icons.icon(name, tone).pixmap(icons.SMALL * _SCALE, icons.SMALL * _SCALE).toImage()
            self.document().addResource(
                QTextDocument.ResourceType.ImageResource.value, QUrl(f"icon:{tone.value}"), picture
            )
        if not self._disks:
            hint = tell("Select a disk to see everything known of it, and where each fact was read.")
            self.setHtml(self._of_several(self._among, selected=False) + self._muted(hint))
        elif len(self._disks) == 1:
            self.setHtml(self._of_one(self._disks[0]))
        else:
            self.setHtml(self._of_several(self._disks))

    def _of_one(self, disk: Disk) -> str:
        parts = [f"<p style='margin:0'><b>{escape(disk.label)}</b></p>"]
        parts += [self._line(line) for line in heed(disk)]
        known = facts(disk)
        parts.append(self._table(known))
        if disk.by_id:
            parts.append(f"<p style='margin:8px 0 0 0'>{self._muted(tell('Names in /dev/disk/by-id'))}</p>")
            parts += [self._name(name, disk.by_id_name) for name in disk.by_id]
        elif not disk.planned:
            parts.append(self._line(Line(text=tell("No name in /dev/disk/by-id is known."), tone=Tone.UNKNOWN)))
        parts.append(self._sources(known))
        return "".join(parts)

    def _sources(self, known: Sequence[Fact]) -> str:
        """Return the origins that stand shortened beside the facts, in full."""
        origins = dict.fromkeys(str(fact.origin) for fact in known if fact.origin is not None)
        cut = [origin for origin in origins if _without_folder(origin) != origin]
        if not cut:
            return ""
        lines = [f"<p style='margin:0'>{self._muted(origin)}</p>" for origin in cut]
        return f"<p style='margin:8px 0 0 0'>{self._muted(tell('Read from'))}</p>{''.join(lines)}"

    def _name(self, name: str, chosen: str | None) -> str:
        mark = f" – {self._muted(tell('used in commands'))}" if name == chosen else ""
        return f"<p style='margin:0'>{escape(name)}{mark}</p>"

    def _of_several(self, disks: tuple[Disk, ...], *, selected: bool = True) -> str:
        if not disks:
            return ""
        if self._summed[0] is not disks:
            self._summed = (disks, *_summed(disks))
        _, total, usable, shared = self._summed
        count = len(disks)
        words = (
            tell_counted("{count} disk selected", "{count} disks selected", count)
            if selected
            else tell_counted("{count} disk", "{count} disks", count)
        )
        head = tell(
            "{disks}: {usable} may be used, {tb} ({tib}) raw",
            disks=words,
            usable=usable,
            tb=decimal(total),
            tib=binary(total),
        )
        keys = tell("Space ticks or unticks them, Ctrl+C copies them as CSV.") if selected else ""
        return f"<p style='margin:0'><b>{escape(head)}</b></p>{self._table(shared)}{self._muted(keys)}"

    def _table(self, shown: Sequence[Fact]) -> str:
        blocks = self._in_blocks
        height = -(-len(shown) // blocks)
        metrics = QFontMetrics(self.font())
        names = max((metrics.horizontalAdvance(fact.name) for fact in shown), default=0) + 2 * GRID
        values = max((metrics.horizontalAdvance(fact.text or "") for fact in shown), default=0) + 2 * GRID
        block = (self.viewport().width() - 4 * GRID) // blocks
        values = max(8 * GRID, min(values, block - names - _LEAST_ORIGIN))
        widths = (names, values, max(_LEAST_ORIGIN, block - names - values))
        rows = []
        for row in range(height):
            cells = [self._cells(shown[at], widths) for at in range(row, len(shown), height)]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table cellspacing='0' cellpadding='1' style='margin-top:4px'>{''.join(rows)}</table>"

    def _cells(self, fact: Fact, widths: tuple[int, int, int]) -> str:
        value = self._coloured(disk_columns.unknown(), Tone.UNKNOWN) if fact.text is None else escape(fact.text)
        origin = self._muted(_without_folder(str(fact.origin))) if fact.origin is not None else ""
        name, middle, rest = widths
        cells = ((name, self._muted(fact.name)), (middle, value), (rest, origin))
        return "".join(f"<td width='{width}'>{text}</td>" for width, text in cells)

    def _line(self, line: Line) -> str:
        tone = line.tone if line.tone in {Tone.WARN, Tone.BLOCK} else Tone.TEXT
        picture = f"<img src='icon:{line.tone.value}' width='{icons.SMALL}' height='{icons.SMALL}'>"
        return f"<p style='margin:4px 0 0 0'>{picture}&nbsp;{self._coloured(line.text, tone)}</p>"

    def _muted(self, text: str) -> str:
        return self._coloured(text, Tone.MUTED)

    def _coloured(self, text: str, tone: Tone) -> str:
        return f"<span style='color:{theme().colour(tone).name()}'>{escape(text)}</span>"


def _summed(disks: tuple[Disk, ...]) -> tuple[int, int, tuple[Fact, ...]]:
    """Return the bytes of several disks, how many of them may be used, and what they have in common."""
    cells = [(column, disk_columns.group_cell(disks, column)) for column in _SHARED]
    shared = tuple(Fact(name=disk_columns.heading(column), text=cell.text) for column, cell in cells if cell.text)
    usable = sum(1 for disk in disks if not disk.refusals())
    return sum(disk.size_bytes or 0 for disk in disks), usable, shared


def _without_folder(origin: str) -> str:
    """Return “lsblk (/captures/nas1/lsblk.json)” as “lsblk (lsblk.json)”: beside each fact the file is enough."""
    return _FOLDER.sub("(", origin)
