"""A report as one HTML file: no script, nothing from a network, light and dark, fit to be printed."""

from dataclasses import asdict

from poolwright.domain.shown import html_escaped as escape
from poolwright.emit.drawing import DARK, LIGHT, Colours, colour_rules, svg
from poolwright.emit.report import (
    Block,
    Bullets,
    Code,
    Difference,
    Paragraph,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
)
from poolwright.texts import language

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
    dark = f":root{{{_names(DARK)}}}{colour_rules(DARK)}"
    # Paper is white whatever the screen is.
    return (
        f":root{{{_names(LIGHT)}}}{colour_rules(LIGHT)}\n"
        f"@media screen and (prefers-color-scheme:dark){{{dark}}}{_RULES}"
    )  # for machines


def _names(colours: Colours) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in asdict(colours).items())


def block_html(block: Block) -> str:
    if isinstance(block, ReportHeading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{_words(block.words)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_words(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, ReportTable):
        return _table(block)
    if isinstance(block, Picture):
        caption = f"<figcaption>{escape(block.caption)}</figcaption>" if block.caption else ""
        return f"<figure>{svg(block.drawing)}{caption}</figure>"
    if isinstance(block, Code):
        return f"<pre>{escape(block.text)}</pre>"
    return _difference(block)


def _table(table: ReportTable) -> str:
    right = [' class="right"' if number in table.right else "" for number in range(len(table.header))]
    head = "".join(f"<th{look}>{escape(text)}</th>" for look, text in zip(right, table.header, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td{look}>{_words(cell)}</td>" for look, cell in zip(right, row, strict=True)) + "</tr>"
        for row in table.rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if any(table.header) else ""
    return f'<div class="scroll"><table>{top}<tbody>{rows}</tbody></table></div>'


def _difference(block: Difference) -> str:
    kinds = {" ": "same", "−": "gone", "+": "new"}
    lines = "".join(f'<span class="{kinds[sign]}">{sign} {escape(text)}</span>' for sign, text in block.lines)
    return f'<pre class="diff">{lines}</pre>'


def _words(words: Words) -> str:
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


def document_style(colours: Colours, small_points: float) -> str:
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
