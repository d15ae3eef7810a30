"""A report as blocks: what it says, free of how a terminal, Markdown, HTML or a page of paper say it.

Text from outside stands in blocks as it is; each renderer shows it so that it is what it looks like."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from poolwright.domain.shown import html_escaped as escape
from poolwright.domain.shown import shown_lines, shown_text
from poolwright.predict.number_words import inside
from poolwright.texts import language

if TYPE_CHECKING:
    from poolwright.emit.drawing import Colours, Drawing

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
# What a command answers with: a text is a sentence by itself, an empty one parts what is above it from what follows.
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


def answer_report(blocks: Iterable[Block | str], *, asked: str, made: str) -> Report:
    """Return what the command ``asked`` answers as a report, titled by its first sentence. What stands before that as a
    paragraph is about the question.
    """
    shown = [block for block in blocks if block]
    place = next((n for n, block in enumerate(shown) if not isinstance(block, Paragraph)), 0)
    title = shown.pop(place) if shown and isinstance(shown[place], str) else asked
    rest = tuple(paragraph(block) if isinstance(block, str) else block for block in shown)
    return Report(title=str(title), subtitle=asked, blocks=rest, foot=made)


def paragraph(text: str, tone: TextTone = TextTone.PLAIN, *, strong: bool = False, small: str = "") -> Paragraph:
    return Paragraph(words=Words(text=text, tone=tone, strong=strong, small=small))


def plain(*texts: str) -> tuple[Words, ...]:
    return tuple(Words(text=text) for text in texts)


def bullets(*texts: object) -> Iterator[Bullets]:
    """Yield texts as a list below a sentence, without those that are empty; nothing where none is left."""
    items = plain(*(str(text) for text in texts if text))
    if items:
        yield Bullets(items=items)


def code(lines: Iterable[str]) -> Iterator[Code]:
    """Yield lines as they are typed; nothing where there are none."""
    if text := "\n".join(lines):
        yield Code(text=text)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> ReportTable:
    return ReportTable(header=tuple(header), rows=tuple(plain(*row) for row in rows), right=frozenset(right))


def listed(values: Iterable[T], *columns: tuple[str, Callable[[T], object]], right: Iterable[int] = ()) -> ReportTable:
    """Return a table with a row for each of ``values``: a column is its header and what it says of a value."""
    rows = [[str(said(value)) for _, said in columns] for value in values]
    return table([header for header, _ in columns], rows, right)


# Blocks on a terminal: lines as they are, tables in aligned columns. Pictures are left out: tables say the same.


def terminal_lines(blocks: Iterable[Block | str]) -> Iterator[str]:
    """Yield the lines; tables and what is under a heading are set off by an empty line, never by two."""
    before: Block | str = ""
    for block in blocks:
        if isinstance(block, Picture):
            continue
        table = isinstance(block, ReportTable) and not isinstance(before, ReportHeading)
        if before and block and (table or isinstance(before, ReportTable) or isinstance(block, ReportHeading)):
            yield ""
        yield from _terminal(block)
        before = block


def _terminal(block: Block | str) -> Iterator[str]:
    if isinstance(block, str):
        yield from block.split("\n")
    elif isinstance(block, ReportHeading):
        yield block.text
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
    rows = [[shown_text(inside(text)) for text in block.header]]
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


# A report as one HTML file: no script, nothing from a network, light and dark, fit to be printed.

_RULES = """
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1.5rem;background:var(--base);color:var(--text);
font:15px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.6rem;font-weight:500;margin:0}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.4rem 0 .4rem}
.sub,.foot,.small,figcaption{color:var(--muted)}.small{display:block;font-size:.82rem;font-weight:400}
.foot{margin-top:3rem;border-top:1px solid var(--line);padding-top:.6rem;font-size:.85rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35rem .7rem .35rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}.right{text-align:right}td.right{white-space:nowrap}td.right .small{white-space:normal}
td:first-child{min-width:9rem}
.muted{color:var(--muted)}.ok{color:var(--ok)}.note{color:var(--note)}.warn{color:var(--warn)}.block{color:var(--block)}
.bar{display:block;height:4px;background:var(--line);margin-top:3px;min-width:4rem}
.bar i{display:block;height:4px;background:var(--accent)}
pre{background:var(--window);padding:.8rem;overflow-x:auto;font:13px/1.45 ui-monospace,"DejaVu Sans Mono",monospace}
pre.diff{padding:.8rem 0}pre.diff span{display:block;padding:0 .8rem}
.gone{color:var(--block)}.new{color:var(--ok)}figure{margin:1rem 0}svg{max-width:100%;height:auto}li{margin:.3rem 0}
@media print{body{max-width:none;padding:0;font-size:10pt}h2,h3{break-after:avoid}tr,figure{break-inside:avoid}
pre{white-space:pre-wrap}.scroll{overflow:visible}}
"""


def html_text(report: Report) -> str:
    body = "\n".join(block_html(block) for block in report.blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language())}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f'<h1>{escape(report.title)}</h1>\n<p class="sub">{escape(report.subtitle)}</p>\n{body}\n'
        f'<p class="foot">{escape(report.foot)}</p>\n</body>\n</html>\n'
    )


def _style() -> str:
    from poolwright.emit.drawing import DARK, LIGHT, colour_rules  # noqa: PLC0415 - a terminal shows no drawing

    dark = f":root{{{_names(DARK)}}}{colour_rules(DARK)}"
    # Paper is white whatever the screen is.
    return (
        f":root{{{_names(LIGHT)}}}{colour_rules(LIGHT)}\n"
        f"@media screen and (prefers-color-scheme:dark){{{dark}}}{_RULES}"
    )  # for machines


def _names(colours: "Colours") -> str:
    return "".join(f"--{name}:{colour};" for name, colour in asdict(colours).items())


def block_html(block: Block) -> str:
    if isinstance(block, ReportHeading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{_html_words(block.words)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_html_words(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, ReportTable):
        return _html_table(block)
    if isinstance(block, Picture):
        from poolwright.emit.drawing import svg  # noqa: PLC0415 - as above

        caption = f"<figcaption>{escape(block.caption)}</figcaption>" if block.caption else ""
        return f"<figure>{svg(block.drawing)}{caption}</figure>"
    if isinstance(block, Code):
        return f"<pre>{escape(block.text)}</pre>"
    return _html_difference(block)


def _html_table(table: ReportTable) -> str:
    right = [' class="right"' if number in table.right else "" for number in range(len(table.header))]
    head = "".join(f"<th{look}>{escape(text)}</th>" for look, text in zip(right, table.header, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td{look}>{_html_words(cell)}</td>" for look, cell in zip(right, row, strict=True)) + "</tr>"
        for row in table.rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if any(table.header) else ""
    return f'<div class="scroll"><table>{top}<tbody>{rows}</tbody></table></div>'


def _html_difference(block: Difference) -> str:
    kinds = {" ": "same", "−": "gone", "+": "new"}
    lines = "".join(f'<span class="{kinds[sign]}">{sign} {escape(text)}</span>' for sign, text in block.lines)
    return f'<pre class="diff">{lines}</pre>'


def _html_words(words: Words) -> str:
    text = escape(words.text)
    if words.strong:
        text = f"<strong>{text}</strong>"
    if words.tone is not TextTone.PLAIN:
        text = f'<span class="{words.tone}">{text}</span>'
    if words.share is not None:
        width = 100 * max(0.0, min(1.0, words.share))
        text += f'<span class="bar"><i style="width:{width:.1f}%"></i></span>'
    if words.small_print:
        text += f'<span class="small">{escape(words.small_print)}</span>'
    return text


# The same blocks in the HTML that QTextDocument understands, for paper and for the window.


def document_style(colours: "Colours", small_points: float) -> str:
    return f"""
th,td{{border-bottom:0.5px solid {colours.line};padding:2px 16px 2px 0;vertical-align:top;text-align:left}}
.right{{text-align:right}}a{{color:{colours.accent}}}
pre{{white-space:pre-wrap;font-family:monospace;font-size:{small_points}pt;background-color:{colours.window}}}
.small{{font-size:{small_points}pt;color:{colours.muted}}}.muted,.sub{{color:{colours.muted}}}
.ok,.new{{color:{colours.ok}}}.note{{color:{colours.note}}}.warn{{color:{colours.warn}}}
.block,.gone{{color:{colours.block}}}
"""  # for machines


def document_html(block: Block) -> str:
    """Return a block as QTextDocument wants it: it breaks no line by style, and wants tables wide."""
    html = block_html(block).replace('<span class="small">', '<br><span class="small">')
    if isinstance(block, Difference):
        return html.replace("</span><span", "</span>\n<span")
    return html.replace("<table>", '<table width="100%" cellspacing="0" style="border-collapse:collapse">')
