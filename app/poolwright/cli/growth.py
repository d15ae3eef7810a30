"""`poolwright growth`: a design's pool over the years, step by step, with what `zfs list` prints after each."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from poolwright.capacity.pool import PoolCapacity
from poolwright.changes.growth import plan as growth
from poolwright.cli.as_json import json_of
from poolwright.cli.design_options import add_design_arguments, read_given_design
from poolwright.cli.design_source import design_about
from poolwright.cli.options import REPORT, amount_of, options, today, with_currency
from poolwright.cli.output import answer
from poolwright.domain.design import Design
from poolwright.domain.disk import NoteLevel
from poolwright.domain.growth import GrowthStep, parse_growth_step
from poolwright.domain.pool_settings import autoexpands
from poolwright.domain.rates import rate_text
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, not_understood
from poolwright.domain.vdev import describe
from poolwright.emit import report
from poolwright.emit.difference_script import commands_text, step_commands
from poolwright.predict.assessment import Assessment, assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.number_words import UNKNOWN, loss_words, overfull_words
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.table_library import load_drive_book
from poolwright.texts import _, dated, sentence

DEFAULT_YEARS = 5.0


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(
        parser,
        f"--pool --used --growth --then --price --currency --autoexpand --begin --compare --years --commands {REPORT}",
        years={"default": DEFAULT_YEARS, "years": DEFAULT_YEARS},
    )


def run(args: argparse.Namespace) -> int:
    design = design_about(with_currency(read_given_design(args), args), args.pool)
    price = amount_of(args.price, design.budget.reckoned_in, positive=True)
    if price is not None:
        design = replace(design, budget=replace(design.budget, price_per_disk=price, price_on=today().isoformat()))
    question = _question(args, design)
    if args.compare:
        found = growth.strategies(design, question, years=args.years)
        words = "name steps lasts_until enough disks spent"  # for machines
        last = "available_bytes=usable_bytes failures_survived"  # for machines
        ways = [{**json_of(s, words), **json_of(s.plan.stages[-1], last)} for s in found]
        table = report.listed(
            found,
            (_("Way"), lambda way: way.name),
            (_("Disks"), lambda way: way.disks),
            (_("Usable"), lambda way: binary(way.plan.stages[-1].usable_bytes)),
            (_("80 % on"), lambda way: way.lasts_until or (_(UNKNOWN) if way.enough is None else _("beyond 50 years"))),
            (_("Enough"), lambda way: _(UNKNOWN) if way.enough is None else _("yes") if way.enough else _("no")),
            (_("Steps"), lambda way: len(way.steps)),
            (_("Spent"), lambda way: _known(way.spent)),
            right=(1, 2, 5, 6),
        )
        blocks: report.Blocks = iter((table, *report.warnings(unknown=_missing(question))))
        answer(args, lambda: {"pool": design.pool_name, "strategies": ways}, blocks)
        return 0
    steps = design.growth if args.then is None else tuple(parse_growth_step(text) for text in args.then)
    plan = growth.evaluate(design, steps, question)
    blocks = _plan_blocks(design, steps, plan, typed=args.then or (), with_commands=args.commands)
    answer(args, lambda: document(design, steps, plan), blocks)
    return 0 if plan.problem is None and not _overfull(plan.stages[0]) else 1


def _overfull(stage: growth.Stage) -> bool:
    return stage.usable_bytes is not None and (stage.used_bytes or 0) > stage.usable_bytes


def _question(args: argparse.Namespace, design: Design) -> growth.GrowthQuestion:
    disks = [design.disk(key) for key in sorted(design.used_keys())]
    used = design.in_use_bytes if args.used is None else args.used
    rate = design.workload.growth_percent if args.growth is None else args.growth
    return growth.GrowthQuestion(
        today=_day(args.begin), used_bytes=used, growth=rate, predict=None if args.compare else _predict,
        conditions=rebuild_conditions(disks, ashift=design.ashift, version=design.version),
        autoexpand=autoexpands(design) is not False if args.autoexpand is None else args.autoexpand == "on",
    )  # fmt: skip


def _predict(design: Design, capacity: PoolCapacity) -> Assessment:
    """Return what the models say of the pool after a step, by the drive statistics and without further assumptions."""
    return assess(design, capacity, load_drive_book(), Assumptions(), today=today())


def _day(text: str | None) -> date:
    if text is None:
        return today()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise not_understood(text, _("Write 2027-03-15.")) from None


# Hours with every digit, for programs that go on from here.
_FORM = """
    step layout=capacity.layout begins ends hours=work[low typical high origin]
    pool_size_bytes available_bytes=usable_bytes used_bytes avail_bytes
    fill_before_percent=fill_before fill_after_percent=fill_after full_on failures_survived charged_percent:3
    rewrite_gain_bytes refusal? predictions[seq_read=speed.seq_read seq_write=speed.seq_write
    rand_read_iops=speed.rand_read_iops yearly_loss_probability:g=risk.disk_probability
    yearly_loss_with_other_causes_probability:g=risk.probability rebuild_hours=rebuild] price spent
    disks@[count model size_bytes price priced_on?=price_on] notes[level text] commands@[text reason]
"""  # for machines


def document(design: Design, steps: tuple[GrowthStep, ...], plan: growth.GrowthPlan) -> dict[str, object]:
    commands = {id(stage): step_commands(plan, number) for number, stage in enumerate(plan.stages) if number}
    return json_of(
        plan,
        f"pool@ stages[{_FORM}] problem[step@ text reasons]",
        pool=design.pool_name,
        disks=growth.disks_bought,
        commands=lambda stage: commands.get(id(stage), ()),
        step=lambda problem: steps[problem.number],
    )


def _plan_blocks(
    design: Design, steps: tuple[GrowthStep, ...], plan: growth.GrowthPlan, *, typed: Sequence[str], with_commands: bool
) -> report.Blocks:
    yield _in_short(design, plan)
    first = _("{pool} now", pool=design.pool_name) if design.exists else _("New pool")
    names = [first, *typed] if len(typed) == len(steps) else []
    name = {id(stage): word for stage, word in zip(plan.stages, names, strict=False)}
    columns = (
        (_("When"), lambda stage: dated(stage.begins) if stage.begins else _(UNKNOWN)),
        (_("Step"), lambda stage: name.get(id(stage)) or stage.step or first),
        (_("Full"), lambda stage: _known(stage.fill_after, "{:.0f} %")),
        (_("80 % on"), lambda stage: dated(stage.full_on) if stage.full_on else ""),
        (_("Survives"), lambda stage: stage.failures_survived),
        ("AVAIL", lambda stage: binary(stage.most_avail_bytes)),
        ("SIZE", lambda stage: binary(stage.pool_size_bytes)),
        ("USED", lambda stage: _(UNKNOWN) if stage.used_bytes is None else binary(stage.used_bytes)),
        (_("Spent"), lambda stage: _known(stage.spent)),
    )
    yield report.listed(plan.stages, *columns, right=(2, 4, 5, 6, 7, 8))
    minds = (note.text for stage in plan.stages[1:] for note in stage.notes if note.level is NoteLevel.WARN)
    yield from report.warnings(*minds, unknown=_missing(plan.question))
    for number, stage in enumerate(plan.stages[1:], start=1):
        yield report.Behind(report.WHY, _stage_blocks(number, stage))
        if with_commands:
            yield stage.refusal
            yield from report.code(commands_text(plan, number))
    if plan.problem is not None:
        yield ""
        yield f"{plan.problem.number + 1}. {steps[plan.problem.number]}: {plan.problem.text}"
    yield from report.endings(report.MORE, "--compare", "" if with_commands or not steps else "--commands")


# What tells of no day on which the pool is full.
def _missing(question: growth.GrowthQuestion) -> Iterator[str]:
    needed = {"--used 10TiB": question.used_bytes, "--growth 20": question.growth}  # for machines
    if missing := [option for option, value in needed.items() if value is None]:
        yield _("When it is full is not known without {options}", options=", ".join(missing))


def _in_short(design: Design, plan: growth.GrowthPlan) -> report.Answer:
    first, last = plan.stages[0], plan.stages[-1]
    text = _("{pool}: {size} usable", pool=design.pool_name, size=binary(first.usable_bytes))
    words = {"pool": design.pool_name, "size": binary(first.usable_bytes)}
    if (first.fill_after or 0) > PLAN_FILL_PERCENT:
        text = _("{pool}: {size}, {percent} % full already", percent=round(first.fill_after or 0), **words)
    elif first.full_on is not None:
        text = _("{pool}: {size}, 80 % full on {day}", day=first.full_on, **words)
    if _overfull(first):
        text = overfull_words(first.used_bytes or 0, first.usable_bytes or 0).rstrip(".。")
    elif first.usable_bytes is None:
        text = _("{pool}: unknown how much it holds; read zpool list -v -p for the sizes", pool=design.pool_name)
    elif last is not first:
        text = _("{text}; with the planned steps {size}", text=text, size=binary(last.usable_bytes))
        text = f"{text}, {dated(last.full_on)}" if last.full_on is not None else text
    figures: dict[str, object] = {"usable_bytes": first.usable_bytes, "usable_bytes_at_the_end": last.usable_bytes}
    days = {"full_on": first.full_on and str(first.full_on), "full_on_at_the_end": last.full_on and str(last.full_on)}
    return report.Answer(text=sentence(text), figures=figures | days)


def _stage_blocks(number: int, stage: growth.Stage) -> report.Blocks:
    yield report.ReportHeading(text=f"{number}. {stage.step}: {describe(stage.capacity.layout)}", level=3)
    takes = expected = gain = ""
    if stage.work is not None:
        low, typical, high = stage.work.low, stage.work.typical, stage.work.high
        takes = _("takes {typical:.0f} hours ({low:.0f} to {high:.0f})", typical=typical, low=low, high=high)
    if stage.predictions is not None:
        speed, risk = stage.predictions.speed, stage.predictions.risk
        expected = _(
            "expected: reads {read}, writes {write}, pool loss {lost}",
            read=rate_text(speed.seq_read.typical), write=rate_text(speed.seq_write.typical),
            lost=loss_words(risk.probability, risk.disk_probability),
        )  # fmt: skip
    if stage.rewrite_gain_bytes:
        gain = _("Rewriting all old data would free {size}.", size=binary(stage.rewrite_gain_bytes))
    notes = (note.text for note in stage.notes if note.level is NoteLevel.NOTE)
    yield from report.bullets(takes, *growth.disks_bought(stage), expected, gain, *notes)


def _known(value: object, form: str = "{}") -> str:
    return _(UNKNOWN) if value is None else form.format(value)
