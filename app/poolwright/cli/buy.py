"""`poolwright buy`: which disks to buy, the cheapest and the best design within money and bays."""

import argparse
import csv
import shlex
import uuid
from collections.abc import Sequence
from dataclasses import replace

from poolwright.cli.as_json import json_of, json_value, loss_figures
from poolwright.cli.design_source import add_source_options, has_source, read_source
from poolwright.cli.options import REPORT, options, today
from poolwright.cli.output import answer, deliver, save_design
from poolwright.cli.own_layout import disks_to_take, request_of
from poolwright.cli.workload_options import add_budget_options, add_workload_options, catalogue_of
from poolwright.design.assign import Identity, design_of
from poolwright.design.buying import Buying, Offer, buy
from poolwright.design.explanations import with_ranking
from poolwright.design.rank import survives
from poolwright.design.recommend import recommend
from poolwright.domain import units
from poolwright.domain.catalogue import stale_prices
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import describe
from poolwright.emit import report
from poolwright.judging import judge_maker, properties_for
from poolwright.machine.catalogue import write_catalogue
from poolwright.rule_library import load_design_rules
from poolwright.rules.presets import goal_words
from poolwright.texts import N_, _, numeral

_CATALOGUE = Origin(kind=OriginKind.TYPED, source=N_("catalogue"))


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(parser, "--catalogue --rate --write-catalogue --buy-most --with-old")
    add_workload_options(parser)
    add_budget_options(parser)
    options(parser, f"--zfs --save-design --save-cheapest {REPORT}")


def run(args: argparse.Namespace) -> int:
    catalogue = catalogue_of(args)
    if args.write_catalogue:
        text = write_catalogue(catalogue)
        deliver(args, text, lambda: {"products": list(csv.DictReader(text.splitlines())), "csv": text})
        return 0
    inventory = read_source(args) if has_source(args) else Inventory(name=_("disks to buy"), origin=_CATALOGUE)
    request = request_of(args, inventory, disks_to_take(inventory))
    found = buy(request, catalogue, judge_maker(load_design_rules(), request.host), with_old=args.with_old)
    for path, offer in ((args.save_design, found.best), (args.save_cheapest, found.cheapest)):
        if path:
            _save(path, offer, inventory, force=args.force)
    answer(
        args,
        lambda: document(found),
        _blocks(
            found,
            goal_words(request.workload, told=request.goal_told),
            (args.save_design, args.save_cheapest),
            args.argv,
        ),
    )
    return 0


def _save(path: str, offer: Offer, inventory: Inventory, *, force: bool) -> None:
    identity = Identity(key=str(uuid.uuid4()))
    bought = replace(inventory, disks=offer.request.disks, pools=())
    properties = properties_for(load_design_rules(), offer.candidate, offer.request, offer.request.host)
    made = design_of(offer.candidate, offer.request, identity, inventory=bought, properties=properties)
    ranked = recommend(offer.request, judge_maker(load_design_rules(), offer.request.host))
    same = (candidate for candidate in ranked.candidates if candidate.main.layout == offer.candidate.main.layout)
    made = next((with_ranking(made, candidate, ranked) for candidate in same), made)
    save_design(path, made, force=force)


_OFFER = (
    "model=product.model count price=product.price priced_on?=product.priced_on source?=product.source cost score:3 "
    "layout=candidate.main.layout description@ usable_bytes cost_per_usable_tb=cost_per_tb "
    "failures_survived=candidate.measures.failures_survived yearly_loss_probability:g=candidate.measures.any_disk_loss "
    "yearly_loss_with_other_causes_probability:g=candidate.measures.any_loss "
    "seq_read=candidate.predictions.speed.seq_read.typical seq_write=candidate.predictions.speed.seq_write.typical"
)  # for machines


def document(found: Buying) -> dict[str, object]:
    words = f"cheapest[{_OFFER}] best[{_OFFER}] front[{_OFFER}] models offers@ left_out"  # for machines
    return json_of(
        found, words, description=lambda offer: describe(offer.candidate.main.layout), offers=len(found.offers)
    )


def _blocks(found: Buying, about_goal: str, saved_as: Sequence[str | None], typed: Sequence[str]) -> report.Blocks:
    best, cheapest = found.best, found.cheapest
    yield report.Answer(
        text=_("Buy {offer}.", offer=_offer_words(best)),
        figures={
            "usable_bytes": best.usable_bytes, "survives": best.candidate.measures.failures_survived,
            "cost": json_value(best.cost),
            **loss_figures(best.candidate.measures.any_loss, best.candidate.measures.any_disk_loss),
        },
    )  # fmt: skip
    if cheapest is not best:
        yield _("Cheapest: {offer}.", offer=_offer_words(cheapest))
    shown = [one for one in found.front if one in (best, cheapest)]
    shown = [one for one in found.front if one in shown or len(found.front) - found.front.index(one) <= _ROWS_IN_SIGHT]
    columns = (
        (_("Cost"), lambda offer: offer.cost),
        (_("Usable"), lambda offer: units.binary(offer.usable_bytes)),
        (_("Survives"), lambda offer: offer.candidate.survives_counts),
        (_("Layout"), lambda offer: describe(offer.candidate.main.layout)),
        (_("Score"), lambda offer: numeral(offer.score, ".1f")),
        (_("Buy"), lambda offer: _purchase(offer, cost=False)),
    )
    yield report.listed(shown, *columns, right=(0, 1, 2, 4))
    if len(shown) < len(found.front):
        yield report.Behind(report.ALL, (report.listed(found.front, *columns, right=(0, 1, 2, 4)),))
    old = stale_prices((one.product for one in shown), today())
    old = old and f"{old} {_('--catalogue FILE has today’s.')}"
    yield from report.warnings(old, unknown=[about_goal] if about_goal else [])
    products = dict.fromkeys(offer.product for offer in (cheapest, best, *found.front))
    prices = ((p.model, (str(p.price), p.priced_on or _("date unknown"), p.source)) for p in products if p is not None)
    yield report.Behind(report.WHY, (f"{model}: {', '.join(filter(None, reasons))}" for model, reasons in prices))
    yield report.Behind(report.WHY, (report.ReportHeading(text=_("Not searched:")), *report.bullets(*found.left_out)))
    yield from report.endings(report.SAVED, *saved_as)
    words = [word for word in typed if word not in ("--json", report.WHY, report.ALL)]
    yield from report.endings(
        report.NEXT, "" if any(saved_as) else shlex.join(["poolwright", *words, "--save-design", "tank.json"])
    )


_ROWS_IN_SIGHT = 8


def _offer_words(offer: Offer) -> str:
    count = offer.candidate.measures.failures_survived
    return _(
        "{purchase}: {layout}, {usable}, {survives}", purchase=_purchase(offer),
        layout=describe(offer.candidate.main.layout), usable=units.binary(offer.usable_bytes),
        survives=_("any {count} may fail", count=count) if count else survives(count),
    )  # fmt: skip


def _purchase(offer: Offer, *, cost: bool = True) -> str:
    if offer.product is None:
        return _("nothing: the disks in the machine are enough")
    text = f"{offer.count} × {offer.product.model}"
    if cost:
        return _("{told} for {cost}", told=text, cost=offer.cost)
    return f"{text} ({drive_size(offer.product.size_bytes)})"
