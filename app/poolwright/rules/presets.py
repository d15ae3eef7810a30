"""Workloads people name in a word, as values: what each detail is taken to be and why.

The figures are starting points, not measurements; each says its reason, and everything can be changed afterwards.
A detail of which nothing can be said in general stays unknown. A pool may hold several kinds of data: the hardest
demand of each detail decides about the pool, and each kind has a dataset with what suits itself (`dataset_plan`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from poolwright.domain.units import MIB, parse_size
from poolwright.domain.workload import Goal, Sharing, Workload
from poolwright.shipped import shipped
from poolwright.texts import _, listed

# What rules ask of a kind of data as `workload.TRAIT`; `rules/data/presets.toml` says what each means.
TRAITS: tuple[str, ...] = tuple(shipped("presets")["traits"])
# What a preset may fill: every detail of a workload, not its goal.
DETAILS = tuple(field.name for field in fields(Workload) if field.name not in {"goal", "preset", "presets_beside"})
_SYNC = "sync_write_percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named workload. ``workload`` holds the details it fills; ``reasons`` names each of them with its why.

    ``workload.goal`` is the goal that such data usually have, ``dataset`` the name of what holds them below the root;
    ``recordsize`` is theirs whatever the size of I/O, and ``at_random`` are words for data that are read and written
    at random by their nature: both empty for others. ``below`` are further datasets: name, use, and their details.
    """

    key: str
    title: str
    summary: str
    dataset: str
    recordsize: str
    at_random: str
    traits: tuple[str, ...]
    below: tuple[tuple[str, str, Mapping[str, Any]], ...]
    workload: Workload
    reasons: tuple[tuple[str, str], ...]

    @property
    def filled(self) -> tuple[str, ...]:
        return tuple(name for name, __ in self.reasons)

    def reason(self, detail: str) -> str | None:
        """Return why it fills this detail as it does; None when it leaves it open."""
        return next((_(why) for name, why in self.reasons if name == detail), None)


def _preset(entry: Mapping[str, Any]) -> Preset:
    given = {detail: entry[detail] for detail in DETAILS if detail in entry}
    return Preset(
        key=entry["key"],
        title=entry["title"],
        summary=entry["summary"],
        dataset=entry["dataset"],
        recordsize=entry.get("recordsize", ""),
        at_random=entry.get("at_random", ""),
        traits=tuple(entry.get("traits", ())),
        below=tuple((b["dataset"], b["use"], _details(b)) for b in entry.get("below", ())),
        workload=Workload(goal=Goal(entry["goal"]), **_details({d: value for d, (value, __) in given.items()})),
        reasons=tuple((detail, why) for detail, (__, why) in given.items()),
    )


def _details(given: Mapping[str, Any]) -> dict[str, Any]:
    reads: dict[str, Callable[[str], Any]] = {"sharing": Sharing}
    known = {detail: given[detail] for detail in DETAILS if detail in given}
    return {d: reads.get(d, parse_size)(value) if isinstance(value, str) else value for d, value in known.items()}


PRESETS = tuple(map(_preset, shipped("presets")["preset"]))


def preset(key: str | None) -> Preset | None:
    """Return the preset of this key; None for None and for a key nobody knows (a design from a newer program)."""
    return next((known for known in PRESETS if known.key == key), None)


def presets_of(workload: Workload) -> tuple[Preset, ...]:
    """Return the known presets of a workload, the one that demands most first."""
    return tuple(filter(None, map(preset, workload.uses)))


def has_trait(workload: Workload, *traits: str) -> bool:
    return any(trait in chosen.traits for chosen in presets_of(workload) for trait in traits)


def filled_by(workload: Workload, detail: str) -> Preset | None:
    """Return the preset whose value ``detail`` still has; None where a person said it, or nobody."""
    value, chosen = getattr(workload, detail), _telling(workload, detail)
    if value != getattr(_demands(chosen), detail):
        return None
    return next((p for p in chosen if detail in p.filled and getattr(p.workload, detail) == value), None)


def apply_preset(workload: Workload, *chosen: Preset | None) -> Workload:
    """Return the workload with what the chosen presets demand; without any the present ones' details are taken back.

    What the former presets filled and nobody changed becomes unknown again; what a person typed and the new ones do
    not fill stays. The goal stays: it is the person's to choose.
    """
    empty = Workload(goal=workload.goal)
    kept = {d: getattr(empty if filled_by(workload, d) else workload, d) for d in DETAILS}
    ordered = sorted({p.key: p for p in chosen if p is not None}.values(), key=_hardest_first)
    demanded = _demands(ordered)
    kept |= {d: getattr(demanded, d) for p in ordered for d in p.filled}
    keys = [p.key for p in ordered]
    made = replace(empty, preset=keys[0] if keys else None, presets_beside=tuple(keys[1:]), **kept)
    return _with_commits(made, said=kept[_SYNC] is not None and not any(_SYNC in p.filled for p in ordered))


def with_sharing(workload: Workload, sharing: Sharing | None) -> Workload:
    """Return the workload shared so; how many writes are synchronous follows, unless a person said it."""
    said = workload.sync_write_percent is not None and filled_by(workload, _SYNC) is None
    return _with_commits(replace(workload, sharing=sharing), said=said)


def _telling(workload: Workload, detail: str) -> tuple[Preset, ...]:
    """Return the presets that tell a detail: whatever the data are, clients of a share ask for commits as it has them.

    With sync=standard the server waits where a client asks: NFS for each COMMIT and new file, initiators to flush.
    """
    named = presets_of(workload)
    share = preset(workload.sharing.value) if detail == _SYNC and workload.sharing is not None else None
    return named if share is None else (*named, share)


def _with_commits(workload: Workload, *, said: bool) -> Workload:
    demand = workload if said else _demands(_telling(workload, _SYNC))
    return replace(workload, sync_write_percent=demand.sync_write_percent)


def usual_goal(workload: Workload) -> Goal | None:
    """Return the goal that data of these presets usually have: many clients before safety before speed."""
    goals = {chosen.workload.goal for chosen in presets_of(workload)}
    return next((goal for goal in (Goal.CONCURRENT, Goal.SAFETY, Goal.SPEED, Goal.SPACE) if goal in goals), None)


def goal_of_data(workload: Workload) -> Goal:
    """Return the goal of a workload for which nobody named one.

    Images of machines, databases and volumes are random I/O of many, and so is what many clients do. Speed and space
    give up redundancy, and that is a person's to say: data that can be made again are kept safe until somebody does.
    """
    crowd = (workload.clients or 0) >= MANY_CLIENTS and (workload.sequential_percent or 0) <= _IN_TURN
    if crowd or workload.volumes or workload.sharing is Sharing.ISCSI or any(p.at_random for p in presets_of(workload)):
        return Goal.CONCURRENT
    return Goal.SAFETY


def random_and_rest(workload: Workload) -> tuple[tuple[Preset, ...], tuple[Preset, ...]]:
    """Return the presets of data that are used at random by their nature, and the others where some of them are bulk.

    Neither without the other: shares of NFS alone may be how the first are reached.
    """
    chosen = presets_of(workload)
    at_random = tuple(one for one in chosen if one.at_random)
    rest = tuple(one for one in chosen if not one.at_random)
    bulk = any(one.workload.sharing is not Sharing.NFS for one in rest)
    return (at_random, rest) if at_random and bulk else ((), ())


def goal_words(workload: Workload, *, told: bool) -> str:
    """Return where the goal comes from and which other there is; empty where nothing speaks for another one.

    What a person says holds, but of data that ask for something else it is told.
    """
    usual = usual_goal(workload)
    if usual is None and goal_of_data(workload) is not Goal.SAFETY:
        usual = Goal.CONCURRENT
    if usual is None:
        return ""
    data = listed([_("“{title}”", title=_(chosen.title)) for chosen in presets_of(workload)])
    if told:
        if usual is workload.goal:
            return ""
        what = data or _("many clients, or volumes")
        words = {"goal": _(workload.goal.value), "usual": _(usual.value), "what": what}
        return _("Goal {goal}, as you said; data such as {what} usually ask for the goal {usual}.", **words)
    if workload.goal is Goal.CONCURRENT:
        return _(
            "Goal concurrent: {what} are random I/O of many at once. The goal safety puts space and a second failure "
            "first, with fewer random reads.",
            what=_random_data(workload),
        )
    if usual is not workload.goal:
        return _("Goal {goal}, because none was named; data such as {what} can ask for the goal {usual} as well.",
                 goal=_(workload.goal.value), what=data, usual=_(usual.value))  # fmt: skip
    return ""


def _random_data(workload: Workload) -> str:
    """Return which of the data make it random I/O, as words in the plural; what lies beside them is none."""
    known = [_(p.at_random) for p in presets_of(workload) if p.at_random]
    if not known:
        block = workload.volumes or workload.sharing is Sharing.ISCSI
        known = [_("volumes") if block else _("the files of many clients")]
    return listed(known)


def of_answer(workload: Workload, chosen: Preset) -> Workload:
    """Return the workload of the data of one of the presets that ``workload`` follows.

    Of a detail over which another preset prevails it has its own value. What a person said instead of the value that
    prevails is meant for the data it came from, and what no preset fills for all.
    """
    demanded = _demands(presets_of(workload))
    own = {
        d: getattr(workload if getattr(chosen.workload, d) == getattr(demanded, d) else chosen.workload, d)
        for d in DETAILS
    }
    return Workload(goal=workload.goal, preset=chosen.key, **own)


# What a person chooses: kinds of data, and how they are shared, which is one detail of all of them. Where nobody says
# what is held, each way to share is a preset of its own, with what such shares usually hold.

OF_SHARES = frozenset(p.key for p in PRESETS if p.workload.sharing is not None)


def shared_by(workload: Workload) -> frozenset[str]:
    return OF_SHARES.intersection(workload.uses).union([workload.sharing.value] if workload.sharing else [])


def with_data_toggled(workload: Workload, key: str) -> Workload:
    """Return the workload with this kind of data, or without it where it was there; it stays shared as it is."""
    held, sharing = _toggled(_held(workload), key), workload.sharing
    if held or sharing is None or sharing.value not in OF_SHARES:
        return with_sharing(apply_preset(workload, *map(preset, held)), sharing)
    return apply_preset(workload, preset(sharing.value))


def with_sharing_toggled(workload: Workload, sharing: Sharing) -> Workload:
    """Return the workload shared so, or in no known way where it was; several ways only where no data are named."""
    held, shared = _held(workload), shared_by(workload)
    taken_back = sharing.value in shared
    if held or sharing is Sharing.LOCAL:
        made = workload if held == [*workload.uses] else apply_preset(workload, *map(preset, held))
        return with_sharing(made, None if taken_back else sharing)
    keys = _toggled([key for key in shared if key in OF_SHARES], sharing.value)
    return apply_preset(replace(workload, sharing=None) if taken_back else workload, *map(preset, keys))


def _held(workload: Workload) -> list[str]:
    return [key for key in workload.uses if key not in OF_SHARES]


def _toggled(keys: list[str], key: str) -> list[str]:
    return [k for k in keys if k != key] if key in keys else [*keys, key]


def deciding_data(workload: Workload) -> str:
    """Return which data set the goal of a workload for which nobody named one; empty where none speaks for it."""
    at_random = workload.goal is Goal.CONCURRENT
    chosen = [p for p in presets_of(workload) if (p.at_random if at_random else p.workload.goal is workload.goal)]
    return listed([_(p.title) for p in chosen]) or (_("the details") if at_random else "")


def _demands(chosen: Sequence[Preset]) -> Workload:
    """Return the hardest demand of each detail over presets of which the first is the hardest.

    Random, small and synchronous I/O are what a layout can fail at, so the least of the shares and sizes and the most
    of the commits count. Neither reads nor writes are harder in themselves: their share is that of the hardest.
    """
    if len(chosen) < 2:
        return chosen[0].workload if chosen else Workload(goal=Goal.SAFETY)
    found: dict[str, Any] = {}
    for detail, hardest in _HARDEST.items():
        known = [value for p in chosen if (value := getattr(p.workload, detail)) is not None]
        found[detail] = hardest(known) if known else None
    compressible = {p.workload.compressible for p in chosen}
    # What does not compress decides, and what is not known leaves it open.
    all_compress = False if False in compressible else None if None in compressible else True
    return replace(chosen[0].workload, compressible=all_compress, **found)


def _waits_most(sharing: Collection[Sharing]) -> Sharing:
    """Return the hardest: clients of NFS wait for each file, initiators for their journals, those of SMB seldom."""
    return next(one for one in (Sharing.NFS, Sharing.ISCSI, Sharing.SMB, Sharing.LOCAL) if one in sharing)


_HARDEST: dict[str, Callable[[Any], Any]] = {
    "sequential_percent": min,
    "io_size_bytes": min,
    "sync_write_percent": max,
    "typical_file_bytes": min,
    "volumes": max,
    "sharing": _waits_most,
}


def _hardest_first(chosen: Preset) -> tuple[int, int, int, int]:
    asked = chosen.workload
    in_sequence = 100 if asked.sequential_percent is None else asked.sequential_percent
    return in_sequence, asked.io_size_bytes or MIB, -(asked.sync_write_percent or 0), PRESETS.index(chosen)


# A family or a small office is none, and a crowd is one that keeps all disks busy.
MANY_CLIENTS = 20
_IN_TURN = 50  # per cent of the I/O from start to end, up to which heads are what many clients wait for
