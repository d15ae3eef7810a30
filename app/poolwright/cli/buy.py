"""`poolwright buy`: which disks to buy, the cheapest and the best design within money and bays."""

import argparse
import csv
import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from poolwright.catalogue_library import shipped_catalogue
from poolwright.cli.asked import disks_to_take, request_of
from poolwright.cli.design_source import read_text
from poolwright.cli.documents import picked, typical_losses
from poolwright.cli.options import options
from poolwright.cli.output import check_outputs, print_json, print_line, print_table, write_output
from poolwright.cli.sources import add_source_options, capture_names, has_source, read_source
from poolwright.cli.wishes import add_budget_options, add_workload_options
from poolwright.design.assign import Identity, design_of
from poolwright.design.buying import Buying, Offer, buy
from poolwright.design.rank import survives
from poolwright.design.recommend import recommend
from poolwright.design.told import with_ranking
from poolwright.domain import units
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import describe
from poolwright.judging import judge_maker, properties_for
from poolwright.machine.catalogue import read_catalogue, write_catalogue
from poolwright.rule_library import load_shipped
from poolwright.rules.presets import goal_words
from poolwright.texts import marked, tell


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(parser, "--catalogue --write-catalogue --buy-most --with-old")
    add_workload_options(parser)
    add_budget_options(parser)
    options(parser, "--zfs:buy --save-design --save-cheapest --force --json")


def run(args: argparse.Namespace) -> int:
    """Search, print, and save designs where asked."""
    check_outputs(args, "--save-design", "--save-cheapest", inputs=[*capture_names(args), str(args.catalogue or "-")])
    catalogue = shipped_catalogue() if args.catalogue is None else _read(args.catalogue)
    if args.write_catalogue:
        text = write_catalogue(catalogue)
        if args.json:
            print_json({"products": list(csv.DictReader(text.splitlines())), "csv": text})
        else:
            sys.stdout.write(text)
        return 0
    inventory = read_source(args) if has_source(args) else _nothing()
    request = request_of(args, inventory, disks_to_take(inventory))
    found = buy(request, catalogue, judge_maker(load_shipped(), request.host), with_old=args.with_old)
    for path, offer in ((args.save_design, found.best), (args.save_cheapest, found.cheapest)):
        if path:
            _save(path, offer, inventory, force=args.force)
    if args.json:
        print_json(document(found))
    else:
        about_goal = goal_words(request.workload, told=request.goal_told)
        if about_goal:
            print_line(tell("note: {text}", text=about_goal))
        _print(found)
    return 0


def _nothing() -> Inventory:
    return Inventory(name=tell("disks to buy"), origin=Origin(kind=OriginKind.TYPED, source=marked("catalogue")))


def _read(path: Path) -> Catalogue:
    return read_catalogue(
        read_text(str(path), tell("catalogue"), todo=tell("Save it as CSV in UTF-8.")), where=str(path)
    )


def _save(path: str, offer: Offer, inventory: Inventory, *, force: bool) -> None:
    from poolwright.store.design_file import to_json

    name = tell("{machine}, {goal}", machine=inventory.name, goal=tell(offer.request.workload.goal.value))
    identity = Identity(key=str(uuid.uuid4()), name=name)
    bought = replace(inventory, disks=offer.request.disks, pools=())
    properties = properties_for(load_shipped(), offer.candidate, offer.request, offer.request.host)
    made = design_of(offer.candidate, offer.request, identity, inventory=bought, properties=properties)
    ranked = recommend(offer.request, judge_maker(load_shipped(), offer.request.host))
    same = (candidate for candidate in ranked.candidates if candidate.layout == offer.candidate.layout)
    made = next((with_ranking(made, candidate, ranked) for candidate in same), made)
    write_output(path, to_json(made), force=force)


def document(found: Buying) -> dict[str, object]:
    return {
        "cheapest": offer_document(found.cheapest),
        "best": offer_document(found.best),
        "front": [offer_document(offer) for offer in found.front],
        "models": found.models,
        "offers": len(found.offers),
        **picked(found, "left_out"),
    }


def offer_document(offer: Offer) -> dict[str, object]:
    candidate = offer.candidate
    return {
        **picked(offer, "model=product.model count price=product.price priced_on?=product.priced_on"),
        **picked(offer, "source?=product.source cost score:3 layout=candidate.layout"),
        "description": describe(candidate.layout),
        **picked(offer, "usable_bytes cost_per_usable_tb=cost_per_tb failures_survived=candidate.failures_survived"),
        **typical_losses(candidate.yearly_loss, candidate.disk_loss),
        "seq_read": candidate.predictions.speed.seq_read.typical,
        "seq_write": candidate.predictions.speed.seq_write.typical,
    }


def _print(found: Buying) -> None:
    for name, offer in ((tell("Cheapest"), found.cheapest), (tell("Best"), found.best)):
        size = offer.usable_bytes
        usable = tell("{usable} usable ({decimal})", usable=units.binary(size), decimal=units.decimal(size))
        print_line(f"{name}: {_purchase(offer)}")
        print_line(f"  {describe(offer.candidate.layout)}: {usable}, {survives(offer.candidate.failures_survived)}")
    print_line()
    print_line(tell("More for more money:"))
    rows = [
        (
            str(offer.cost),
            _purchase(offer, cost=False),
            describe(offer.candidate.layout),
            units.binary(offer.usable_bytes),
            offer.candidate.survives_counts,
            f"{offer.score:.1f}",
        )
        for offer in found.front
    ]
    print_table(
        (tell("cost"), tell("buy"), tell("layout"), tell("usable"), tell("survives"), tell("score")),
        rows,
        right=frozenset({0, 3, 4, 5}),
    )
    print_line()
    for line in _prices(found):
        print_line(line)
    print_line()
    print_line(tell("Left out:"))
    for line in found.left_out:
        print_line(f"  {line}")


def _purchase(offer: Offer, *, cost: bool = True) -> str:
    if offer.product is None:
        return tell("nothing, the disks at hand are enough")
    size = drive_size(offer.product.size_bytes)
    told = f"{offer.count} × {offer.product.model} ({size})"
    return tell("{told} for {cost}", told=told, cost=offer.cost) if cost else told


def _prices(found: Buying) -> Iterator[str]:
    """Yield the price, date and source of each model that is offered."""
    products = dict.fromkeys(offer.product for offer in (found.cheapest, found.best, *found.front))
    for product in products:
        if product is not None:
            told = (str(product.price), product.priced_on or tell("date unknown"), product.source)
            yield f"{product.model}: {', '.join(part for part in told if part)}"
