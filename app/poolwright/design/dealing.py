"""How the disks of each vdev of a layout fail and are rebuilt, before its disks have places.

Disks get their places in the order of assignment, so of several models of one size it is known which vdev has which.
Where shelves, controllers or deliveries are known the places follow them: there every disk of such a size counts as the
mean of those that hold data. As a loss grows faster than the failure rates, that is about the least it can be; what is
shown is placed and reckoned anew (`settle`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from poolwright.design.forecaster import Counted, KnownRisks
from poolwright.design.spread.found import follows_order
from poolwright.design.stock import Taken
from poolwright.design.workshop import Runs
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.predict.outlook import Outlook
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions, mean_of, sort_of

# Of which kinds of disks a vdev has how many: (kind, number), or (-1 - group, number, disks with data in that group).
_Parts = tuple[tuple[int, ...], ...]
_Dealt = list[tuple[int, KnownRisks]]  # equal vdevs, one after the other


class Dealing:
    """Deals the disks of ``groups``, each in its order, to vdevs; ``of`` tells how a vdev of such disks fails."""

    def __init__(self, groups: Sequence[Sequence[Disk]], of: Callable[[Sequence[Disk]], RiskConditions]) -> None:
        self._groups, self._of = groups, of
        self._disks: list[Disk] = []  # one of each kind that fails and is rebuilt in its own way
        by_sort: dict[tuple[object, ...], int] = {}
        by_conditions: dict[RiskConditions, int] = {}
        self._kinds: list[list[int]] = []
        for disks in groups:
            for disk in disks:
                sort = sort_of(disk)
                if sort not in by_sort:
                    kind = by_sort[sort] = by_conditions.setdefault(of((disk,)), len(by_conditions))
                    if kind == len(self._disks):
                        self._disks.append(disk)
            self._kinds.append([by_sort[sort_of(disk)] for disk in disks])
        self.unlike = len(self._disks) > 1
        mixed = [len(set(kinds)) > 1 for kinds in self._kinds]
        self._pooled = [several and not follows_order(disks) for several, disks in zip(mixed, groups, strict=True)]
        self._sure = not any(self._pooled)
        self._ends = [_ends(kinds) for kinds in self._kinds]
        self._known: dict[tuple[_Parts, int], KnownRisks] = {}

    def is_sure_of(self, part: Runs) -> bool:
        """Tell whether it is known which vdev has which disks; of single ones, whose losses add up, it need not be."""
        return self._sure or not any(
            self._pooled[group] for made, _ in part if made.failures_survived for group in made.kinds
        )

    def counted(
        self, runs: Sequence[tuple[VdevSpec, Taken, int]], load: int = 0
    ) -> tuple[Counted, Sequence[KnownRisks] | None]:
        """Return runs of vdevs (what each takes of which group, their number) as a forecaster asks for them.

        ``load`` is the per cent of a rebuilding disk's time that its other slices take.
        """
        if not self.unlike:
            return [(spec, count) for spec, _, count in runs], None
        dealt = self._dealt([(taken, count) for _, taken, count in runs], load)
        apart = [(spec, *own) for (spec, _, _), each in zip(runs, dealt, strict=True) for own in each]
        return [(spec, count) for spec, count, _ in apart], [under for _, _, under in apart]

    def counted_of(self, part: Runs, load: int = 0) -> tuple[Counted, Sequence[KnownRisks] | None]:
        """Return the same of vdevs of several kinds of disks."""
        return self.counted(taking(part), load) if self.unlike else ([(made.spec, count) for made, count in part], None)

    def told(self, outlook: Outlook, runs: Sequence[tuple[VdevSpec, Taken, int]], load: int = 0) -> Outlook:
        """Return the outlook with what holds for each top-level vdev of these runs."""
        if not self.unlike:
            return outlook
        # Each member of a stripe is one.
        tops = [
            (((taken[0][0], 1),), taken[0][1] * count) if spec.kind is VdevKind.STRIPE else (taken, count)
            for spec, taken, count in runs
        ]
        each = self._dealt(tops, load)
        return with_members(outlook, [under.members for own in each for count, under in own for _ in range(count)])

    def _dealt(self, runs: Sequence[tuple[Taken, int]], load: int) -> list[_Dealt]:
        """Return for each run its vdevs, those of the same kinds of disks together."""
        totals: Counter[int] = Counter()
        for taken, count in runs:
            for group, number in taken:
                totals[group] += number * count
        at: Counter[int] = Counter()
        found = []
        for taken, count in runs:
            own: _Dealt = []
            left = count
            while left:
                alike = min([left, *(self._alike(group, at[group], number) for group, number in taken)])
                parts = tuple(
                    [part for group, number in taken for part in self._parts(group, at[group], number, totals[group])]
                )
                vdevs = max(1, alike)
                own.append((vdevs, self._under(parts, load)))
                left -= vdevs
                for group, number in taken:
                    at[group] += number * vdevs
            found.append(own)
        return found

    def _alike(self, group: int, first: int, number: int) -> int:
        """Return how many vdevs that take ``number`` disks from ``first`` on have disks of one kind of this group."""
        if self._pooled[group]:
            return len(self._kinds[group])
        return (self._ends[group][first] - first) // number

    def _parts(self, group: int, first: int, number: int, total: int) -> _Parts:
        if self._pooled[group]:
            return ((-1 - group, number, total),)
        return tuple(Counter(self._kinds[group][first : first + number]).items())

    def _under(self, parts: _Parts, load: int) -> KnownRisks:
        """Return what is known of vdevs of so many disks of each kind."""
        if len(parts) == 1:
            parts = ((parts[0][0], 1, *parts[0][2:]),)  # of one kind: the number does not matter
        found = self._known.get((parts, load))
        if found is None:
            disks: list[Disk] = []
            rates = []
            for kind, number, *total in parts:
                own = [self._disks[kind]] if not total else self._groups[-1 - kind][: total[0]]
                disks += own
                rates += [self._of(own).drive] * number
            conditions = replace(self._of(disks), drive=mean_of(rates))
            found = self._known[parts, load] = KnownRisks(conditions.busy(load) if load else conditions)
        return found

    def placed(self, outlook: Outlook, tops: Sequence[Sequence[Disk]]) -> Outlook:
        """Return the outlook of vdevs that were given these disks, each top-level vdev by itself."""
        load = outlook.risk.rebuild.load_percent
        known: dict[tuple[object, ...], MemberConditions] = {}
        for disks in tops:
            key = tuple(map(sort_of, disks))
            if key not in known:
                conditions = self._of(disks).busy(load)
                known[key] = MemberConditions(drive=conditions.drive, rebuild=conditions.rebuild)
        return with_members(outlook, [known[tuple(map(sort_of, disks))] for disks in tops])


def taking(part: Runs) -> list[tuple[VdevSpec, Taken, int]]:
    """Return vdevs of several kinds of disks with what each takes of them, and their number."""
    return [(made.spec, made.taken, count) for made, count in part]


def with_members(outlook: Outlook, each: Sequence[MemberConditions]) -> Outlook:
    """Return an outlook for data vdevs with such members."""
    return replace(outlook, risk=replace(outlook.risk, of_data=tuple(each)))


def _ends(kinds: Sequence[int]) -> list[int]:
    """Return for each disk where the run of its kind ends."""
    ends = [len(kinds)] * len(kinds)
    for at in range(len(kinds) - 2, -1, -1):
        ends[at] = ends[at + 1] if kinds[at] == kinds[at + 1] else at + 1
    return ends
