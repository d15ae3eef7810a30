"""Rules about single disks: asked of each disk, told once for all that are alike."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

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
    for rule in (rule for rule in rules if rule.scope is Scope.DISK):
        alike: dict[Outcome, list[Finding]] = {}
        answers: dict[Any, tuple[Outcome, tuple[str, ...]]] = {}
        own = tuple(name.partition(".")[2] for name in rule.reads if name.startswith("disk."))
        for facts, origins in zip(profile.disks, profile.disk_origins, strict=True):
            key = tuple(getattr(facts, name) for name in own)
            answer = answers.get(key)
            if answer is None:
                answer = answers[key] = judge(rule, replace(base, disk=facts))
            if answer[0] in told:
                everything = replace(base, disk=facts)
                finding = teller.finding(rule, everything, facts.label, *answer, Origins(dict(origins)))
                alike.setdefault(answer[0], []).append(finding)
        found.extend(_together(findings) for findings in alike.values())
    return tuple(found)


def _together(findings: Sequence[Finding]) -> Finding:
    """Return one finding for all: the first disk's, with the others named."""
    first = findings[0]
    if len(findings) == 1:
        return first
    others = len(findings) - 1
    text = first.text
    if first.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL):
        text = f"{text} The same is true of {others} more disk{'s' if others > 1 else ''}."
    missing = tuple({name: None for finding in findings for name in finding.missing})
    return replace(first, subject=name_some([f.subject for f in findings]), text=text, missing=missing)


def name_some(names: Sequence[str]) -> str:
    """Return the first names and how many more there are."""
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
