"""`poolwright show`: one design on a page. `--space` and its like ask the command that tells all of one part."""

import argparse

from poolwright.cli import ranking
from poolwright.cli.design_options import add_design_arguments, read_given_design
from poolwright.cli.design_source import saved_under
from poolwright.cli.main import PARTS
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer
from poolwright.cli.own_layout import evaluate_possible, findings_to_show, missed_wishes
from poolwright.design.evaluate import Evaluation
from poolwright.design.rank import survives
from poolwright.domain.vdev import short_words
from poolwright.emit.report import MORE, WHY, Behind, Blocks, bullets, endings
from poolwright.judging import changed_rules
from poolwright.predict.number_words import advice_on, units_words
from poolwright.rule_library import load_design_rules
from poolwright.texts import _


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(parser, f"{' '.join(f'{part}:show' for part in PARTS)} {REPORT}")


def run(args: argparse.Namespace) -> int:
    from poolwright.cli.recommend import own_document

    found = evaluate_possible(read_given_design(args), load_design_rules())
    answer(args, lambda: own_document(found), (*own_blocks(found), *endings(MORE, *PARTS)))
    return 0


def own_blocks(found: Evaluation) -> Blocks:
    """Yield the numbers of a design that stands in no ranking, and which wishes it misses."""
    design, loss, expected, usable = found.design, found.risk, found.main.expected, found.usable_bytes or 0
    rebuild = None if expected is None or expected.rebuild is None else expected.rebuild.typical
    words = (short_words(design.layout()), survives(found.survived or 0))
    lost = (loss.probability, loss.disk_probability) if loss else ()
    speeds = () if expected is None else ranking.speed_facts(expected)
    price = "" if found.cost is None else ranking.price_words(found.cost, expected if len(found.pools) == 1 else None)
    more = (*speeds, (_("Price"), price))
    yield from ranking.layout_blocks(design.layout(), words, usable, found.survived, lost, rebuild, more)
    missed = [_("wish missed: {text}", text=text) for text in missed_wishes(found)]
    if (before := saved_under.get(design.key)) and (changed := changed_rules(before, load_design_rules(), found)):
        missed.append(changed)
    yield from ranking.finding_warnings(findings_to_show(found.findings), *missed)
    units = () if loss is None else (units_words(loss.units), advice_on(loss.disk_probability))
    yield Behind(WHY, (*bullets(*units), *ranking.properties_blocks(design)))
