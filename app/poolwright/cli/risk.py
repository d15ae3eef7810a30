"""`poolwright risk`: how likely a pool is lost within a year, and what that figure is made of."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from math import expm1
from typing import Any

from poolwright.cli.batch import add_batch_option, add_vdev_option, flag, run_batch, vdev_texts
from poolwright.cli.machine import ASKED, MACHINE_KEYS, add_design_options, given_options
from poolwright.cli.output import print_json, print_line, print_table
from poolwright.cli.predictions import estimate_document, losses_document, other_causes_document
from poolwright.cli.risk_options import NUMBERS, conditions_of
from poolwright.domain import units
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.md_raid import parse_layout
from poolwright.domain.rates import members_read
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe
from poolwright.predict.drives import floor_of
from poolwright.predict.number_words import odds_text, with_band
from poolwright.predict.reliability import Risk, VdevRisk, yearly_loss
from poolwright.predict.risk_conditions import (
    BATCH_CORRELATION,
    DEFAULT_REPLACE_HOURS,
    DEFAULT_SPARE_HOURS,
    FULL_READS_PER_YEAR,
    RiskConditions,
)
from poolwright.predict.risk_words import advice_on, cause_words, loss_words
from poolwright.texts import tell, tell_counted

DEFAULT_SEED = 1
MOST_POOL_YEARS = 1_000_000_000
_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskQuestion:
    """One question: a layout, the conditions, and the years to simulate (None: none)."""

    layout: Layout
    conditions: RiskConditions
    pool_years: int | None
    seed: int


def configure(parser: argparse.ArgumentParser) -> None:
    add_vdev_option(parser)
    add_design_options(parser)
    parser.add_argument("--afr", metavar="PERCENT", help=tell("failures per hundred disk years (default: of --model)"))
    parser.add_argument("--model", metavar="NAME", help=tell("drive model: takes its rate from the drive statistics"))
    parser.add_argument("--support-afr", metavar="PERCENT", help=tell("the same for special and dedup vdevs"))
    parser.add_argument("--support-model", metavar="NAME", help=tell("drive model of special and dedup vdevs"))
    parser.add_argument(
        "--rebuild-hours",
        metavar="H",
        help=tell("from a failure to full redundancy (default: predicted, plus the wait)"),
    )
    parser.add_argument(
        "--replace-hours", metavar="H",
        help=tell("until a failed disk is replaced where no spare is free (default "
"{hours:g})", hours=DEFAULT_REPLACE_HOURS),
    )  # fmt: skip
    parser.add_argument("--spares", metavar="N", help=tell("hot spares (default: those in the layout)"))
    parser.add_argument(
        "--correlation",
        metavar="X",
        help=tell("failure rate of the others while a disk has failed (default 1: independent)"),
    )
    parser.add_argument(
        "--same-batch", action="store_true", default=None,
        help=tell("the disks come from one batch: correlation {correlation:g}", correlation=BATCH_CORRELATION),
    )  # fmt: skip
    parser.add_argument("--read-error-rate", metavar="P", help=tell("unreadable bits per bit read, such as 1e-15"))
    parser.add_argument(
        "--media", choices=[m.value for m in Media], help=tell("of the data vdevs (default: the machine's, or hdd)")
    )
    parser.add_argument(
        "--fill",
        metavar="PERCENT",
        help=tell("how full the pool is (default {percent})", percent=units.PLAN_FILL_PERCENT),
    )
    parser.add_argument("--load", metavar="PERCENT", help=tell("share of the disks’ time that users take (default 0)"))
    parser.add_argument("--disk-write", metavar="RATE", help=tell("bytes/s one disk writes, such as 200MB"))
    parser.add_argument("--recordsize", metavar="SIZE", help=tell("of most of the data (default 128K)"))
    parser.add_argument(
        "--zfs",
        metavar="VERSION",
        help=tell("OpenZFS version (default: the machine's); since 0.8 a rebuild sorts its reads"),
    )
    parser.add_argument("--simulate", metavar="N", help=tell("also play N years of such pools"))
    parser.add_argument("--seed", metavar="N", help=tell("of the simulation (default {seed})", seed=DEFAULT_SEED))
    add_batch_option(parser)


def run(args: argparse.Namespace) -> int:
    """Answer one question or a batch of them, whose lines may leave out what the command line gives."""
    given = given_options(args)
    if args.batch is not None:
        return run_batch(args.batch, lambda line: document(_request({**given, **_dashed(line)})))
    request = _request(given)
    if args.json:
        print_json(document(request))
    else:
        _print(request)
    return 0


_OTHERS = (
    "vdev", "model", "support-model", "spares", "same-batch", "media", "disk-write", "recordsize", "simulate", "seed",
    "zfs", *sorted(MACHINE_KEYS), ASKED,
)  # fmt: skip


def _dashed(options: Mapping[str, object]) -> dict[str, object]:
    return {key.replace("_", "-"): value for key, value in options.items()}


def _request(raw: Mapping[str, object]) -> RiskQuestion:
    options = _dashed(raw)
    unknown = sorted(set(options) - {*NUMBERS, *_OTHERS, "json", "command", "batch"})
    if unknown:
        known = ", ".join(("vdev", "afr", "model", "rebuild-hours", "spares", "simulate"))
        raise UserError(
            tell("Unknown option {unknown}", unknown=", ".join(unknown)),
            todo=tell("Known are {known}; see risk --help.", known=known),
        )
    specs = vdev_texts(options)
    pool_years = flag(options, "simulate", 0) if options.get("simulate") is not None else None
    if pool_years is not None and not 0 < pool_years <= MOST_POOL_YEARS:
        raise UserError(
            tell("{count} pool years cannot be played", count=pool_years),
            todo=tell("Give 1 to {most:,}.", most=MOST_POOL_YEARS),
        )
    seed = flag(options, "seed", DEFAULT_SEED)
    if seed < 0:
        raise UserError(tell("A seed of {seed} is not possible", seed=seed), todo=tell("Give 0 or more."))
    layout = parse_layout(specs)
    for spec in layout:
        _check(spec)
    return RiskQuestion(layout=layout, conditions=conditions_of(options, layout), pool_years=pool_years, seed=seed)


def _check(spec: VdevSpec) -> None:
    """Refuse a vdev that OpenZFS would not make at all; raises UserError."""
    least = {VdevKind.STRIPE: 1, VdevKind.MIRROR: 2}.get(spec.kind, spec.parity + 1)
    if spec.kind is VdevKind.DRAID:
        least = spec.group_data + spec.parity + spec.draid_spares
    if spec.width < least or (spec.kind is VdevKind.DRAID and spec.group_data < 1):
        raise UserError(
            tell("{word} needs at least {least} disks, not {width}", word=spec.word, least=least, width=spec.width),
            where=str(spec),
        )


def document(request: RiskQuestion) -> dict[str, object]:
    """Return the answer as the JSON object that product.md promises."""
    risk = yearly_loss(request.layout, request.conditions)
    answer: dict[str, object] = {
        "vdev": [str(spec) for spec in request.layout],
        **losses_document(risk),
        "mttdl_hours": risk.mttdl_hours,
        "terms": risk_terms(risk),
        "other_causes": other_causes_document(request.conditions.causes),
        "floor": estimate_document(floor_of(request.conditions.causes)),
        "assumptions": [{"name": n, "value": v, "why": w} for n, v, w in assumptions_of(request.conditions, risk)],
        "definitions": {
            "loss": tell(
                "more members of a data, special or dedup vdev failed at a time than it survives: the pool is gone"
            ),
            "damage": tell("loss, or a block that no disk can give back: its file is damaged, the pool lives"),
            "other_causes": tell("the wrong disk pulled, failures with a common cause, controller, software, operator"),
            "mttdl_hours": tell("from failures of disks alone"),
        },
    }
    if request.pool_years is not None:
        answer["simulation"] = simulation_document(risk, pool_years=request.pool_years, seed=request.seed)
    return answer


def _print(request: RiskQuestion) -> None:
    answer = document(request)
    risk = yearly_loss(request.layout, request.conditions)
    print_line(describe(request.layout))
    print_line(f"  {members_read(request.layout)}")
    floor = _words(floor_of(request.conditions.causes))
    for name, told in (
        (tell("pool lost within a year"), _words(risk.loss)),
        ("  " + tell("from disks alone"), _words(risk.disk_loss)),
        (tell("any data lost"), _words(risk.damage)),
        ("  " + tell("from disks alone"), _words(risk.disk_damage)),
        (tell("never less than"), tell("{odds}, whatever the layout", odds=floor)),
    ):
        print_line(f"  {name:<26}{told}")
    if advice := advice_on(risk.disk_probability):
        print_line(f"  {advice}")
    print_line()
    rows = [
        (
            f"{count} × {label(vdev)}" if count > 1 else label(vdev),
            f"{vdev.drive.typical:.2f} %",
            tell("none") if vdev.rebuild is None else f"{vdev.rebuild.typical:.1f} h",
            tell("none") if vdev.repair is None else f"{vdev.repair.typical:.1f} h",
            loss_words(-expm1(vdev.log_kept_of_all * count), -expm1(vdev.log_kept * count)),
        )
        for vdev, count in risk.vdevs
    ]
    print_table(
        (tell("vdevs"), tell("AFR"), tell("rebuild"), tell("until redundant"), tell("lost a year")),
        rows,
        right=frozenset({1, 2, 3, 4}),
    )
    for origin in dict.fromkeys(str(vdev.drive.origin) for vdev, _ in risk.vdevs):
        print_line(tell("failure rate: {origin}", origin=origin))
    for cause in request.conditions.causes.all:
        print_line(
            tell(
                "other cause {name} = {cause}, {basis}: {means}",
                name=cause.name,
                cause=cause_words(cause),
                basis=tell(cause.basis),
                means=tell(cause.means),
            )
        )
    for name, value, why in assumptions_of(request.conditions, risk):
        print_line(tell("assumed {name} = {value}: {why}", name=name, value=value, why=why))
    simulation = answer.get("simulation")
    if isinstance(simulation, dict):
        _print_simulation(simulation)


def _print_simulation(simulation: Mapping[str, Any]) -> None:
    print_line()
    print_line(
        tell_counted(
            "{count} pool year played (seed {seed}):",
            "{count} pool years played (seed {seed}):",
            simulation["pool_years"],
            seed=simulation["seed"],
        )
    )
    lost, damaged = simulation["lost"], simulation["damaged"]
    _print_played(tell_counted("{count} pool lost", "{count} pools lost", lost["pools"]), lost)
    _print_played(tell_counted("{count} pool damaged", "{count} pools damaged", damaged["pools"]), damaged)


def _print_played(pools: str, part: Mapping[str, Any]) -> None:
    """Print how many pools of a simulation ended so, and whether that is what the chain says."""
    share = with_band(*(f"{part[key]:.3g}" for key in ("typical", "low", "high")))
    agrees, chain = part["chain_within_interval"], part["chain"]
    told = (
        tell("{pools}: {share}, agrees with the chain’s {chain:.3g}", pools=pools, share=share, chain=chain)
        if agrees
        else tell("{pools}: {share}, differs from the chain’s {chain:.3g}", pools=pools, share=share, chain=chain)
    )
    print_line(f"  {told}")


def _words(estimate: Estimate) -> str:
    low, typical, high = (f"{_PERCENT * v:.3g} %" for v in (estimate.low, estimate.typical, estimate.high))
    odds = f", {odds_text(estimate.typical)}" if 0 < estimate.typical < 0.1 else ""
    return with_band(typical, low, f"{high}{odds}")


# What `poolwright risk` answers, as a JSON object: the terms of the risk, what it assumes, and the simulation.


def risk_terms(risk: Risk) -> list[dict[str, object]]:
    """Return what each kind of vdev contributes, largest first."""
    terms = []
    whole = sum(vdev.log_kept * count for vdev, count in risk.vdevs)
    for vdev, count in sorted(risk.vdevs, key=lambda part: part[0].log_kept * part[1]):
        terms.append(
            {
                "name": label(vdev),
                "vdevs": count,
                "disks": vdev.hazard.disks,
                "failures_survived": vdev.hazard.tolerated,
                "yearly_loss_probability": -expm1(vdev.log_kept * count),
                "yearly_loss_with_other_causes_probability": -expm1(vdev.log_kept_of_all * count),
                "share": vdev.log_kept * count / whole if whole else None,
                "mttdl_hours": vdev.mttdl_hours,
                "afr_percent": {
                    "low": vdev.drive.low,
                    "typical": vdev.drive.typical,
                    "high": vdev.drive.high,
                    "origin": str(vdev.drive.origin),
                },
                "rebuild_hours": None if vdev.rebuild is None else estimate_document(vdev.rebuild),
                "repair_hours": None if vdev.repair is None else estimate_document(vdev.repair),
                "spare_free_probability": vdev.spare_free,
                "unreadable_block_probability": vdev.hazard.unreadable if vdev.hazard.tolerated else None,
            }
        )
    return terms


def label(vdev: VdevRisk) -> str:
    spec = vdev.spec
    front = "" if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class.value} "
    if spec.kind is VdevKind.STRIPE:
        return front + tell("single disk")
    return front + tell("{word} of {width}", word=spec.word, width=spec.width)


def assumptions_of(conditions: RiskConditions, risk: Risk) -> list[tuple[str, object, str]]:
    """Return the name of each assumption, its value and what it means."""
    found: list[tuple[str, object, str]] = [
        (
            "correlation",
            conditions.correlation,
            tell("failure rate of a vdev’s other disks while one has failed; 1: independent"),
        ),
        ("hot_spares", risk.spares, tell("shared by the pool; free again when the failed disk has been replaced")),
        ("replace_hours", conditions.wait_hours, tell("until a failed disk is replaced where no spare is free")),
        (
            "spare_hours",
            conditions.spare_wait_hours,
            tell("until a spare takes over (assumed {hours:g})", hours=DEFAULT_SPARE_HOURS),
        ),
        (
            "fill_percent",
            conditions.rebuild.fill_percent,
            tell("how full the pool is: a rebuild copies what is in use"),
        ),
        (
            "load_percent",
            conditions.rebuild.load_percent,
            tell("share of the disks’ time that users take from a rebuild"),
        ),
        ("full_reads_per_year", FULL_READS_PER_YEAR, tell("of a vdev without redundancy: a scrub each month")),
        ("waiting_times", tell("exponential"), tell("failures and rebuilds; one rebuild at a time in a vdev")),
    ]
    errors: dict[VdevClass, float] = {}  # where the media of the vdevs differ, the most
    for vdev, _ in risk.vdevs:
        own = vdev.conditions.errors_per_bit(vdev.spec)
        errors[vdev.spec.vdev_class] = max(own, errors.get(vdev.spec.vdev_class, 0.0))
    for vdev_class, per_bit in errors.items():
        front = "" if vdev_class is VdevClass.DATA else f"{vdev_class.value}_"
        why = tell("the data sheets’ upper bound unless it was given")
        found.append((f"{front}read_errors_per_bit", per_bit, why))
    return found


def simulation_document(risk: Risk, *, pool_years: int, seed: int) -> dict[str, object]:
    """Play so many years of failing disks and return what was lost, beside what the chain says of them."""
    from poolwright.predict.montecarlo import Share, simulate

    played = simulate(risk.hazards, pool_years=pool_years, seed=seed)

    def share(found: Share, expected: float) -> dict[str, object]:
        low, high = found.interval()
        return {
            "pools": found.hits,
            "low": low,
            "typical": found.probability,
            "high": high,
            "chain": expected,
            "chain_within_interval": low <= expected <= high,
        }

    return {
        "pool_years": played.pool_years,
        "seed": played.seed,
        "confidence_percent": 95,
        "lost": share(played.lost, risk.disk_probability),
        "damaged": share(played.damaged, risk.disk_damage.typical),
    }
