"""`poolwright report`: one design with its reasons, as Markdown, HTML or PDF."""

import argparse

from poolwright.cli.asked import add_asked_options, read_asked
from poolwright.cli.options import REPORT, options, with_currency
from poolwright.cli.output import deliver, report_bytes, report_form
from poolwright.paper.display import made_words


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked_options(parser)
    options(parser, f"--currency {REPORT}")


def run(args: argparse.Namespace) -> int:
    from poolwright.cli.own_layout import evaluated
    from poolwright.emit.report_design import DesignSubject, design_report
    from poolwright.judging import advice_for
    from poolwright.rule_library import load_shipped

    wanted = report_form(args)
    design = with_currency(read_asked(args), args)
    rules = load_shipped()
    subject = DesignSubject(
        evaluation=evaluated(design, rules=rules), advice=advice_for(rules, design), made=made_words()
    )
    content = report_bytes(design_report(subject), wanted)
    text = None if wanted == "pdf" else content.decode()
    deliver(
        args,
        content,
        lambda: {"format": wanted, "pool": design.pool_name, "file": args.output, "text": text},
        report=True,
    )
    return 0
