"""A report as Markdown (CommonMark with tables), for wikis and tickets. Pictures are left out: tables say the same."""

import re

from poolwright.design.compare import DiffKind
from poolwright.domain.shown import shown_lines
from poolwright.emit.report_blocks import (
    Block,
    Bullets,
    Code,
    Difference,
    Paragraph,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    Words,
)

# An underscore between letters or digits means nothing in CommonMark and stays readable in plain text.
_SPECIAL = re.compile(r"[\\`*\[\]<>|#~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


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
    signs = {DiffKind.SAME: " ", DiffKind.GONE: "-", DiffKind.NEW: "+"}
    return _fenced("\n".join(f"{signs[line.kind]} {line.text}" for line in block.lines), "diff")


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _words(words: Words) -> str:
    text = markdown_words(words.text)
    if words.strong and text:
        text = f"**{text}**"
    return f"{text} ({markdown_words(words.small)})" if words.small else text


def markdown_words(text: str) -> str:
    """Return ``text`` on one line with what Markdown would read as its own escaped."""
    return _SPECIAL.sub(_escaped, " ".join(text.split()))


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"  # a template would be looked up anew for every word
