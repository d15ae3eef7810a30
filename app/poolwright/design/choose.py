"""The order of what was found: floors first, then the score, then simplicity where scores are as good as equal."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf

from poolwright.design.candidate import Candidate, NamedAnswer
from poolwright.design.floors import DEPTH, Floor
from poolwright.design.groups import Packing
from poolwright.design.rank import SHORT_REBUILD_HOURS
from poolwright.domain.finding import Severity, violated
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.workload import Goal
from poolwright.texts import N_, _

# Scores within so many points are as good as equal: the models behind them are not better than that.
NEARLY_POINTS = 1.0
# How far behind the best a layout may be and still have a say in the choice: nearly as good (1), a dRAID instead of it
# or it instead of a dRAID (3), nearly as good as that (1). The rules are asked of all of these.
REACH_POINTS = 5.0
# dRAID comes first where it is better by more: between two multiples of a usual width raidz has spares or uneven vdevs,
# which cost it up to so much, and a pool of raidz is not given up for one disk more or less.
# That fades out towards so many disks: from there on rebuilds are what hurts, and dRAID is what they were made for.
DRAID_POINTS = 2.5
_DRAID_FADES, MANY_DISKS = 90, 100
# So many points are given up for it there.
MANY_POINTS = 3.0
# Layouts with so much less space than another are no longer taken for as good.
NEARLY_SPACE = 0.02
# So much space is given up for vdevs that are alike, where space is not the goal; nobody would give a fifth for them.
EVEN_SPACE = 0.125
# What many clients get of raidz vdevs of one parity: nearly the most room, or so many times its random reads. Widths of
# 3 to 5 differ by a point or two: a spare more or less would turn them round, and with them a tenth of the room.
MOST_ROOM, WORTH_READS = 0.98, 1.4
MOST_ALIKE = 100  # of one kind, by their scores, that are held against each other
# Mirrors of four and more sides give way to what holds so many times as much.
FAR_MORE_ROOM = 1.3
# A vdev so much smaller than the largest is left out where it adds less than this share, for no more than such points.
SCRAP, SCRAP_SPACE, SCRAP_POINTS = 0.25, 0.05, 5.0
# This share of the space, and of what many clients read, what outlasts each shelf has: it costs less than a third.
SHELF_SPACE = 2 / 3
# Layouts that miss a wish by so much more than the nearest are still taken for as near.
NEAR_WISH = 0.03
# A layout that misses a wish by no more than this is told beside the first choice.
NEAR_MISS = 0.10
# Disks for which a spare is worth having where it costs next to nothing.
DISKS_PER_SPARE = 40
# Widths that most administrators would name, by kind and parity: they have been run by many, and are what guides show.
_SIDES, _RAIDZ = (VdevKind.MIRROR, 0), VdevKind.RAIDZ
KNOWN_WIDTHS = {_SIDES: (2, 3), (_RAIDZ, 1): (3, 4, 5), (_RAIDZ, 2): (4, 6, 8, 10), (_RAIDZ, 3): (7, 8, 11)}

Key = tuple[float, ...]


def order(candidate: Candidate) -> Key:
    """Return what candidates are ranked by: those above the floors that keep to the wishes first.

    Then those above the floors, then those below them, the least deep first. Equal scores: more space, then fewer
    pools, then disks as spares rather than idle.
    """
    too_few = max(1, 2 - candidate.measures.failures_survived)
    below = sum([DEPTH[floor] * (too_few if floor is Floor.SURVIVES else 1) for floor in candidate.below])
    return (
        bool(below),
        bool(candidate.missed),
        below,
        -round(candidate.score, 6),
        -candidate.measures.usable_bytes,
        candidate.measures.pool_count,
        candidate.unassigned,
    )


class Shortlist:
    """Candidates of which the rules are asked when they are wanted, the best first: a rule only takes from a layout.

    ``judge`` returns a layout with what the rules find, None where they block it, and is asked once of each.
    """

    def __init__(self, judge: Callable[[Candidate], Candidate | None]) -> None:
        self._judge = judge
        self._found: dict[int, Candidate | None] = {}  # by identity, of what was asked about and of what came of it
        self._given: list[Candidate] = []  # held, so that no other takes the identity of one

    def of(self, candidate: Candidate, *, ask: bool = True) -> Candidate | None:
        """Return a candidate as it is known now; None where the rules block it."""
        if id(candidate) not in self._found:
            if not ask:
                return candidate
            self.put(candidate, self._judge(candidate))
        found = self._found[id(candidate)]
        return found if found is candidate or found is None else self.of(found)

    def put(self, candidate: Candidate, exact: Candidate | None) -> None:
        self._given += [candidate] if exact is None else [candidate, exact]
        self._found[id(candidate)] = exact
        if exact is not None:
            self._found.setdefault(id(exact), exact)

    def first(
        self, among: Iterable[Candidate], key: Callable[[Candidate], Key], number: int = 1, within: float | None = None
    ) -> list[Candidate]:
        """Return the first ``number`` by ``key``, the least first, and all ``within`` so many points of the first.

        What stands in front is asked about and put back with its new key until it still stands there: ``key`` may only
        grow by what the rules find.
        """
        waiting: list[tuple[Key, int, Candidate]] = [(key(c), at, c) for at, c in enumerate(among)]
        heapify(waiting)
        found: list[Candidate] = []
        while waiting:
            __, at, candidate = heappop(waiting)
            if len(found) >= number and (within is None or (found and candidate.score < found[0].score - within)):
                break
            exact = self.of(candidate)
            if exact is candidate:
                found.append(exact)
            elif exact is not None:
                heappush(waiting, (key(exact), at, exact))
        return found


JUDGED = Shortlist(lambda candidate: candidate)  # of layouts that were judged already


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The first choice among what was found. ``as_good`` are those nearly as good, and ``decided_by`` is why not them.

    ``ranked`` may follow it, ``short`` are layouts above the floors that miss a wish and may not, ``near`` those of
    them that miss it by little and would otherwise come before the first choice. ``nearest`` is the share of a wish
    up to which layouts count as equally near, where all miss one. `select` adds the ``named`` answers and the ``rows``
    of the list, which are some of the ``feasible``, and leaves of ``short`` the best of each family.
    """

    first: Candidate
    ranked: tuple[Candidate, ...]
    as_good: tuple[Candidate, ...] = ()
    decided_by: str = ""
    near: tuple[Candidate, ...] = ()
    short: tuple[Candidate, ...] = ()
    nearest: float = 0.0
    named: tuple[NamedAnswer, ...] = ()
    rows: tuple[Candidate, ...] = ()
    feasible: int = 0

    def rank(self, candidate: Candidate) -> Key:
        """Return what layouts follow the first choice by, those that miss a wish by how much they do."""
        share = 0.0 if candidate.below or candidate.missing_share <= self.nearest else candidate.missing_share
        return (candidate is not self.first, bool(candidate.below), round(share, 6), *order(candidate))


def choose(found: Sequence[Candidate], shortlist: Shortlist = JUDGED) -> Selection | None:
    """Return the first choice among layouts, and the layouts that stand beside it; None where rules block all.

    Where some keep to the floors and to the wishes, the best of them; where none does, those that keep to the floors
    are ranked by how near they come to the wishes, and those below the floors follow.
    """
    below = [c for c in found if c.below]
    kept, short = [c for c in found if not (c.below or c.missed)], [c for c in found if c.missed and not c.below]
    chosen = _first_of(kept, shortlist)
    if chosen is None:
        return _nearest(short, below, shortlist)
    first, decided, nearly = chosen
    others = {c.words: c for c in reversed(nearly)}  # the same words may say two ways to pack
    as_good = tuple(c for words, c in reversed(others.items()) if words != first.words)[:3]
    # The best dRAID beside a first choice without, or the other way round, where it is as good in points.
    unlike = shortlist.first([c for c in kept if c.measures.draid is not first.measures.draid], order)
    if unlike and unlike[0].score >= first.score - NEARLY_POINTS:
        as_good, decided = (*as_good[:2], unlike[0]), decided or (_NO_DRAID if unlike[0].measures.draid else _SCORE)
    better = [c for c in short if c.missing_share <= NEAR_MISS and c.score > first.score + NEARLY_POINTS]
    near = [c for c in shortlist.first(better, order, 3) if c.score > first.score + NEARLY_POINTS]
    return Selection(
        first=first,
        ranked=(*kept, *below),
        as_good=as_good,
        decided_by=_(decided) if as_good else "",
        near=tuple(near),
        short=tuple(short),
    )


def _nearest(short: Sequence[Candidate], below: Sequence[Candidate], shortlist: Shortlist) -> Selection | None:
    """Return the best of the layouts that miss a wish by hardly more than the least, else of those below the floors."""
    least = shortlist.first(short, lambda c: (c.missing_share,))
    most = least[0].missing_share + NEAR_WISH if least else 0.0
    chosen = _first_of([c for c in short if c.missing_share <= most], shortlist)
    found = [chosen[0]] if chosen else shortlist.first(below, order)
    return Selection(first=found[0], ranked=(*short, *below), nearest=most) if found else None


def _first_of(kept: Sequence[Candidate], shortlist: Shortlist) -> tuple[Candidate, str, list[Candidate]] | None:
    """Return the first of layouts by their scores, what decided, and those that are as good; None where none is."""
    front = shortlist.first(kept, order, within=REACH_POINTS)
    if not front:
        return None
    roomy = _without_broad_mirrors(kept, front[0]) if _broad(front[0]) else ()
    if roomy:
        kept, front = roomy, shortlist.first(roomy, order, within=REACH_POINTS) or front
    nearly = _for_many(kept, _nearly(front, front[0]), shortlist)
    sound = _sound(front, nearly)
    first, decided = _simplest(sound)
    if len(sound) < len(nearly) or warnings_on(first) < min(map(warnings_on, nearly)):
        decided = _SOUND
    if first.measures.draid and not front[0].measures.draid:
        decided = _REBUILDS
    used = using_idle(kept, first, shortlist)
    if used is not first:
        first, decided = used, _NO_IDLE
    bare = _without_scraps(kept, first, shortlist)
    if bare is not first:
        first, decided = bare, _SCRAPS
    outlasting = _outlasting(kept, first, nearly, shortlist)
    return (first, decided, nearly) if outlasting is first else (outlasting, _OUTLASTS, nearly)


def _without_broad_mirrors(kept: Sequence[Candidate], first: Candidate) -> Sequence[Candidate]:
    """Return the layouts that hold far more than ``first``, of mirrors with more sides than anybody makes.

    Who wants two failures survived gets twice the room of two mirrors of four from two raidz2 of 4.
    """
    roomy = [c for c in kept if c.measures.held_bytes >= FAR_MORE_ROOM * first.measures.held_bytes]
    if not roomy or first.measures.ideal.goal is not Goal.CONCURRENT:
        return roomy
    most = max(c.measures.speed.rand_read_iops for c in roomy)
    return [c for c in roomy if c.measures.speed.rand_read_iops >= most * (1 - EVEN_SPACE)]


def _broad(candidate: Candidate) -> bool:
    return any(spec.kind is VdevKind.MIRROR and spec.width > max(KNOWN_WIDTHS[_SIDES]) for spec in _data(candidate))


def usual_vdevs(candidate: Candidate) -> bool:
    """Tell whether no mirror is broader, and no raidz narrower for its parity, than what guides show."""
    narrow = any(spec.width < min(KNOWN_WIDTHS.get((spec.kind, spec.parity), (0,))) for spec in _data(candidate))
    return not narrow and not _broad(candidate)


def data_disks(candidate: Candidate) -> int:
    one = sum([spec.width for spec in candidate.main.layout if spec.vdev_class is VdevClass.DATA])
    return sum([spec.width for spec in _data(candidate)]) + (candidate.main.copies - 1) * one


def _without_scraps(kept: Sequence[Candidate], first: Candidate, shortlist: Shortlist) -> Candidate:
    """Return the best layout without a vdev of small old disks, where that adds next to no room.

    The loss of any vdev is the loss of the pool: what is not worth its room is not worth its risk either.
    """
    sizes = [min(spec.sizes) * spec.width for spec in _data(first)]
    if len(sizes) < 2 or min(sizes) > SCRAP * max(sizes):
        return first
    room = (1 - SCRAP_SPACE) * first.measures.held_bytes
    bare = [
        c
        for c in kept
        if c.measures.held_bytes >= room
        and c.score >= first.score - SCRAP_POINTS
        and c.measures.pool_count <= first.measures.pool_count
        and c.measures.failures_survived >= first.measures.failures_survived
        and len(_data(c)) < len(sizes)
    ]
    best = shortlist.first(bare, order)
    return best[0] if best and best[0].score >= first.score - SCRAP_POINTS else first


def _sound(kept: Sequence[Candidate], nearly: list[Candidate]) -> list[Candidate]:
    """Return the best layouts with the fewest warnings: none is first with one that another little worse lacks."""
    kept = [c for c in kept if c.measures.pool_count <= nearly[0].measures.pool_count]
    least = min(warnings_on(c) for c in kept if c.score >= kept[0].score - NEARLY_POINTS)
    found = [c for c in nearly if warnings_on(c) == least]
    if found:
        return found
    sound = [c for c in kept if warnings_on(c) == least]
    return _for_many(sound, _nearly(sound, sound[0]), JUDGED)


def warnings_on(candidate: Candidate) -> int:
    return len({finding.rule_id for finding in violated(candidate.findings, Severity.WARN)})


def _outlasting(
    kept: Sequence[Candidate], first: Candidate, nearly: Sequence[Candidate], shortlist: Shortlist
) -> Candidate:
    """Return the best layout that outlasts each shelf and controller, where that costs less than a third of the room.

    A shelf that somebody told is one thing that fails: a cable, a power supply or an expander takes all of its disks.
    The room is that of the best with as many spares. Nor may it cost many clients a third of the random reads: raidz
    vdevs of 4 hold no less than mirrors.
    """
    if not first.measures.single_points:
        return first
    room = {
        spares: SHELF_SPACE
        * max(c.measures.held_bytes for c in (first, *nearly) if c is first or c.spare_count >= spares)
        for spares in {c.spare_count for c in kept}
    }
    reads = SHELF_SPACE * first.measures.speed.rand_read_iops if first.measures.ideal.goal is Goal.CONCURRENT else 0.0
    safe = [
        c
        for c in kept
        if not c.measures.single_points
        and c.measures.held_bytes > room[c.spare_count]
        and c.measures.speed.rand_read_iops > reads
    ]
    front = shortlist.first(safe, order, within=REACH_POINTS)
    return _simplest(_sound(front, _nearly(front, front[0])))[0] if front else first


def decided_against(first: Candidate, other: Candidate) -> str:
    """Return in a clause why ``first`` comes before a layout with no lower score."""
    if other.measures.single_points > first.measures.single_points:
        return _(_OUTLASTS)
    if _broad(other) and first.measures.held_bytes > other.measures.held_bytes:
        return _(_SPACE)
    if warnings_on(other) > warnings_on(first):
        return _(_SOUND)
    if other.measures.draid is not first.measures.draid:
        return _(_REBUILDS if first.measures.draid else _NO_DRAID)
    if first.measures.held_bytes > other.measures.held_bytes * (1 + EVEN_SPACE):
        return _(_SPACE)
    ties = zip(_TIES, _ties(first, _ALL), _ties(other, _ALL), strict=True)
    names = (name for (name, __), own, its in ties if own < its)
    return _(next(names, _SPACE))


def _nearly(kept: Sequence[Candidate], first: Candidate) -> list[Candidate]:
    """Return those that are as good as ``first`` in points, the plainest of them that have not much less space."""
    first = _draid_or_raidz(kept, first)
    draid, many = first.measures.draid, first.measures.ideal.most_disks >= MANY_DISKS
    found = []
    for candidate in kept:
        if candidate.score < first.score - NEARLY_POINTS:
            break
        if draid == candidate.measures.draid or (draid and not many):
            found.append(candidate)
    plain = min(_ties(candidate, _PLAIN) for candidate in found)
    found = [candidate for candidate in found if _ties(candidate, _PLAIN) == plain]
    return _roomy(found, NEARLY_SPACE if first.measures.ideal.goal is Goal.SPACE else EVEN_SPACE)


def _roomy(found: Sequence[Candidate], less: float) -> list[Candidate]:
    """Return layouts with at most a share ``less`` than the most space, for the workload's blocks and as listed."""
    held = max(_with_spares(c) * c.measures.held_bytes for c in found) * (1 - less)
    roomy = [c for c in found if _with_spares(c) * c.measures.held_bytes >= held]
    usable = max(_with_spares(c) * c.measures.usable_bytes for c in roomy) * (1 - less)
    return [c for c in roomy if _with_spares(c) * c.measures.usable_bytes >= usable]


def _with_spares(candidate: Candidate) -> float:
    """Return how much more mirrors would hold with the spares in use that so many disks should have.

    The room of these is not missed: with one copy left, a spare at hand is what an administrator of many disks wants.
    """
    data, members = _data(candidate), candidate.measures.data_members
    if candidate.measures.ideal.goal is Goal.SPACE or any(spec.kind is not VdevKind.MIRROR for spec in data):
        return 1.0
    sides = data[0].width  # a mirror is given up whole
    return 1 + min(candidate.spare_count, -(-(members // DISKS_PER_SPARE) // sides) * sides) / members


def _for_many(kept: Sequence[Candidate], nearly: list[Candidate], shortlist: Shortlist) -> list[Candidate]:
    """Return what many clients get where the simplest of ``nearly`` is raidz: of its kind one with room, or faster.

    Of the same family, as plain, and with no rule against it that it keeps. Room grows with each disk, so that a disk
    more costs none but for reads; where other layouts are first, scores alone do.
    """
    first, __ = _simplest(nearly)
    if first.measures.ideal.goal is not Goal.CONCURRENT or not first.family.startswith(VdevKind.RAIDZ.value):
        return nearly
    plain, broken = _ties(first, _PLAIN), _deducted(first)
    kind = [
        c for c in kept if c.family == first.family and c.unassigned <= first.unassigned and _ties(c, _PLAIN) <= plain
    ]
    alike = [c for c in shortlist.first(kind, order, MOST_ALIKE) if _deducted(c) <= broken]
    most = max(alike, key=lambda c: c.measures.held_bytes).measures
    room, reads = MOST_ROOM * most.held_bytes, WORTH_READS * most.speed.rand_read_iops
    fitting = [c for c in alike if c.measures.held_bytes >= room or c.measures.speed.rand_read_iops >= reads]
    return _nearly(fitting, fitting[0])


def _deducted(candidate: Candidate) -> frozenset[str]:
    return frozenset(finding.rule_id for finding in violated(candidate.findings) if finding.weight)


def using_idle(kept: Sequence[Candidate], first: Candidate, shortlist: Shortlist) -> Candidate:
    """Return the best layout of the family of ``first`` that uses the disks it leaves idle and holds no less.

    A disk that nobody uses is as great a fault as one warning, such as of a width that guides do not show.
    """
    if not first.idle_disks:
        return first
    room, warnings = first.measures.held_bytes, warnings_on(first) + 1
    alike = [
        c
        for c in kept
        if c.family == first.family
        and c.measures.pool_count == first.measures.pool_count
        and not c.idle_disks
        and c.measures.held_bytes >= room
    ]
    # By the warnings first: a layout with more of them than are borne comes behind all others.
    best = shortlist.first(alike, lambda c: (warnings_on(c) > warnings, *order(c)))
    return best[0] if best and warnings_on(best[0]) <= warnings else first


def _draid_or_raidz(kept: Sequence[Candidate], first: Candidate) -> Candidate:
    """Return the best layout without dRAID where ``first`` has it and is not clearly better, else ``first``.

    Of many disks, of which each takes a raidz more than a day to rebuild, the best dRAID that is little worse.
    """
    if not first.measures.draid:
        many, hours = first.measures.ideal.most_disks >= MANY_DISKS, first.measures.forecast.rebuild_hours or 0
        least = first.score - MANY_POINTS if many and hours > SHORT_REBUILD_HOURS else inf
        equal = (c for c in kept if c.measures.draid and c.way is Packing.EQUAL)
        return next((c for c in equal if c.score >= least), first)
    fading = (MANY_DISKS - first.measures.ideal.most_disks) / (MANY_DISKS - _DRAID_FADES)
    margin = DRAID_POINTS * min(1.0, max(0.0, fading))
    others = (c for c in kept if not c.measures.draid and c.score >= first.score - margin)
    return next(others, first)


def _risk_first(candidate: Candidate) -> bool:
    """Tell whether room is looked at last: for safety, where the points have the risk in them, and not among dRAIDs."""
    return candidate.measures.ideal.goal is Goal.SAFETY and not candidate.measures.draid


def _simplest(nearly: Sequence[Candidate]) -> tuple[Candidate, str]:
    """Return the simplest of layouts as good as equal, and what decided between it and the others."""
    even = min(_ties(candidate, _EVEN) for candidate in nearly)
    even_ones = [candidate for candidate in nearly if _ties(candidate, _EVEN) == even]
    roomy = even_ones if _risk_first(nearly[0]) else _roomy(even_ones, NEARLY_SPACE)
    first = min(roomy, key=lambda candidate: _ties(candidate, _ALL))
    mine = _ties(first, _ALL)
    for candidate in nearly:
        if candidate is not first:
            for (name, __), own, other in zip(_TIES, mine, _ties(candidate, _ALL), strict=True):
                if own != other:
                    # What is only known better, and not as roomy, was left for its space.
                    return first, name if own < other else _SPACE
    return first, ""


_NO_DRAID, _NO_IDLE, _SCORE = N_("raidz rather than dRAID"), N_("no idle disks"), N_("its score")
_SPACE = N_("its space")
_SCRAPS, _REBUILDS = N_("no vdev of little room"), N_("short rebuilds")
_SOUND, _OUTLASTS = N_("fewer warnings"), N_("the loss of a shelf")
# What decides between layouts as good as equal, in this order, each with why: the simpler layout has less of it.
_TIES: tuple[tuple[str, Callable[[Candidate], float]], ...] = (
    # Worth more than space.
    (N_("fewer pools"), lambda c: c.measures.pool_count),
    (_NO_DRAID, lambda c: c.measures.draid),
    (
        N_("one kind of vdevs"),
        lambda c: len({(s.kind, s.parity, s.width if s.kind is VdevKind.MIRROR else 0) for s in _data(c)}),
    ),
    # How far the vdevs differ. What is not used of disks counts in twentieths of the space: disks of nearly one size
    # are as good as equal. Widths among disks of one size count before those among all.
    (N_("whole disks"), lambda c: c.partitioned),
    (N_("vdevs of one size of disk"), lambda c: round(20 * c.stranded_bytes / max(1, c.measures.usable_bytes))),
    (_NO_IDLE, lambda c: c.unassigned),
    (N_("equal widths"), lambda c: len(_widths(c)) - len({size for __, size in _widths(c)})),
    (N_("one width for all sizes of disk"), lambda c: len({width for width, __ in _widths(c)})),
    (
        N_("the usual width"),
        lambda c: any(s.width not in KNOWN_WIDTHS.get((s.kind, s.parity), (s.width,)) for s in _data(c)),
    ),
    (N_("a spare"), lambda c: max(0, c.measures.data_members // DISKS_PER_SPARE - c.spare_count)),
    (_SCORE, lambda c: -round(c.score) if _risk_first(c) else 0),
    (N_("the failures it survives"), lambda c: -c.measures.failures_survived if _risk_first(c) else 0),
    (_SPACE, lambda c: -round(c.measures.held_bytes / 1e6)),
    (_SCORE, lambda c: -c.score),
)
_PLAIN, _EVEN, _ALL = slice(3), slice(3, 8), slice(None)


def _ties(candidate: Candidate, part: slice) -> Key:
    """Return how simple a layout is by a part of `_TIES`, the simplest least."""
    return tuple([key(candidate) for __, key in _TIES[part]])


def _data(candidate: Candidate) -> list[VdevSpec]:
    return [spec for pool in candidate.pools for spec in pool.layout if spec.vdev_class is VdevClass.DATA]


def _widths(candidate: Candidate) -> set[tuple[int, int]]:
    """Return the widths of the data vdevs, those of other disks by themselves."""
    return {(spec.width, min(spec.sizes)) for spec in _data(candidate) if spec.kind is not VdevKind.STRIPE}
