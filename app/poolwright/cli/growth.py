"""`poolwright growth`: a design's pool over the years, step by step, with what `zfs list` prints after each."""

import argparse
from dataclasses import replace
from datetime import date

from poolwright.capacity.pool import PoolCapacity
from poolwright.changes.growth.plan import (
    GrowthPlan,
    GrowthQuestion,
    Stage,
    Strategy,
    disks_bought,
    evaluate,
    strategies,
)
from poolwright.cli.asked import add_asked_options, read_asked
from poolwright.cli.design_source import design_about
from poolwright.cli.documents import all_picked, picked, plain, typical_losses
from poolwright.cli.options import amount_of, options, today, with_currency
from poolwright.cli.output import answer
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.growth import GrowthStep, parse_growth_step
from poolwright.domain.pool_settings import autoexpands
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, parse_size
from poolwright.domain.vdev import describe
from poolwright.drive_library import load_drive_book
from poolwright.emit.growth import step_commands
from poolwright.emit.report import Blocks, ReportTable, table
from poolwright.predict.assessment import Assessment, assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.number_words import UNKNOWN
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.predict.risk_words import loss_words
from poolwright.predict.space import Growth
from poolwright.texts import tell

DEFAULT_YEARS = 5.0
_MOST_YEARS = 50.0


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked_options(parser)
    options(
        parser,
        "--pool:of --used --growth --then:growth --price:unknown --currency --price-falls "
        "--autoexpand:growth --begin --compare --years --commands --json",
        years={"default": DEFAULT_YEARS, "years": DEFAULT_YEARS},
    )


def run(args: argparse.Namespace) -> int:
    design = design_about(with_currency(read_asked(args), args), args.pool)
    price = amount_of(args.price, design.budget.reckoned_in, what="price", positive=True)
    if price is not None:
        design = replace(design, budget=replace(design.budget, price_per_disk=price, price_on=today().isoformat()))
    question = _question(args, design)
    if args.compare:
        found = strategies(design, question, years=args.years)
        words = "name steps lasts_until enough disks spent"  # for machines
        last = "available_bytes=capacity.available_bytes failures_survived"  # for machines
        ways = [{**picked(s, words), **picked(s.plan.stages[-1], last)} for s in found]
        answer(args, lambda: {"pool": design.pool_name, "strategies": ways}, (_strategies_table(found),))
        return 0
    steps = design.growth if args.then is None else tuple(parse_growth_step(text) for text in args.then)
    plan = evaluate(design, steps, question)
    answer(args, lambda: document(design, steps, plan), _plan_blocks(design, steps, plan, with_commands=args.commands))
    return 0 if plan.problem is None else 1


def _question(args: argparse.Namespace, design: Design) -> GrowthQuestion:
    percent = design.workload.growth_percent if args.growth is None else args.growth
    disks = [design.disk(key) for key in sorted(design.used_keys())]
    return GrowthQuestion(
        today=_day(args.begin),
        used_bytes=None if args.used is None else parse_size(args.used, what=tell("amount of data")),
        growth=None if percent is None else Growth(percent=float(percent)),
        conditions=rebuild_conditions(disks, ashift=design.ashift, version=design.version),
        price_falls_percent=args.price_falls,
        autoexpand=autoexpands(design) is not False if args.autoexpand is None else args.autoexpand == "on",
        predict=None if args.compare else _predict,
    )


def _predict(design: Design, capacity: PoolCapacity) -> Assessment:
    """Return what the models say of the pool after a step, by the drive statistics and without further assumptions."""
    return assess(design, capacity, load_drive_book(), Assumptions(), today=today())


def _day(text: str | None) -> date:
    if text is None:
        return today()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UserError(tell("“{text}” is not a date", text=text), todo=tell("Write 2027-03-15.")) from None


def document(design: Design, steps: tuple[GrowthStep, ...], plan: GrowthPlan) -> dict[str, object]:
    problem = plan.problem
    return {
        "pool": design.pool_name,
        "stages": [_stage_document(plan, number) for number in range(len(plan.stages))],
        "problem": problem and {"step": str(steps[problem.number]), **picked(problem, "text reasons")},
    }


def _stage_document(plan: GrowthPlan, number: int) -> dict[str, object]:
    stage = plan.stages[number]
    return {
        **picked(stage, "step layout=capacity.layout begins ends"),
        # every digit, for programs that go on from here
        "hours": None if stage.work is None else picked(stage.work, "low typical high origin"),
        **picked(stage, "pool_size_bytes=capacity.pool_size_bytes available_bytes=capacity.available_bytes used_bytes"),
        **picked(stage, "avail_bytes fill_before_percent=fill_before fill_after_percent=fill_after full_on"),
        **picked(stage, "failures_survived charged_percent:3 rewrite_gain_bytes"),
        "predictions": None if stage.predictions is None else _predictions_document(stage.predictions),
        **picked(stage, "price spent"),
        "disks": all_picked(disks_bought(stage), "count model size_bytes price priced_on?=price_on"),
        "notes": all_picked(stage.notes, "level text"),
        "commands": all_picked(step_commands(plan, number) if number else (), "text reason"),
    }  # fmt: skip


def _predictions_document(predicted: Assessment) -> dict[str, object]:
    return {
        **picked(predicted.speed, "seq_read seq_write rand_read_iops"),
        **typical_losses(predicted.risk.probability, predicted.risk.disk_probability),
        "rebuild_hours": plain(predicted.rebuild),
    }


def _plan_blocks(design: Design, steps: tuple[GrowthStep, ...], plan: GrowthPlan, *, with_commands: bool) -> Blocks:
    yield tell(
        "{name}: pool {pool}, OpenZFS {version}", name=design.name, pool=design.pool_name, version=design.version
    )
    printed = ("zpool list SIZE", "zfs list USED", "AVAIL")  # for machines
    told = (tell("full"), tell("survives"), tell("80 % on"), tell("spent"))
    yield table((tell("when"), tell("step"), *printed, *told), map(_row, plan.stages), (2, 3, 4, 5, 6, 8))
    for number, stage in enumerate(plan.stages[1:], start=1):
        yield from _stage_blocks(number, stage)
        if with_commands:
            for line in step_commands(plan, number):
                yield f"   # {line.reason}"
                yield f"   {line.text}"
    if plan.problem is not None:
        yield ""
        yield f"{plan.problem.number + 1}. {steps[plan.problem.number]}: {plan.problem.text}"


def _stage_blocks(number: int, stage: Stage) -> Blocks:
    yield ""
    yield f"{number}. {stage.step}: {describe(stage.capacity.layout)}"
    if stage.work is not None:
        work = stage.work
        yield (
            "   "
            + tell(
                "takes {typical:.0f} hours ({low:.0f} to {high:.0f})",
                typical=work.typical,
                low=work.low,
                high=work.high,
            )
        )
    yield from (f"   {bought}" for bought in disks_bought(stage))
    yield from (f"   {note.text}" for note in stage.notes)
    if stage.predictions is not None:
        speed, risk = stage.predictions.speed, stage.predictions.risk
        lost = loss_words(risk.probability, risk.disk_probability)
        yield (
            "   "
            + tell(
                "expected: reads {read}, writes {write}, lost within a year {lost}",
                read=rate_text(speed.seq_read.typical),
                write=rate_text(speed.seq_write.typical),
                lost=lost,
            )
        )
    if stage.rewrite_gain_bytes:
        yield "   " + tell("Rewriting all old data would free {size}.", size=binary(stage.rewrite_gain_bytes))


def _row(stage: Stage) -> tuple[str, ...]:
    return (
        plain(stage.begins) or tell(UNKNOWN), tell("new pool") if stage.step is None else str(stage.step),
        f"{stage.capacity.pool_size_bytes:,}", tell(UNKNOWN) if stage.used_bytes is None else f"{stage.used_bytes:,}",
        f"{stage.capacity.available_bytes if stage.avail_bytes is None else stage.avail_bytes:,}",
        tell(UNKNOWN) if stage.fill_after is None else f"{stage.fill_after:.0f} %", str(stage.failures_survived),
        plain(stage.full_on) or "", tell(UNKNOWN) if stage.spent is None else str(stage.spent),
    )  # fmt: skip


def _strategies_table(found: tuple[Strategy, ...]) -> ReportTable:
    rows = [
        (
            strategy.name,
            str(len(strategy.steps)),
            str(strategy.disks),
            tell(UNKNOWN) if strategy.spent is None else str(strategy.spent),
            plain(strategy.lasts_until) or tell("beyond 50 years or unknown"),
            tell("yes") if strategy.enough else tell("no"),
            binary(strategy.plan.stages[-1].capacity.available_bytes),
        )
        for strategy in found
    ]
    header = (
        tell("way"), tell("steps"), tell("disks"), tell("spent"), tell("80 % on"), tell("enough"),
        tell("usable at the end"),
    )  # fmt: skip
    return table(header, rows, (1, 2, 3, 6))
