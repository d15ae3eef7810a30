"""`poolwright report`: one design with its reasons, as Markdown, HTML or PDF."""

import argparse
import sys
from pathlib import Path

from poolwright.cli.design_source import read_design
from poolwright.cli.designs import evaluated, made_words
from poolwright.domain.errors import UserError

FORMATS = ("md", "html", "pdf")
_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".pdf": "pdf"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("design", metavar="DESIGN", help="a design file (JSON), or - for standard input")
    parser.add_argument("--format", choices=FORMATS, help="md, html or pdf (default: by the ending of FILE, else md)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument("--currency", metavar="WORD", default="", help="what stands behind amounts of money")


def run(args: argparse.Namespace) -> int:
    """Write the report; return the exit status."""
    from poolwright.emit.report_design import DesignSubject, design_report, report_html, report_markdown
    from poolwright.judging import advice_for
    from poolwright.rule_library import load_shipped
    from poolwright.store.files import write_bytes

    wanted = args.format or _ENDINGS.get(Path(args.output).suffix.lower() if args.output else "", "md")
    if wanted == "pdf" and args.output is None and sys.stdout.isatty():
        raise UserError("A PDF is nothing for a terminal", todo="Name a file with -o.")
    design = read_design(args.design)
    rules = load_shipped()
    subject = DesignSubject(
        evaluation=evaluated(design, rules=rules),
        advice=advice_for(rules, design),
        made=made_words(),
        currency=args.currency,
    )
    if wanted == "pdf":
        from poolwright.cli.paper import pdf_bytes

        content = pdf_bytes(design_report(subject))
    else:
        content = (report_html(subject) if wanted == "html" else report_markdown(subject)).encode()
    if args.output is not None:
        write_bytes(Path(args.output), content)
    else:
        sys.stdout.buffer.write(content)
    return 0
