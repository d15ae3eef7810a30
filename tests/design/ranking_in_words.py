"""Writes all that a search found: every layout in a line, or many in groups, and what is said of the first ones."""

from collections.abc import Iterator, Sequence
from statistics import mean

from tests.design.in_words import short, written

from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.changes import changes
from poolwright.design.explanations import lines_of, lines_of_first
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.search import Search
from poolwright.design.support import with_support
from poolwright.domain.errors import PoolwrightError, Refusal

MOST_LISTED = 24
EACH = 120


def ranking_in_words(request: Request, make_judge: JudgeMaker, *, with_changes: bool = False) -> str:
    """Return what is recommended, or the refusal, as text."""
    untried: list[str] = []
    try:
        found = recommend(request, make_judge, lambda search: untried.extend(_looked_at(search)))
    except PoolwrightError as error:
        return written([error.text, error.where, error.todo, *(error.reasons if isinstance(error, Refusal) else ())])
    parts = [*_head(found), *untried, "", *_groups(found.candidates), ""]
    parts += [_line(candidate) for candidate in found.candidates[:MOST_LISTED]]
    best_of = {c.way: c for c in reversed(found.candidates)}
    for candidate in dict.fromkeys((found.best.words, *(c.words for c in best_of.values()))):
        parts += _whole(next(c for c in found.candidates if c.words == candidate))
    parts += ["", "The first choice as a design", *_design(found.best, request)]
    if with_changes:
        parts += ["", "Changes", written(changes(request, found, make_judge))]
    return "\n".join(parts) + "\n"


def _looked_at(search: Search) -> Iterator[str]:
    """Yield how far a search is, now and then."""
    if search.examined % EACH == 0:
        best = so_far.best.words if (so_far := search.so_far()) is not None else "—"
        yield f"{search.examined} looked at, {search.share:.3f}, {best}. {search.untried()}"


def _head(found: Recommendation) -> Iterator[str]:
    yield f"{found.goal.value}, ashift {found.ashift}, survives {found.survives}; {found.examined} looked at"
    yield f"{found.feasible} layouts, {len(found.candidates)} listed; {found.decided_by or 'nothing to decide'}"
    named = (("as good", found.as_good), ("near", found.near))
    yield from (f"{name}: {short(c)}" for name, candidates in named for c in candidates)
    yield from (f"{a.name.value}: {short(a.candidate)}: {a.trade_off}" for a in found.answers)
    yield f"reach: {short(found.reach)}"
    yield from (*(f"{n.level.value}: {n.text}" for n in found.notes), *found.searched, *found.left_out)
    yield from (f"told: {text}" for text in lines_of_first(found))
    yield from (f"of {c.words}: {text}" for c in found.candidates[1:9] for text in lines_of(c, found))
    yield ""
    for one in found.rejected:
        score = "—" if one.score is None else f"{one.score:.2f}"
        vdevs = "" if one.layout is None else short(one.layout)
        yield f"not {one.family}: {one.reason}"
        yield f"    {score}, {one.rule_id}, {one.unmet} unmet, {one.usable_bytes} B, feasible {one.feasible}; {vdevs}"
    yield ""


def _groups(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield how many layouts there are of each sort, with the mean of their scores and of their space."""
    sorts: dict[tuple[object, ...], list[Candidate]] = {}
    for c in candidates:
        key = (c.way.value, c.family, c.measures.failures_survived, c.spare_count, len(c.pools))
        sorts.setdefault(key, []).append(c)
    yield "way, family, failures survived, spares, pools: layouts, mean score, mean GB, mean points below"
    for sort, found in sorted(sorts.items(), key=str):
        score, space = mean(c.score for c in found), mean(c.measures.usable_bytes for c in found) / 1e9
        idle = mean(c.idle_bytes + c.stranded_bytes for c in found) / 1e9
        below = sum(len(c.below) for c in found)
        yield f"{short(sort)}: {len(found)}, {score:.3f}, {space:.1f}, {idle:.1f} unused, {below}"


def _line(c: Candidate) -> str:
    m, s = c.measures, c.measures.speed
    rates = f"{s.seq_read / 1e6:.4g} {s.seq_write / 1e6:.4g} {s.rand_read_iops:.4g} {s.rand_write_iops:.4g}"
    hours = "—" if m.forecast.rebuild_hours is None else f"{m.forecast.rebuild_hours:.4g}"
    words = [
        f"{c.score:.2f} {c.words}: {c.way.value} {m.usable_bytes / 1e9:.5g} GB held {m.held_bytes / 1e9:.5g}",
        f"loss {m.any_loss:.4g} disks {m.any_disk_loss:.4g} rebuild {hours} rates {rates}",
        f"survives {m.failures_survived} spares {c.spare_count} {m.spare_count} idle {c.unassigned} {c.idle_disks}",
        f"{c.idle_bytes / 1e9:.5g} stranded {c.stranded_bytes / 1e9:.5g} of {m.data_members} cost {c.cost}",
        f"pools {m.pool_count} single_points {m.single_points} {m.more_single_points}",
        f"below {short(c.below)} missed {'; '.join(f'{one.text} {one.share:.3f}' for one in c.missed)}",
    ]
    return "; ".join(words)


def _whole(c: Candidate) -> Iterator[str]:
    yield f"\n{c.words} ({c.way.value})"
    yield f"survival {short(c.survival)}; {c.vdev_count} vdevs of {short(c.widths)}; {c.used_count} used"
    yield written(c.measures).replace("\n", "; ")
    for term in c.terms:
        value = "—" if term.value is None else f"{term.value:.3f}"
        yield f"  {term.points:.2f} of {term.weight:g} ({value}) {term.name}: {term.title}: {term.why}"
    for finding in c.findings:
        weight = " ".join(f"{name} {amount:.3g}" for name, amount in finding.weight)
        yield f"  {finding.severity.value} {finding.outcome.value} {finding.rule_id} {finding.subject} [{weight}]"
        yield f"      {finding.text}"
    for pool in c.pools:
        told = pool.predictions
        yield f"  pool {short(pool.layout)}: {pool.usable_bytes} B, survives {pool.plan.failures_survived}"
        yield f"    of {short(pool.disks)}"
        yield f"    loss {short(told.risk.loss)}, rebuild {short(told.rebuild)}, scrub {short(told.scrub)}"
        rates = map(short, (told.speed.seq_read, told.speed.rand_read_iops, told.itself.seq_write))
        yield "    {}, {}, itself {}".format(*rates)
        yield f"    {pool.capacity.available_bytes} available of {pool.capacity.pool_size_bytes}"


def _design(candidate: Candidate, request: Request) -> Iterator[str]:
    design = with_support(design_of(candidate, request, Identity(key="k", name="n")), request)
    for pool in design.pools():
        yield f"pool {pool.pool_name} of {short(pool.version)}"
        yield from (f"  {short(vdev)}" for vdev in pool.vdevs)
        yield f"  {short([f'{s.name}={s.value}' for s in pool.pool_settings])}"
