"""What the window says of the current design: exact capacity, failures survived, disks, cost, findings."""

from dataclasses import dataclass

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_devices
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import VdevClass
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook

_NEEDED = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)  # losing one of these loses the pool
_USUAL_SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The numbers of one design.

    ``capacity`` is None with the reason in ``problem`` where OpenZFS would refuse the pool. ``failures_survived``
    counts disks, whichever they are; None when a size is unknown. ``findings`` is None until the rules are loaded.
    """

    design: Design
    capacity: PoolCapacity | None
    problem: str
    failures_survived: int | None
    disks_used: int
    spares: int
    cost: float | None
    findings: tuple[Finding, ...] | None = None


def assess(design: Design, rules: RuleBook | None = None, unassigned_disks: int = 0) -> Assessment:
    """Return the numbers of ``design``, and its findings where there are ``rules``.

    ``unassigned_disks`` counts the disks that were offered but have no place in it. Never raises for a design that
    OpenZFS would refuse.
    """
    capacity, problem, survived, findings = None, "", None, None
    try:
        survived = min((v.failures_survived for v in design.layout() if v.vdev_class in _NEEDED), default=None)
        capacity = capacity_of(design)
    except PoolwrightError as error:
        problem = error.text
    if rules is not None and survived is not None:
        usable = capacity.available_bytes if capacity is not None else None
        findings = judge_design(rules, design, LayoutNumbers(usable_bytes=usable, unassigned_disks=unassigned_disks))
    used = len(design.used_keys())
    price = design.budget.price_per_disk
    return Assessment(
        design=design,
        capacity=capacity,
        problem=problem,
        failures_survived=survived,
        disks_used=used,
        spares=sum(len(v.members) for v in design.vdevs if v.vdev_class is VdevClass.SPARE),
        cost=price * used if price is not None else None,
        findings=findings,
    )


def capacity_of(design: Design) -> PoolCapacity:
    """Return the exact space of the design, each disk counted with its own sector size; errors as `predict_pool`."""
    placed: list[VdevDevices] = []
    for vdev, spec in zip(design.vdevs, design.layout(), strict=True):
        sectors = [design.disk(m.disk_key).logical_sector_bytes or _USUAL_SECTOR_BYTES for m in vdev.members]
        devices = [
            device_bytes(size, MemberKind.DISK, sector, design.version)
            for size, sector in zip(spec.sizes, sectors, strict=True)
        ]
        placed.append(VdevDevices(spec=spec, devices=tuple(devices)))
    return predict_devices(tuple(placed), ashift=design.ashift, version=design.version)
