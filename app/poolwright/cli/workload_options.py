"""Options that say what a pool is for and what it must keep to, and the values they make."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from poolwright.cli.options import amount_of, currency_of, options, today, typed, without_none
from poolwright.domain import rates
from poolwright.domain.errors import UserError, is_missing
from poolwright.domain.host import Host
from poolwright.domain.money import Money
from poolwright.domain.pool_settings import IMPORT_TARGETS, import_target
from poolwright.domain.workload import Allowance, Budget, Goal, Sharing, Workload
from poolwright.rules.presets import PRESETS, apply_preset, goal_of_data, preset, with_sharing
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.design.request import Request
    from poolwright.domain.catalogue import Catalogue

_OF_WORKLOAD = (
    "--goal:wishes --preset --clients --io-size --sync-percent --network --sharing --volumes --read-percent "
    "--sequential-percent --file-size --working-set --duplicates --growth:wishes --compressible"
)
WORKLOAD_KEYS = frozenset(name.partition(":")[0].removeprefix("--") for name in _OF_WORKLOAD.split())


def add_workload_options(parser: argparse._ActionsContainer) -> None:
    options(parser, _OF_WORKLOAD, preset={"choices": [p.key for p in PRESETS]})


def workload_of(args: argparse.Namespace) -> Workload:
    """Return the workload that the options describe; where no goal is named the data decide it."""
    workload = apply_preset(Workload(goal=Goal(args.goal or Goal.SAFETY)), *map(preset, args.preset or ()))
    alike = ("clients", "volumes", "read_percent", "sequential_percent")
    given: dict[str, object] = {name: getattr(args, name) for name in alike} | {
        "io_size_bytes": args.io_size,
        "sync_write_percent": args.sync_percent,
        "network_bytes_per_second": args.network,
        "typical_file_bytes": args.file_size,
        "working_set_bytes": args.working_set,
        "duplicate_factor": args.duplicates,
        "growth_percent": None if args.growth is None else int(args.growth),
        "compressible": None if args.compressible is None else args.compressible == "yes",
    }
    workload = replace(workload, **without_none(given))
    if args.sharing:
        workload = with_sharing(workload, Sharing(args.sharing))
    return workload if args.goal else replace(workload, goal=goal_of_data(workload))


def catalogue_of(args: argparse.Namespace) -> "Catalogue":
    """Return the catalogue of --catalogue, else the shipped one, with its prices in the currency of the money."""
    from poolwright.catalogue_library import shipped_catalogue
    from poolwright.cli.design_source import read_text
    from poolwright.domain.catalogue import converted
    from poolwright.machine.catalogue import read_catalogue

    name = str(args.catalogue)
    found = (
        shipped_catalogue()
        if args.catalogue is None
        else read_catalogue(read_text(name, todo=_("Save it as CSV in UTF-8.")), where=name)
    )
    amounts = _money_of(args, currency := currency_of(args))
    wanted = next((amount.currency for amount in amounts if amount is not None and amount.currency), currency)
    priced = {product.price.currency for product in found.products if product.price is not None}
    if wanted is None or len(priced) != 1 or priced == {wanted}:
        return found
    if args.rate is not None:
        return converted(found, args.rate, wanted)
    words = {"wanted": wanted, "told": priced.pop()}
    todo = _("--rate N says what 1 {told} is in {wanted} today.", **words)
    raise UserError(_("The budget is in {wanted}, the catalogue has prices in {told}", **words), todo=todo)


def add_budget_options(parser: argparse.ArgumentParser) -> None:
    systems = ", ".join(target.key for target in IMPORT_TARGETS)
    options(
        parser,
        "--capacity --survive --money --price --currency --bays --spares --ram --ups "
        "--risk --rebuild-hours:wishes --read:wishes --write --allow --import-on --keep:snapshots --change",
        allow={"words": ", ".join(Allowance)},
        import_on={"systems": systems},
    )


def budget_of(args: argparse.Namespace, host: Host) -> Budget:
    from poolwright.design.floors import parse_allowances

    currency = currency_of(args)
    money, price = _money_of(args, currency)
    if args.capacity is not None and (args.keep is None) != (args.change is None):
        raise UserError(is_missing("--keep" if args.keep is None else "--change"))
    alike = ("survive", "spares", "bays", "keep", "change")
    return Budget(
        **{name: getattr(args, name) for name in alike},
        least_usable_bytes=args.capacity,
        money=money,
        price_per_disk=price,
        price_on="" if price is None else today().isoformat(),
        currency=currency,
        ram_bytes=host.ram_bytes if args.ram is None else args.ram,
        ups=host.ups if args.ups is None else args.ups == "yes",
        system=(args.zfs and args.zfs.key) or None,
        import_on=None if args.import_on is None else import_target(args.import_on).key,
        most_yearly_loss=args.risk,
        most_rebuild_hours=args.rebuild_hours,
        least_read_bytes_per_second=None if args.read is None else int(args.read),
        least_write_bytes_per_second=None if args.write is None else int(args.write),
        allow=() if args.allow is None else parse_allowances(args.allow),
    )


def _money_of(args: argparse.Namespace, currency: str | None) -> tuple[Money | None, Money | None]:
    """Return money and price; where only one of them names its currency, that is meant for both."""
    money = amount_of(args.money, currency)
    price = amount_of(args.price, currency or (money.currency if money else None), positive=True)
    if money is not None and money.currency is None and price is not None:
        money = amount_of(args.money, price.currency)
    return money, price


def _allowed(allowed: Sequence[Allowance]) -> str:
    from poolwright.design.floors import allowed_titles

    return allowed_titles(allowed)


# What was understood of typed sizes, rates and shares: option, where its value is kept, and how that is said.
_READ_BACK: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("capacity", "budget.least_usable_bytes", rates.size_read),
    ("ram", "budget.ram_bytes", rates.size_read),
    ("read", "budget.least_read_bytes_per_second", rates.rate_read),
    ("write", "budget.least_write_bytes_per_second", rates.rate_read),
    ("risk", "budget.most_yearly_loss", rates.chance_read),
    ("rebuild_hours", "budget.most_rebuild_hours", rates.hours_read),
    ("allow", "budget.allow", _allowed),
    ("io_size", "workload.io_size_bytes", rates.size_read),
    ("file_size", "workload.typical_file_bytes", rates.size_read),
    ("working_set", "workload.working_set_bytes", rates.size_read),
    ("network", "workload.network_bytes_per_second", rates.link_read),
    ("growth", "workload.growth_percent", rates.growth_read),
)


def read_back(args: argparse.Namespace, request: "Request") -> Iterator[tuple[str, str, object]]:
    """Yield what was understood of the options of a command in a line each, with the name and value that it became."""
    for name, path, said in _READ_BACK:
        option = f"--{name.replace('_', '-')}"
        if (text := typed(args, option)) is not None:
            value = attrgetter(path)(request)
            yield f"{option} {text}: {said(value)}", path.partition(".")[2], value
