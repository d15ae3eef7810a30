"""Judges a pool that exists by the rules on such pools, from what the tools printed of it."""

from dataclasses import replace
from datetime import date

from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.finding import Finding
from poolwright.domain.host import Host
from poolwright.domain.pool import Pool
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.rules.evaluate import Origins, Teller, in_order, judge
from poolwright.rules.existing_facts import PoolSurroundings, existing_facts
from poolwright.rules.facts import Facts
from poolwright.rules.model import RuleBook, Scope
from poolwright.rules.setting_facts import budget_facts, host_facts, workload_facts


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
    facts = Facts(
        goal=workload.goal.value,
        workload=workload_facts(workload),
        budget=budget_facts(Budget(), version),
        host=host_facts(host or Host(), version, workload),
        existing=existing_facts(pool, known, today, around),
    )
    teller = Teller(book, Origins({"existing": known.origin}))
    asked = [rule for rule in book.rules if rule.scope is Scope.EXISTING and rule.applies_to(workload.goal, version)]
    found = (teller.finding(rule, facts, pool.name, *judge(rule, facts)) for rule in asked)
    return in_order(replace(finding, subject=pool.name) for finding in found)
