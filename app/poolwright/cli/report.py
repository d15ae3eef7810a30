"""`poolwright report`: one design with its reasons, as Markdown, HTML or PDF."""

import argparse
import sys
from pathlib import Path

from poolwright.cli.asked import add_asked_options, input_names, read_asked
from poolwright.cli.options import options, with_currency
from poolwright.cli.output import check_outputs, deliver, report_bytes
from poolwright.domain.errors import UserError
from poolwright.paper.display import made_words
from poolwright.texts import tell

FORMATS = ("md", "html", "pdf")
_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".pdf": "pdf", ".txt": "md", "": "md"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked_options(parser)
    options(parser, "--format:report -o|--output --force --currency --json", output={"what": tell("the report")})


def run(args: argparse.Namespace) -> int:
    from poolwright.cli.own_layout import evaluated
    from poolwright.emit.report_design import DesignSubject, design_report
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
    content = report_bytes(design_report(subject), wanted)
    text = None if wanted == "pdf" else content.decode()
    deliver(args, content, lambda: {"format": wanted, "pool": design.pool_name, "file": args.output, "text": text})
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
