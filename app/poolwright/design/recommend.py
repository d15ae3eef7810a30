"""From ticked disks, workload and budget to a ranked list of layouts with reasons."""

from collections import Counter
from collections.abc import Iterable, Sequence

from poolwright.design.candidate import Recommendation, Rejected
from poolwright.design.equal_layouts import family_words
from poolwright.design.explanations import why_not
from poolwright.design.floors import floors_of
from poolwright.design.groups import DiskKind, equal_groups, offered_beside, safe_ashift
from poolwright.design.plan import outlook_under
from poolwright.design.request import JudgeMaker, Medium, Request, Terms
from poolwright.design.search import Listed, Progress, Search, by_medium
from poolwright.design.two_pools import with_two_pools
from poolwright.design.wishes import check_budget
from poolwright.domain.burn_in import BurnInVerdict
from poolwright.domain.disk import LOOKS_LIKE_ARRAY, Disk, Health, Note, NoteLevel, UseKind, UseNote
from poolwright.domain.errors import Refusal
from poolwright.domain.workload import Budget, Goal
from poolwright.rules.presets import goal_words
from poolwright.texts import N_, _, either, first_of, ngettext, sentence

_TWIN = N_("another disk has its serial number too; it may be one disk seen twice")
# What flash could hold of what the hard disks could, or the other way round, to be a place for the same data.
RIVAL_SHARE = 0.5
_NAMED = 3  # disks of a note that is about many


def recommend(request: Request, make_judge: JudgeMaker, progress: Progress | None = None) -> Recommendation:
    """Return every feasible layout ranked for the goal, and why the other families were not chosen.

    ``progress`` is told now and then how far the search of one pool is. Raises Refusal, with all reasons, when no
    layout meets the request, and UserError for a senseless budget.
    """
    search = _search_for(request, make_judge)
    search.run(progress)
    single = search.result()
    if single is None:
        raise _refusal(request, search.refused, tuple(search.limits))
    return with_two_pools(request, make_judge, single, recommend)


def layouts_of(request: Request, make_judge: JudgeMaker, bought: Sequence[Disk]) -> Sequence[Listed]:
    """List every layout of one pool that keeps to floors and wishes and uses all ``bought``; no rule is asked."""
    search = _search_for(request, make_judge)
    search.strict, search.to_use = True, frozenset(disk.key for disk in bought)
    search.run()
    return search.listed


def _search_for(request: Request, make_judge: JudgeMaker) -> Search:
    check_budget(request.budget)
    whole, notes = _fit_disks(request.disks)
    disks = offered_beside(whole, request.budget.reserve, request.version)
    groups = equal_groups(disks)
    every = equal_groups(whole)
    kinds_of = Counter(group.media for group in every)
    if unlike := [group for group in every if kinds_of[group.media] > 1]:
        notes.append(Note(text=_groups_note(unlike)))
    about_goal = goal_words(request.workload, told=request.goal_told)
    if about_goal:
        notes.insert(0, Note(text=about_goal))
    floors = floors_of(request.workload.goal, request.budget, disks)
    if floors.unlike:
        text = _(
            "Their sizes differ so much that to survive two failures would cost a quarter of the space or more: one "
            "is taken for enough. Ask for two failures to survive where they count for more."
        )
        notes.append(Note(text=text))
    most = [group for group in groups if not group.beside]
    ashift = request.ashift if request.ashift is not None else safe_ashift(disks)
    media = [Medium(request=request, kinds=kinds, ashift=ashift) for kinds in by_medium(groups)]
    held = [sum(kind.raw_bytes for kind in medium.kinds) for medium in media]
    rivals = [medium for medium, own in zip(media, held, strict=True) if own >= RIVAL_SHARE * max(held)]
    rivals = rivals if len(rivals) > 1 else []
    disks_of = [tuple((at, len(kind.disks)) for at, kind in enumerate(medium.kinds)) for medium in rivals]
    of_rivals = [outlook_under(medium, every, 0) for medium, every in zip(rivals, disks_of, strict=True)]
    terms = Terms(
        request=request,
        floors=floors,
        ashift=ashift,
        disks=len(disks),
        most_disks=sum(len(group.disks) for group in most),
        raw_bytes=sum(group.raw_bytes for group in most),
        make_judge=make_judge,
        rivals=frozenset(medium.kinds[0].media for medium in rivals),
        fastest=max(of_rivals, key=lambda outlook: outlook.inputs.disks.iops, default=None),
    )
    return Search(terms=terms, groups=groups, notes=tuple(notes))


def _fit_disks(disks: tuple[Disk, ...]) -> tuple[tuple[Disk, ...], list[Note]]:
    notes: list[Note] = []
    fit: list[Disk] = []
    left_out: dict[str, list[Disk]] = {}
    paths = {disk.key for disk in disks if any(use.kind is UseKind.MULTIPATH for use in disk.uses)}
    serials = Counter(disk.telling_serial for disk in disks if disk.body is None and disk.key not in paths)
    for disk in disks:
        reasons = list(disk.refusals())
        if disk.telling_serial is not None and disk.body is None and serials[disk.telling_serial] > 1:
            reasons.append(_(_TWIN))
        if disk.health is Health.FAILING:
            reasons.append(_("it reports that it is failing"))
        if disk.burn_in is not None and disk.burn_in.verdict is BurnInVerdict.NO_GO:
            reasons.append(disk.burn_in.text)
        if reasons:
            left_out.setdefault("; ".join(reasons), []).append(disk)
        else:
            fit.append(disk)
    notes += [Note(text=_left_out_note(alike, why), level=NoteLevel.WARN) for why, alike in left_out.items()]
    if not fit:
        raise Refusal(
            _("No disk can be used"),
            todo=_("Choose disks that nothing uses, or type some; a pool that exists: `improve`, the page Pools."),
            reasons=tuple(note.text for note in notes) or (_("No disks were named"),),
        )
    arrays = [disk for disk in fit if disk.array]
    if arrays:
        text = sentence(f"{_few([disk.label for disk in arrays])}: {_(LOOKS_LIKE_ARRAY)}")
        notes.append(Note(text=text, level=NoteLevel.WARN))
    unlooked = [disk for disk in fit if not disk.use_known]
    if unlooked:
        notes.append(UseNote(text=_unlooked_note(unlooked, len(fit)), level=NoteLevel.WARN))
    return tuple(fit), notes


def _left_out_note(disks: Sequence[Disk], why: str) -> str:
    """Return one warning for all disks that are left out for the same reasons; it names the first few."""
    twin = _(
        "another disk has its serial number {serial} too; it may be one disk seen twice",
        serial=_few([disk.serial or "" for disk in disks]),
    )
    why = why.replace(_(_TWIN), twin)

    if len(disks) == 1:
        return _("{label} is left out: {why}.", label=disks[0].label, why=why)
    labels = _few([disk.label for disk in disks])
    return _("{count} disks are left out ({labels}): {why}.", count=len(disks), labels=labels, why=why)


def _few(names: Iterable[str]) -> str:
    return first_of(tuple(dict.fromkeys(names)), _NAMED)


def _unlooked_note(unlooked: Sequence[Disk], count: int) -> str:
    """Return the warning that no reading says what uses these disks."""
    which = _("{count} of {all} disks", count=len(unlooked), all=count) if len(unlooked) > 1 else unlooked[0].label
    return _(
        "What uses {which} is not known: it was not read with lsblk. The script checks each "
        "disk before it writes; read lsblk -J -b -O to know now.",
        which=which,
    )


def _groups_note(groups: Sequence[DiskKind]) -> str:
    sizes = ", ".join(f"{len(group.disks)} × {group.full_words}" for group in groups)
    return _(
        "The disks are not all equal ({sizes}): they are grouped, cut to the smallest, or partitioned.", sizes=sizes
    )


def _refusal(request: Request, refused: Sequence[Rejected], limits: tuple[str, ...]) -> Refusal:
    reasons = tuple(dict.fromkeys(f"{family_words(r.family)}: {r.reason}" for r in why_not((), tuple(refused))))
    return Refusal(
        _("No layout of these disks meets the request"),
        where=ngettext(
            "{count} disk, goal {goal}",
            "{count} disks, goal {goal}",
            len(request.disks),
            goal=_(request.workload.goal.value),
        ),
        todo=_todo(request, refused),
        reasons=(*limits, *reasons) or (_("There are too few disks."),),
    )


def _todo(request: Request, refused: Sequence[Rejected]) -> str:
    """Return what would help: another ashift where the one asked for is at fault, to give up a wish, or more disks.

    A single disk keeps nothing safe, whatever is given up; a pool of it is what the other goals recommend.
    """
    budget = request.budget
    if request.ashift is not None and any((one.rule_id or "").startswith("ashift.") for one in refused):
        return _("Ask for another ashift, or for none: then the physical sectors decide.")
    if len(request.disks) == 1 and request.workload.goal is Goal.SAFETY:
        return _(
            "Add a disk, which makes a mirror of the two. Where one disk is all that there is, as in a laptop, ask for "
            "another goal, such as space, and keep a backup elsewhere."
        )
    easier = (
        (_("less capacity"), budget.least_usable_bytes),
        (_("fewer failures to survive"), budget.survive or None),
        (_("fewer spares"), budget.spares or None),
        (_("a lower rate"), budget.least_read_bytes_per_second),
        (_("a lower rate"), budget.least_write_bytes_per_second),
        (_("a higher risk"), budget.most_yearly_loss),
        (_("a longer rebuild"), budget.most_rebuild_hours),
    )
    words = either([text for text, wish in easier if wish is not None])
    more = _what_to_add(budget)
    return _("Ask for {words}, or add {more}.", words=words, more=more) if words else _("Add {more}.", more=more)


def _what_to_add(budget: Budget) -> str:
    if budget.bays is not None and budget.money is not None:
        return _("disks (and bays) (and money)")
    if budget.bays is not None:
        return _("disks (and bays)")
    return _("disks") if budget.money is None else _("disks (and money)")
