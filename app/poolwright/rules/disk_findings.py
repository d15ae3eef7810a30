"""Rules about single disks: asked of each disk, told once for all that are alike."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace

from poolwright.domain.finding import Finding, Outcome
from poolwright.rules.evaluate import Origins, Teller, judge, value_of
from poolwright.rules.facts import DiskFacts, Facts
from poolwright.rules.model import Rule, Scope
from poolwright.rules.profile import DiskProfile, Judged
from poolwright.texts import tell, tell_counted

_MOST_NAMED = 4


def disk_findings(
    rules: Iterable[Rule], profile: DiskProfile, base: Facts, teller: Teller, told: Collection[Outcome]
) -> tuple[Finding, ...]:
    """Return what each rule about disks says with an outcome in ``told``.

    Disks with the same outcome share one finding that names them. ``base`` holds the facts that are not the disk's
    own; its ``pool`` may be None.
    """
    found: list[Finding] = []
    asked = _Asked(base)
    for rule in (rule for rule in rules if rule.scope is Scope.DISK):
        alike: dict[Outcome, _Alike] = {}
        for indices, outcome, missing in _outcomes(rule, profile, asked):
            if outcome in told:
                group = alike.setdefault(outcome, _Alike(indices[0], missing, [], {}))
                group.indices.extend(indices)
                group.missing.update(dict.fromkeys(missing))
        for outcome, group in alike.items():
            asked.disk = profile.disks[group.first]
            found.append(_together(rule, profile, asked, teller, outcome, group))
    return tuple(found)


class _Asked:
    """Stands for Facts with the disk that a rule is being asked about: making one for each costs more than the rule."""

    def __init__(self, base: Facts) -> None:
        self.disk: DiskFacts | None = None
        for field in fields(base):
            setattr(self, field.name, getattr(base, field.name))


def _outcomes(rule: Rule, profile: DiskProfile, asked: _Asked) -> tuple[Judged, ...]:
    """Return what a rule says of which disks; those that it cannot tell apart are asked once.

    The profile remembers it as long as the other facts stay the same: every layout of these disks asks again.
    """
    own = tuple(name.partition(".")[2] for name in rule.reads if name.startswith("disk."))
    others = tuple(value_of(asked, name) for name in rule.reads if not name.startswith(("disk.", "limit.")))
    known = profile.judged.get(rule.id)
    if known is not None and known[0] is rule and known[1] == others:
        return known[2]
    found = []
    for indices in profile.alike_in(own):
        asked.disk = profile.disks[indices[0]]
        found.append((indices, *judge(rule, asked)))
    made = tuple(found)
    profile.judged[rule.id] = (rule, others, made)
    return made


@dataclass(frozen=True, slots=True)
class _Alike:
    """Disks of which a rule says the same: number and missing facts of the first, all numbers, all that is missing."""

    first: int
    missing_of_first: tuple[str, ...]
    indices: list[int]
    missing: dict[str, None]


def _together(
    rule: Rule, profile: DiskProfile, facts: _Asked, teller: Teller, outcome: Outcome, group: _Alike
) -> Finding:
    """Return one finding for all: the first disk's, with the others named."""
    origins = Origins(dict(profile.disk_origins[group.first]))
    first = teller.finding(rule, facts, profile.disks[group.first].label, outcome, group.missing_of_first, origins)
    if len(group.indices) == 1:
        return first
    others = len(group.indices) - 1
    text = first.text
    if outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL):
        text = tell_counted(
            "{text} The same is true of 1 more disk.",
            "{text} The same is true of {count} more disks.",
            others,
            text=text,
        )
    labels = [profile.disks[index].label for index in sorted(group.indices)]
    return replace(first, subject=name_some(labels), subjects=tuple(labels), text=text, missing=tuple(group.missing))


def name_some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return (
        shown
        if len(names) <= _MOST_NAMED
        else tell("{shown} and {more} more", shown=shown, more=len(names) - _MOST_NAMED)
    )
