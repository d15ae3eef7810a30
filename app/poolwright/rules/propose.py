"""Properties proposed for a pool and its root dataset, each with its reason."""

from dataclasses import dataclass, replace

from poolwright.domain.design import Setting
from poolwright.domain.finding import FactValue, Outcome, Source, UsedFact
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.evaluate import Teller, value_of, value_of_property
from poolwright.rules.facts import Facts
from poolwright.rules.judge import origins_of
from poolwright.rules.layout_facts import LayoutNumbers, groups_of, pool_facts
from poolwright.rules.model import PropertyRule, RuleBook
from poolwright.rules.profile import DiskProfile
from poolwright.rules.setting_facts import budget_facts, host_facts, workload_facts

SAFE_ASHIFT = 12
_ASHIFT = "pool.ashift"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A value for one property: ``target`` is pool or dataset (the root dataset). ``why`` is the longer reason.

    ``untold`` are the proposals that would have had precedence but need a fact nobody knows.
    """

    target: str
    setting: Setting
    title: str
    basis: str
    why: str
    facts: tuple[UsedFact, ...]
    sources: tuple[Source, ...]
    since: str | None = None
    until: str | None = None
    untold: tuple[str, ...] = ()
    users_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """All proposals: settings of the pool (`-o`) and of its root dataset (`-O`), and their details."""

    details: tuple[Proposal, ...]

    @property
    def pool(self) -> tuple[Setting, ...]:
        """Return the settings of the pool, ashift among them."""
        return tuple(detail.setting for detail in self.details if detail.target == "pool")

    @property
    def root(self) -> tuple[Setting, ...]:
        """Return the settings of the root dataset."""
        return tuple(detail.setting for detail in self.details if detail.target == "dataset")

    @property
    def ashift(self) -> int:
        """Return the ashift proposed, the safe one where no rule proposes any."""
        return next((int(setting.value) for setting in self.pool if setting.name == "ashift"), SAFE_ASHIFT)


def propose_properties(
    book: RuleBook,
    *,
    goal: Goal,
    version: ZfsVersion,
    profile: DiskProfile,
    workload: Workload,
    budget: Budget,
    host: Host,
    layout: Layout = (),
    numbers: LayoutNumbers | None = None,
) -> Proposals:
    """Return the properties proposed for a pool of these disks, one value per property.

    Of several that apply, the highest priority wins, then the user's own, then one for named goals, then the first.
    """
    pool = pool_facts(groups_of(layout), profile=profile, ashift=SAFE_ASHIFT, numbers=numbers or LayoutNumbers())
    facts = Facts(
        goal=goal.value,
        workload=workload_facts(workload),
        budget=budget_facts(budget),
        host=host_facts(host, version),
        pool=pool,
    )
    by_target: dict[str, list[PropertyRule]] = {_ASHIFT: []}
    for rule in book.properties:
        if rule.applies_to(goal, version):
            by_target.setdefault(rule.target, []).append(rule)
    teller, origins = Teller(book, origins_of(profile, host)), origins_of(profile, host)
    details: list[Proposal] = []
    for target, rules in by_target.items():
        chosen, value, untold = _choose(rules, facts)
        if chosen is None:
            continue
        if target == _ASHIFT:
            # Later proposals may look at the block size of the pool that this one decides.
            facts = replace(facts, pool=replace(pool, ashift=int(value), ashift_bytes=1 << int(value)))
        used = tuple(
            UsedFact(name=name, value=value_of(facts, name), origin=origins.of(name))
            for name in (*chosen.reads, *chosen.shows)
        )
        details.append(_proposal(chosen, value, facts, teller, used, untold))
    return Proposals(details=tuple(details))


def _choose(rules: list[PropertyRule], facts: Facts) -> tuple[PropertyRule | None, str, tuple[str, ...]]:
    untold: list[str] = []
    for rule in sorted(rules, key=lambda r: (-r.priority, not r.users_own, not r.goals)):
        outcome, value = value_of_property(rule, facts)
        if outcome is Outcome.CANNOT_TELL:
            untold.append(rule.id)
        elif value is not None:
            return rule, value, tuple(untold)
    return None, "", tuple(untold)


def _proposal(
    rule: PropertyRule,
    value: str,
    facts: Facts,
    teller: Teller,
    used: tuple[UsedFact, ...],
    untold: tuple[str, ...],
) -> Proposal:
    def fill(name: str) -> FactValue:
        return teller.limit_value(name[6:]) if name.startswith("limit.") else value_of(facts, name)

    part, _, name = rule.target.partition(".")
    return Proposal(
        target=part,
        setting=Setting(name=name, value=value, reason=rule.text.fill(fill), rule_id=rule.id),
        title=rule.title,
        basis=rule.basis.value,
        why=rule.why.fill(fill),
        facts=used,
        sources=rule.sources,
        since=str(rule.since) if rule.since else None,
        until=str(rule.until) if rule.until else None,
        untold=untold,
        users_own=rule.users_own,
    )
