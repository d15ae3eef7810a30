"""A report as blocks: what it says, free of how a terminal, Markdown, HTML or a page of paper say it.

Text from outside stands in blocks as it is; each renderer shows it so that it is what it looks like.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from poolwright.domain.shown import shown_lines, shown_text

if TYPE_CHECKING:
    from poolwright.emit.drawing import Drawing

T = TypeVar("T")


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
    """A piece of text; ``small`` stands below it in small print, ``share`` (0 to 1) as a bar.

    ``full`` goes on with the small print on pages and in files; a terminal leaves it away.
    """

    text: str
    tone: TextTone = TextTone.PLAIN
    strong: bool = False
    small: str = ""
    share: float | None = None
    full: str = ""

    @property
    def small_print(self) -> str:
        """Return all of the small print on a line."""
        return " ".join(f"{self.small} {self.full}".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeading:
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
    """Rows under a header; the columns in ``right`` hold numbers, those in ``wide`` have no room on a terminal."""

    header: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    right: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing with a caption. A table near it says the same in words."""

    drawing: "Drawing"
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines as they are typed; ``shell`` tells commands from what stands in a file."""

    text: str
    shell: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What becomes of lines from one text to another: each with its sign, a blank, − or +."""

    lines: tuple[tuple[str, str], ...]


Block = ReportHeading | Paragraph | Bullets | ReportTable | Picture | Code | Difference
# What a command answers with on a terminal: a text is a line, indented below the one that it belongs to.
Blocks = Iterator[Block | str]


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


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> ReportTable:
    return ReportTable(header=tuple(header), rows=tuple(plain(*row) for row in rows), right=frozenset(right))


def listed(values: Iterable[T], *columns: tuple[str, Callable[[T], object]], right: Iterable[int] = ()) -> ReportTable:
    """Return a table with a row for each of ``values``: a column is its header and what it says of a value."""
    rows = [[str(said(value)) for _, said in columns] for value in values]
    return table([header for header, _ in columns], rows, right)


# Blocks on a terminal: lines as they are, tables in aligned columns. Pictures are left out: tables say the same.


def terminal_lines(blocks: Iterable[Block | str]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, str):
            yield from block.split("\n")
        elif isinstance(block, ReportHeading):
            yield from ("", block.text)
        elif isinstance(block, Paragraph):
            yield from _terminal_words(block.words, "")
        elif isinstance(block, Bullets):
            for item in block.items:
                yield from _terminal_words(item, "  ")
        elif isinstance(block, ReportTable):
            yield from _columns(block)
        elif isinstance(block, Code):
            yield from (f"      {line}" for line in block.text.splitlines())
        elif isinstance(block, Difference):
            yield from (f"{sign} {text}" for sign, text in block.lines)


def _terminal_words(words: Words, indent: str) -> Iterator[str]:
    yield indent + words.text
    if words.small:
        yield from (f"{indent}    {line}" for line in words.small.split("\n"))


def _columns(block: ReportTable) -> Iterator[str]:
    rows = [[shown_text(text) for text in block.header]]
    rows += [[shown_text(cell.text) for cell in row] for row in block.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows if any(block.header) else rows[1:]:
        cells = (
            cell.rjust(width) if number in block.right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            if number not in block.wide
        )
        yield "  ".join(cells).rstrip()


# A report as Markdown (CommonMark with tables), for wikis and tickets. Pictures are left out: tables say the same.

# An underscore between letters or digits means nothing in CommonMark and stays readable in plain text, as does a blank
# of underscores that is filled in by hand.
_SPECIAL = re.compile(r"(?<!\S)_{4,}(?![^\s.])|[\\`*\[\]<>|#~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def markdown_text(report: Report) -> str:
    parts = [f"# {markdown_words(report.title)}", markdown_words(report.subtitle)]
    parts.extend(text for block in report.blocks if (text := _block(block)))
    return shown_lines("\n\n".join([*parts, "---", markdown_words(report.foot)]) + "\n")


def _block(block: Block) -> str:
    if isinstance(block, ReportHeading):
        return f"{'#' * block.level} {markdown_words(block.text)}"
    if isinstance(block, Paragraph):
        return _words(block.words)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_words(item)}" for item in block.items)
    if isinstance(block, ReportTable):
        return _table(block)
    if isinstance(block, Picture):
        return ""
    if isinstance(block, Code):
        return _fenced(block.text.rstrip("\n"), "sh" if block.shell else "")
    return _difference(block)


def _table(table: ReportTable) -> str:
    rule = ("---:" if number in table.right else "---" for number in range(len(table.header)))
    lines = ["| " + " | ".join(markdown_words(text) for text in table.header) + " |", "| " + " | ".join(rule) + " |"]
    lines.extend("| " + " | ".join(_words(cell) for cell in row) + " |" for row in table.rows)
    return "\n".join(lines)


def _difference(block: Difference) -> str:
    return _fenced("\n".join(f"{sign.replace('−', '-')} {text}" for sign, text in block.lines), "diff")


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _words(words: Words) -> str:
    text = markdown_words(words.text)
    if words.strong and text:
        text = f"**{text}**"
    return f"{text} ({markdown_words(words.small_print)})" if words.small_print else text


def markdown_words(text: str) -> str:
    """Return ``text`` on one line with what Markdown would read as its own escaped."""
    return _SPECIAL.sub(_escaped, " ".join(text.split()))


def _escaped(found: re.Match[str]) -> str:
    # A template would be looked up anew for every word.
    return found[0] if len(found[0]) > 1 else f"\\{found[0]}"
