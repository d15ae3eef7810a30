"""The rules at work on layouts and designs: what ties the advice to the rule book. Window and command line share it."""

from collections.abc import Sequence

from poolwright.advise.assign import Properties
from poolwright.advise.candidate import Candidate
from poolwright.advise.recommend import JudgeMaker, LayoutJudge, Request
from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.disk import Disk
from poolwright.domain.finding import Finding
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevSpec
from poolwright.predict.for_rules import predicted_facts
from poolwright.rules.advice import advise_host
from poolwright.rules.judge import Judge
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import propose_properties


class _RuleJudge:
    """Judges layouts of one set of disks by the rules."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def __call__(self, layout: Layout, usable_bytes: int, unassigned: int) -> tuple[Finding, ...]:
        numbers = LayoutNumbers(usable_bytes=usable_bytes, unassigned_disks=unassigned)
        return self._judge.layout(layout, numbers)


def judge_maker(book: RuleBook, host: Host | None = None) -> JudgeMaker:
    """Return what makes, for each group of equal disks, a judge by the rules of ``book``."""

    def make(request: Request, disks: Sequence[Disk], ashift: int) -> LayoutJudge:
        return _RuleJudge(
            Judge(
                book,
                goal=request.workload.goal,
                version=request.version,
                profile=DiskProfile.from_disks(disks),
                workload=request.workload,
                budget=request.budget,
                host=host or Host(),
                ashift=ashift,
            )
        )

    return make


def findings_with_predictions(
    book: RuleBook, candidate: Candidate, request: Request, host: Host | None = None
) -> tuple[Finding, ...]:
    """Return the findings of ``candidate`` after the models were asked: those on rebuild, risk, scrub and speed too.

    The ranking itself does without them, for its terms count risk, rebuild and speed already; they cost some ms each.
    """
    predictions = candidate.predictions
    rebuilds = {vdev.spec: vdev.rebuild for vdev, _ in predictions.risk.vdevs}

    def hours(spec: VdevSpec) -> float | None:
        found = rebuilds.get(spec)
        return None if found is None else found.typical

    judge = Judge(
        book,
        goal=request.workload.goal,
        version=request.version,
        profile=DiskProfile.from_disks(candidate.disks),
        workload=request.workload,
        budget=request.budget,
        host=host or Host(),
        ashift=candidate.ashift,
        rebuild=hours,
    )
    numbers = LayoutNumbers(
        usable_bytes=candidate.capacity.available_bytes,
        unassigned_disks=candidate.unassigned,
        predicted=predicted_facts(predictions, candidate.outlook.itself(candidate.layout)),
    )
    return judge.layout(candidate.layout, numbers)


def properties_for(book: RuleBook, candidate: Candidate, request: Request, host: Host | None = None) -> Properties:
    """Return the settings the rules propose for the pool of ``candidate``, its root dataset and those below it.

    There are datasets below the root where the workload follows a preset.
    """
    proposals = propose_properties(
        book,
        goal=request.workload.goal,
        version=request.version,
        profile=DiskProfile.from_disks(candidate.disks),
        workload=request.workload,
        budget=request.budget,
        host=host or Host(),
        layout=candidate.layout,
        numbers=LayoutNumbers(usable_bytes=candidate.capacity.available_bytes, unassigned_disks=candidate.unassigned),
    )
    # ashift is a field of the design; a setting of the same name would say it twice.
    pool = tuple(setting for setting in proposals.pool if setting.name != "ashift")
    return Properties(pool=pool, root=proposals.root, datasets=proposals.datasets)


def advice_for(book: RuleBook, design: Design) -> tuple[HostAdvice, ...]:
    """Return what the rules advise for the machine around the pool of ``design``: settings, timers, commands."""
    return advise_host(book, design)
