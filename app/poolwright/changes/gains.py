"""What a change to an existing pool would bring, as far as arithmetic and the models can tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from poolwright.changes.as_design import PoolDesign
from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.finding import Finding
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.predict.drives import DriveBook
from poolwright.predict.number_words import odds_text
from poolwright.texts import marked, tell

_LONE_SUPPORT = ("redundancy.special-bare", "redundancy.special-weaker")
_NO_SPARE = ("spares.none-for-safety", "spares.too-few")
_LEAST_CHANGE = 1.05  # less is within what the model can tell
_MODEL = Origin(kind=OriginKind.PREDICTED, source=marked("the risk model, this pool with and without the change"))
_COMPUTED = Origin(kind=OriginKind.COMPUTED, source=marked("computed from the sizes that were read"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGain:
    """What a change brings, in a sentence, and where the number comes from."""

    text: str
    origin: Origin


def gains_of(
    findings: Sequence[Finding], made: PoolDesign, known: ExistingPool, drives: DriveBook | None, today: date
) -> Iterator[tuple[str, ChangeGain]]:
    """Yield, for each rule whose advice can be reckoned, what following it would bring."""
    rules = {finding.rule_id for finding in findings}
    for full in sorted(rules.intersection(("existing.full", "existing.nearly-full"))):
        gain = _to_free(known)
        if gain is not None:
            yield full, gain
    if "existing.expanded" in rules:
        gain = _written_anew(made, known)
        if gain is not None:
            yield "existing.expanded", gain
    for finding in findings:
        if finding.rule_id == "datasets.record-wasteful":
            gain = _stored(finding)
            if gain is not None:
                yield finding.rule_id, gain
    if drives is None or not made.sizes_known:
        return
    for rule in sorted(rules):
        changed = _changed(rule, made.design)
        gain = None if changed is None else _safer(made.design, changed, drives, today)
        if gain is not None:
            yield rule, gain


def _to_free(known: ExistingPool) -> ChangeGain | None:
    size, used = known.number("size"), known.number("allocated")
    if not size or used is None:
        return None
    over, room = used - size * PLAN_FILL_PERCENT // 100, used * 100 // PLAN_FILL_PERCENT - size
    if over <= 0:
        return None
    words = {"over": binary(over), "room": binary(room), "percent": PLAN_FILL_PERCENT}
    text = tell("With {over} freed, or vdevs of {room} more, it is at {percent} %.", **words)
    return ChangeGain(text=text, origin=_COMPUTED)


def _written_anew(made: PoolDesign, known: ExistingPool) -> ChangeGain | None:
    """Return what the data of expanded vdevs take less when all of it has the parity of the present width."""
    freed = Fraction(0)
    for vdev, node in zip(made.design.vdevs, made.nodes, strict=True):
        sizes = known.vdev(node.name)
        width, parity = len(vdev.members), vdev.parity
        born = width - (sizes.expansions or 0 if sizes is not None else 0)
        if sizes is not None and sizes.allocated_bytes and parity < born < width:
            # Raw bytes for each byte of data: width / (width - parity).
            freed += sizes.allocated_bytes * (1 - Fraction(width * (born - parity), born * (width - parity)))
    if freed < 1:
        return None
    text = tell("Written anew, what was stored before the expansion takes up to {room} less.", room=binary(int(freed)))
    return ChangeGain(text=text, origin=_COMPUTED)


def _stored(finding: Finding) -> ChangeGain | None:
    facts = {fact.name: fact.value for fact in finding.facts}
    stored, nominal = facts.get("dataset.stored_percent"), facts.get("dataset.nominal_percent")
    if not isinstance(stored, int) or not isinstance(nominal, int) or not 0 < stored < nominal:
        return None
    text = tell(
        "With larger blocks the same data take down to {percent} % of the space.", percent=round(100 * stored / nominal)
    )
    return ChangeGain(text=text, origin=_COMPUTED)


def _changed(rule: str, design: Design) -> Design | None:
    if rule in _LONE_SUPPORT:
        return _with_mirrored_support(design)
    return _with_spare(design) if rule in _NO_SPARE else None


def _with_mirrored_support(design: Design) -> Design | None:
    """Return the design with each special and dedup vdev mirrored as often as the data bear failures."""
    least = min((v.failures_survived for v in design.vdevs if v.vdev_class is VdevClass.DATA), default=0)
    made: dict[str, Disk] = {}
    vdevs = []
    for vdev in design.vdevs:
        weak = vdev.vdev_class in HOLDS_THE_POOL and vdev.vdev_class is not VdevClass.DATA
        if not weak or vdev.failures_survived >= least or vdev.kind not in {VdevKind.STRIPE, VdevKind.MIRROR}:
            vdevs.append(vdev)
            continue
        sides = list(vdev.members)
        while len(sides) < least + 1:
            twin = _twin(design.disk(vdev.members[0].disk_key), f"side {len(sides)} {len(made)}")
            made[twin.key] = twin
            sides.append(replace(vdev.members[0], disk_key=twin.key))
        vdevs.append(replace(vdev, kind=VdevKind.MIRROR, members=tuple(sides)))
    return replace(design, vdevs=tuple(vdevs), disks=(*design.disks, *made.values())) if made else None


def _with_spare(design: Design) -> Design | None:
    data = [m for v in design.vdevs if v.vdev_class is VdevClass.DATA for m in v.members]
    if not data:
        return None
    largest = max((design.disk(m.disk_key) for m in data), key=lambda disk: disk.size_bytes or 0)
    twin = _twin(largest, "spare")
    spare = Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=(Member(disk_key=twin.key),))
    return replace(design, vdevs=(*design.vdevs, spare), disks=(*design.disks, twin))


def _twin(disk: Disk, name: str) -> Disk:
    return replace(disk, key=f"{disk.key} {name}", serial=None, by_id=(), path=None, wwn=None, planned=True, uses=())


def _safer(now: Design, then: Design, drives: DriveBook, today: date) -> ChangeGain | None:
    """Return how the yearly risk by all causes changes; None where the model cannot tell or sees no change."""
    try:
        before, after = (_risk(design, drives, today) for design in (now, then))
    except PoolwrightError:
        return None
    if before is None or after is None or after <= 0 or before / after < _LEAST_CHANGE:
        return None
    words = {"before": odds_text(before), "after": odds_text(after)}
    return ChangeGain(
        text=tell("The risk of losing the pool within a year falls from {before} to {after}.", **words), origin=_MODEL
    )


def _risk(design: Design, drives: DriveBook, today: date) -> float | None:
    expected = evaluate(design, drives=drives, today=today).main.expected
    return None if expected is None else expected.predictions.risk.probability
