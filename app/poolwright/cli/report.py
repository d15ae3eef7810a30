"""`poolwright report`: one design with its reasons, as Markdown, HTML or PDF."""

import argparse

from poolwright.cli.design_options import add_design_arguments, read_given_design
from poolwright.cli.options import COVER, REPORT, options, with_currency
from poolwright.cli.output import deliver, report_bytes, report_form
from poolwright.paper.cover import report_foot


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(parser, f"--currency {COVER} {REPORT}")


def run(args: argparse.Namespace) -> int:
    from poolwright.cli.own_layout import evaluate_design
    from poolwright.emit.report_design import DesignSubject, design_report
    from poolwright.judging import advice_for
    from poolwright.rule_library import load_design_rules

    wanted = report_form(args)
    design = with_currency(read_given_design(args), args)
    rules = load_design_rules()
    subject = DesignSubject(
        evaluation=evaluate_design(design, rules=rules), advice=advice_for(rules, design), made=report_foot()
    )
    made = design_report(subject)
    content = report_bytes(args, made, wanted)
    text = None if wanted == "pdf" else content.decode()
    document = {"format": wanted, "pool": design.pool_name, "file": args.output, "text": text}
    deliver(args, content, lambda: document, report=True, told=made.blocks[:1])  # what it proposes, in a sentence
    return 0
