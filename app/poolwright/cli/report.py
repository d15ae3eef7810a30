"""`poolwright report`: one design with its reasons, as Markdown, HTML or PDF."""

import argparse
import sys
from pathlib import Path

from poolwright.cli.asked import add_asked_options, input_names, read_asked
from poolwright.cli.designs import evaluated, made_words
from poolwright.cli.numbers import add_currency_option, with_currency
from poolwright.cli.output import add_output_option, check_outputs, print_json, write_output
from poolwright.domain.errors import UserError
from poolwright.texts import tell

FORMATS = ("md", "html", "pdf")
_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".pdf": "pdf", ".txt": "md", "": "md"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked_options(parser)
    parser.add_argument(
        "--format", choices=FORMATS, help=tell("md, html or pdf (default: by the ending of FILE, else md)")
    )
    add_output_option(parser, tell("the report"))
    add_currency_option(parser)
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document with the text of the report"))


def run(args: argparse.Namespace) -> int:
    """Write the report; return the exit status."""
    from poolwright.emit.report_design import DesignSubject, design_report, report_html, report_markdown
    from poolwright.judging import advice_for
    from poolwright.rule_library import load_shipped

    wanted = _format(args.format, args.output)
    if wanted == "pdf" and args.output is None and (args.json or sys.stdout.isatty()):
        raise UserError(tell("A PDF is nothing for a terminal or for JSON"), todo=tell("Name a file with -o."))
    check_outputs(args, "--output", inputs=input_names(args))
    design = with_currency(read_asked(args), args)
    rules = load_shipped()
    subject = DesignSubject(
        evaluation=evaluated(design, rules=rules), advice=advice_for(rules, design), made=made_words()
    )
    if wanted == "pdf":
        from poolwright.paper.display import pdf_bytes

        content = pdf_bytes(design_report(subject))
    else:
        content = (report_html(subject) if wanted == "html" else report_markdown(subject)).encode()
    if args.output is not None:
        write_output(args.output, content, force=args.force)
    if args.json:
        text = None if wanted == "pdf" else content.decode()
        print_json({"format": wanted, "pool": design.pool_name, "file": args.output, "text": text})
    elif args.output is None:
        sys.stdout.buffer.write(content)
    return 0


def _format(told: str | None, name: str | None) -> str:
    """Return the format that was told, or that the ending of the file means; raises UserError where they differ."""
    ending = Path(name).suffix.lower() if name else ""
    meant = _ENDINGS.get(ending)
    if told is None:
        if meant is None:
            raise UserError(
                tell("A report has no form with the ending {ending}", ending=ending),
                where=name,
                todo=tell("Name the file .md, .html or .pdf, or say --format md, html or pdf."),
            )
        return meant
    if meant is not None and ending not in ("", ".txt") and meant != told:
        raise UserError(
            tell("The ending {ending} does not fit the format {told}", ending=ending, told=told),
            where=name,
            todo=tell("Change one of the two."),
        )
    return told
