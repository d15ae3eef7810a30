"""From ticked disks, workload and budget to a ranked list of layouts with reasons."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from poolwright.advise.candidate import Candidate, Recommendation, Rejected
from poolwright.advise.constraints import (
    affordable_disks,
    budget_objections,
    check_budget,
    forecast_objections,
    wants_forecast,
)
from poolwright.advise.enumerate import LayoutMaker, Shape, shapes
from poolwright.advise.groups import EqualDisks, equal_groups, safe_ashift
from poolwright.advise.measures import Measures
from poolwright.advise.rank import score
from poolwright.advise.space import ShapeSpace
from poolwright.advise.survival import guaranteed
from poolwright.advise.whynot import why_not
from poolwright.domain.disk import Disk, Health, Note, NoteLevel
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Host
from poolwright.domain.units import counted, drive_size
from poolwright.domain.vdev import Layout, VdevKind, describe
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.drives import DriveBook, read_drive_book
from poolwright.predict.outlook import Forecast, outlook_for

DEFAULT_LOGICAL_SECTOR_BYTES = 512


class LayoutJudge(Protocol):
    """What judges layouts of one group of equal disks: the rules, or nothing in a test."""

    def __call__(self, layout: Layout, usable_bytes: int, unassigned: int) -> tuple[Finding, ...]:
        """Return the findings of a layout: what it violates and what cannot be told; ``usable_bytes`` of one pool."""


def _no_statistics() -> DriveBook:
    return read_drive_book({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked: the ticked disks, what for, within what, and on which host.

    ``version`` is the OpenZFS of the host, ``drives`` the failure rates by model (default: one rate for all).
    """

    disks: tuple[Disk, ...]
    workload: Workload
    budget: Budget = field(default_factory=Budget)
    version: ZfsVersion = DEFAULT_VERSION
    ashift: int | None = None
    host: Host = field(default_factory=Host)
    drives: DriveBook = field(default_factory=_no_statistics)


JudgeMaker = Callable[[Request, Sequence[Disk], int], LayoutJudge]


def recommend(request: Request, make_judge: JudgeMaker) -> Recommendation:
    """Return every feasible layout ranked for the goal, and why the other families were not chosen.

    Raises Refusal, with all reasons, when no layout meets the request, and UserError for a senseless budget.
    """
    steps = recommend_in_steps(request, make_judge)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return cast("Recommendation", stop.value)


# How many shapes are evaluated between two looks at the clock or the cancel button.
SHAPES_PER_STEP = 20


def recommend_in_steps(request: Request, make_judge: JudgeMaker) -> Generator[int, None, Recommendation]:
    """Do the same as `recommend` in slices: yields the number of shapes examined, returns the Recommendation."""
    check_budget(request.budget)
    disks, notes = _fit_disks(request.disks)
    ashift = request.ashift if request.ashift is not None else safe_ashift(disks)
    found: list[Candidate] = []
    refused: list[Rejected] = []
    limits: list[str] = []
    examined = 0
    groups = equal_groups(disks)
    if len(groups) > 1:
        notes.append(Note(text=_groups_note(groups)))
    raw_bytes = sum(d.size_bytes or 0 for d in disks)
    for group in groups:
        evaluator = _GroupEvaluator(request, group, ashift, len(disks), raw_bytes, make_judge)
        limit, why = affordable_disks(request.budget, len(group.disks))
        if why:
            limits.append(f"At most {limit} of {counted(len(group.disks), 'disk')} can be used: {why}.")
        if request.budget.spares is not None and request.budget.spares >= limit:
            limits.append(f"{counted(request.budget.spares, 'spare')} of {counted(limit, 'disk')} leave none for data.")
        split = request.workload.goal is Goal.SPEED
        for shape in shapes(limit, spares=request.budget.spares, split_stripes=split):
            examined += 1
            outcome = evaluator.evaluate(shape)
            if isinstance(outcome, Candidate):
                found.append(outcome)
            else:
                refused.append(outcome)
            if examined % SHAPES_PER_STEP == 0:
                yield examined
    if not found:
        raise _refusal(request, refused, tuple(limits))
    found.sort(key=_order)
    return Recommendation(
        goal=request.workload.goal,
        ashift=ashift,
        candidates=tuple(found),
        rejected=why_not(tuple(found), tuple(refused)),
        notes=(*notes, *(Note(text=text) for text in limits)),
        examined=examined,
    )


def _order(candidate: Candidate) -> tuple[float, int, int, int]:
    # Equal scores: more space, then fewer pools, then disks as spares rather than idle.
    shape = candidate.shape
    return (-round(candidate.score, 6), -candidate.usable_bytes, shape.pools, candidate.unassigned)


def _fit_disks(disks: tuple[Disk, ...]) -> tuple[tuple[Disk, ...], list[Note]]:
    notes: list[Note] = []
    fit: list[Disk] = []
    for disk in disks:
        reasons = list(disk.refusals())
        if disk.health is Health.FAILING:
            reasons.append("it reports that it is failing")
        if reasons:
            notes.append(Note(text=f"{disk.label} is left out: {'; '.join(reasons)}.", level=NoteLevel.WARN))
        else:
            fit.append(disk)
    if not fit:
        raise Refusal(
            "No disk can be used",
            todo="Tick disks that nothing uses, or type some by hand.",
            reasons=tuple(note.text for note in notes) or ("No disk was given.",),
        )
    unlooked = [disk for disk in fit if not disk.use_known]
    if unlooked:
        notes.append(Note(text=_unlooked_note(unlooked, len(fit)), level=NoteLevel.WARN))
    return tuple(fit), notes


def _unlooked_note(unlooked: Sequence[Disk], count: int) -> str:
    """Return the warning that no reading says what uses these disks."""
    which = f"{len(unlooked)} of {count} disks" if len(unlooked) > 1 else unlooked[0].label
    return (
        f"What uses {which} is not known: it was not read with lsblk. The script checks each disk before it writes; "
        "read lsblk -J -b -O to know now."
    )


def _groups_note(groups: Sequence[EqualDisks]) -> str:
    sizes = ", ".join(
        f"{len(g.disks)} × {drive_size(g.least_bytes)}{' ' + g.media.value.upper() if g.media else ''}" for g in groups
    )
    return f"The disks are not all equal ({sizes}): each layout uses disks of one kind, the others stay unassigned."


def _refusal(request: Request, refused: Sequence[Rejected], limits: tuple[str, ...]) -> Refusal:
    reasons = tuple(dict.fromkeys(f"{r.family}: {r.reason}" for r in why_not((), tuple(refused))))
    return Refusal(
        "No layout of these disks meets the request",
        where=f"{counted(len(request.disks), 'disk')}, goal {request.workload.goal.value}",
        todo="Ask for less capacity, fewer failures to survive or fewer spares, or add disks.",
        reasons=(*limits, *reasons) or ("There are too few disks.",),
    )


class _GroupEvaluator:
    """Evaluates shapes of one group of equal disks."""

    def __init__(
        self,
        request: Request,
        group: EqualDisks,
        ashift: int,
        all_disks: int,
        raw_bytes: int,
        make_judge: JudgeMaker,
    ) -> None:
        self._request, self._group, self._ashift = request, group, ashift
        self._all_disks, self._raw_bytes = all_disks, raw_bytes
        self._maker = LayoutMaker(group.least_bytes)
        self._judge = make_judge(request, group.disks, ashift)
        self._outlook = outlook_for(
            group.disks, workload=request.workload, host=request.host, drives=request.drives, ashift=ashift
        )
        self._known = self._outlook.memory()
        self._wants_forecast = wants_forecast(request.budget)
        self._forecasts: dict[tuple[VdevKind, int, int, int, int, int], Forecast] = {}
        self._sector = max(d.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES for d in group.disks)
        self._space = ShapeSpace(
            group.least_bytes, ashift=ashift, version=request.version, logical_sector_bytes=self._sector
        )

    def evaluate(self, shape: Shape) -> Candidate | Rejected:
        layout = self._maker.layout(shape)
        try:
            available = self._space.available_bytes(shape)
        except Refusal as refusal:
            return Rejected(family=shape.family, reason="; ".join(refusal.reasons), layout=layout)
        usable, survived = available * shape.pools, guaranteed(shape)
        budget = self._request.budget
        objections = budget_objections(budget, shape, usable, survived)
        if self._wants_forecast:
            objections += forecast_objections(budget, self._forecast(shape, layout), shape.pools)
        if objections:
            return Rejected(
                family=shape.family,
                reason=f"{describe(layout)}: {'; '.join(objections)}",
                layout=layout,
                unmet=len(objections),
                usable_bytes=usable,
            )
        unassigned = self._all_disks - shape.disks * shape.pools
        findings = self._judge(layout, available, unassigned)
        blocked = next((f for f in findings if _blocks(f)), None)
        if blocked is not None:
            return Rejected(family=shape.family, reason=blocked.text, layout=layout, rule_id=blocked.rule_id)
        return self._candidate(shape, layout, usable, findings, unassigned)

    def _forecast(self, shape: Shape, layout: Layout) -> Forecast:
        """Return what is predicted of one pool. More spares than a vdev can lose disks change it by almost nothing."""
        key = (shape.kind, shape.parity, shape.width, shape.narrow, shape.wide, min(shape.spares, guaranteed(shape)))
        found = self._forecasts.get(key)
        if found is None:
            found = self._forecasts[key] = self._outlook.forecast(layout, self._known)
        return found

    def _candidate(
        self, shape: Shape, layout: Layout, usable: int, findings: tuple[Finding, ...], unassigned: int
    ) -> Candidate:
        measures = Measures(
            shape=shape,
            usable_bytes=usable,
            failures_survived=guaranteed(shape),
            disks=self._all_disks,
            raw_bytes=self._raw_bytes,
            forecast=self._forecast(shape, layout),
            rates=self._outlook.around.disks,
            clients=self._request.workload.clients,
        )
        goal = self._request.workload.goal
        price = self._request.budget.price_per_disk
        return Candidate(
            shape=shape,
            layout=layout,
            disks=self._group.disks,
            unassigned=unassigned,
            cost=None if price is None else price * shape.disks * shape.pools,
            findings=findings,
            goal=goal,
            measures=measures,
            score=score(goal, measures, findings),
            ashift=self._ashift,
            version=self._request.version,
            logical_sector_bytes=self._sector,
            outlook=self._outlook,
        )


def _blocks(finding: Finding) -> bool:
    return finding.outcome is Outcome.VIOLATED and finding.severity is Severity.BLOCK
