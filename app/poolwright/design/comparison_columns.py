"""What stands in one column of a comparison: the figures of a ZFS design, or of md RAID 6, by name.

Rates of a design with several pools are those of its first pool, with the others in the note: pools that share disks
share their speed, and nobody reads one file from two pools. Space, cost and counts are of all pools together.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from poolwright.capacity.md_raid import MdRaid6
from poolwright.capacity.pool import PoolCapacity
from poolwright.design.evaluate import Evaluation
from poolwright.design.rank import block_bytes
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import plan_only
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity, violated
from poolwright.domain.inheritance import Resolver
from poolwright.domain.money import Money
from poolwright.domain.units import DEFAULT_RECORD_BYTES, PLAN_FILL_PERCENT, binary
from poolwright.domain.vdev import HOLDS_THE_POOL, Layout, VdevKind, describe
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import Cost, price_of_reads
from poolwright.predict.degraded import LOSSES, OF, Losses
from poolwright.predict.groups import longest
from poolwright.predict.md_raid import zfs_creation
from poolwright.predict.measured_runs import Metric
from poolwright.predict.number_words import UNKNOWN, Unit, block_text, until_repaired, within
from poolwright.predict.rebuild import rebuild_hours
from poolwright.predict.speed import SpeedPrediction
from poolwright.predict.usage import block_efficiency
from poolwright.texts import N_, _

EXACT = Origin(kind=OriginKind.COMPUTED, source=N_("OpenZFS's own arithmetic"))
COUNTED = Origin(kind=OriginKind.COMPUTED, source=N_("counted over every set of disks that may fail at once"))
DESIGNED = Origin(kind=OriginKind.COMPUTED, source=N_("the design"))
JUDGED = Origin(kind=OriginKind.COMPUTED, source=N_("the rules"))


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
        return self.currency if self.money is None else self.money.currency

    @property
    def source(self) -> Origin | None:
        return self.origin if self.estimate is None else self.estimate.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRemark:
    text: str
    source: str


# What a column holds, by the name of its row.
Cells = dict[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDesign:
    """A design in a comparison. ``key`` is unique in it; ``evaluation`` is that of a ZFS design, ``raid`` md RAID 6.

    ``settings`` are by place (“pool” or “dataset NAME”, a further pool's name before it) and name. ``badge`` says that
    disks of it are planned; empty where all are real.
    """

    key: str
    title: str
    layout: str
    kind: ComparedKind
    cells: Cells
    settings: dict[tuple[str, str], Setting] = field(default_factory=dict)
    remarks: tuple[ColumnRemark, ...] = ()
    badge: str = ""
    evaluation: Evaluation | None = None
    raid: MdRaid6 | None = None

    @property
    def vdevs(self) -> Layout:
        """Return the vdevs to be drawn; arrays of md RAID 6 look as raidz2 does."""
        if self.raid is not None:
            return self.raid.as_raidz2()
        return self.evaluation.design.layout() if self.evaluation is not None else ()

    def cell(self, name: str) -> Cell:
        """Return the value of a row; an empty cell where this kind of column has none."""
        return self.cells.get(name, Cell())


def layout_words(design: Design) -> str:
    parts = []
    for number, pool in enumerate(design.pools()):
        words = describe(tuple(vdev.sizeless() for vdev in pool.vdevs)) if pool.vdevs else _("no vdevs")
        parts.append(words if number == 0 else f"{pool.pool_name}: {words}")
    return "; ".join(parts)


def zfs_column(evaluation: Evaluation) -> ComparedDesign:
    design = evaluation.design
    expected, slowed = evaluation.main.expected, degraded_loss_cells({}, _problem(evaluation))
    if expected is not None:
        slowed = slowed_cells(expected.degraded_losses(), expected.itself, expected.speed)
    cells = (
        _shape(evaluation)
        | _space(evaluation)
        | _safety(evaluation)
        | _speed(evaluation)
        | slowed
        | cost_cells(evaluation.cost, expected if len(evaluation.pools) == 1 else None)
        | _judgement(evaluation.findings)
    )
    disks = [design.disk(key) for key in design.used_keys()]
    problems = [pool.problem for pool in evaluation.pools if pool.problem]
    return ComparedDesign(
        key=design.key,
        title=design.name,
        layout=layout_words(design),
        kind=ComparedKind.ZFS,
        cells=cells,
        settings=_settings(design),
        remarks=tuple(ColumnRemark(text=problem, source="OpenZFS") for problem in problems),
        badge=plan_only(disks, short=True),
        evaluation=evaluation,
    )


def exact(number: float | None, origin: Origin = EXACT, note: str = "") -> Cell:
    return Cell(number=number, origin=origin if number is not None else None, note=note)


def predicted(estimate: Estimate | None, unknown: str = "", currency: str | None = None, note: str = "") -> Cell:
    """Return a predicted value, or an unknown one and why; ``currency`` is that of one in money."""
    return Cell(estimate=estimate, note=note if estimate is not None else unknown, currency=currency)


def degraded_loss_cells(lost: Losses, unknown: str) -> Cells:
    return {name: predicted(lost.get(name), unknown) for name in LOSSES}


def slowed_cells(lost: Losses, itself: SpeedPrediction, speed: SpeedPrediction) -> Cells:
    """Return what a pool loses with a disk out and in its resilver, each with what is left for its clients.

    ``itself`` is the pool's speed without the network, of which ``lost`` are shares.
    """
    cells = degraded_loss_cells(lost, _("nothing to rebuild from"))
    for name, share in lost.items():
        metric = OF[name.partition("_")[2]]
        left = itself.of(metric).typical * (1 - share.typical)
        left = min(left, speed.of(metric).typical)  # the network may let no more through anyway
        rate = f"{Unit.OPERATIONS.text(left)}/s" if metric is Metric.RAND_READ else Unit.RATE.text(left)
        cells[name] = replace(cells[name], note=_("{rate} left", rate=rate))
    return cells


def cost_cells(cost: Cost | None, expected: Assessment | None = None) -> Cells:
    """Return what a pool costs; ``expected`` where it is all that was paid for."""
    if cost is None:
        return {}
    origin = None if cost.purchase is None else cost.purchase_origin or EXACT
    unit = None if cost.purchase is None else cost.purchase.currency
    why = "" if cost.purchase is not None else cost.problem
    over = _("in {years:g} years", years=cost.years)
    reads = price_of_reads(cost, None if expected is None else expected.speed.rand_read_iops)
    asked = "" if expected is None else _("requests of {size}", size=binary(expected.load.asked_bytes))
    power = cost.power if cost.power_currency is not None else None  # a sum of no currency tells nobody anything
    return {
        "purchase": Cell(money=cost.purchase, origin=origin, note=why),
        "per_tb": Cell(money=cost.per_usable_tb, origin=None if cost.per_usable_tb is None else origin, note=why),
        "per_iops": predicted(reads, why, unit, asked),
        "energy": Cell(estimate=cost.energy_kwh, note=over),
        "power": predicted(power, cost.problem, cost.power_currency),
        "replacements": Cell(estimate=cost.replacements, note=over),
        "total_cost": predicted(cost.total, cost.problem, unit),
    }


def _shape(evaluation: Evaluation) -> Cells:
    design = evaluation.design
    pools = design.pools()
    words = {
        "layout": layout_words(design),
        "goal": _(design.workload.goal.value),
        "version": str(design.version),
        "ashift": ", ".join(dict.fromkeys(str(pool.known_ashift or _("not read")) for pool in pools)),
    }
    counts = {"pools": len(pools), "disks": len(design.used_keys()), "spares": evaluation.spares}
    return {name: Cell(text=text, origin=DESIGNED) for name, text in words.items()} | {
        name: exact(count, DESIGNED) for name, count in counts.items()
    }


def _space(evaluation: Evaluation) -> Cells:
    capacities, usable = evaluation.capacities, evaluation.usable_bytes
    why = "" if capacities is not None else _problem(evaluation)
    available = [None if pool.capacity is None else pool.capacity.available_bytes for pool in evaluation.pools]
    sizes = [disk.size_bytes for disk in evaluation.design.used_disks()]
    blocks = [block_bytes(pool.design.workload) for pool in evaluation.pools]
    of_blocks = ", ".join(dict.fromkeys(map(block_text, blocks)))
    raw = sum(size for size in sizes if size is not None) if None not in sizes else None
    return {
        "usable": exact(usable, note=why or _each(evaluation, available, Unit.BYTES)),
        "held": exact(None if capacities is None else sum(map(_held, capacities, blocks)), note=why or of_blocks),
        "plan": exact(None if usable is None else usable * PLAN_FILL_PERCENT // 100, note=why),
        "size": exact(None if capacities is None else sum(c.pool_size_bytes for c in capacities), note=why),
        "raw": exact(raw, DESIGNED),
        "usable_share": exact(None if usable is None or not raw else usable / raw, note=why),
    }


def _held(capacity: PoolCapacity, block: int) -> int:
    share = block_efficiency(capacity, block)[0] / block_efficiency(capacity, DEFAULT_RECORD_BYTES)[0]
    return round(capacity.available_bytes * share)


_OF_RISK = ("loss", "disk_loss", "common_loss", "damage", "second", "rebuild", "rebuild_empty", "rebuild_full", "scrub")


def _safety(evaluation: Evaluation) -> Cells:
    few = _("fewer disks than that hold data")
    shares = {"survives_two": evaluation.survives_two, "survives_three": evaluation.survives_three}
    cells = {"survived": exact(evaluation.survived, COUNTED), "creation": predicted(zfs_creation())}
    cells |= {name: exact(share, COUNTED, "" if share is not None else few) for name, share in shares.items()}
    expected, risk = [pool.expected for pool in evaluation.pools if pool.expected is not None], evaluation.risk
    if risk is None:
        return cells | dict.fromkeys(_OF_RISK, predicted(None, _problem(evaluation)))
    taken = _("the loss of {units} takes it", units=", ".join(sorted(risk.units))) if risk.units else ""
    rebuilds = {
        "rebuild": [e.rebuild for e in expected],
        "rebuild_empty": [_rebuild_at(e, 0.0) for e in expected],
        "rebuild_full": [_rebuild_at(e, 100.0) for e in expected],
    }
    none = _("nothing to rebuild from") if None in rebuilds["rebuild"] else ""
    return (
        cells
        | {
            "loss": Cell(estimate=risk.loss, note=taken),
            "disk_loss": predicted(risk.disk_loss),
            "common_loss": predicted(risk.common_loss, note=until_repaired(risk.worst)),
            "damage": predicted(risk.damage),
            "second": Cell(estimate=risk.worst.second_failure, note=within(risk.worst)),
            "scrub": predicted(longest([e.scrub for e in expected], shared=evaluation.disks_shared)),
        }
        | {
            name: Cell(estimate=_longest_known(found, shared=evaluation.disks_shared), note=none)
            for name, found in rebuilds.items()
        }
    )


def _longest_known(found: list[Estimate | None], *, shared: bool) -> Estimate | None:
    known = [estimate for estimate in found if estimate is not None]
    return longest(known, shared=shared) if len(known) == len(found) else None


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


# The rows of speeds: bytes a second, and operations a second.
RATES = ("seq_read", "seq_write", "itself_read", "itself_write")
OPERATIONS = ("rand_read", "rand_write", "sync_write")


def speeds_of(expected: Assessment) -> dict[str, Estimate]:
    speed, itself = expected.speed, expected.itself
    return {
        "seq_read": speed.seq_read,
        "seq_write": speed.seq_write,
        "itself_read": itself.seq_read,
        "itself_write": itself.seq_write,
        "rand_read": speed.rand_read_iops,
        "rand_write": speed.rand_write_iops,
        "sync_write": speed.sync_write_iops,
    }


def _speed(evaluation: Evaluation) -> Cells:
    main = evaluation.main.expected
    if main is None:
        return dict.fromkeys((*RATES, *OPERATIONS), predicted(None, _problem(evaluation)))
    of_pools = [None if pool.expected is None else speeds_of(pool.expected) for pool in evaluation.pools]

    def each(name: str) -> str:
        values = [None if speeds is None else speeds[name].typical for speeds in of_pools]
        return _each(evaluation, values, Unit.RATE if name in RATES else Unit.OPERATIONS)

    return {name: Cell(estimate=estimate, note=each(name)) for name, estimate in speeds_of(main).items()}


def _each(evaluation: Evaluation, values: Sequence[float | None], unit: Unit) -> str:
    """Return the value of each pool in words; empty for a single pool."""
    if len(values) == 1:
        return ""
    names = (pool.design.pool_name for pool in evaluation.pools)
    pairs = zip(names, values, strict=True)
    return "; ".join(f"{name}: {_(UNKNOWN) if v is None else unit.text(v)}" for name, v in pairs)


def _judgement(findings: tuple[Finding, ...] | None) -> Cells:
    if findings is None:
        return dict.fromkeys(("blocks", "warnings", "notes", "cannot_tell"), exact(None, note=_("not judged")))
    counted = Counter(finding.severity for finding in violated(findings))
    return {
        "blocks": exact(counted[Severity.BLOCK], JUDGED),
        "warnings": exact(counted[Severity.WARN], JUDGED),
        "notes": exact(counted[Severity.NOTE], JUDGED),
        "cannot_tell": exact(sum(finding.outcome is Outcome.CANNOT_TELL for finding in findings), JUDGED),
    }


def _problem(evaluation: Evaluation) -> str:
    return " ".join(dict.fromkeys(pool.problem for pool in evaluation.pools if pool.problem))


def _settings(design: Design) -> dict[tuple[str, str], Setting]:
    found: dict[tuple[str, str], Setting] = {}
    for number, pool in enumerate(design.pools()):
        resolver, front = Resolver(pool), "" if number == 0 else f"{pool.pool_name}: "
        placed = [(_("{front}pool", front=front), pool.pool_settings)]
        for dataset in pool.datasets:
            size = dataset.volume_bytes
            own = () if size is None else (Setting(name="volsize", value=str(size)),)
            placed.append((f"{front}{_dataset_words(dataset)}", (*own, *resolver.written(dataset))))
        for place, settings in placed:
            for setting in settings:
                found.setdefault((place, setting.name), setting)
    return found


def _dataset_words(dataset: Dataset) -> str:
    if not dataset.name:
        return _("root dataset")
    if dataset.volume_bytes is not None:
        return _("volume {name}", name=dataset.name)
    return _("dataset {name}", name=dataset.name)
