"""`poolwright backup`: the room that snapshots take, a second pool for a copy, and the hours on the line."""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from poolwright.capacity.pool import PoolCapacity, predict_design, predict_pool
from poolwright.cli.as_json import json_list, json_value
from poolwright.cli.design_options import add_design_arguments, read_given_design, with_retention
from poolwright.cli.design_source import design_about
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer, assumed
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError, is_missing
from poolwright.domain.estimate import Estimate
from poolwright.domain.retention import USUAL_RETENTION, Retention, transfer_hours
from poolwright.domain.units import binary
from poolwright.domain.vdev import Layout, parse_layout, short_words
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.emit import report
from poolwright.predict.number_words import UNKNOWN, banded_text, hours_text, overfull_words
from poolwright.predict.space import DAYS_PER_YEAR, predict_space
from poolwright.texts import _, sentence


class _Pool(NamedTuple):
    name: str
    capacity: PoolCapacity
    keep: Retention
    snapshots: Estimate
    data_bytes: int

    @property
    def used_bytes(self) -> int:
        return self.data_bytes + round(self.snapshots.typical)

    @property
    def fill_percent(self) -> float:
        return 100 * self.used_bytes / self.capacity.available_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(parser, f"--pool --used --change --keep:snapshots --backup-to --keep-there --line --growth {REPORT}")


def run(args: argparse.Namespace) -> int:
    design = with_retention(design_about(read_given_design(args), args.pool), args)
    asked, capacity = design.budget, predict_design(design)
    stored = args.used or design.in_use_bytes or round(predict_space(design, capacity).used.typical)
    data, change, keep = stored or asked.least_usable_bytes, asked.change, asked.keep or USUAL_RETENTION
    if data is None or change is None:
        raise UserError(is_missing("--change 1%" if change is None else "--used 10TiB"))
    if asked.keep is None:
        assumed.append(_("understood: {text}", text=f'--keep "{keep}"'))
    sides = [(design.pool_name, capacity, keep)]
    if args.backup_to:
        there = asked.keep_there or keep
        layout = _layout(design, Budget(least_usable_bytes=data, keep=there, change=change), args.backup_to)
        sides.append((_("copy"), predict_pool(layout, ashift=design.ashift, version=design.version), there))
    pools = [_Pool(name, space, kept, kept.held(data, change), data) for name, space, kept in sides]
    growth = (design.workload.growth_percent if args.growth is None else args.growth) or 0
    daily = change.of(data) + data * growth / 100 / DAYS_PER_YEAR
    first, each = (args.line and transfer_hours(size, args.line) for size in (data, daily))
    slow = each is not None and each.typical > 24
    form = (
        "name layout=capacity.layout keep data_bytes snapshots_bytes=snapshots usable_bytes=capacity.available_bytes "
        "used_bytes fill_percent:2"
    )  # for machines
    hours = {"first_transfer_hours": json_value(first), "daily_transfer_hours": json_value(each)}
    answer(
        args,
        lambda: {"pools": json_list(pools, form), "daily_transfer_bytes": round(daily), **hours},
        _blocks(pools, daily, first, each, slow=slow),
    )
    return int(slow or any(pool.fill_percent > 100 for pool in pools))


def _layout(design: Design, wish: Budget, words: Sequence[str]) -> Layout:
    """Return the layout that is named, or the best of the disks that are. Raises Refusal where none of them fits."""
    from poolwright.design.recommend import recommend
    from poolwright.design.request import Request
    from poolwright.judging import judge_maker
    from poolwright.machine.typed.read import read_typed
    from poolwright.rule_library import load_design_rules

    try:
        return parse_layout(words)
    except UserError:
        disks, use = read_typed(words).disks, Workload(goal=Goal.SAFETY, preset="backup-target")
    request = Request(disks=disks, workload=use, budget=wish, version=design.version)
    return recommend(request, judge_maker(load_design_rules())).best.main.layout


def _blocks(
    pools: Sequence[_Pool], daily: float, first: Estimate | None, each: Estimate | None, *, slow: bool
) -> report.Blocks:
    worst = max(pools, key=lambda pool: pool.fill_percent)
    said = _("{pool} is {percent:.0f} % full with {used}")
    clauses = (said.format(pool=p.name, percent=p.fill_percent, used=binary(p.used_bytes)) for p in pools)
    text = sentence(", ".join(clauses))
    if worst.fill_percent > 100:
        text = f"{worst.name}: {overfull_words(worst.used_bytes, worst.capacity.available_bytes)}"
    yield report.Answer(text=text, figures={"fits": worst.fill_percent <= 100})
    yield report.listed(
        pools,
        (_("Pool"), lambda pool: pool.name),
        (_("Full"), lambda pool: f"{pool.fill_percent:.0f} %"),
        (_("Usable"), lambda pool: binary(pool.capacity.available_bytes)),
        (_("Data"), lambda pool: binary(pool.data_bytes)),
        (_("Snapshots"), lambda pool: binary(round(pool.snapshots.typical))),
        (_("Low"), lambda pool: binary(round(pool.snapshots.low))),
        (_("High"), lambda pool: binary(round(pool.snapshots.high))),
        (_("Keeps"), lambda pool: pool.keep),
        (_("Layout"), lambda pool: short_words(pool.capacity.layout)),
        right=(1, 2, 3, 4, 5, 6),
    )
    times = [banded_text(hours, hours_text) if hours else _(UNKNOWN) for hours in (first, each)]
    size = binary(round(daily))
    yield report.facts((_("First copy"), times[0]), (_("Each day"), f"{size}, {times[1]}"))
    yield from report.warnings(_("What changes in a day does not get through in a day.") if slow else "")
    yield report.Behind(report.WHY, (str(model.origin) for model in (worst.snapshots, first) if model))
    yield from report.endings(report.NEXT, "poolwright script DESIGN --format backup")  # for machines
