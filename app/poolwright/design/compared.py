"""What stands in one column of a comparison: the figures of a ZFS design, or of md RAID 6, by name.

Rates of a design with several pools are those of its first pool, with the others in the note: pools that share disks
share their speed, and nobody reads one file from two pools. Space, cost and counts are of all pools together.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.design.evaluate import Evaluation
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import plan_only
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.inheritance import Resolver
from poolwright.domain.md_raid import MdRaid6
from poolwright.domain.money import Money
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind, describe
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import Cost
from poolwright.predict.groups import longest
from poolwright.predict.md_raid import NOT_MEASURED, Hindrance, zfs_creation, zfs_hindrance
from poolwright.predict.number_words import UNKNOWN, Unit, short_advice_on
from poolwright.predict.rebuild import rebuild_hours
from poolwright.predict.reliability import joined
from poolwright.texts import marked, tell

EXACT = Origin(kind=OriginKind.COMPUTED, source=marked("OpenZFS's own arithmetic"))
COUNTED = Origin(kind=OriginKind.COMPUTED, source=marked("counted over every set of disks that may fail at once"))
DESIGNED = Origin(kind=OriginKind.COMPUTED, source=marked("the design"))
JUDGED = Origin(kind=OriginKind.COMPUTED, source=marked("the rules"))


class ComparedKind(StrEnum):
    ZFS = "zfs"
    MD_RAID6 = "md-raid6"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value: an estimate, an exact number or sum, a text, or nothing known.

    ``currency`` is that of an estimate in money (None: nobody said which); ``note`` says why, or what to add.
    """

    number: float | None = None
    money: Money | None = None
    estimate: Estimate | None = None
    text: str | None = None
    origin: Origin | None = None
    currency: str | None = None
    note: str = ""

    @property
    def value(self) -> float | None:
        """Return the number that is compared: an estimate's typical value."""
        if self.money is not None:
            return float(self.money.amount)
        return self.number if self.estimate is None else self.estimate.typical

    @property
    def unit_of_money(self) -> str | None:
        """Return the currency of a sum or of an estimate in money."""
        return self.currency if self.money is None else self.money.currency

    @property
    def source(self) -> Origin | None:
        return self.origin if self.estimate is None else self.estimate.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    name: str
    cell: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSetting:
    """A property where it is set: ``place`` is “pool” or “dataset NAME”, a further pool's name before it."""

    place: str
    setting: Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRemark:
    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDesign:
    """A design in a comparison. ``key`` is unique in it; ``evaluation`` is that of a ZFS design, ``raid`` md RAID 6.

    ``badge`` says that disks of it are planned, in full and for little room; empty where all are real.
    """

    key: str
    title: str
    layout: str
    kind: ComparedKind
    figures: tuple[Figure, ...]
    settings: tuple[PlacedSetting, ...] = ()
    remarks: tuple[ColumnRemark, ...] = ()
    badge: tuple[str, str] = ("", "")
    evaluation: Evaluation | None = None
    raid: MdRaid6 | None = None

    def cell(self, name: str) -> Cell:
        """Return the value of a row; an empty cell where this kind of column has none."""
        return next((figure.cell for figure in self.figures if figure.name == name), Cell())


def layout_words(design: Design) -> str:
    """Return the vdevs of all pools in a few words; further pools with their name."""
    parts = []
    for number, pool in enumerate(design.pools()):
        words = describe(tuple(vdev.sizeless() for vdev in pool.vdevs)) if pool.vdevs else tell("no vdevs")
        parts.append(words if number == 0 else f"{pool.pool_name}: {words}")
    return "; ".join(parts)


def zfs_column(evaluation: Evaluation, *, title: str | None = None, key: str | None = None) -> ComparedDesign:
    design = evaluation.design
    figures = (
        *_shape(evaluation),
        *_space(evaluation),
        *_safety(evaluation),
        *_speed(evaluation),
        *hindrance_figures(_hindrance(evaluation)),
        *cost_figures(evaluation.cost),
        *_judgement(evaluation.findings),
    )
    disks = [design.disk(key) for key in design.used_keys()]
    problems = [pool.problem for pool in evaluation.pools if pool.problem]
    return ComparedDesign(
        key=key or design.key,
        title=title or design.name,
        layout=layout_words(design),
        kind=ComparedKind.ZFS,
        figures=figures,
        settings=tuple(_settings(design)),
        remarks=tuple(ColumnRemark(text=problem, source="OpenZFS") for problem in problems),
        badge=(plan_only(disks), plan_only(disks, short=True)),
        evaluation=evaluation,
    )


def exact(name: str, number: float | None, origin: Origin = EXACT, note: str = "") -> Figure:
    return Figure(name=name, cell=Cell(number=number, origin=origin if number is not None else None, note=note))


def predicted(name: str, estimate: Estimate | None, note: str = "", currency: str | None = None) -> Figure:
    """Return a predicted figure, or an unknown one; ``currency`` is that of a figure in money."""
    return Figure(name=name, cell=Cell(estimate=estimate, note=note, currency=currency))


def told(name: str, text: str, origin: Origin = DESIGNED) -> Figure:
    return Figure(name=name, cell=Cell(text=text, origin=origin))


def hindrance_figures(hindrance: Hindrance) -> tuple[Figure, ...]:
    why = tell("nobody measured it")
    found = (
        ("degraded_read", hindrance.degraded_read),
        ("degraded_write", hindrance.degraded_write),
        ("rebuild_read", hindrance.rebuild_read),
        ("rebuild_write", hindrance.rebuild_write),
    )
    return tuple(predicted(name, value, "" if value is not None else why) for name, value in found)


def cost_figures(cost: Cost | None) -> tuple[Figure, ...]:
    if cost is None:
        return tuple(
            exact(name, None) for name in ("purchase", "per_tb", "energy", "power", "replacements", "total_cost")
        )
    why = "" if cost.purchase is not None else cost.problem
    origin = cost.purchase_origin or EXACT
    unit = None if cost.purchase is None else cost.purchase.currency
    return (
        sum_of_money("purchase", cost.purchase, origin, why),
        sum_of_money("per_tb", cost.per_usable_tb, origin, why),
        predicted("energy", cost.energy_kwh),
        predicted("power", cost.power, "" if cost.power is not None else cost.problem, cost.power_currency),
        predicted("replacements", cost.replacements),
        predicted("total_cost", cost.total, "" if cost.total is not None else cost.problem, unit),
    )


def sum_of_money(name: str, money: Money | None, origin: Origin, note: str = "") -> Figure:
    return Figure(name=name, cell=Cell(money=money, origin=origin if money is not None else None, note=note))


def _shape(evaluation: Evaluation) -> Iterator[Figure]:
    design = evaluation.design
    pools = design.pools()
    yield told("layout", layout_words(design))
    yield told("goal", tell(design.workload.goal.value))
    yield told("version", str(design.version))
    yield told("ashift", ", ".join(dict.fromkeys(str(pool.ashift) for pool in pools)))
    yield exact("pools", len(pools), DESIGNED)
    yield exact("disks", len(design.used_keys()), DESIGNED)
    yield exact("spares", evaluation.spares, DESIGNED)


def _space(evaluation: Evaluation) -> Iterator[Figure]:
    capacities = evaluation.capacities
    why = "" if capacities is not None else _problem(evaluation)
    usable = evaluation.usable_bytes
    plan = None if usable is None else usable * PLAN_FILL_PERCENT // 100
    size = None if capacities is None else sum(capacity.pool_size_bytes for capacity in capacities)
    available: list[float | None] = [
        None if pool.capacity is None else pool.capacity.available_bytes for pool in evaluation.pools
    ]
    yield exact("usable", usable, note=why or _each(evaluation, available, Unit.BYTES))
    yield exact("plan", plan, note=why)
    yield exact("size", size, note=why)
    design = evaluation.design
    sizes = [design.disk(key).size_bytes for key in design.used_keys()]
    raw = sum(size for size in sizes if size is not None) if None not in sizes else None
    yield exact("raw", raw, DESIGNED)
    yield exact("usable_share", None if usable is None or not raw else usable / raw, note=why)


def _safety(evaluation: Evaluation) -> Iterator[Figure]:
    why = _problem(evaluation)
    yield exact("survived", evaluation.survived, COUNTED)
    few = tell("fewer disks than that hold data")
    for name, share in (("survives_two", evaluation.survives_two), ("survives_three", evaluation.survives_three)):
        yield exact(name, share, COUNTED, "" if share is not None else few)
    known = [pool.expected for pool in evaluation.pools]
    expected = [found for found in known if found is not None]
    if len(expected) < len(known):
        for name in ("loss", "disk_loss", "damage", "rebuild", "rebuild_empty", "rebuild_full", "scrub"):
            yield predicted(name, None, why)
    else:
        risk = joined([e.risk for e in expected], pools=len(expected))
        taken = tell("the loss of {units} takes it", units=", ".join(sorted(risk.units))) if risk.units else ""
        yield predicted("loss", risk.loss, taken or short_advice_on(risk.disk_probability))
        yield predicted("disk_loss", risk.disk_loss)
        yield predicted("damage", risk.damage)
        rebuilds = [e.rebuild for e in expected]
        none = tell("nothing to rebuild from") if None in rebuilds else ""
        shared = evaluation.disks_shared
        whole = [estimate for estimate in rebuilds if estimate is not None]
        yield predicted("rebuild", longest(whole, shared=shared) if not none else None, none)
        for name, fill in (("rebuild_empty", 0.0), ("rebuild_full", 100.0)):
            at = [_rebuild_at(e, fill) for e in expected]
            known_at = [estimate for estimate in at if estimate is not None]
            yield predicted(name, longest(known_at, shared=shared) if None not in at else None, none)
        yield predicted("scrub", longest([e.scrub for e in expected], shared=shared))
    yield predicted("creation", zfs_creation())


def _rebuild_at(expected: Assessment, fill_percent: float) -> Estimate | None:
    """Return the longest rebuild of a pool that is filled so far; None where a vdev has nothing to rebuild from."""
    found = []
    for spec, own in expected.conditions.by_vdev(expected.layout):
        if spec.vdev_class in HOLDS_THE_POOL:
            how = replace(own.rebuild_of(spec), fill_percent=fill_percent)
            onto_spare = spec.kind is VdevKind.DRAID and spec.draid_spares > 0
            found.append(rebuild_hours(spec, how, onto_spare=onto_spare))
    whole = [estimate for estimate in found if estimate is not None]
    return max(whole, key=lambda e: e.typical) if whole and len(whole) == len(found) else None


def _speed(evaluation: Evaluation) -> Iterator[Figure]:
    why = _problem(evaluation)
    takes: tuple[tuple[str, Unit, Callable[[Assessment], Estimate]], ...] = (
        ("seq_read", Unit.RATE, lambda e: e.speed.seq_read),
        ("seq_write", Unit.RATE, lambda e: e.speed.seq_write),
        ("itself_read", Unit.RATE, lambda e: e.itself.seq_read),
        ("itself_write", Unit.RATE, lambda e: e.itself.seq_write),
        ("rand_read", Unit.OPERATIONS, lambda e: e.speed.rand_read_iops),
        ("rand_write", Unit.OPERATIONS, lambda e: e.speed.rand_write_iops),
        ("sync_write", Unit.OPERATIONS, lambda e: e.speed.sync_write_iops),
    )
    main = evaluation.main.expected
    for name, unit, take in takes:
        if main is None:
            yield predicted(name, None, why)
            continue
        values = [None if p.expected is None else take(p.expected).typical for p in evaluation.pools]
        note = _each(evaluation, values, unit)
        yield predicted(name, take(main), note)


def _each(evaluation: Evaluation, values: list[float | None], unit: Unit) -> str:
    """Return the value of each pool in words; empty for a single pool."""
    if len(values) == 1:
        return ""
    names = (pool.design.pool_name for pool in evaluation.pools)
    pairs = zip(names, values, strict=True)
    return "; ".join(f"{name}: {tell(UNKNOWN) if v is None else unit.text(v)}" for name, v in pairs)


def _hindrance(evaluation: Evaluation) -> Hindrance:
    expected = evaluation.main.expected
    return NOT_MEASURED if expected is None else zfs_hindrance(expected.layout)


def _judgement(findings: tuple[Finding, ...] | None) -> Iterator[Figure]:
    names = (("blocks", Severity.BLOCK), ("warnings", Severity.WARN), ("notes", Severity.NOTE))
    if findings is None:
        for name in (*(name for name, _ in names), "cannot_tell"):
            yield exact(name, None, note=tell("not judged"))
        return
    counted = Counter(finding.severity for finding in findings if finding.outcome is Outcome.VIOLATED)
    for name, severity in names:
        yield exact(name, counted[severity], JUDGED)
    unsure = sum(finding.outcome is Outcome.CANNOT_TELL for finding in findings)
    yield exact("cannot_tell", unsure, JUDGED)


def _problem(evaluation: Evaluation) -> str:
    return " ".join(dict.fromkeys(pool.problem for pool in evaluation.pools if pool.problem))


def _settings(design: Design) -> Iterator[PlacedSetting]:
    for number, pool in enumerate(design.pools()):
        resolver, front = Resolver(pool), "" if number == 0 else f"{pool.pool_name}: "
        for setting in pool.pool_settings:
            yield PlacedSetting(place=tell("{front}pool", front=front), setting=setting)
        for dataset in pool.datasets:
            place = f"{front}{_dataset_words(dataset)}"
            if dataset.volume_bytes is not None:
                yield PlacedSetting(place=place, setting=Setting(name="volsize", value=str(dataset.volume_bytes)))
            for setting in resolver.written(dataset):
                yield PlacedSetting(place=place, setting=setting)


def _dataset_words(dataset: Dataset) -> str:
    if not dataset.name:
        return tell("root dataset")
    if dataset.volume_bytes is not None:
        return tell("volume {name}", name=dataset.name)
    return tell("dataset {name}", name=dataset.name)
