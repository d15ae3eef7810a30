"""A report as blocks: what it says, free of how a terminal, Markdown, HTML or a page of paper say it.

Text from outside stands in blocks as it is; each renderer shows it so that it is what it looks like."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar, cast

from poolwright.domain.shown import columns, folded, html_escaped, shown_lines, shown_text
from poolwright.texts import N_, _, inside, language, ngettext, punctuated

if TYPE_CHECKING:
    from poolwright.emit.drawing import Drawing
    from poolwright.emit.palette import Colours

T = TypeVar("T")


class TextTone(StrEnum):
    """What a text stands for; colour is never the only sign of it."""

    PLAIN = "plain"
    MUTED = "muted"
    OK = "ok"
    NOTE = "note"
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Words:
    """A Words, or a piece of text in another block; ``small`` stands below it in small print, ``share`` (0 to 1) as
    a bar. ``full`` goes on with the small print on pages and in files; a terminal leaves it away.
    """

    text: str
    tone: TextTone = TextTone.PLAIN
    _: KW_ONLY
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
    page: bool = False  # on paper it begins one


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list; or, where it ``warns``, what speaks against an answer, the worst first: a terminal shows the first
    sentences of three of them, with --all of all, and with --why all that each says.
    """

    items: tuple[Words, ...]
    warns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """Rows under a header; the columns in ``right`` hold numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing. A table near it says the same in words."""

    drawing: "Drawing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines as they are typed; ``shell`` tells commands from what stands in a file."""

    text: str
    shell: bool = True
    indent: int = 6  # on a terminal


Block = ReportHeading | Words | Bullets | ReportTable | Picture | Code
_Text = Block | str  # a text is a sentence by itself, an empty one parts what is above it from what follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The first line of what a command prints; ``figures`` are those of the line, for programs."""

    text: str
    figures: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Behind:
    """What a terminal shows only with an option, --why or --all; a report and a file hold it.

    ``parts`` may be worked out while they are shown: where they stay hidden nobody waits for them.
    """

    option: str
    parts: "Iterable[Part]"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastLine:
    """What stands below everything else: Saved with files, Next with a command, More with options."""

    title: str
    text: str


# What a command answers with.
Part = _Text | Answer | Behind | LastLine
Blocks = Iterator[Part]
SAVED, NEXT, MORE = N_("Saved:"), N_("Next:"), N_("More:")
WHY, ALL = "--why", "--all"
_WARNINGS_IN_SIGHT = 3
_MOST_UPRIGHT = 8  # columns of a table that fit on paper that stands
_MANY = 6  # columns that leave no room beside the names of the rows
# Per cent of a table's width.
_FIRST_WIDTH, _NARROW_WIDTH, _FIGURE_WIDTH, _FACT_WIDTH, _SAID_WIDTH = 28, 18, 17, 22, 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole report; ``foot`` tells the program, its version and when it was written.

    ``wide`` asks for paper across, ``cover`` says for whom and by whom it is, ``logo`` is a picture as data: URL.
    """

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    foot: str
    wide: bool = False
    cover: tuple[str, ...] = ()
    logo: str = ""


def endings(title: str, *texts: str | None) -> Iterator[LastLine]:
    yield from (LastLine(title=title, text=text) for text in texts if text)


def warnings(*texts: str, unknown: Iterable[str] = ()) -> Iterator[Bullets]:
    """Yield what speaks against an answer, then what is ``unknown``; nothing where there is neither."""
    items = [Words(text=text, tone=TextTone.WARN) for text in dict.fromkeys(texts) if text]
    items += [Words(text=text, tone=TextTone.MUTED) for text in dict.fromkeys(unknown)]
    if items:
        yield Bullets(items=tuple(items), warns=True)


def _whole(parts: Iterable[Part]) -> Iterator[_Text]:
    """Yield everything that a command answers with, as a report has it."""
    for part in parts:
        if isinstance(part, Behind):
            yield from _whole(part.parts)
        elif part and not isinstance(part, LastLine):
            yield part.text if isinstance(part, Answer) else part


def answer_report(parts: Iterable[Part], *, asked: str, made: str, about: str = "") -> Report:
    """Return the answer to ``asked`` as a report: its first sentence (else ``about``), what decides, the details."""
    every = list(parts)
    shown, behind = (list(_whole(p for p in every if isinstance(p, Behind) is hidden)) for hidden in (False, True))
    place = next((n for n, block in enumerate(shown) if not isinstance(block, Words)), 0)
    title = shown.pop(place) if shown and isinstance(shown[place], str) else about
    if behind and not isinstance(behind[0], ReportHeading):
        shown.append(ReportHeading(text=_("Details")))
    rest = _joined(Words(block) if isinstance(block, str) else block for block in (*shown, *behind))
    wide = any(isinstance(block, ReportTable) and len(block.header) > _MOST_UPRIGHT for block in rest)
    return Report(title=str(title), subtitle=asked, blocks=tuple(rest), foot=made, wide=wide)


def _joined(blocks: Iterable[Block]) -> list[Block]:
    """Return neighbouring lists as one, and the rows of tables with the same header in the first of them."""
    found: list[Block] = []
    tables: dict[tuple[str, ...], int] = {}
    for block in blocks:
        before = found[-1] if found else None
        if isinstance(block, Bullets) and isinstance(before, Bullets):
            found[-1] = replace(before, items=before.items + block.items)
        elif isinstance(block, Code) and isinstance(before, Code) and before.text.endswith("\\"):
            found[-1] = replace(before, text=f"{before.text}\n{block.text}")
        elif isinstance(block, ReportTable) and any(block.header) and block.header in tables:
            first = cast("ReportTable", found[tables[block.header]]).rows
            rows = block.rows if set(first) <= set(block.rows) else first + block.rows
            found[tables[block.header]] = replace(block, rows=rows)
        else:
            if isinstance(block, ReportTable):
                tables[block.header] = len(found)
            found.append(block)
    return found


def bullets(*texts: object) -> Iterator[Bullets]:
    """Yield texts as a list below a sentence, without those that are empty; nothing where none is left."""
    items = tuple(text if isinstance(text, Words) else Words(str(text)) for text in texts if text)
    if items:
        yield Bullets(items=items)


def code(lines: Iterable[str]) -> Iterator[Code]:
    """Yield lines as they are typed, each by itself: whoever copies one looks before the next."""
    return (Code(text=line) for line in lines)


RowCells = Sequence[str | Words]


def table(header: Iterable[str], rows: Iterable[RowCells], right: Iterable[int] = ()) -> ReportTable:
    cells = (tuple(cell if isinstance(cell, Words) else Words(cell) for cell in row) for row in rows)
    return ReportTable(header=tuple(header), rows=tuple(cells), right=frozenset(right))


def facts(*rows: tuple[str, str], right: bool = False) -> ReportTable:
    """Return what decides, a name and a value a row; rows without a value are left out."""
    return table(("", ""), [(f"  {title}", text) for title, text in rows if text], (1,) if right else ())


def listed(values: Iterable[T], *columns: tuple[str, Callable[[T], object]], right: Iterable[int] = ()) -> ReportTable:
    """Return a table with a row for each of ``values``: a column is its header and what it says of a value."""
    rows = [[str(said(value)) for _, said in columns] for value in values]
    return table([header for header, _ in columns], rows, right)


# Blocks on a terminal: wrapped lines, tables in aligned columns. Pictures are left out: tables say the same.

_COLOURS = {TextTone.OK: 32, TextTone.NOTE: 36, TextTone.WARN: 33, TextTone.BLOCK: 31}
_STATES = {
    **dict.fromkeys(("ONLINE", "AVAIL"), TextTone.OK),
    **dict.fromkeys(("DEGRADED", "OFFLINE"), TextTone.WARN),
    **dict.fromkeys(("FAULTED", "UNAVAIL", "SUSPENDED", "REMOVED", "LOST", "CRITICAL"), TextTone.BLOCK),
}
_LEAST_WRAPPED = 16  # columns that the last cell of a row needs to go on below itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """A terminal: ``width`` columns (None: any), all columns of tables or those with room, states in colours."""

    width: int | None = None
    whole: bool = True
    colour: bool = False

    def wrapped(self, text: str, below: str = "") -> list[str]:
        text = shown_lines(punctuated(text))
        if self.width is None or columns(text) <= self.width:
            return [text]
        indent = text[: len(text) - len(text.lstrip())] + below
        return folded(text, self.width, below=indent)

    def painted(self, text: str, tone: TextTone) -> str:
        code = _COLOURS.get(tone) if self.colour and text.strip() else None
        return text if code is None else f"\x1b[{code}m{text}\x1b[0m"


PLAIN_TERMINAL = Terminal()


def in_sight(parts: Iterable[Part], options: frozenset[str]) -> Iterator[_Text]:
    """Yield what a terminal shows with ``options``, last what was written, comes next, and more there is to see."""
    last: dict[str, list[str]] = {}
    hidden: set[str] = set()
    for part in _open(parts, options, hidden):
        if isinstance(part, LastLine):
            last.setdefault(part.title, []).append(part.text)
        elif isinstance(part, Bullets) and part.warns:
            shown = part.items if ALL in options else part.items[:_WARNINGS_IN_SIGHT]
            yield replace(part, items=shown if WHY in options else tuple(map(_in_short, shown)))
            if rest := len(part.items) - len(shown):
                yield "  " + ngettext("+{count} more: --all", "+{count} more: --all", rest)
        elif not isinstance(part, Behind):
            yield part.text if isinstance(part, Answer) else part
    more = [option for option in (WHY, ALL) if option in hidden] + last.pop(MORE, [])
    if last or more:
        yield ""
    heads = {title: _(title) for title in (*last, MORE)}
    wide = max(6, *map(columns, heads.values()))
    for title, texts in last.items():
        yield from (Code(text=f"{_filled(heads[title], wide)} {text}", indent=0) for text in texts)
    if more:
        yield f"{_filled(heads[MORE], wide)} {'  '.join(more)}"


def _in_short(warning: Words) -> Words:
    first = _FIRST_SENTENCE.match(warning.text)
    return replace(warning, text=_RULE.sub("", first[0] if first else warning.text))


_FIRST_SENTENCE = re.compile(r".{20,}?(?:[^.\s][^.\s][.](?= [A-ZÄÖÜ0-9„-])|。)")
_RULE = re.compile(r" \[[a-z.-]+\]$")


def _open(parts: Iterable[Part], options: frozenset[str], hidden: set[str]) -> Iterator[Part]:
    for part in parts:
        if not isinstance(part, Behind):
            yield part
        elif part.option in options:
            yield from _open(part.parts, options, hidden)
        elif part.option not in hidden and any(part.parts):
            hidden.add(part.option)


def terminal_lines(blocks: Iterable[_Text], on: Terminal = PLAIN_TERMINAL) -> Iterator[str]:
    """Yield the lines; tables and what is under a heading are set off by an empty line, never by two."""
    before: _Text = ""
    for block in blocks:
        if isinstance(block, Picture):
            continue
        table = isinstance(block, ReportTable) and not isinstance(before, ReportHeading)
        if before and block and (table or isinstance(before, ReportTable) or isinstance(block, ReportHeading)):
            yield ""
        if block or before:
            yield from _terminal(block, on)
        before = block


def _terminal(block: _Text, on: Terminal) -> Iterator[str]:
    if isinstance(block, str):
        for line in block.split("\n"):
            yield from on.wrapped(line)
    elif isinstance(block, ReportHeading):
        yield shown_lines(punctuated(block.text))
    elif isinstance(block, Words):
        yield from _terminal_words(block, "", on)
    elif isinstance(block, Bullets) and not block.warns:
        for item in block.items:
            yield from _terminal_words(item, "  ", on)
    elif isinstance(block, Bullets):
        for item in block.items:
            mark, *rest = on.wrapped(f"{'?' if item.tone is TextTone.MUTED else '!'} {item.text}", "  ")
            yield from (on.painted(mark[0], item.tone) + mark[1:], *rest)
    elif isinstance(block, ReportTable):
        yield from _columns(block, on)
    elif isinstance(block, Code):
        yield from (shown_lines(" " * block.indent + line) for line in block.text.splitlines())


def _terminal_words(words: Words, indent: str, on: Terminal) -> Iterator[str]:
    yield from (on.painted(line, words.tone) for line in on.wrapped(indent + words.text, "  "))
    if words.small:
        for line in words.small.split("\n"):
            yield from on.wrapped(f"{indent}    {line}")


def _columns(block: ReportTable, on: Terminal) -> Iterator[str]:
    rows = [[shown_text(punctuated(inside(text))) for text in block.header]]
    rows += [[shown_text(punctuated(cell.text)) for cell in row] for row in block.rows]
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    kept = list(range(len(widths)))
    while on.width and not on.whole and len(kept) > 1 and sum(widths[n] + 2 for n in kept) - 2 > on.width:
        room = on.width - sum(widths[n] + 2 for n in kept[:-1])
        if room >= _LEAST_WRAPPED and kept[-1] not in block.right:
            widths[kept[-1]] = room
            break
        kept.pop()
    below = ["", *(row[0].small for row in block.rows)]
    for number, row in enumerate(rows if any(block.header) else rows[1:], 0 if any(block.header) else 1):
        *cells, last = [_filled(row[n], widths[n], right=n in block.right) for n in kept]
        first, *more = folded(last, widths[kept[-1]]) if columns(last) > widths[kept[-1]] else [last]
        tones = (_STATES.get(cell.strip(), TextTone.PLAIN) if number else TextTone.PLAIN for cell in (*cells, first))
        yield "  ".join(map(on.painted, (*cells, first), tones)).rstrip()
        yield from (" " * sum(columns(cell) + 2 for cell in cells) + line for line in more)
        yield from on.wrapped(f"    {below[number]}") if below[number] else ()
    dropped = [n for n in range(len(widths)) if n not in kept]
    left = [inside(block.header[n]) for n in dropped if block.header[n]]
    if left:
        yield from on.wrapped(_("Hidden columns: {names} (--all)", names=", ".join(left)))


def _filled(text: str, wide: int, *, right: bool = False) -> str:
    blank = " " * (wide - columns(text))
    return blank + text if right else text + blank


# A report as Markdown (CommonMark with tables), for wikis and tickets. Pictures are left out: tables say the same.

# An underscore between letters or digits means nothing in CommonMark and stays readable in plain text, as does a blank
# of underscores that is filled in by hand.
_COMMAND = re.compile(r"(?<![`\\])`([^`|\\]+)`(?!`)")
_SPECIAL = re.compile(r"(?<!\S)_{4,}(?![^\s.])|[\\`*\[\]<>|#~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def markdown_text(report: Report) -> str:
    parts = [f"# {markdown_words(report.title)}", *map(markdown_words, filter(None, (report.subtitle, *report.cover)))]
    parts.extend(text for block in report.blocks if (text := _block(block)))
    return shown_lines("\n\n".join([*parts, "---", markdown_words(report.foot)]) + "\n")


def _block(block: Block) -> str:
    if isinstance(block, ReportHeading):
        return f"{'#' * block.level} {markdown_words(block.text)}"
    if isinstance(block, Words):
        return _words(block)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_words(item)}" for item in block.items)
    if isinstance(block, ReportTable):
        return _table(block)
    if isinstance(block, Picture):
        return ""
    return _fenced(block.text.rstrip("\n"), "sh" if block.shell else "")


def _table(table: ReportTable) -> str:
    rule = ("---:" if number in table.right else "---" for number in range(len(table.header)))
    lines = ["| " + " | ".join(markdown_words(text) for text in table.header) + " |", "| " + " | ".join(rule) + " |"]
    lines.extend("| " + " | ".join(_words(cell) for cell in row) + " |" for row in table.rows)
    return "\n".join(lines)


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
    """Return ``text`` on one line with what Markdown would read as its own escaped; `commands` stay such."""
    parts = _COMMAND.split(punctuated(" ".join(text.split())))
    return "".join(f"`{part}`" if number % 2 else _SPECIAL.sub(_escaped, part) for number, part in enumerate(parts))


def _escaped(found: re.Match[str]) -> str:
    # A template would be looked up anew for every word.
    return found[0] if len(found[0]) > 1 else f"\\{found[0]}"


# A report as one HTML file: no script, nothing from a network, light and dark, fit to be printed.


def escape(text: str) -> str:
    return html_escaped(punctuated(text))


def html_text(report: Report) -> str:
    body = "\n".join(block_html(block) for block in report.blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language())}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f"{''.join(front_html(report))}\n{body}\n"
        f'<p class="foot">{escape(report.foot)}</p>\n</body>\n</html>\n'
    )


def _style() -> str:
    from importlib import resources  # noqa: PLC0415 - nor is it styled so

    from poolwright.emit.drawing import colour_rules  # noqa: PLC0415 - a terminal shows no drawing
    from poolwright.emit.palette import DARK, LIGHT  # noqa: PLC0415 - a terminal shows no drawing

    rules = resources.files("poolwright.emit").joinpath("report.css").read_text(encoding="utf-8")
    dark = f":root{{{_names(DARK)}}}{colour_rules(DARK)}"
    # Paper is white whatever the screen is.
    return (
        f":root{{{_names(LIGHT)}}}{colour_rules(LIGHT)}\n"
        f"@media screen and (prefers-color-scheme:dark){{{dark}}}\n{rules}"
    )  # for machines


def _names(colours: "Colours") -> str:
    return "".join(f"--{name}:{colour};" for name, colour in asdict(colours).items())


def front_html(report: Report) -> Iterator[str]:
    """Yield what stands above the first block: logo, title, subtitle, for whom and by whom."""
    if report.logo:
        yield f'<p><img class="logo" src="{escape(report.logo)}" alt="" height="48"></p>'
    yield f"<h1>{escape(report.title)}</h1>"
    yield from (f'<p class="sub">{escape(line)}</p>' for line in (report.subtitle, *report.cover) if line)


def block_html(block: Block) -> str:
    if isinstance(block, ReportHeading):
        page = ' class="page"' if block.page else ""
        return f"<h{block.level}{page}>{escape(block.text.rstrip(':：'))}</h{block.level}>"
    if isinstance(block, Words):
        return f"<p>{_html_words(block)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_html_words(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, ReportTable):
        return _html_table(block)
    if isinstance(block, Picture):
        from poolwright.emit.drawing import svg  # noqa: PLC0415 - as above

        return f"<figure>{svg(block.drawing)}</figure>"
    return f"<pre>{html_escaped(block.text)}</pre>"


def _html_table(table: ReportTable) -> str:
    headed = any(table.header)
    looks = [' class="right"' if number in table.right else "" for number in range(len(table.header))]
    wide = [f' width="{share}%"' for share in _widths(table)] or [""] * len(looks)
    names = ("&nbsp;".join(map(escape, text.split("\u00a0"))) for text in table.header)
    columns = zip(looks, wide, names, strict=True)
    head = "".join(f"<th{look}{width}>{text}</th>" for look, width, text in columns)
    if not headed:
        looks = [look + width for look, width in zip(looks, wide, strict=True)]
    rows = "".join(
        "<tr>" + "".join(f"<td{look}>{_html_words(cell)}</td>" for look, cell in zip(looks, row, strict=True)) + "</tr>"
        for row in (table.rows if headed else [[replace(c, text=c.text.strip()) for c in row] for row in table.rows])
    )
    top = f"<thead><tr>{head}</tr></thead>" if headed else ""
    return f'<div class="scroll"><table>{top}<tbody>{rows}</tbody></table></div>'


def _widths(table: ReportTable) -> list[int]:
    """Return the widths of columns in per cent where they stand several times in a report, alike; else none."""
    count, figures = len(table.header), len(table.right)
    if count == 2 and not any(table.header):
        return [_FACT_WIDTH, 100 - _FACT_WIDTH]
    if table.header[0] or count < 3:
        return []
    others = count - 1 - figures
    compared = figures > 1 and others  # what is said of them is short
    first = _NARROW_WIDTH if count >= _MANY else _FACT_WIDTH if compared else _FIRST_WIDTH
    even = (100 - first - (_SAID_WIDTH * others if compared else 0)) // max(1, figures)
    figure = even if not others else min(_FIRST_WIDTH if compared else _FIGURE_WIDTH, even)
    other = (100 - first - figure * figures) // max(1, others)
    return [first, *(figure if n in table.right else other for n in range(1, count))]


def _html_words(words: Words) -> str:
    text = _COMMAND.sub(r"<code>\1</code>", escape(words.text))
    text = "&nbsp;" * (len(text) - len(text.lstrip())) + text.lstrip()  # a page drops blanks before words
    if words.strong:
        text = f"<strong>{text}</strong>"
    if words.tone is not TextTone.PLAIN:
        text = f'<span class="{words.tone}">{text}</span>'
    if words.share is not None:
        width = 100 * max(0.0, min(1.0, words.share))
        text += f'<span class="bar"><i style="width:{width:.1f}%"></i></span>'
    if words.small_print:
        small = _COMMAND.sub(r"<code>\1</code>", escape(words.small_print))
        text += f'<span class="small">{small}</span>'
    return text


# The same blocks in the HTML that QTextDocument understands, for paper and for the window.


def document_style(colours: "Colours", small_points: float) -> str:
    return f"""
th,td{{border-bottom:0.5px solid {colours.line};padding:2px 16px 2px 0;vertical-align:top;text-align:left}}
.right{{text-align:right}}.figure{{white-space:nowrap}}ul{{margin-top:2px;margin-bottom:4px}}
table{{margin-top:4px;margin-bottom:6px}}a{{color:{colours.accent}}}
pre{{white-space:pre-wrap;font-family:monospace;font-size:{small_points}pt;background-color:{colours.window}}}
.small{{font-size:{small_points}pt;color:{colours.muted}}}.muted,.sub{{color:{colours.muted}}}
.ok{{color:{colours.ok}}}.note{{color:{colours.note}}}.warn{{color:{colours.warn}}}
.block{{color:{colours.block}}}
"""  # for machines


_FIGURE = re.compile('<td class="right">(?=(<(strong|span)[^>]*>)*([^<,]|,(?! ))*(</(strong|span)>)*</td>)')  # whole
_NAME = re.compile(r'<(t[dh])(?: class="(right)")?>(?=(?:<(?:span|strong)[^>]*>)*[^ <]{1,40}</)')  # and so does a name


def document_html(block: Block) -> str:
    """Return a block as QTextDocument wants it: it breaks no line by style, and wants tables wide."""
    html = block_html(block).replace('<span class="small">', '<br><span class="small">')
    html = _NAME.sub(r'<\1 class="\2 figure">', _FIGURE.sub('<td class="right figure">', html))
    return html.replace("<table>", '<table width="100%" cellspacing="0" style="border-collapse:collapse">')
