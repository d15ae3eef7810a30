"""What the window asks of the worker process: each public function here by its name, with values, answered by a value.

Each is given the `Reporter` by which it tells how far it is. Rules and tables are read over there: a rule book holds
functions and cannot be sent.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from poolwright import judging
from poolwright.changes.as_design import PoolDesign
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.changes.improve.improve import improve
from poolwright.changes.improve.pool_change import ImproveQuestion, PoolImprovements
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import LiveComparison
from poolwright.changes.migration.search import plan_migration
from poolwright.changes.migration.target import old_pool, target_of_design, target_of_layout
from poolwright.changes.migration.values import MigrationAnswer
from poolwright.design import buying
from poolwright.design.answers import OnCard, cards, rivals
from poolwright.design.assign import Identity, design_of
from poolwright.design.buying import Buying, BuyProgress, Offer
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.changes import Change, WishesWeighed, changes, wishes_weighed
from poolwright.design.comparison_columns import ComparedDesign, zfs_column
from poolwright.design.evaluate import Evaluation, PoolEvaluation, evaluate, unassigned_of
from poolwright.design.explanations import lines_of_first, with_ranking
from poolwright.design.md_column import md_column
from poolwright.design.recommend import recommend as ranked
from poolwright.design.request import Request
from poolwright.design.search import Search
from poolwright.design.slots import placed_vdevs
from poolwright.design.support import beside_words, with_support
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.finding import Finding
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.units import parse_size
from poolwright.domain.vdev import parse_layout
from poolwright.emit.report import Report
from poolwright.machine.typed.read import read_typed
from poolwright.paper.cover import report_foot
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.drives import DriveBook
from poolwright.predict.synclog_advice import LogComparison, compare
from poolwright.predict.synclog_model import Setup
from poolwright.predict.tables import Tables
from poolwright.process.worker import Reporter
from poolwright.rule_library import load_design_rules, load_shipped
from poolwright.rules.rulebook import RuleBook
from poolwright.store.capture_files import open_captures, open_pasted
from poolwright.table_library import load_drive_book, load_shipped_tables
from poolwright.texts import Translations, _, chosen

if TYPE_CHECKING:
    from poolwright.emit.exports import ExportContext

# Seconds after which the first and then further results of a running search are sent.
_FIRST_LOOK, _NEXT_LOOK = 0.08, 0.8
_MOST_KEPT = 2


@cache
def _book(load: Callable[[], RuleBook] = load_design_rules) -> RuleBook:
    """Return the rules; none where some are wrong, which the window tells."""
    try:
        return load()
    except PoolwrightError:
        return RuleBook()


# Layouts: the search, of which the window gets the rows that a person would ask for, and what else is asked of a row.


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRows(Recommendation):
    """A recommendation as it is sent: its rows without the facts of findings, ``told`` is said of the first choice.

    ``cards`` show it, and say what flash carries once the search has ended; ``rivals`` are above and below the floors.
    """

    told: tuple[str, ...]
    cards: tuple[OnCard, ...]
    rivals: tuple[tuple[Candidate, ...], ...]

    @classmethod
    def of(cls, found: Recommendation, request: Request | None = None) -> "RankedRows":
        every = (*found.candidates, *found.near)
        rows = dict(zip(map(id, every), _without_facts(every), strict=True))
        values = {field.name: getattr(found, field.name) for field in fields(Recommendation)}
        values |= {
            "candidates": tuple(rows[id(row)] for row in found.candidates),
            "as_good": tuple(rows[id(row)] for row in found.as_good),
            "near": tuple(rows[id(row)] for row in found.near),
            "answers": tuple(replace(one, candidate=rows[id(one.candidate)]) for one in found.answers),
        }
        shown = [one._replace(candidate=rows[id(one.candidate)]) for one in cards(found)]
        if request is not None and found.roles is not None:
            shown = [
                one._replace(beside=_beside(design_of(one.candidate, request, Identity(key="")), request))
                for one in shown
            ]
        beside = tuple(tuple(rows[id(row)] for row in part) for part in rivals(found))
        return cls(**values, told=lines_of_first(found), cards=tuple(shown), rivals=beside)


def _without_facts(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return rows whose findings do not say by which facts: those are two thirds of an answer, and told of one row."""
    known: dict[int, Finding] = {}

    def short(finding: Finding) -> Finding:
        if id(finding) not in known:
            known[id(finding)] = replace(finding, facts=())
        return known[id(finding)]

    return tuple(replace(row, findings=tuple(short(finding) for finding in row.findings)) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """What a search has found up to now, and in a sentence what it has not tried."""

    ranking: RankedRows
    untried: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDetails:
    """What is known of one layout in sight: what the rules say once the models are asked, and where its disks stand.

    ``flash`` says what stands beside it on flash once it is taken.
    """

    findings: tuple[Finding, ...]
    vdevs: tuple[tuple[Vdev, ...], ...]
    flash: str


_kept: list[tuple[Request, Translations | None, Recommendation]] = []


def _searched(report: Reporter, request: Request, *, looks: bool = True) -> Recommendation:
    """Return all layouts, remembered for what is asked of them next; ``looks`` tells what is found meanwhile."""
    for asked, language, found in _kept:
        if language is chosen() and asked == request:
            return found
    next_look = time.monotonic() + _FIRST_LOOK

    def look(search: Search) -> None:
        nonlocal next_look
        if looks and time.monotonic() >= next_look:
            found = search.so_far()
            if found is not None:
                report.so_far(SoFar(ranking=RankedRows.of(found), untried=search.untried()))
            next_look = time.monotonic() + _NEXT_LOOK
        report.share(search.share)

    found = ranked(request, judging.judge_maker(_book(), request.host), look)
    found = replace(found, roles=judging.flash_roles(_book(), found.best, request))
    _kept[:] = (*_kept[1 - _MOST_KEPT :], (request, chosen(), found))
    return found


def recommend(report: Reporter, request: Request) -> RankedRows:
    return RankedRows.of(_searched(report, request), request)


def best_layout(report: Reporter, request: Request) -> Candidate:
    """Return the first choice alone; what else was found is remembered for the ranking."""
    return _without_facts((_searched(report, request, looks=False).best,))[0]


def what_would_change(report: Reporter, request: Request) -> tuple[Change, ...]:
    found = _searched(report, request)
    return changes(request, found, judging.judge_maker(_book(), request.host), report.share)


def weigh_wishes(report: Reporter, request: Request) -> WishesWeighed:
    found = partial(_searched, report, request, looks=False)  # the layouts of the next page, which has them then
    return wishes_weighed(request, found, judging.judge_maker(_book(), request.host), report.so_far)


Row = int | Candidate  # its rank, or itself while the search goes on


def _row(report: Reporter, request: Request, row: Row) -> Candidate:
    return _searched(report, request).candidates[row - 1] if isinstance(row, int) else row


def row_details(report: Reporter, request: Request, row: Row, inventory: Inventory | None) -> RowDetails:
    candidate = _row(report, request, row)
    words = _beside(design_of(candidate, request, Identity(key=""), inventory=inventory), request)
    return RowDetails(
        findings=judging.finder_with_predictions(_book(), request, inventory.host if inventory else None)(candidate),
        vdevs=placed_vdevs(candidate.pools),
        flash=_("Beside it on flash, in the design that is made of it: {words}.", words=words) if words else "",
    )


def _beside(bare: Design, request: Request) -> str:
    return beside_words(bare, with_support(bare, request))


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutAsked:
    request: Request
    row: Row
    identity: Identity
    inventory: Inventory | None

    @property
    def disks(self) -> tuple[Disk, ...]:
        return self.request.disks if self.inventory is None else self.inventory.disks


def design_of_row(report: Reporter, asked: LayoutAsked) -> Design:
    """Return the design of a layout, which keeps its place in the ranking."""
    candidate = _row(report, asked.request, asked.row)
    design = _design(asked.request, candidate, asked.identity, asked.inventory)
    if not isinstance(asked.row, int):
        return design
    return with_ranking(design, candidate, _searched(report, asked.request))


def _design(request: Request, candidate: Candidate, identity: Identity, inventory: Inventory | None) -> Design:
    """Return a design with the properties that the rules propose, and flash beside it where that helps."""
    properties = judging.properties_for(_book(), candidate, request, request.host if inventory else None)
    return with_support(design_of(candidate, request, identity, inventory=inventory, properties=properties), request)


# What to buy, and the designs of what is offered.


def buy(report: Reporter, request: Request, catalogue: Catalogue, *, with_old: bool) -> Buying:
    """Return what to buy, telling the best so far as often as a model was tried; without what is not shown."""

    def look(progress: BuyProgress) -> None:
        report.share(progress.done / max(1, progress.models))
        report.so_far(progress)

    judge = judging.judge_maker(_book(), request.host)
    found = buying.buy(request, catalogue, judge, with_old=with_old, progress=look)
    return replace(found, offers=())


def designs_of_offers(
    report: Reporter, offers: Sequence[tuple[Offer, Identity]], inventory: Inventory | None
) -> tuple[Design, ...]:
    designs: list[Design] = []
    for offer, identity in offers:
        report.share(len(designs) / len(offers))
        designs.append(_design(offer.request, offer.candidate, identity, inventory))
    return tuple(designs)


# Designs side by side.


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAsked:
    """A column of a comparison: ``of`` a design, or md RAID 6 of its disks; ``offered`` are those it could have."""

    of: Design | LayoutAsked
    offered: Sequence[str] = ()
    as_md: bool = False


def compare_designs(
    report: Reporter, wanted: Sequence[ColumnAsked], drives: DriveBook, assumed: Assumptions, today: date
) -> tuple[tuple[ComparedDesign, ...], str]:
    """Return the columns that there are, in order, and what is to be said of those that there are not."""
    columns: dict[str, ComparedDesign] = {}  # one design may be ticked in two ways: saved, and from the list
    problems: list[str] = []
    for number, asked in enumerate(wanted):
        report.share(number / len(wanted))
        try:
            design = asked.of if isinstance(asked.of, Design) else design_of_row(report, asked.of)
            if asked.as_md:
                column = md_column(design, drives, assumed=assumed, today=today)
            else:
                column = zfs_column(_evaluated(design, drives, assumed, today, unassigned_of(design, asked.offered)))
        except PoolwrightError as error:
            problems += getattr(error, "reasons", ()) or (error.text,)
        else:
            columns[column.key] = column
    return tuple(columns.values()), " ".join(problems)


def _evaluated(design: Design, drives: DriveBook, assumed: Assumptions, today: date, unassigned: int) -> Evaluation:
    return evaluate(design, drives=drives, today=today, rules=_book(), assumed=assumed, unassigned_disks=unassigned)


def judged_pools(
    _report: Reporter, design: Design, drives: DriveBook, assumed: Assumptions, today: date, unassigned: int
) -> tuple[PoolEvaluation, ...]:
    """Return the pools of a design of so many disks that the window would not answer meanwhile."""
    return _evaluated(design, drives, assumed, today, unassigned).pools


def design_report_on(
    _report: Reporter, design: Design, drives: DriveBook, assumed: Assumptions, today: date, unassigned: int
) -> Report:
    from poolwright.emit.report_design import DesignSubject, design_report  # noqa: PLC0415 - for reports alone

    found = _evaluated(design, drives, assumed, today, unassigned)
    advice = judging.advice_for(_book(), design)
    return design_report(DesignSubject(evaluation=found, advice=advice, made=report_foot()))


def write_script(_report: Reporter, design: Design, context: "ExportContext") -> judging.Preview:
    from poolwright.emit.exports import export_text  # noqa: PLC0415 - for commands alone

    found = judging.preview_of(_book(), design)
    with suppress(PoolwrightError):  # asked for once more where it is shown, which says why there is none
        found = replace(found, script=export_text("sh", design, context))
    return found


# Pools that exist: what is to be said of them, what would help, how their data move to another pool.


def audit(_report: Reporter, inventory: Inventory, today: date) -> tuple[PoolAudit, ...]:
    try:
        drives = load_drive_book()
    except PoolwrightError:
        drives = None
    return audit_machine(_book(load_shipped), inventory, AuditRequest.usual(today), drives)


def against_pool(_report: Reporter, design: Design, inventory: Inventory, pool: Pool) -> LiveComparison:
    return compare_with_live(design, inventory, pool)


def improve_pool(
    _report: Reporter, made: PoolDesign, known: ExistingPool, question: ImproveQuestion
) -> PoolImprovements:
    return improve(made, known, question)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAsked:
    """A move as it is typed, empty where nothing was; ``design`` goes before ``layout``."""

    inventory: Inventory
    pool: str
    design: Design | None
    layout: str
    bought: str
    stored: str
    backup: bool


def plan_move(_report: Reporter, asked: MoveAsked) -> MigrationAnswer:
    inventory = asked.inventory
    if asked.bought.strip():
        coming = (replace(disk, key=f"new {disk.key}") for disk in read_typed([asked.bought]).disks)
        inventory = replace(inventory, disks=(*inventory.disks, *coming))
    told = parse_size(asked.stored) if asked.stored.strip() else None
    old = old_pool(inventory, asked.pool, stored_bytes=told)
    if asked.design is not None:
        target = target_of_design(asked.design, old, inventory)
    elif asked.layout.strip():
        target = target_of_layout(parse_layout([asked.layout]), inventory, old)
    else:
        raise UserError(_("No new layout is named"), todo=_("Write such as raidz2:8x6TB."))
    return plan_migration(old, target, inventory, backup_exists=asked.backup)


# Models and measurements.


def log_commits(report: Reporter, setup: Setup) -> LogComparison:
    return compare(setup, progress=report.share)


def measured_tables(_report: Reporter) -> Tables:
    return load_shipped_tables()


# Captures of other machines.


def read_captures(_report: Reporter, pieces: Sequence[Path | str]) -> tuple[Inventory, tuple[Path | str, ...]]:
    """Return the machine that files and pasted texts describe, and which: one of another machine is read alone."""
    files, pasted = [one for one in pieces if isinstance(one, Path)], [one for one in pieces if isinstance(one, str)]
    found = open_captures(files, pasted) if files else open_pasted(*pasted)
    if pasted and len(pieces) > 1 and found.has_foreign_pools:
        return open_pasted(pasted[-1]), (pasted[-1],)
    return found, tuple(pieces)
