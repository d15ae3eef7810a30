"""The score of a layout for a goal, in terms a person can read: up to 100 points, less what the rules deduct."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import inf, log2, log10, sqrt

from poolwright.capacity.vdev import DEFLATE_BLOCK_BYTES, allocated_bytes
from poolwright.domain.design import ScoreTerm
from poolwright.domain.finding import Finding, violated
from poolwright.domain.rates import rate_text
from poolwright.domain.units import DEFAULT_RECORD_BYTES, KIB, MIB, binary
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assessment import Forecast
from poolwright.predict.media import DiskRates
from poolwright.predict.number_words import block_text
from poolwright.predict.speed import Typical
from poolwright.rules.presets import has_trait
from poolwright.texts import N_, _, before_colon, listed, ngettext, numeral, quoted

# What a score is made from.

# How much of a pool's space the workload's own blocks fill with data: `zfs list` counts all in blocks of 128 KiB.

DEFAULT_VOLUME_BLOCK_BYTES = 16 * KIB
LARGE_RECORD_BYTES = MIB


def block_bytes(workload: Workload) -> int:
    """Return the size of block in which the workload's data will lie, before compression.

    What compression saves is no room to plan with: a block that shrinks is still rounded up to whole sectors.
    A volume's blocks have the size of its I/O; records written by the page too. Other files have records of 1 MiB where
    they are read in such pieces, of 128 KiB otherwise, and one block of their own size where they are smaller.
    """
    io_bytes = workload.io_size_bytes
    if workload.volumes:
        return min(io_bytes or DEFAULT_VOLUME_BLOCK_BYTES, DEFAULT_RECORD_BYTES)
    if io_bytes is not None and has_trait(workload, "pages"):
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
    is how many of them fail in a year, ``spare_count`` how many spares the main pool has. ``any_loss`` is the yearly
    probability that any of the pools is lost by whatever cause, ``any_disk_loss`` by failures of disks alone (pools are
    taken as independent, what threatens the machine counts once), ``draid`` whether a pool has dRAID vdevs;
    ``single_points`` is the number of shelves and controllers that take a pool with them, ``more_single_points``
    whether they may be more: that is known once the disks have places. So is which vdev has which disks of several
    models where they are not ``dealt`` in their order.
    """

    ideal: Ideal
    usable_bytes: int
    held_bytes: float
    failures_survived: int
    pool_count: int
    spare_count: int
    data_members: int
    yearly_failures: float
    forecast: Forecast
    speed: Typical
    any_loss: float
    any_disk_loss: float
    draid: bool
    single_points: int = 0
    more_single_points: bool = False
    dealt: bool = True


# What a further pool costs in care: names and quotas, and free space that is no longer shared.
POINTS_PER_FURTHER_POOL = 4.0
# Where nobody told what threatens a whole machine, the yearly probability below which better is not worth more points.
SAFE_LOSS = 1e-4
# Hours in a year in which some disk of the pool is being rebuilt, from which on fewer are not worth more points.
SHORT_REBUILD_HOURS = 24


_TOLD_POINTS = 0.5  # of a term that decides


# What a term can give: the points where it is ideal, and the step, how many less for each halving; of the risk for each
# power of ten. People feel ratios: half the space, twice the time.
Weights = Mapping[str, tuple[float, float]]
# The steps say what is exchanged for what (the guide, Ranking); the points add up to 100. A goal leaves out what it
# does not ask for.
WEIGHTS: dict[Goal, Weights] = {
    Goal.SAFETY: {"risk": (20, 3.7), "capacity": (55, 15), "rebuild": (15, 3), "streaming": (10, 2)},
    Goal.CONCURRENT: {"reads": (40, 10), "writes": (20, 5), "capacity": (30, 10), "risk": (10, 2.5)},
    Goal.SPEED: {"streaming": (65, 15), "capacity": (35, 10)},
    Goal.SPACE: {"capacity": (85, 60), "risk": (8, 1), "rebuild": (5, 1), "streaming": (2, 0.5)},
}
# Many clients that read and write from start to end: films, backups. Between half of the I/O in order and all of it the
# weights pass from those above to these, so that no small change of the share turns the answer.
STREAMS: Weights = {
    "reads": (5, 1), "writes": (2.5, 0.5), "capacity": (42.5, 12), "risk": (30, 7), "streaming": (20, 4),
}  # fmt: skip
MOSTLY_RANDOM = 50


def speeds_that_count(workload: Workload) -> tuple[str, ...]:
    """Return the names of the speeds that such data wait for, as `Typical` has them, the weightiest first."""
    in_order, reads = workload.sequential_percent, workload.read_percent
    at_random = in_order is not None and in_order < MOSTLY_RANDOM
    if at_random or workload.goal is Goal.CONCURRENT:
        names = ["rand_read_iops", "sync_write_iops" if workload.sync_write_percent else "rand_write_iops"]
    else:
        names = ["seq_read", "seq_write"]
    return tuple(names if reads is None or reads >= 50 else reversed(names))


TITLES = {
    "risk": N_("Yearly risk of loss"),
    "capacity": N_("Usable capacity"),
    "rebuild": N_("Resilver time"),
    "streaming": N_("Sequential speed"),
    "reads": N_("Random reads"),
    "writes": N_("Random writes"),
    "pools": N_("Further pools"),
}


def score(measures: Measures, findings: Iterable[Finding]) -> float:
    """Return the score: what the terms give, less the deductions. The sum of the points of `score_terms`."""
    each = weights_for(measures.ideal.goal, measures.ideal.sequential_percent)
    points = sum([max(0.0, most - step * _halvings(name, measures)) for name, (most, step) in each.items()])
    further = POINTS_PER_FURTHER_POOL * (measures.pool_count - 1)
    return points - further - sum([amount for __, amount in deductions(findings)])


def most_points(goal: Goal, sequential_percent: int | None, share: float) -> float:
    """Return what a layout that holds a ``share`` of the raw space scores at most."""
    lost = max(0.0, -log2(share)) if share > 0 else inf
    each = weights_for(goal, sequential_percent)
    return sum([max(0.0, most - (step * lost if name == "capacity" else 0.0)) for name, (most, step) in each.items()])


def merit(measures: Measures) -> float:
    """Return what the terms of a part of a layout give, below nought too: a small part of all disks has little space.

    Where its capacity had no points left, the other terms alone would say which part is the better one.
    """
    each = weights_for(measures.ideal.goal, measures.ideal.sequential_percent)
    return sum([most - step * _halvings(name, measures) for name, (most, step) in each.items()])


def score_terms(measures: Measures, findings: Iterable[Finding]) -> Iterator[ScoreTerm]:
    for name, (most, step) in weights_for(measures.ideal.goal, measures.ideal.sequential_percent).items():
        points = max(0.0, most - step * _halvings(name, measures))
        why = _WHY[name](measures, numeral(round(step, 1), "g"))
        yield ScoreTerm(name=name, title=_(TITLES[name]), points=points, weight=most, value=points / most, why=why)
    further = POINTS_PER_FURTHER_POOL * (measures.pool_count - 1)
    if further:
        why = _("{pools} pools to look after instead of one", pools=measures.pool_count)
        yield ScoreTerm(name="pools", title=_(TITLES["pools"]), points=-further, why=why)
    for finding, amount in deductions(findings):
        yield ScoreTerm(name=finding.rule_id, title=finding.title, points=-amount, why=finding.text)


def lost_by(terms: Iterable[ScoreTerm], first: Iterable[ScoreTerm]) -> str:
    """Return under which title a layout lost most points beside the first; empty where nothing counts."""
    mine, theirs = ({term.name: term for term in one} for one in (first, terms))
    lost = {n: (mine[n].points if n in mine else 0) - (theirs[n].points if n in theirs else 0) for n in mine | theirs}
    worst = max(lost, key=lambda name: lost[name], default="")
    return quoted(before_colon((theirs | mine)[worst].title)) if lost.get(worst, 0) >= _TOLD_POINTS else ""


def against_words(first: Iterable[ScoreTerm], others: Iterable[Iterable[ScoreTerm]]) -> str:
    what = listed([*filter(None, dict.fromkeys(lost_by(terms, first) for terms in others))])
    return _("The others lose most points on {what}.", what=what) if what else ""


@cache
def weights_for(goal: Goal, sequential_percent: int | None) -> Weights:
    """Return what is weighed for a goal, where so much of the I/O goes from start to end (None: not told)."""
    ordered = ((sequential_percent or 0) - MOSTLY_RANDOM) / (100 - MOSTLY_RANDOM)
    if goal is not Goal.CONCURRENT or ordered <= 0:
        return WEIGHTS[goal]
    mixed = {name: (most * (1 - ordered), step * (1 - ordered)) for name, (most, step) in WEIGHTS[goal].items()}
    for name, (most, step) in STREAMS.items():
        weight, halving = mixed.get(name, (0.0, 0.0))
        mixed[name] = (weight + most * ordered, halving + step * ordered)
    return mixed


def _halvings(name: str, m: Measures) -> float:
    """Return how often what would be ideal is halved; of the risk, how many powers of ten it is above what is safe."""
    if name == "risk":
        safe = m.forecast.floor or SAFE_LOSS  # no layout is safer than what threatens the whole machine
        return log10(max(m.any_loss, safe) / safe)
    if name == "capacity":
        share = m.held_bytes / m.ideal.raw_bytes
    elif name == "rebuild":
        hours = m.yearly_failures * (m.forecast.rebuild_hours or 0.0)
        share = SHORT_REBUILD_HOURS / max(SHORT_REBUILD_HOURS, hours)
    elif name == "streaming":
        reading, writing = _ideal_streaming(m)
        share = sqrt(m.speed.seq_read / reading * (m.speed.seq_write / writing))
    elif name == "reads":
        share = m.speed.rand_read_iops / min(_ideal_operations(m), m.ideal.most.rand_read_iops)
    else:
        share = m.speed.rand_write_iops / min(_ideal_operations(m), m.ideal.most.rand_write_iops)
    return -log2(share) if 0 < share < 1 else 0.0 if share >= 1 else inf


def _why_risk(m: Measures, step: str) -> str:
    less = _("−{step} points per tenfold risk", step=step)
    if not m.single_points:
        return _("{odds} a year that a pool is lost; {less}", odds=odds(m.any_loss), less=less)
    if m.more_single_points:
        taken = _("lost with any of at least {count} shelves or controllers", count=m.single_points)
    else:
        taken = ngettext(
            "lost with one shelf or controller", "lost with any of {count} shelves or controllers", m.single_points
        )
    return _("{odds} a year that a pool is lost; {taken}; {less}", odds=odds(m.any_loss), taken=taken, less=less)


def _why_capacity(m: Measures, step: str) -> str:
    usable, raw, held = binary(m.usable_bytes), binary(m.ideal.own_bytes), round(m.held_bytes)
    if held == m.usable_bytes:
        text = _("{usable} usable of {raw} raw", usable=usable, raw=raw)
    else:
        words = {"usable": usable, "raw": raw, "held": binary(held), "block": block_text(m.ideal.block_bytes)}
        text = _("{usable} usable of {raw} raw, room for {held} with {block} blocks", **words)
    if m.ideal.own_bytes < m.ideal.raw_bytes:
        others = binary(m.ideal.raw_bytes)
        less = _("−{step} points per halving of the {raw} of other disks", step=step, raw=others)
    else:
        less = _("−{step} points per halving", step=step)
    return f"{text}; {less}"


def _why_rebuild(m: Measures, __: str) -> str:
    hours = m.forecast.rebuild_hours
    if hours is None:
        return _("nothing to rebuild from")
    words = {"hours": hours, "yearly": m.yearly_failures * hours, "enough": SHORT_REBUILD_HOURS}
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
    text = (
        _("without the network about {rate:,.0f} random reads a second", rate=rate)
        if reads
        else _("without the network about {rate:,.0f} random writes a second", rate=rate)
    )
    alone = (
        _("the faster drives alone, on this host: {ideal:,.0f}", ideal=ideal)
        if m.ideal.outpaced
        else _("the disks alone, on this host: {ideal:,.0f}", ideal=ideal)
    )
    return f"{text}; {alone}"


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


def odds(probability: float) -> str:
    if probability >= 0.01:
        return f"{100 * probability:.0f} %"
    if probability < 1e-15:
        return _("less than 1 in 1000 trillion")
    return _("1 in {count}", count=numeral(float(f"{1 / probability:.2g}"), ",.0f"))


def survives(survived: int) -> str:
    some = ngettext("survives any {count} failure", "survives any {count} failures", survived)
    return some if survived else _("survives no failure")


def deductions(findings: Iterable[Finding]) -> Iterator[tuple[Finding, float]]:
    """Yield what violated rules deduct. A rule counts once, where it weighs most: vdevs of several sizes repeat it."""
    worst: dict[str, tuple[Finding, float]] = {}
    for finding in violated(findings):
        if finding.weight:
            amount = sum([amount for __, amount in finding.weight])
            known = worst.get(finding.rule_id)
            if known is None or amount > known[1]:
                worst[finding.rule_id] = (finding, amount)
    yield from worst.values()
