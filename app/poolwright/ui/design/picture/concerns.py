"""Which vdevs and disks of a design each finding is about."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from poolwright.domain.design import Design, Vdev
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.vdev import VdevClass, VdevKind

_ORDER = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
_POOL = "pool"  # how rules call the pool as a whole
_MORE = re.compile(r" and (\d+) more$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerns:
    """What is violated, gravest first: by the number of the vdev in the pool, by the key of the disk, and of the pool
    as a whole."""

    vdevs: dict[int, tuple[Finding, ...]] = field(default_factory=dict)
    disks: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    pool: tuple[Finding, ...] = ()


def gravest(findings: Iterable[Finding]) -> Finding | None:
    """Return the finding that matters most; None without any."""
    return min(findings, key=_gravity, default=None)


def concerns_of(design: Design, findings: Sequence[Finding]) -> Concerns:
    """Return the violated findings on one pool, its vdevs and its disks.

    A finding names its disks; of several vdevs that are alike in all that rules can ask it names the first four and
    how many more there are, and those are the next of their like.
    """
    vdevs: dict[int, list[Finding]] = {}
    disks: dict[str, list[Finding]] = {}
    pool: list[Finding] = []
    labels: dict[str, str] | None = None
    named: dict[str, int] | None = None
    for finding in findings:
        if finding.outcome is not Outcome.VIOLATED:
            continue
        if finding.subject == _POOL:
            pool.append(finding)
            continue
        if labels is None or named is None:
            used = design.used_keys()
            labels = {disk.label: disk.key for disk in design.disks if disk.key in used}
            named = _judged_names(design)
        keys = [labels[name] for name in finding.subjects or (finding.subject,) if name in labels]
        for key in keys:
            disks.setdefault(key, []).append(finding)
        if not keys:
            for index in _vdevs_of(design, finding.subject, named):
                vdevs.setdefault(index, []).append(finding)
    return Concerns(
        vdevs={index: tuple(sorted(found, key=_gravity)) for index, found in vdevs.items()},
        disks={key: tuple(sorted(found, key=_gravity)) for key, found in disks.items()},
        pool=tuple(sorted(pool, key=_gravity)),
    )


def findings_of_disks(concerns: Iterable[Concerns]) -> dict[str, tuple[Finding, ...]]:
    """Return what is violated by each disk, whichever pool it was found in; one disk may lie in several."""
    found: dict[str, dict[tuple[str, str], Finding]] = {}
    for of_pool in concerns:
        for key, findings in of_pool.disks.items():
            for finding in findings:
                found.setdefault(key, {}).setdefault((finding.rule_id, finding.text), finding)
    return {key: tuple(sorted(of_disk.values(), key=_gravity)) for key, of_disk in found.items()}


def _judged_names(design: Design) -> dict[str, int]:
    """Return the vdevs of a pool by the names under which rules speak of them."""
    names: dict[str, int] = {}
    number = 0
    for index, vdev in enumerate(design.vdevs):
        alone = vdev.kind is VdevKind.STRIPE
        if alone:
            for member in vdev.members:
                names.setdefault(design.disk(member.disk_key).label, index)
        else:
            names[f"{design.spec(vdev).word}-{number}"] = index
        if vdev.vdev_class not in (VdevClass.CACHE, VdevClass.SPARE):
            number += len(vdev.members) if alone else 1
    return names


def _vdevs_of(design: Design, subject: str, named: dict[str, int]) -> list[int]:
    more = _MORE.search(subject)
    listed = subject[: more.start()] if more else subject
    found = [named[name] for name in listed.split(", ") if name in named]
    if more and found:
        alike = _likeness(design, design.vdevs[found[0]])
        rest = [i for i, v in enumerate(design.vdevs) if i not in found and _likeness(design, v) == alike]
        found += rest[: int(more.group(1))]
    return list(dict.fromkeys(found))


def _likeness(design: Design, vdev: Vdev) -> tuple[object, ...]:
    disks = [design.disk(member.disk_key) for member in vdev.members]
    facts = sorted(
        str((d.size_bytes, d.media, d.logical_sector_bytes, d.physical_sector_bytes, d.smr, d.health)) for d in disks
    )
    return vdev.kind, vdev.parity, vdev.vdev_class, vdev.draid_data, vdev.draid_spares, tuple(facts)


def _gravity(finding: Finding) -> int:
    return _ORDER[finding.severity]
