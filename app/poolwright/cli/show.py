"""`poolwright show`: one design on a page. `--space` and its like ask the command that tells all of one part."""

import argparse

from poolwright.cli import ranking
from poolwright.cli.given_design import add_design_arguments, read_given_design
from poolwright.cli.main import PARTS
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer
from poolwright.cli.own_layout import evaluate_possible, findings_to_show, missed_wishes
from poolwright.design.evaluate import Evaluation
from poolwright.design.rank import survives
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import short_words
from poolwright.emit.report import MORE, WHY, Answer, Blocks, behind, bullets, endings, facts
from poolwright.predict.number_words import advice_on, loss_words, units_words
from poolwright.rule_library import load_shipped
from poolwright.texts import _, capital


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(parser, f"{' '.join(f'{part}:show' for part in PARTS)} {REPORT}")


def run(args: argparse.Namespace) -> int:
    from poolwright.cli.recommend_json import own_layout

    found = evaluate_possible(read_given_design(args), load_shipped())
    answer(args, lambda: own_layout(found), (*own_blocks(found), *endings(MORE, *PARTS)))
    return 0


def own_blocks(found: Evaluation) -> Blocks:
    """Yield the numbers of a design that stands in no ranking, and which wishes it misses."""
    design, loss, expected, usable = found.design, found.risk, found.main.expected, found.usable_bytes or 0
    words = {"layout": short_words(design.layout()), "binary": binary(usable), "decimal": decimal(usable)}
    rebuild = None if expected is None else expected.rebuild
    single = expected if len(found.pools) == 1 else None
    lost = (loss.probability, loss.disk_probability) if loss else (None, None)
    yield Answer(
        text=_("{layout}: {binary} usable ({decimal}), {survives}.", survives=survives(found.survived or 0), **words),
        figures=ranking.figures_of(design.layout(), usable, found.survived, *lost),
    )
    yield facts(
        (_("Pool loss"), "" if loss is None else loss_words(loss.probability, loss.disk_probability)),
        (capital(_("resilver")), ranking.hours_words(None if rebuild is None else rebuild.typical)),
        *(() if expected is None else ranking.speed_facts(expected.speed, expected.itself)),
        (_("Price"), "" if found.cost is None else ranking.price_words(found.cost, single)),
    )
    missed = (_("wish missed: {text}", text=text) for text in missed_wishes(found))
    yield from ranking.finding_warnings(findings_to_show(found.findings), *missed)
    units = () if loss is None else (units_words(loss.units), advice_on(loss.disk_probability))
    alone = () if expected is None else ranking.speeds(expected.speed, expected.itself)
    yield from behind(WHY, bullets(*units, *alone))
    yield from behind(WHY, ranking.properties_blocks(design))
