"""Which disk goes into which vdev, so that the loss of a shelf, a controller or a bad delivery does least.

What is asked of an assignment, in this order: as few enclosures and controllers as possible whose loss takes more
members of a vdev than it tolerates; members as even as possible over enclosures, then over controllers, then over
deliveries (serials, power-on hours). Where nothing of this is known `groups.assignment_order` stands."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.groups import UNKNOWN, Label, assignment_order, equal_groups
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Health
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevSpec
from poolwright.rules.design_judge import delivery

# Disks of one model whose hours differ by no more than this began their life together.
SAME_START_HOURS = 48
# Deadly units, then the unevenness over enclosures, controllers and deliveries.
Score = tuple[int, int, int, int]
_Seats = list[tuple[int, int]]  # of each vdev its members, and how many of them may be missing


def spread(disks: Sequence[Disk], layout: Sequence[VdevSpec]) -> tuple[tuple[Disk, ...], ...]:
    """Return the disks of each vdev of ``layout``, in its order; disks beyond its members are left out.

    The disks are taken as interchangeable (equal size and media): give each such group its own call. Suspect and
    failing disks are the first to be left out. The answer depends on the disks alone, not on their order. With fewer
    disks than members the last vdevs stay short. A cache or spare vdev holds nothing and weighs nothing.
    """
    ordered, seats = assignment_order(disks), _seats(layout)
    for known, had, found in _recent:
        if had == seats and known == ordered:  # equal at once where they are the same objects
            return found
    fit, wanted = ordered, sum(width for width, __ in seats)
    # Suspect disks come last in the order: as many as can be spared are left out.
    while len(fit) > wanted and fit[-1].health in (Health.SUSPECT, Health.FAILING):
        fit = fit[:-1]
    fit = _of_the_first_models(fit, wanted)
    labels = _labels(fit)
    # Where drives have several parts only the order keeps these apart (see `assignment_order`).
    several = any(disk.body for disk in fit)
    if several or len(fit) < wanted or not _tell_apart(labels):
        left = iter(fit)
        rows = tuple(tuple(disk for _, disk in zip(range(width), left, strict=False)) for width, __ in seats)
    else:
        from poolwright.design.spread_search import Seats, distribute  # noqa: PLC0415 - most machines tell of no shelves

        dealt = distribute(labels, [Seats(*seat) for seat in seats])
        # Of disks that are alike in all of this a vdev takes neighbours, shelf by shelf: whoever pulls one counts bays.
        alike = [(label, disk.model or "") for label, disk in zip(labels, fit, strict=True)]
        free = {kind: iter(sorted(n for row in dealt for n in row if alike[n] == kind)) for kind in set(alike)}
        rows = tuple(tuple(fit[next(free[kind])] for kind in sorted(alike[n] for n in row)) for row in dealt)
    _recent.appendleft((ordered, seats, rows))
    return rows


# The same layout is asked about when it is shown, chosen and compared.
_recent: deque[tuple[tuple[Disk, ...], _Seats, tuple[tuple[Disk, ...], ...]]] = deque(maxlen=8)


def spread_score(placed: Sequence[Sequence[Disk]], layout: Sequence[VdevSpec]) -> Score:
    """Return how an assignment fares, smaller is better.

    (deadly enclosures and controllers, unevenness over enclosures, controllers, deliveries), where unevenness is the
    sum over vdevs and units of the square of the members that one vdev has in one unit.
    """
    from poolwright.design.spread_search import Seats, deadly_units, unevenness  # noqa: PLC0415 - as above

    everything, rows = _numbered(placed)
    labels = _labels(everything)
    uneven, seats = unevenness(rows, labels), [Seats(*seat) for seat in _seats(layout)]
    return len(deadly_units(rows, labels, seats)), uneven[0], uneven[1], uneven[2]


def _of_the_first_models(ordered: tuple[Disk, ...], wanted: int) -> tuple[Disk, ...]:
    """Return the disks to choose from; of several models, the first ``wanted`` with of the last of them the most even.

    Models fail at different rates, so how many of each hold data must not depend on the shelves they stand in: what is
    predicted of a pool before its disks are placed would be wrong of the placed ones.
    """
    if not 0 < wanted < len(ordered) or len({disk.model for disk in ordered}) < 2:
        return ordered
    last = ordered[wanted - 1].model
    chosen = [disk for disk in ordered[:wanted] if disk.model != last]
    shelves, controllers = Counter(d.enclosure for d in chosen), Counter(d.controller for d in chosen)
    free: dict[tuple[str | None, str | None], deque[Disk]] = {}
    for disk in ordered:
        if disk.model == last:
            free.setdefault((disk.enclosure, disk.controller), deque()).append(disk)
    while len(chosen) < wanted:
        unit = min(free, key=lambda unit: (shelves[unit[0]], controllers[unit[1]]))
        chosen.append(free[unit].popleft())
        shelves[unit[0]] += 1
        controllers[unit[1]] += 1
        if not free[unit]:
            del free[unit]
    return assignment_order(chosen)


def _numbered(placed: Sequence[Sequence[Disk]]) -> tuple[list[Disk], list[tuple[int, ...]]]:
    everything: list[Disk] = []
    rows = []
    for row in placed:
        rows.append(tuple(range(len(everything), len(everything) + len(row))))
        everything.extend(row)
    return everything, rows


def _seats(layout: Sequence[VdevSpec]) -> _Seats:
    return [
        (spec.width, spec.failures_survived if spec.vdev_class in HOLDS_THE_POOL else spec.width) for spec in layout
    ]


def _labels(disks: Sequence[Disk]) -> list[Label]:
    """Return for each disk the numbers of its enclosure, controller and delivery."""
    columns = (
        _numbers([disk.enclosure or None for disk in disks]),
        _numbers([disk.controller or None for disk in disks]),
        # A delivery of one says nothing, and would tell apart disks that are alike.
        _numbers(_deliveries(disks), least=2),
    )
    return list(zip(*columns, strict=True))


def _tell_apart(labels: Sequence[Label]) -> bool:
    return any(len(set(level)) > 1 for level in zip(*labels, strict=True))


def _numbers(names: Sequence[str | None], least: int = 1) -> list[int]:
    often = Counter(names)
    kept = sorted(name for name, count in often.items() if name is not None and count >= least)
    known = {name: number for number, name in enumerate(kept)}
    return [UNKNOWN if name is None else known.get(name, UNKNOWN) for name in names]


def _deliveries(disks: Sequence[Disk]) -> list[str | None]:
    """Return for each disk the delivery it seems to be of: by model and serial, else by model and power-on hours."""
    found: list[str | None] = [None] * len(disks)
    by_model: dict[str, list[tuple[int, int]]] = {}
    for number, disk in enumerate(disks):
        key = delivery(disk)
        if key is not None:
            found[number] = f"serial {key[0]} {key[1]}"  # for machines
        elif disk.model and disk.power_on_hours is not None:
            by_model.setdefault(disk.model, []).append((disk.power_on_hours, number))
    for model, read in by_model.items():
        first: int | None = None
        for hours, number in sorted(read):
            if first is None or hours - first > SAME_START_HOURS:
                first = hours
            found[number] = f"hours {model} {first}"  # for machines
    return found


# A design whose members are dealt anew over shelves, controllers and deliveries, its vdevs as they are.


def spread_design(design: Design) -> Design:
    """Return the design with the disks of its main pool exchanged among its vdevs where that spreads them better.

    Only whole disks of equal size and media change places, and only such as have one: disks without a place stay
    without. Partitions stay where they are. The design itself is returned where nothing would be better.
    """
    if not _tell_apart(_labels(design.disks)):
        return design
    by_key = {disk.key: disk for disk in design.disks}
    movable = [
        number
        for number, vdev in enumerate(design.vdevs)
        if vdev.members
        and all(m.slice_bytes is None and m.disk_key in by_key for m in vdev.members)
        and not _kept_apart(vdev, by_key)
    ]
    sliced = {m.disk_key for vdev in design.all_vdevs() for m in vdev.members if m.slice_bytes is not None}
    vdevs = list(design.vdevs)
    disks = [by_key[m.disk_key] for number in movable for m in vdevs[number].members]
    for group in equal_groups(disks):
        keys = {disk.key for disk in group.disks} - sliced
        own = [number for number in movable if all(m.disk_key in keys for m in vdevs[number].members)]
        if len({disk.model for disk in group.disks}) > 1:  # which of the models hold data is part of the layout
            own = [number for number in own if vdevs[number].vdev_class is not VdevClass.SPARE]
        if len(own) > 1:
            _deal(vdevs, own, by_key)
    return replace(design, vdevs=tuple(vdevs)) if tuple(vdevs) != design.vdevs else design


def _kept_apart(vdev: Vdev, by_key: dict[str, Disk]) -> bool:
    """Tell whether these are spares because they are suspect: no place for them among the data."""
    suspect = (Health.SUSPECT, Health.FAILING)
    return vdev.vdev_class is VdevClass.SPARE and any(by_key[m.disk_key].health in suspect for m in vdev.members)


def _deal(vdevs: list[Vdev], own: list[int], by_key: dict[str, Disk]) -> None:
    """Exchange the members of these vdevs where that scores better."""
    now = tuple(tuple(by_key[m.disk_key] for m in vdevs[number].members) for number in own)
    layout = tuple(vdevs[number].sizeless() for number in own)
    better = spread([disk for row in now for disk in row], layout)
    if spread_score(better, layout) >= spread_score(now, layout):
        return
    for number, row in zip(own, better, strict=True):
        vdevs[number] = replace(vdevs[number], members=tuple(Member(disk_key=disk.key) for disk in row))
