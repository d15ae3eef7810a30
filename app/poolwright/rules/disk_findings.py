"""Rules about single disks: asked of each disk, told once for all that are alike."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from poolwright.domain.finding import Finding, Outcome
from poolwright.rules.evaluate import Origins, Teller, judge
from poolwright.rules.facts import Facts
from poolwright.rules.model import Rule, Scope
from poolwright.rules.profile import DiskProfile

_MOST_NAMED = 4


def disk_findings(
    rules: Iterable[Rule], profile: DiskProfile, base: Facts, teller: Teller, told: Collection[Outcome]
) -> tuple[Finding, ...]:
    """Return what each rule about disks says with an outcome in ``told``.

    Disks with the same outcome share one finding that names them. ``base`` holds the facts that are not the disk's
    own; its ``pool`` may be None.
    """
    found: list[Finding] = []
    whole: dict[int, Facts] = {}

    def of(index: int) -> Facts:
        if index not in whole:
            whole[index] = replace(base, disk=profile.disks[index])
        return whole[index]

    for rule in (rule for rule in rules if rule.scope is Scope.DISK):
        own = tuple(name.partition(".")[2] for name in rule.reads if name.startswith("disk."))
        # Disks that a rule cannot tell apart are asked once.
        alike: dict[Outcome, _Alike] = {}
        for indices in profile.alike_in(own):
            outcome, missing = judge(rule, of(indices[0]))
            if outcome in told:
                group = alike.setdefault(outcome, _Alike(indices[0], missing, [], {}))
                group.indices.extend(indices)
                group.missing.update(dict.fromkeys(missing))
        found.extend(
            _together(rule, profile, of(group.first), teller, outcome, group) for outcome, group in alike.items()
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Disks of which a rule says the same: number and missing facts of the first, all numbers, all that is missing."""

    first: int
    missing_of_first: tuple[str, ...]
    indices: list[int]
    missing: dict[str, None]


def _together(
    rule: Rule, profile: DiskProfile, facts: Facts, teller: Teller, outcome: Outcome, group: _Alike
) -> Finding:
    """Return one finding for all: the first disk's, with the others named."""
    origins = Origins(dict(profile.disk_origins[group.first]))
    first = teller.finding(rule, facts, profile.disks[group.first].label, outcome, group.missing_of_first, origins)
    if len(group.indices) == 1:
        return first
    others = len(group.indices) - 1
    text = first.text
    if outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL):
        text = f"{text} The same is true of {others} more disk{'s' if others > 1 else ''}."
    labels = [profile.disks[index].label for index in sorted(group.indices)]
    return replace(first, subject=name_some(labels), subjects=tuple(labels), text=text, missing=tuple(group.missing))


def name_some(names: Sequence[str]) -> str:
    """Return the first names and how many more there are."""
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
