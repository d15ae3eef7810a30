"""`poolwright backup`: the room that snapshots take, a second pool for a copy, and the hours on the line."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from poolwright import __version__
from poolwright.capacity.pool import predict_design, predict_pool
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_source import design_about
from poolwright.cli.given_design import add_design_arguments, read_given_design
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer, assumed, saved, write_output
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.retention import USUAL_RETENTION, DailyChange, Retention, transfer_hours
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.domain.vdev import parse_layout, short_words
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.emit import report
from poolwright.emit.names import Stamp
from poolwright.predict.number_words import UNKNOWN, banded_text, hours_text
from poolwright.predict.space import DAYS_PER_YEAR, predict_space
from poolwright.texts import _

_DAY_HOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A pool that holds the data with snapshots of them."""

    name: str
    layout: str
    keep: Retention
    data_bytes: int
    snapshots: Estimate
    usable_bytes: int

    @property
    def used_bytes(self) -> int:
        return self.data_bytes + round(self.snapshots.typical)

    @property
    def free_bytes(self) -> int:
        return self.usable_bytes - self.used_bytes

    @property
    def fill_percent(self) -> float:
        return 100 * self.used_bytes / self.usable_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    own = "--pool --used --change --keep:snapshots --backup-to --keep-there --line --growth --save-script"
    options(parser, f"{own} {REPORT}")


def run(args: argparse.Namespace) -> int:
    design = design_about(read_given_design(args), args.pool)
    capacity = predict_design(design)
    data, change, keep = _asked(args, design)
    if data is None:
        data = round(predict_space(design, capacity).used.typical) or design.budget.least_usable_bytes
    if not data or change is None:
        missing = "--used 10TiB" if change is not None else "--change 1%"
        todo = _("Write {option}. `zfs get -r written` tells what a snapshot added.", option=missing)
        raise UserError(_("How much is stored, and how much of it changes a day, is not known"), todo=todo)
    side = _Side(
        name=design.pool_name, layout=short_words(design.layout()), keep=keep, data_bytes=data,
        snapshots=keep.held(data, change), usable_bytes=capacity.available_bytes,
    )  # fmt: skip
    sides = [side]
    if args.backup_to:
        sides.append(_other(design, replace(side, keep=args.keep_there or keep), change, args.backup_to))
    percent = design.workload.growth_percent if args.growth is None else args.growth
    daily = change.of(data) + data * (percent or 0) / 100 / DAYS_PER_YEAR
    hours = () if args.line is None else tuple(transfer_hours(size, args.line) for size in (data, daily))
    if args.save_script:
        _save_script(args, design, keep)
    answer(args, lambda: _document(sides, change, daily, hours), _blocks(args, sides, daily, hours))
    slow = bool(hours) and hours[1].typical > _DAY_HOURS
    return int(slow or any(one.free_bytes < 0 for one in sides))


def _asked(args: argparse.Namespace, design: Design) -> tuple[int | None, DailyChange | None, Retention]:
    keep = args.keep or design.budget.keep
    if keep is None:
        assumed.append(_("understood: snapshots kept: {keep}; --keep says otherwise", keep=USUAL_RETENTION))
    return args.used or design.in_use_bytes, args.change or design.budget.change, keep or USUAL_RETENTION


def _other(design: Design, like: _Side, change: DailyChange, words: Sequence[str]) -> _Side:
    """Return the pool of the copy: the layout that is named, or the best of the disks that are."""
    snapshots = like.keep.held(like.data_bytes, change)
    try:
        layout = parse_layout(words)
    except UserError:
        from poolwright.design.recommend import recommend
        from poolwright.design.request import Request
        from poolwright.judging import judge_maker
        from poolwright.machine.typed.read import read_typed
        from poolwright.rule_library import load_shipped
        from poolwright.rules.presets import apply_preset, preset

        wish = Budget(least_usable_bytes=like.data_bytes, keep=like.keep, change=change)
        workload = apply_preset(Workload(goal=Goal.SAFETY), preset("backup-target"))
        asked = Request(disks=read_typed(words).disks, workload=workload, budget=wish, version=design.version)
        judge = judge_maker(load_shipped())
        try:
            best = recommend(asked, judge).best
        except Refusal:  # too small for it: by how much is the answer
            best = recommend(replace(asked, budget=Budget()), judge).best
        layout, usable = best.layout, best.usable_bytes
    else:
        usable = predict_pool(layout, ashift=design.ashift, version=design.version).available_bytes
    return replace(like, name=_("copy"), layout=short_words(layout), snapshots=snapshots, usable_bytes=usable)


def _save_script(args: argparse.Namespace, design: Design, keep: Retention) -> None:
    from poolwright.emit.script import backup_script
    from poolwright.store.files import SCRIPT_MODE

    stamp = Stamp(generated_at=datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC"), program_version=__version__)
    kept = replace(design, budget=replace(design.budget, keep=keep))
    write_output(args.save_script, backup_script(kept, stamp, args.keep_there), force=args.force, mode=SCRIPT_MODE)


def _document(
    sides: Sequence[_Side], change: DailyChange, daily: float, hours: tuple[Estimate, ...]
) -> dict[str, object]:
    form = "name layout keep data_bytes snapshots_bytes=snapshots used_bytes usable_bytes free_bytes fill_percent:2"
    first, each = hours or (None, None)
    given = {"day": round(daily), "change": round(change.of(sides[0].data_bytes)), "first": first, "each": each}
    words = "change_bytes_per_day@change daily_transfer_bytes@day first_transfer_hours@first daily_transfer_hours@each"
    return {"pools": json_list(sides, form), **json_of(None, words, **given)}


def _blocks(
    args: argparse.Namespace, sides: Sequence[_Side], daily: float, hours: tuple[Estimate, ...]
) -> report.Blocks:
    yield _in_short(sides)
    yield report.listed(
        sides,
        (_("Pool"), lambda side: side.name),
        (_("Full"), lambda side: f"{side.fill_percent:.0f} %"),
        (_("Usable"), lambda side: binary(side.usable_bytes)),
        (_("Snapshots"), lambda side: binary(round(side.snapshots.typical))),
        (_("Low"), lambda side: binary(round(side.snapshots.low))),
        (_("High"), lambda side: binary(round(side.snapshots.high))),
        (_("Keeps"), lambda side: side.keep),
        (_("Layout"), lambda side: side.layout),
        right=(1, 2, 3, 4, 5),
    )
    times = [banded_text(each, hours_text) for each in hours] or [_(UNKNOWN)] * 2
    yield report.facts(
        (_("First copy"), f"{binary(sides[0].data_bytes)}, {times[0]}"),
        (_("Each day"), f"{binary(round(daily))}, {times[1]}"),
    )
    slow = bool(hours) and hours[1].typical > _DAY_HOURS
    yield from report.warnings(
        *(
            _("{pool} is more than {percent} % full.", pool=side.name, percent=PLAN_FILL_PERCENT)
            for side in sides
            if side.free_bytes >= 0 and side.fill_percent > PLAN_FILL_PERCENT
        ),
        _("What changes in a day does not get through in a day.") if slow else "",
        unknown=() if hours else (_("How long a copy takes is not known without --line RATE"),),
    )
    models = (sides[0].snapshots, *hours[:1])
    yield from report.behind(report.WHY, (f"{each.limit}: {each.origin}" for each in models))
    yield from saved(args.save_script)
    script = f"--save-script backup-{sides[0].name}.sh"
    yield from report.endings(report.MORE, "" if args.backup_to else "--backup-to", "" if args.save_script else script)


def _in_short(sides: Sequence[_Side]) -> report.Answer:
    side = min(sides, key=lambda one: one.free_bytes)
    figures = {"snapshots_bytes": round(sides[0].snapshots.typical), "fits": side.free_bytes >= 0}
    words = {"pool": side.name, "size": binary(abs(side.free_bytes)), "data": binary(side.data_bytes)}
    held = binary(round(side.snapshots.typical))
    if side.free_bytes < 0:
        text = _("{pool}: {size} too small for {data} of data and {held} of snapshots.", held=held, **words)
        return report.Answer(text=text, figures=figures)
    full = ", ".join(_("{pool} {percent:.0f} % full", pool=one.name, percent=one.fill_percent) for one in sides)
    held = binary(round(sides[0].snapshots.typical))
    text = _("{held} of snapshots beside {data}: {full}.", held=held, full=full, data=words["data"])
    return report.Answer(text=text, figures=figures)
