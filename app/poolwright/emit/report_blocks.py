"""A report as blocks: what it says, free of how Markdown, HTML or a page of paper say it."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.design.compare import DiffLine
from poolwright.emit.drawing import Drawing


class TextTone(StrEnum):
    """What a text stands for; colour is never the only sign of it."""

    PLAIN = "plain"
    MUTED = "muted"
    OK = "ok"
    NOTE = "note"
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A piece of text; ``small`` stands below it in small print, ``share`` (0 to 1) as a bar."""

    text: str
    tone: TextTone = TextTone.PLAIN
    strong: bool = False
    small: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeading:
    """A heading below the report's title, of level 2 or 3."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    words: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    items: tuple[Words, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """Rows under a header; the columns in ``right`` hold numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing with a caption. A table near it says the same in words."""

    drawing: Drawing
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines as they are typed; ``shell`` tells commands from what stands in a file."""

    text: str
    shell: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What becomes of lines from one text to another."""

    lines: tuple[DiffLine, ...]


Block = ReportHeading | Paragraph | Bullets | ReportTable | Picture | Code | Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole report; ``foot`` tells the program, its version and when it was written.

    ``wide`` asks for paper across.
    """

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    foot: str
    wide: bool = False


def paragraph(text: str, tone: TextTone = TextTone.PLAIN) -> Paragraph:
    return Paragraph(words=Words(text=text, tone=tone))


def plain(*texts: str) -> tuple[Words, ...]:
    return tuple(Words(text=text) for text in texts)
