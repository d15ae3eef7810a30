"""The score of a layout for a goal, in terms a person can read: up to 100 points, less what the rules deduct."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import inf, log2, log10, sqrt

from poolwright.capacity.vdev import DEFLATE_BLOCK_BYTES, allocated_bytes
from poolwright.domain.design import ScoreTerm
from poolwright.domain.finding import Finding, violated
from poolwright.domain.rates import rate_text
from poolwright.domain.units import KIB, MIB, binary
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assessment import Forecast
from poolwright.predict.media import DiskRates
from poolwright.predict.speed import Typical
from poolwright.texts import N_, _, ngettext

# What a score is made from.

# How much of a pool's space the workload's own blocks fill with data: `zfs list` counts all in blocks of 128 KiB.

DEFAULT_RECORD_BYTES = 128 * KIB
DEFAULT_VOLUME_BLOCK_BYTES = 16 * KIB
LARGE_RECORD_BYTES = MIB


def block_bytes(workload: Workload) -> int:
    """Return the size of block in which the workload's data will lie, before compression.

    What compression saves is no room to plan with: a block that shrinks is still rounded up to whole sectors.
    A volume's blocks have the size of its I/O; a database's records too. Other files have records of 1 MiB where
    they are read in such pieces, of 128 KiB otherwise, and one block of their own size where they are smaller.
    """
    io_bytes = workload.io_size_bytes
    if workload.volumes:
        return min(io_bytes or DEFAULT_VOLUME_BLOCK_BYTES, DEFAULT_RECORD_BYTES)
    if workload.preset == "database" and io_bytes is not None:
        return min(io_bytes, DEFAULT_RECORD_BYTES)
    if io_bytes is not None and io_bytes >= LARGE_RECORD_BYTES:
        return LARGE_RECORD_BYTES
    return min(DEFAULT_RECORD_BYTES, workload.typical_file_bytes or DEFAULT_RECORD_BYTES)


@lru_cache(maxsize=1 << 11)
def filled(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int, block: int) -> float:
    """Return the bytes of such blocks that a vdev holds for each byte that `zfs list` counts as usable."""
    usual = allocated_bytes(kind, width, parity, group_data, ashift, DEFLATE_BLOCK_BYTES) / DEFLATE_BLOCK_BYTES
    here = allocated_bytes(kind, width, parity, group_data, ashift, block) / block
    return usual / here


@dataclass(frozen=True, slots=True, kw_only=True)
class Ideal:
    """What all layouts of one medium are held against.

    ``clients`` work at once (None: plenty) and ``sequential_percent`` of what they do goes from start to end; they
    write in blocks of ``block_bytes``. ``disks`` counts every ticked disk, ``most_disks`` and ``raw_bytes`` those of
    the medium that has most bytes, ``own_bytes`` those of the data's medium; ``rates`` are those of one disk alone
    (``outpaced``: of a faster one, of a medium that could hold the data as well), ``most`` what so many disks as
    ``most_disks`` give as stripes on this host, ``network`` the bytes/s that reach clients.
    """

    goal: Goal
    clients: int | None
    sequential_percent: int | None
    block_bytes: int
    disks: int
    most_disks: int
    raw_bytes: int
    own_bytes: int
    rates: DiskRates
    outpaced: bool
    most: Typical
    network: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """The numbers of a layout, typical values.

    ``forecast`` is predicted of the main pool, ``speed`` of all pools that work side by side on disks of their own.
    ``failures_survived`` are those of the weakest pool; ``usable_bytes`` counts all pools, ``held_bytes`` is the room
    in them for blocks as the workload writes them. ``data_members`` are the disks in data vdevs, ``yearly_failures``
    the share of them that fails in a year. ``peers`` are further pools of equal rank, ``rests`` those of left-over
    space. ``any_loss`` is the yearly probability that any of the pools is lost by whatever cause, ``any_disk_loss`` by
    failures of disks alone (pools are taken as independent, what threatens the machine counts once), ``draid`` whether
    a pool has dRAID vdevs; ``taking`` is the number of shelves and controllers that take a pool with them,
    ``taking_least`` whether they may be more: that is known once the disks have places. So is which vdev has which
    disks of several models where they are not ``dealt`` in their order.
    """

    ideal: Ideal
    usable_bytes: int
    held_bytes: float
    failures_survived: int
    spares: int
    data_members: int
    yearly_failures: float
    forecast: Forecast
    speed: Typical
    any_loss: float
    any_disk_loss: float
    draid: bool
    peers: int = 0
    rests: int = 0
    taking: int = 0
    taking_least: bool = False
    dealt: bool = True


# What a further pool costs in care: names and quotas, and free space that is no longer shared.
POINTS_PER_FURTHER_POOL = 4.0
# Where nobody told what threatens a whole machine, the yearly probability below which better is not worth more points.
SAFE_LOSS = 1e-4
# Hours in a year in which some disk of the pool is being rebuilt, from which on fewer are not worth more points.
SHORT_REBUILD_HOURS = 24


@dataclass(frozen=True, slots=True)
class Weighing:
    """What a term can give for a goal: ``weight`` points where it is ideal, ``step`` less for each halving.

    The risk has a ``step`` for each power of ten instead. People feel ratios: half the space, twice the time.
    """

    name: str
    weight: float
    step: float


# The steps say what is exchanged for what (the guide, Ranking); the weights add up to 100. A goal leaves out what it
# does not ask for.
WEIGHTS: dict[Goal, tuple[Weighing, ...]] = {
    Goal.SAFETY: (
        Weighing("risk", 20, 3),
        Weighing("capacity", 55, 15),
        Weighing("rebuild", 15, 3),
        Weighing("streaming", 10, 2),
    ),
    Goal.CONCURRENT: (
        Weighing("reads", 40, 10),
        Weighing("writes", 20, 5),
        Weighing("capacity", 30, 10),
        Weighing("risk", 10, 2.5),
    ),
    Goal.SPEED: (Weighing("streaming", 65, 15), Weighing("capacity", 35, 10)),
    Goal.SPACE: (
        Weighing("capacity", 85, 60),
        Weighing("risk", 8, 1),
        Weighing("rebuild", 5, 1),
        Weighing("streaming", 2, 0.5),
    ),
}
# Many clients that read and write from start to end: films, backups. Between half of the I/O in order and all of it the
# weights pass from those above to these, so that no small change of the share turns the answer.
STREAMS = (
    Weighing("reads", 5, 1),
    Weighing("writes", 2.5, 0.5),
    Weighing("capacity", 42.5, 12),
    Weighing("risk", 30, 7),
    Weighing("streaming", 20, 4),
)
MOSTLY_RANDOM = 50
TITLES = {
    "risk": N_("Yearly risk of loss"),
    "capacity": N_("Usable capacity"),
    "rebuild": N_("Rebuild time"),
    "streaming": N_("Sequential speed"),
    "reads": N_("Random reads"),
    "writes": N_("Random writes"),
    "pools": N_("Further pools"),
}


def score(goal: Goal, measures: Measures, findings: Iterable[Finding]) -> float:
    """Return the score: what the terms give, less the deductions. The sum of the points of `score_terms`."""
    points = sum([max(0.0, _merit(one, measures)) for one in weighings(goal, measures.ideal.sequential_percent)])
    further = POINTS_PER_FURTHER_POOL * (measures.peers + measures.rests)
    return points - further - sum([amount for __, amount in _deductions(findings)])


def most_points(goal: Goal, sequential_percent: int | None, share: float) -> float:
    """Return what a layout that holds a ``share`` of the raw space scores at most."""
    lost = max(0.0, -log2(share)) if share > 0 else inf
    each = weighings(goal, sequential_percent)
    return sum([max(0.0, w.weight - (w.step * lost if w.name == "capacity" else 0.0)) for w in each])


def merit(goal: Goal, measures: Measures) -> float:
    """Return what the terms of a part of a layout give, below nought too: a small part of all disks has little space.

    Where its capacity had no points left, the other terms alone would say which part is the better one.
    """
    return sum([_merit(weighing, measures) for weighing in weighings(goal, measures.ideal.sequential_percent)])


def score_terms(goal: Goal, measures: Measures, findings: Iterable[Finding]) -> Iterator[ScoreTerm]:
    for weighing in weighings(goal, measures.ideal.sequential_percent):
        name, points = weighing.name, max(0.0, _merit(weighing, measures))
        why, share = _WHY[name](measures, f"{round(weighing.step, 1):g}"), points / weighing.weight
        yield ScoreTerm(name=name, title=_(TITLES[name]), points=points, weight=weighing.weight, value=share, why=why)
    further = POINTS_PER_FURTHER_POOL * (measures.peers + measures.rests)
    if further:
        why = _("{pools} pools to look after instead of one", pools=1 + measures.peers + measures.rests)
        yield ScoreTerm(name="pools", title=_(TITLES["pools"]), points=-further, why=why)
    for finding, amount in _deductions(findings):
        yield ScoreTerm(name=finding.rule_id, title=finding.title, points=-amount, why=finding.text)


@cache
def weighings(goal: Goal, sequential_percent: int | None) -> tuple[Weighing, ...]:
    """Return what is weighed for a goal, where so much of the I/O goes from start to end (None: not told)."""
    ordered = ((sequential_percent or 0) - MOSTLY_RANDOM) / (100 - MOSTLY_RANDOM)
    if goal is not Goal.CONCURRENT or ordered <= 0:
        return WEIGHTS[goal]
    mixed = {w.name: (w.weight * (1 - ordered), w.step * (1 - ordered)) for w in WEIGHTS[goal]}
    for one in STREAMS:
        weight, step = mixed.get(one.name, (0.0, 0.0))
        mixed[one.name] = (weight + one.weight * ordered, step + one.step * ordered)
    return tuple(Weighing(name, weight, step) for name, (weight, step) in mixed.items())


def _merit(weighing: Weighing, m: Measures) -> float:
    """Return what a term gives: its weight, less a step for each halving of what would be ideal."""
    if weighing.name == "risk":
        safe = m.forecast.floor or SAFE_LOSS  # no layout is safer than what threatens the whole machine
        lost = log10(max(m.any_loss, safe) / safe)
    else:
        share = _share(weighing.name, m)
        lost = -log2(share) if 0 < share < 1 else 0.0 if share >= 1 else inf
    return weighing.weight - weighing.step * lost


def _share(name: str, m: Measures) -> float:
    if name == "capacity":
        return m.held_bytes / m.ideal.raw_bytes
    if name == "rebuild":
        hours = _yearly_rebuild_hours(m)
        return 1.0 if hours <= SHORT_REBUILD_HOURS else SHORT_REBUILD_HOURS / hours
    if name == "streaming":
        reading, writing = _ideal_streaming(m)
        return sqrt(m.speed.seq_read / reading * (m.speed.seq_write / writing))
    if name == "reads":
        return m.speed.rand_read_iops / min(_ideal_operations(m), m.ideal.most.rand_read_iops)
    return m.speed.rand_write_iops / min(_ideal_operations(m), m.ideal.most.rand_write_iops)


def _yearly_rebuild_hours(m: Measures) -> float:
    """Return the hours in a year in which a disk of the data vdevs is being rebuilt: failures times hours of each."""
    return 0.0 if m.forecast.rebuild_hours is None else m.data_members * m.yearly_failures * m.forecast.rebuild_hours


def _why_risk(m: Measures, step: str) -> str:
    less = _("−{step} points per tenfold risk", step=step)
    if not m.taking:
        return _("{odds} that a pool is lost; {less}", odds=odds(m.any_loss), less=less)
    if m.taking_least:
        taken = _("lost with any of at least {count} shelves or controllers", count=m.taking)
    else:
        taken = ngettext(
            "lost with one shelf or controller", "lost with any of {count} shelves or controllers", m.taking
        )
    return _("{odds} that a pool is lost; {taken}; {less}", odds=odds(m.any_loss), taken=taken, less=less)


def _why_capacity(m: Measures, step: str) -> str:
    usable, raw, held = binary(m.usable_bytes), binary(m.ideal.own_bytes), round(m.held_bytes)
    if held == m.usable_bytes:
        told = _("{usable} usable of {raw} raw", usable=usable, raw=raw)
    else:
        words = {"usable": usable, "raw": raw, "held": binary(held), "block": binary(m.ideal.block_bytes)}
        told = _("{usable} usable of {raw} raw, room for {held} in blocks of {block}", **words)
    if m.ideal.own_bytes < m.ideal.raw_bytes:
        others = binary(m.ideal.raw_bytes)
        less = _("−{step} points per halving of the {raw} of other disks", step=step, raw=others)
    else:
        less = _("−{step} points per halving", step=step)
    return f"{told}; {less}"


def _why_rebuild(m: Measures, __: str) -> str:
    if m.forecast.rebuild_hours is None:
        return _("nothing to rebuild from")
    words = {"hours": m.forecast.rebuild_hours, "yearly": _yearly_rebuild_hours(m), "enough": SHORT_REBUILD_HOURS}
    return _("about {hours:.0f} h per disk, {yearly:.0f} h a year; up to {enough} h a year cost no points", **words)


def _why_streaming(m: Measures, __: str) -> str:
    reading, writing = (rate_text(rate) for rate in _ideal_streaming(m))
    read, write = (rate_text(rate) for rate in (m.speed.seq_read, m.speed.seq_write))
    # As many disks of the data's medium as there are of that with most bytes: the score asks that of every layout.
    alone = (
        _("{count} of the faster drives", count=m.ideal.most_disks)
        if m.ideal.outpaced
        else ngettext("{count} such disk", "{count} such disks", m.ideal.most_disks)
    )
    words = {"read": read, "write": write, "alone": alone, "reading": reading, "writing": writing}
    return _("without the network about {read} read and {write} written; {alone} alone: {reading}, {writing}", **words)


def _why_random(m: Measures, __: str, *, reads: bool) -> str:
    rate, most = (m.speed.rand_read_iops, m.ideal.most.rand_read_iops) if reads else (
        m.speed.rand_write_iops, m.ideal.most.rand_write_iops
    )  # fmt: skip
    ideal = min(_ideal_operations(m), most)
    told = (
        _("without the network about {rate:,.0f} random reads a second", rate=rate)
        if reads
        else _("without the network about {rate:,.0f} random writes a second", rate=rate)
    )
    alone = (
        _("the faster drives alone, on this host: {ideal:,.0f}", ideal=ideal)
        if m.ideal.outpaced
        else _("the disks alone, on this host: {ideal:,.0f}", ideal=ideal)
    )
    return f"{told}; {alone}"


# Why a term gives so many points; of some with the points that each halving costs.
_WHY: dict[str, Callable[[Measures, str], str]] = {
    "risk": _why_risk,
    "capacity": _why_capacity,
    "rebuild": _why_rebuild,
    "streaming": _why_streaming,
    "reads": partial(_why_random, reads=True),
    "writes": partial(_why_random, reads=False),
}


def _ideal_streaming(m: Measures) -> tuple[float, float]:
    """Return what all ticked disks would read and write one by one, in bytes/s."""
    return (
        m.ideal.rates.read_bytes_per_second * m.ideal.most_disks,
        m.ideal.rates.write_bytes_per_second * m.ideal.most_disks,
    )


def _ideal_operations(m: Measures) -> float:
    """Return the operations a second of all ticked disks, kept busy by the clients there are (a closed queue)."""
    disks, clients = m.ideal.most_disks, m.ideal.clients
    busy = disks if clients is None else disks * clients / (disks + clients - 1)
    return m.ideal.rates.iops * max(1.0, busy)


def bare_odds(probability: float) -> str:
    """Return a yearly probability in words: 3 % a year, 1 in 2,300,000 a year."""
    if probability >= 0.01:
        return f"{100 * probability:.0f} %"
    if probability < 1e-15:
        return _("less than 1 in 10^15")
    return _("1 in {count}", count=f"{float(f'{1 / probability:.2g}'):,.0f}")


def odds(probability: float) -> str:
    return _("{odds} a year", odds=bare_odds(probability))


def survives(survived: int) -> str:
    return (
        _("survives no failure")
        if survived == 0
        else ngettext("survives any {count} failure", "survives any {count} failures", survived)
    )


def _deductions(findings: Iterable[Finding]) -> Iterator[tuple[Finding, float]]:
    """Yield what violated rules deduct. A rule counts once, where it weighs most: vdevs of several sizes repeat it."""
    worst: dict[str, tuple[Finding, float]] = {}
    for finding in violated(findings):
        if finding.weight:
            amount = sum([amount for __, amount in finding.weight])
            known = worst.get(finding.rule_id)
            if known is None or amount > known[1]:
                worst[finding.rule_id] = (finding, amount)
    yield from worst.values()
