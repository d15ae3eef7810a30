"""The search: every layout of equal disks, then packings of unequal ones, in steps that show what was found so far."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from heapq import nsmallest
from typing import TYPE_CHECKING

from poolwright.capacity.anyraid import LEAST_TILE_BYTES, AnyraidVdev, anyraid_vdevs
from poolwright.design import equal_layouts
from poolwright.design.answers import answers
from poolwright.design.candidate import Candidate, Recommendation, Rejected
from poolwright.design.choose import Selection, Shortlist, choose, order
from poolwright.design.evaluator import PlanEvaluator, judged
from poolwright.design.explanations import missed_wishes, why_not
from poolwright.design.groups import LEAST_SLICE_BYTES, MOST_KINDS_CUT, DiskKind
from poolwright.design.request import LayoutJudge, Medium, Terms
from poolwright.design.select import select
from poolwright.design.slots import failing_sets
from poolwright.design.wishes import affordable_disks, own_prices, wants_forecast
from poolwright.domain.disk import Note
from poolwright.domain.grouping import grouped
from poolwright.domain.units import decimal
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import VECTOR_PARITY_SINCE
from poolwright.domain.workload import Goal
from poolwright.texts import _, either, ngettext

if TYPE_CHECKING:
    from poolwright.design.pack import Packer

# The share of the work that layouts of equal disks take where others are packed, roughly: only for showing progress.
_EQUAL_SHARE = 0.3
# How many of the best layouts are shown while the search goes on.
MOST_INTERIM = 200
# How many layouts are evaluated between two looks at the clock or the cancel button.
LAYOUTS_PER_STEP = 20
# A wish of which every layout misses more than this share is refused; below, the nearest layouts are the answer.
MOST_MISSING = 0.5

# The room of a layout, and what looks at it: None where it misses a wish that only a forecast tells.
Listed = tuple[float, Callable[[], Candidate | None]]


@dataclass(slots=True, kw_only=True)
class Search:
    """All layouts of one pool: how many were ``examined``, the ``share`` of the work that is done, what was found."""

    terms: Terms
    groups: tuple[DiskKind, ...]
    notes: tuple[Note, ...] = ()
    strict: bool = False  # only list what keeps to floors and wishes, and uses all disks ``to_use``
    to_use: frozenset[str] = frozenset()
    listed: list[Listed] = field(default_factory=list)
    found: list[Candidate] = field(default_factory=list)
    refused: list[Rejected] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    packers: "list[Packer]" = field(default_factory=list)
    examined: int = 0
    share: float = 0.0
    progress: "Progress | None" = None
    shortlist: Shortlist = field(init=False)
    _judge_of: Callable[[Medium, frozenset[int]], LayoutJudge] = field(init=False)
    _bodies: dict[str, str] = field(default_factory=dict)  # the drives of disks that are one of several parts
    _first: list[Candidate] = field(default_factory=list)  # the best of the first `_ordered` that were found
    _ordered: int = 0
    _group: int = 0  # the kind of disks whose equal layouts are looked at, by its place
    _shapes_of: tuple[Sequence[equal_layouts.EqualLayout], int] = ((), 0)  # of that kind, and how many were looked at
    _medium: int = 0  # the medium whose disks are packed, by its place

    def __post_init__(self) -> None:
        self.shortlist, terms = Shortlist(self._judge), self.terms
        self._judge_of = cache(lambda medium, of: terms.make_judge(terms.request, medium.disks(of), medium.ashift))
        self._bodies = {d.key: d.body for group in self.groups for d in group.disks if d.body}

    def run(self, progress: "Progress | None" = None) -> None:
        """Look at every layout; ``progress`` is told of it now and then."""
        self.progress = progress
        self._equal()
        self._packed()
        if progress is not None:
            progress(self)

    def so_far(self) -> Recommendation | None:
        self._first = nsmallest(MOST_INTERIM, (*self._first, *self.found[self._ordered :]), key=order)
        self._ordered = len(self.found)
        choice = choose(self._first, self.shortlist)
        if choice is None:
            return None
        named = answers(choice.first, choice.ranked, self.terms.request.budget, choice.rank, self.shortlist)
        rows = [one for c in choice.ranked if (one := self.shortlist.of(c)) is not None]
        rows.sort(key=choice.rank)
        interim = replace(choice, named=named, rows=tuple(rows), short=(), feasible=len(rows))
        return replace(self._recommendation(interim), partial=True)

    def untried(self) -> str:
        """Return in one sentence what was not looked at up to now."""
        groups, alone = self.groups, len(self.groups) == 1
        every, looked_at = self._shapes_of
        parts = list(of_shapes(groups[self._group], every, looked_at, alone=alone)) if every else []
        begun = self._group + 1 if every else self._group
        for group in groups[begun:]:
            parts.append(_("every layout") if alone else _("every layout of {disks} alone", disks=group.words))
        if self.packers and self.packers[-1].share < 1:
            parts.append(_("{family} in part", family=of_kinds(by_medium(groups)[self._medium - 1])))
        parts += [of_kinds(kinds) for kinds in by_medium(groups)[self._medium :] if len(kinds) > 1]
        if not parts:
            return _("Every layout was tried; the order of the first ones was not yet checked on the disks themselves.")
        return _("Not tried: {parts}.", parts="; ".join(parts))

    def result(self) -> Recommendation | None:
        """Return what was found, ranked; None where nothing was."""
        choice = select(self.found, self.terms.request.budget, self.shortlist)
        if choice is None:
            return None
        if all(candidate.missing_share > MOST_MISSING for candidate in choice.ranked):
            self.refused += [missed_wishes(candidate) for candidate in sorted(choice.ranked, key=choice.rank)]
            return None
        found = replace(self._recommendation(choice), anyraid=tuple(self._anyraid()))
        if not choice.first.missed:
            return found
        from poolwright.design.more_disks import reach  # noqa: PLC0415 - most machines reach what is asked

        return replace(found, reach=reach(self.terms, self.groups, choice.first, _best_layout))

    def _recommendation(self, choice: Selection) -> Recommendation:
        survives = self.terms.floors.survives
        return Recommendation(
            goal=self.terms.request.workload.goal,
            ashift=self.terms.ashift,
            candidates=choice.rows,
            as_good=choice.as_good,
            decided_by=choice.decided_by,
            near=choice.near,
            answers=choice.named,
            survives=survives,
            rejected=tuple(why_not(choice.rows, tuple(self.refused), short=choice.short, survives=survives)),
            notes=(*self.notes, *(Note(text=text) for text in self.limits)),
            examined=self.examined,
            feasible=choice.feasible,
            searched=searched(self.groups, self.packers),
            left_out=left_out(self.groups, self.packers, every_number=self._every_number),
        )

    def _anyraid(self) -> Iterator[AnyraidVdev]:
        """Yield what all disks of the medium with most bytes would hold as AnyRAID, beside what was found.

        Nothing where a layout may not have them all, or where some are parts of one drive, of which no release tells.
        """
        request, kinds = self.terms.request, tuple(group for group in self.groups if not group.beside)
        disks = [disk for kind in kinds for disk in kind.disks]
        budget, prices = request.budget, own_prices(request.budget, disks, request.disks)
        fewer = budget.spares or affordable_disks(budget, len(disks), prices)[0] < len(disks)
        if fewer or self._bodies or min(kind.least_bytes for kind in kinds) < LEAST_TILE_BYTES:
            return
        medium = Medium(request=request, kinds=kinds, ashift=self.terms.ashift)
        devices = [medium.device_bytes(at) for at, kind in enumerate(kinds) for __ in kind.disks]
        least = max(1, budget.survive or 0)
        for survives in range(least, max(2, least) + 1):
            for vdev in anyraid_vdevs(
                devices, survives=survives, widest=equal_layouts.WIDEST, ashift=medium.ashift, version=request.version
            ):
                whole, cut = (self._most(survives, cut=cut) for cut in (False, True))
                yield replace(vdev, whole_bytes=whole, cut_bytes=cut)

    def _most(self, survives: int, *, cut: bool) -> int | None:
        """Return the most that whole disks, or disks ``cut`` in partitions, hold and survive so many failures."""
        own = (c for c in self.found if c.partitioned is cut and c.measures.failures_survived >= survives)
        most = self.shortlist.first(own, lambda c: (-c.measures.usable_bytes,))
        return most[0].measures.usable_bytes if most else None

    def _equal(self) -> None:
        request = self.terms.request
        whole = 1.0 if len(by_medium(self.groups)) == len(self.groups) else _EQUAL_SHARE
        disks = done = 0
        total = sum(len(group.disks) for group in self.groups)
        for at, group in enumerate(self.groups):
            self._group, self._shapes_of = at, ((), 0)
            least = sum(disk.key in self.to_use for disk in group.disks)
            if least < len(self.to_use):
                continue
            if self.progress is not None:
                self.progress(self)
            others = [g for g in self.groups if g is not group and g.media is group.media]
            evaluator = PlanEvaluator(self.terms, (group,), others, equal=True)
            limit, wanted = self._limit(group), request.budget.spares
            disks, done = disks + len(group.disks), disks
            every = list(self._shapes(group, limit, wanted, evaluator))
            for number, shape in enumerate(every):
                if self.strict:
                    held = evaluator.holds_shape(shape) if shape.disks * shape.pools >= least else None
                    self._list(held, partial(evaluator.evaluate_shape, shape))
                    continue
                self.share = whole * (done + len(group.disks) * number / len(every)) / total
                self._shapes_of = (every, number)
                self._take(evaluator.evaluate_shape(shape))
        self._group, self._shapes_of = len(self.groups), ((), 0)

    def _limit(self, group: DiskKind) -> int:
        """Return how many disks of a kind money and bays admit; says what limits them."""
        budget = self.terms.request.budget
        limit, why = affordable_disks(
            budget, len(group.disks), own_prices(budget, group.disks, self.terms.request.disks)
        )
        if why:
            what = ngettext(
                "At most {limit} of {count} disk can be used: {why}.",
                "At most {limit} of {count} disks can be used: {why}.",
                len(group.disks),
                limit=limit,
                why=why,
            )
            self.limits.append(what)
        wanted = budget.spares
        if wanted is not None and wanted >= limit:
            what = ngettext(
                "{spares} of {disks} leaves none for data.",
                "{spares} of {disks} leave none for data.",
                wanted,
                spares=ngettext("{count} spare", "{count} spares", wanted),
                disks=ngettext("{count} disk", "{count} disks", limit),
            )
            self.limits.append(what)
        return limit

    @property
    def _every_number(self) -> bool:
        """Tell whether layouts with fewer disks count as well: for who pays for each, or wishes for speed or risk."""
        budget = self.terms.request.budget
        return self.strict or budget.money is not None or wants_forecast(budget)

    def _shapes(
        self, group: DiskKind, limit: int, spares: int | None, evaluator: PlanEvaluator
    ) -> Iterator[equal_layouts.EqualLayout]:
        """Yield the shapes of one kind of disks: all; beside other kinds of the medium, those that use it up."""
        if any(other.media is group.media for other in self.groups if other is not group):
            tried = equal_layouts.spare_numbers(limit, spares)
            yield from equal_layouts.full_shapes(
                limit, widest=equal_layouts.WIDEST, spares=tried, draid_spares=spares, beside=True
            )
            return
        asked = self.terms.request
        split = asked.workload.goal is Goal.SPEED and asked.version < VECTOR_PARITY_SINCE
        least = asked.budget.wanted_bytes
        enough = least and (lambda shape: evaluator.counted_bytes(replace(shape, pools=1)) >= least)
        yield from equal_layouts.shapes(
            limit, spares=spares, split_stripes=split, enough=enough or None, every_number=self._every_number
        )

    def _packed(self) -> None:
        request = self.terms.request
        for kinds in by_medium(self.groups):
            self._medium += 1
            disks = [disk for kind in kinds for disk in kind.disks]
            limit, __ = affordable_disks(request.budget, len(disks), own_prices(request.budget, disks, request.disks))
            counts = []
            for kind in kinds:
                counts.append(min(limit, len(kind.disks)))
                limit -= counts[-1]
            used = [count for count in counts if count]
            if not used or (len(used) < 2 and sum(used) > equal_layouts.FEW_DISKS):
                continue
            least = [sum(disk.key in self.to_use for disk in kind.disks) for kind in kinds]
            if sum(least) < len(self.to_use):
                continue
            from poolwright.design.pack import Packer  # noqa: PLC0415 - most machines have disks of one kind

            evaluator = PlanEvaluator(self.terms, kinds)
            packer = Packer(evaluator, used, request.budget.spares, strict=self.strict)
            self.packers.append(packer)
            for plan in packer.plans():
                if self.strict:
                    taken = plan.disks_used()
                    held = evaluator.holds(plan) if all(taken[at] >= n for at, n in enumerate(least)) else None
                    self._list(held, partial(evaluator.evaluate, plan))
                    continue
                self.share = max(self.share, _EQUAL_SHARE + (1 - _EQUAL_SHARE) * packer.share)
                self._take(evaluator.evaluate(plan))

    def _take(self, outcome: Candidate | Rejected) -> None:
        self.examined += 1
        if isinstance(outcome, Candidate):
            self.found.append(outcome)
        else:
            self.refused.append(outcome)
        if self.progress is not None and self.examined % LAYOUTS_PER_STEP == 0:
            self.progress(self)

    def _judge(self, candidate: Candidate) -> Candidate | None:
        """Return a candidate with what the rules find; None where they block it."""
        outcome = judged(candidate, self._judge_of)
        if isinstance(outcome, Candidate) and self._shares_a_drive(outcome):
            text = _("{words}: two of a vdev would be parts of one drive", words=outcome.words)
            outcome = Rejected(family=outcome.family, reason=text, layout=outcome.main.layout)
        if isinstance(outcome, Rejected):
            self.refused.append(outcome)
            return None
        return outcome

    def _list(self, held: float | None, evaluate: Callable[[], Candidate | Rejected]) -> None:
        if held is not None:
            self.listed.append((held, partial(self._kept, evaluate)))

    def _kept(self, evaluate: Callable[[], Candidate | Rejected]) -> Candidate | None:
        found = evaluate()
        if isinstance(found, Rejected) or found.missed or self._shares_a_drive(found):
            return None
        return found

    def _shares_a_drive(self, candidate: Candidate) -> bool:
        """Tell whether a vdev would have several block devices of one body: that fails as one."""
        if not self._bodies:
            return False
        most = len(set(self._bodies.values())) + sum(d.body is None for group in self.groups for d in group.disks)
        if any(spec.width > most and spec.kind is not VdevKind.STRIPE for spec in candidate.main.layout):
            return True
        rows = ([self._bodies.get(key, key) for key in keys] for keys, __ in failing_sets(candidate.pools))
        return any(len(set(row)) < len(row) for row in rows)


Progress = Callable[[Search], object]


def _best_layout(terms: Terms, groups: tuple[DiskKind, ...]) -> Candidate | None:
    """Return the best layout above the floors that meets all wishes."""
    search = Search(terms=terms, groups=groups)
    search.run()
    best = search.shortlist.first([c for c in search.found if not (c.below or c.missed)], order)
    return best[0] if best else None


def by_medium(groups: Sequence[DiskKind]) -> tuple[tuple[DiskKind, ...], ...]:
    """Return the kinds of disks of each medium, the largest disks first; unknown media are a medium of their own."""
    media = grouped((group.media, group) for group in groups)
    return tuple(tuple(sorted(found, key=lambda g: -g.least_bytes)) for found in media.values())


# What a search that is stopped has not tried, in one sentence.


def of_shapes(
    group: DiskKind, every: Sequence[equal_layouts.EqualLayout], looked_at: int, *, alone: bool
) -> tuple[str, ...]:
    """Return which families of one kind of disks are left after ``looked_at`` of ``every`` layout, in their order."""
    begun = {shape.family for shape in every[:looked_at]}
    left = {shape.family for shape in every[looked_at:]}
    words = [
        _("{family} in part", family=family) if family in begun else family
        for family in equal_layouts.FAMILIES
        if family in left
    ]
    if not words:
        return ()
    families = ", ".join(words)
    return (families if alone else _("{part} of {whole}", part=families, whole=group.words),)


def of_kinds(kinds: Sequence[DiskKind]) -> str:
    return _("{disks} together, in whole disks and in partitions", disks=", ".join(kind.words for kind in kinds))


# What a search looked at in every way, and what it left out: told with each recommendation.


def searched(groups: Sequence[DiskKind], packers: "Sequence[Packer]") -> tuple[str, ...]:
    most = max((len(group.disks) for group in groups), default=0)
    clauses = [
        (
            True,
            _(
                "Of equal disks every pool of equal vdevs, or of vdevs whose widths differ by one "
                "and use every disk: stripes, mirrors of 2 to 4, raidz1 to 3 of every width, 0 to "
                "{most_spares} spares.",
                most_spares=equal_layouts.MOST_SPARES,
            ),
        ),
        (
            most >= equal_layouts.LEAST_DRAID,
            _(
                "dRAID of {least_draid} and more disks, parity 1 to 3, {groups} data disks in a "
                "group, 1 to {most_draid_spares} distributed spares.",
                least_draid=equal_layouts.LEAST_DRAID,
                groups=either([str(data) for data in equal_layouts.DRAID_DATA]),
                most_draid_spares=equal_layouts.MOST_DRAID_SPARES,
            ),
        ),
        *(
            (
                packer.exhaustive,
                ngettext(
                    "Every division of {count} disk among the vdevs of one pool, spares and idle disks.",
                    "Every division of {count} disks among the vdevs of one pool, spares and idle disks.",
                    packer.disks,
                ),
            )
            for packer in packers
        ),
        (
            any(packer.kinds > 1 for packer in packers),
            _(
                "Disks of several sizes: every division of neighbouring sizes, every way to cut all disks in layers of "
                "partitions, each with every full layout of equal width."
            ),
        ),
    ]
    return tuple(text for so, text in clauses if so)


def _left_of_equal(disks: int, *, every_number: bool) -> Iterator[tuple[bool, str]]:
    most, widest = equal_layouts.EVERY_WIDTH_TO, equal_layouts.WIDEST_PARTLY
    every, spared = most if every_number else equal_layouts.EVERY_NUMBER_TO, equal_layouts.WIDEST
    text = _(
        "Of more than {count} equal disks most numbers of vdevs that leave disks unused, and spares nobody asked for "
        "beside raidz of more than {widest}.", count=every, widest=spared,
    )  # fmt: skip
    yield disks > every, text
    yield disks > most, _("Of more than {count} equal disks every width beyond {widest}.", count=most, widest=widest)


def left_out(groups: Sequence[DiskKind], packers: "Sequence[Packer]", *, every_number: bool) -> tuple[str, ...]:
    kinds = max((packer.kinds for packer in packers), default=0)
    combined = any(packer.kinds > 1 and not packer.exhaustive for packer in packers)
    clauses = (
        (True, _("Several pools of equal disks, but for stripes where speed is the goal before OpenZFS 0.7.")),
        *_left_of_equal(max(len(group.disks) for group in groups), every_number=every_number),
        (
            combined,
            _(
                "Of layouts of several sizes that are combined in one pool or side by side, only the "
                "best of each sort; raidz of more than {widest} disks beside other sizes, of more "
                "than {widest_combined} in combinations.",
                widest=equal_layouts.WIDEST,
                widest_combined=equal_layouts.WIDEST_COMBINED,
            ),
        ),
        (combined, _("Other numbers of spares beside several sizes than none, one for twenty disks, one less, half.")),
        (
            kinds > equal_layouts.MOST_SEPARATE,
            _("More than {most_separate} pools side by side.", most_separate=equal_layouts.MOST_SEPARATE),
        ),
        (
            kinds > 1,
            _(
                "Partitions other than in layers over all disks of a medium, and slices under {least_slice_bytes}.",
                least_slice_bytes=decimal(LEAST_SLICE_BYTES),
            ),
        ),
        (
            kinds > MOST_KINDS_CUT,
            _(
                "Of more than {most_kinds_cut} sizes all divisions but two: all sizes together, and each apart.",
                most_kinds_cut=MOST_KINDS_CUT,
            ),
        ),
        (len({group.media for group in groups}) > 1, _("Data vdevs of different media in one pool.")),
    )
    return tuple(text for so, text in clauses if so)
