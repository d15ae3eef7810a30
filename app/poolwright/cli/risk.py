"""`poolwright risk`: how likely a pool is lost within a year, and what that figure is made of."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import expm1
from typing import Any

from poolwright.cli import machine as read
from poolwright.cli.as_json import json_list, json_of, json_value, loss_figures, risk_document
from poolwright.cli.options import REPORT, options, without_none
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Inventory
from poolwright.domain.rates import members_read
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, describe, parse_layout
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.report import WHY, Answer, Behind, Blocks, bullets, facts, table
from poolwright.predict import risk_conditions
from poolwright.predict.drives import PERCENT, FailureRate, floor_of, typed_rate
from poolwright.predict.number_words import advice_on, cause_words, loss_words, odds_text, vdev_words, with_band, within
from poolwright.predict.rebuild import RebuildConditions
from poolwright.predict.reliability import Risk, yearly_loss
from poolwright.table_library import load_drive_book
from poolwright.texts import N_, _, capital, ngettext, numeral

_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskAnswer:
    """The risk of a layout under its conditions, and what playing such pools came to."""

    layout: Layout
    conditions: risk_conditions.RiskConditions
    risk: Risk
    simulation: dict[str, Any] | None


def configure(parser: argparse.ArgumentParser) -> None:
    read.add_layout_options(parser)
    options(
        parser,
        "--afr --model --support-afr --support-model --rebuild-hours --replace-hours --spares --correlation "
        "--same-batch --read-error-rate --media --fill:risk --load --disk-write --recordsize:predict "
        f"--zfs --simulate --seed {REPORT} --batch",
        replace_hours={"hours": risk_conditions.DEFAULT_REPLACE_HOURS},
        same_batch={"correlation": risk_conditions.BATCH_CORRELATION},
        fill={"percent": units.PLAN_FILL_PERCENT},
        seed={"default": 1, "seed": 1},
    )


def run(args: argparse.Namespace) -> int:
    return read.answer_each(args, _judge, document, _blocks)


def _judge(args: argparse.Namespace) -> RiskAnswer:
    layout = parse_layout(args.vdev)
    for spec in layout:
        least = {VdevKind.STRIPE: 1, VdevKind.MIRROR: 2}.get(spec.kind, spec.parity + 1)
        if spec.kind is VdevKind.DRAID:
            least = spec.group_data + spec.parity + spec.draid_spares
        if spec.width < least or (spec.kind is VdevKind.DRAID and spec.group_data < 1):
            words = {"word": spec.word, "least": least, "width": spec.width}
            raise UserError(_("{word} needs at least {least} disks, not {width}", **words), where=str(spec))
    conditions = conditions_of(args, layout)
    risk, years = yearly_loss(layout, conditions), args.simulate
    played = None if years is None else simulation_document(risk, pool_years=years, seed=args.seed)
    return RiskAnswer(layout=layout, conditions=conditions, risk=risk, simulation=played)


def document(found: RiskAnswer) -> dict[str, object]:
    risk, causes = found.risk, found.conditions.causes
    more = "mttdl_hours terms@ other_causes@ floor@ assumptions@ definitions@"  # for machines
    answer = {"vdev": json_value(found.layout)} | risk_document(
        risk,
        more,
        terms=risk_terms(risk),
        # Each number with its source; shares are 0 to 1.
        other_causes=json_list(
            causes.all,
            "name low:g typical:g high:g unit@ basis means source",
            unit=lambda cause: "share" if cause.unit == PERCENT else cause.unit,
        ),
        floor=floor_of(causes),
        assumptions=[{"name": n, "value": v, "why": w} for n, v, w in assumptions_of(found.conditions, risk)],
        definitions={
            "loss": _(
                "more members of a data, special or dedup vdev failed at a time than it survives: the pool is gone"
            ),
            "damage": _("loss, or a block no disk can give back: its file is damaged"),
            "other_causes": _("the wrong disk pulled, failures with a common cause, controller, software, operator"),
            "mttdl_hours": _("from failures of disks alone"),
        },
    )
    return answer if found.simulation is None else {**answer, "simulation": found.simulation}


def _blocks(found: RiskAnswer) -> Blocks:
    risk, causes = found.risk, found.conditions.causes
    low, typical, high = (odds_text(value) for value in (risk.loss.low, risk.loss.typical, risk.loss.high))
    yield Answer(
        text=_("Pool loss: {typical} per year ({low} to {high}).", typical=typical, low=low, high=high),
        figures=loss_figures(risk.probability, risk.disk_probability),
    )
    alone = _("Disk failures alone: {odds}.", odds=odds_text(risk.disk_loss.typical))
    yield f"{alone} {advice_on(risk.disk_probability)}".rstrip()
    rows = [
        (
            f"{count} × {vdev_words(vdev.spec)}" if count > 1 else vdev_words(vdev.spec),
            numeral(vdev.drive.typical, ".2f", "%"),
            "-" if vdev.repairs.rebuild is None else numeral(vdev.repairs.rebuild.typical, ".1f", "h"),
            "-" if vdev.repair is None else numeral(vdev.repair.typical, ".1f", "h"),
            loss_words(-expm1(vdev.log_kept_of_all * count), -expm1(vdev.log_kept * count)),
        )
        for vdev, count in risk.vdevs
    ]  # fmt: skip
    floor = floor_of(causes)
    rows.append((_("whatever the layout"), "-", "-", "-", _("{odds} per year", odds=odds_text(floor.typical))))
    yield table((capital(_("vdevs")), "AFR", capital(_("resilver")), _("Exposed"), _("Loss")), rows, right=(1, 2, 3))
    yield ""
    yield _("Any data damaged: {odds} per year.", odds=odds_text(risk.damage.typical))
    if (second := risk.worst.second_failure) is not None:
        odds, note = odds_text(second.typical), within(risk.worst)
        yield _("Once a disk has failed, a second of its vdev fails too: {odds} ({note}).", odds=odds, note=note)
    if found.simulation is not None:
        yield from _simulation_blocks(found.simulation)
    yield Behind(WHY, _reasons(found))


def _reasons(found: RiskAnswer) -> Blocks:
    risk, causes = found.risk, found.conditions.causes
    yield f"{describe(found.layout)}, {members_read(found.layout)}"
    alone = _("… disk failures alone")
    yield facts(
        (_("Pool loss"), _words(risk.loss)),
        (alone, _words(risk.disk_loss)),
        (_("Any data damaged"), _words(risk.damage)),
        (alone, _words(risk.disk_damage)),
        (_("Never less than"), _words(floor_of(causes))),
    )
    for origin in dict.fromkeys(str(vdev.drive.origin) for vdev, __ in risk.vdevs):
        yield _("failure rate: {origin}", origin=origin)
    for cause in causes.all:
        yield _(
            "other cause {name} = {cause}, {basis}: {means}", name=cause.name, cause=cause_words(cause),
            basis=_(cause.basis), means=_(cause.means),
        )  # fmt: skip
    for name, value, why in assumptions_of(found.conditions, risk):
        yield _("assumed {name} = {value}: {why}", name=name, value=value, why=why)


def _simulation_blocks(found: dict[str, Any]) -> Blocks:
    yield ngettext(
        "{count} pool year played (seed {seed}):", "{count} pool years played (seed {seed}):",
        found["pool_years"], seed=found["seed"],
    )  # fmt: skip
    lost, damaged = found["lost"]["pools"], found["damaged"]["pools"]
    for pools, part in (
        (ngettext("{count} pool lost", "{count} pools lost", lost), found["lost"]),
        (ngettext("{count} pool damaged", "{count} pools damaged", damaged), found["damaged"]),
    ):
        share = with_band(*(numeral(part[key], ".3g") for key in ("typical", "low", "high")))
        agrees = N_("{pools}: {share}, agrees with the chain’s {chain:.3g}")
        differs = N_("{pools}: {share}, differs from the chain’s {chain:.3g}")
        words = agrees if part["chain_within_interval"] else differs
        yield from bullets(_(words, pools=pools, share=share, chain=part["chain"]))


def _words(estimate: Estimate) -> str:
    low, typical, high = (numeral(_PERCENT * v, ".3g", "%") for v in (estimate.low, estimate.typical, estimate.high))
    odds = f", {odds_text(estimate.typical)}" if 0 < estimate.typical < 0.1 else ""
    return with_band(typical, low, f"{high}{odds}")


# What `poolwright risk` answers, as a JSON object: the terms of the risk, what it assumes, and the simulation.


def risk_terms(risk: Risk) -> list[dict[str, object]]:
    whole = sum(vdev.log_kept * count for vdev, count in risk.vdevs)
    return [
        json_of(
            vdev,
            "name@ vdevs@ disks=hazard.disks failures_survived=hazard.tolerated yearly_loss_probability@ "
            "yearly_loss_with_other_causes_probability@ share@ mttdl_hours afr_percent=drive[low typical high origin] "
            "rebuild_hours=repairs.rebuild repair_hours=repair spare_free_probability=spare_free "
            "unreadable_block_probability@",
            name=vdev_words(vdev.spec),
            vdevs=count,
            yearly_loss_probability=-expm1(vdev.log_kept * count),
            yearly_loss_with_other_causes_probability=-expm1(vdev.log_kept_of_all * count),
            share=vdev.log_kept * count / whole if whole else None,
            unreadable_block_probability=vdev.hazard.unreadable if vdev.hazard.tolerated else None,
        )
        for vdev, count in sorted(risk.vdevs, key=lambda part: part[0].log_kept * part[1])
    ]


def assumptions_of(conditions: risk_conditions.RiskConditions, risk: Risk) -> Iterator[tuple[str, object, str]]:
    """Yield what is taken for granted: its name, value and why."""
    others_fail = _("failure rate of a vdev’s other disks while one has failed; 1: independent")
    takes_over = _("until a spare takes over (assumed {hours:g})", hours=risk_conditions.DEFAULT_SPARE_HOURS)
    reads, rebuild = risk_conditions.FULL_READS_PER_YEAR, conditions.rebuild
    yield "correlation", conditions.correlation, others_fail
    yield "hot_spares", risk.spares, _("shared by the pool; free again when the failed disk has been replaced")
    yield "replace_hours", conditions.wait_hours, _("until a failed disk is replaced where no spare is free")
    yield "spare_hours", min(conditions.spare_hours, conditions.wait_hours), takes_over
    yield "fill_percent", rebuild.fill_percent, _("how full the pool is: a rebuild copies what is in use")
    yield "load_percent", rebuild.load_percent, _("share of the disks’ time that users take from a rebuild")
    yield "full_reads_per_year", reads, _("of a vdev without redundancy: a scrub each month")
    yield "waiting_times", _("exponential"), _("failures and rebuilds; one rebuild at a time in a vdev")
    errors: dict[VdevClass, float] = {}  # where the media of the vdevs differ, the most
    for vdev, __ in risk.vdevs:
        own = vdev.conditions.errors_per_bit(vdev.spec)
        errors[vdev.spec.vdev_class] = max(own, errors.get(vdev.spec.vdev_class, 0.0))
    for vdev_class, per_bit in errors.items():
        front = "" if vdev_class is VdevClass.DATA else f"{vdev_class.value}_"
        yield f"{front}read_errors_per_bit", per_bit, _("the data sheets’ upper bound unless it was given")


def simulation_document(risk: Risk, *, pool_years: int, seed: int) -> dict[str, Any]:
    from poolwright.predict.montecarlo import simulate

    played = simulate(risk.hazards, pool_years=pool_years, seed=seed)
    found: dict[str, Any] = {"pool_years": played.pool_years, "seed": played.seed, "confidence_percent": 95}
    chains = {"lost": risk.disk_probability, "damaged": risk.disk_damage.typical}
    for name, chain in chains.items():
        share = getattr(played, name)
        low, high = share.interval()
        found[name] = {
            "pools": share.hits, "low": low, "typical": share.probability, "high": high, "chain": chain,
            "chain_within_interval": low <= chain <= high,
        }  # fmt: skip
    return found


# What the options of `poolwright risk` say of failing disks and rebuilds, and what a machine tells of its vdevs.

_OF_DISKS = ("afr", "model", "support_afr", "support_model", "media", "disk_write", "recordsize", "load", "zfs")
_OTHERS = ("rebuild_hours", "replace_hours", "spares", "correlation", "same_batch", "read_error_rate", "fill")


def conditions_of(args: argparse.Namespace, layout: Layout) -> risk_conditions.RiskConditions:
    """Return the conditions by the options of `risk`; another command has only some of them."""
    given = argparse.Namespace(**{**dict.fromkeys((*_OF_DISKS, *_OTHERS)), **vars(args)})
    design: Design | None = given.asked
    fill = units.PLAN_FILL_PERCENT if given.fill is None else given.fill
    if design is not None and all(getattr(given, name) is None for name in _OF_DISKS):
        known = risk_conditions.design_conditions(design, load_drive_book(), fill_percent=fill)
    else:
        known = _conditions_of_disks(given, layout, fill)
    batch = risk_conditions.BATCH_CORRELATION if given.same_batch else None
    conditions = {
        "rebuild_hours": given.rebuild_hours,
        "replace_hours": given.replace_hours,
        "spares": given.spares,
        "correlation": batch if given.correlation is None else given.correlation,
        "read_errors_per_bit": given.read_error_rate,
    }
    return replace(known, **without_none(conditions))


def _conditions_of_disks(args: argparse.Namespace, layout: Layout, fill: float) -> risk_conditions.RiskConditions:
    """Return what the disks of a machine say, or those of the fleet, and what the options say of disks."""
    machine = read.machine_of(args)
    given = None if args.zfs is None else args.zfs.version
    version = given or (machine.host.modelled if machine else None) or DEFAULT_VERSION

    def rebuild(disks: Sequence[Disk]) -> RebuildConditions:
        found = risk_conditions.rebuild_conditions(disks, version=version, fill_percent=fill)
        return replace(
            found,
            media=Media(args.media or found.media),
            write_bytes_per_second=args.disk_write,
            load_percent=found.load_percent if args.load is None else args.load,
            record_bytes=args.recordsize or found.record_bytes,
        )

    def of_data(disks: Sequence[Disk]) -> risk_conditions.MemberConditions:
        return risk_conditions.MemberConditions(drive=_drive(args.afr, args.model, disks), rebuild=rebuild(disks))

    def of_support(disks: Sequence[Disk]) -> risk_conditions.MemberConditions:
        drive = _support_drive(args, disks) or everything.drive
        return risk_conditions.MemberConditions(drive=drive, rebuild=RebuildConditions(media=Media.SSD))

    everything = of_data(() if machine is None else read.disks_of(machine, layout))
    support = () if machine is None else read.disks_of(machine, layout, read.SUPPORT)
    return risk_conditions.RiskConditions(
        drive=everything.drive,
        support_drive=_support_drive(args, support),
        rebuild=everything.rebuild,
        causes=load_drive_book().causes,
        of_data=_by_vdev(machine, layout, read.DATA, of_data),
        of_support=_by_vdev(machine, layout, read.SUPPORT, of_support),
    )


def _by_vdev(
    machine: Inventory | None,
    layout: Layout,
    classes: frozenset[VdevClass],
    found: Callable[[Sequence[Disk]], risk_conditions.MemberConditions],
) -> tuple[risk_conditions.MemberConditions, ...]:
    """Return the conditions of each of these vdevs; none where all are alike, or no machine is known."""
    if machine is None:
        return ()
    tops = [
        replace(spec, sizes=tuple(sorted(set(sizes))))
        for spec in layout
        if spec.vdev_class in classes
        for sizes in ([(size,) for size in spec.sizes] if spec.kind is VdevKind.STRIPE else [spec.sizes])
    ]
    known = {
        top.sizes: found(read.disks_of(machine, (top,), classes)) for top in {top.sizes: top for top in tops}.values()
    }
    return tuple(known[top.sizes] for top in tops) if len(set(known.values())) > 1 else ()


def _drive(afr: float | None, model: str | None, disks: Sequence[Disk]) -> FailureRate:
    """Return what was told, or the rate of the model, or of the machine's disks, or of the fleet."""
    if afr is not None:
        return typed_rate(afr)
    return risk_conditions.mean_rate(disks, load_drive_book()) if model is None else load_drive_book().rate(model)


def _support_drive(args: argparse.Namespace, disks: Sequence[Disk]) -> FailureRate | None:
    """Return the rate of special and dedup vdevs: --afr holds for all disks, --model only for those of the data."""
    if args.support_afr is not None or args.support_model is not None:
        return _drive(args.support_afr, args.support_model, ())
    return None if args.afr is not None else _drive(None, None, disks)
