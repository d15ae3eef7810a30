"""Judges a pool that exists by the rules on such pools, from what the tools printed of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from poolwright.domain.design import Design
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.finding import Finding
from poolwright.domain.host import Host
from poolwright.domain.pool import Pool
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.rules.evaluate import Origins, Teller, in_order, judge
from poolwright.rules.existing_facts import PoolSurroundings, existing_facts
from poolwright.rules.model import RuleBook, Scope
from poolwright.rules.setting_facts import facts_of


def judge_existing(
    book: RuleBook,
    pool: Pool,
    known: ExistingPool,
    *,
    workload: Workload,
    version: ZfsVersion,
    today: date,
    host: Host | None = None,
    around: PoolSurroundings | None = None,
) -> tuple[Finding, ...]:
    """Return what the rules say of a pool that exists, all outcomes, the gravest first.

    ``today`` is the day the pool was read where its machine's clock is not known.
    """
    existing = existing_facts(pool, known, today, around)
    facts = facts_of(workload, Budget(), host or Host(), version, existing=existing)
    teller = Teller(book, Origins({"existing": known.origin}))
    asked = [rule for rule in book.rules if rule.scope is Scope.EXISTING and rule.applies_to(workload.goal, version)]
    found = (teller.finding(rule, facts, pool.name, *judge(rule, facts)) for rule in asked)
    return in_order(replace(finding, subject=pool.name) for finding in found)


# The findings on all pools of one design as one list, and that list taken apart again, pool by pool.

_OF_ALL = "pool.together_bytes"


def united(found: Sequence[tuple[Design, Sequence[Finding]]]) -> tuple[Finding, ...]:
    """Return the findings on each of `Design.pools` as one list, pool after pool.

    The subject of a finding on a further pool begins with “NAME: ”. What a rule says of the host, of all pools
    together, or of disks that an earlier pool lies on as well, is said once.
    """
    if len(found) == 1:
        return tuple(found[0][1])
    told: dict[tuple[str, str], set[str]] = {}
    every: list[Finding] = []
    for number, (pool, findings) in enumerate(found):
        labels = frozenset(disk.label for disk in pool.disks)
        said = {key: frozenset(about) for key, about in told.items()}
        for finding in findings:
            key = (finding.rule_id, finding.outcome.value)
            about = _beyond_pools(finding, labels)
            if number and about and about <= said.get(key, frozenset()):
                continue
            told.setdefault(key, set()).update(about)
            subject = f"{pool.pool_name}: {finding.subject}" if number else finding.subject
            every.append(replace(finding, subject=subject) if number else finding)
    return tuple(every)


def apart(design: Design, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """Return the findings of each of `Design.pools` with the subjects its own rules gave them."""
    pools: list[list[Finding]] = [[] for _ in range(1 + len(design.further_pools))]
    for finding in findings:
        for number, pool in enumerate(design.further_pools, start=1):
            head = f"{pool.pool_name}: "
            if finding.subject.startswith(head):
                pools[number].append(replace(finding, subject=finding.subject.removeprefix(head)))
                break
        else:
            pools[0].append(finding)
    return tuple(tuple(pool) for pool in pools)


def _beyond_pools(finding: Finding, labels: frozenset[str]) -> frozenset[str]:
    """Return what a finding is about of host, disks or all pools; nothing where it is about a pool or a part of it."""
    if any(fact.name == _OF_ALL for fact in finding.facts):
        return frozenset((_OF_ALL,))
    about = frozenset(finding.subjects or (finding.subject,))
    return about if about <= labels or about == {Scope.HOST.value} else frozenset()
