"""Advice for the machine around a pool: settings, timers, commands, each with its reason."""

from dataclasses import replace

from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.finding import Outcome
from poolwright.domain.names import name_problems
from poolwright.domain.workload import Workload
from poolwright.rules.design_judge import pool_details
from poolwright.rules.evaluate import Origins, Teller, value_of_rule
from poolwright.rules.facts import Facts
from poolwright.rules.layout_facts import LayoutNumbers, groups_of, pool_facts
from poolwright.rules.model import AdviceRule, RuleBook
from poolwright.rules.presets import of_answer, presets_of
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import fitting_block
from poolwright.rules.setting_facts import facts_of, workload_facts


def advise_host(book: RuleBook, design: Design, numbers: LayoutNumbers | None = None) -> tuple[HostAdvice, ...]:
    """Return the advice for the machine that runs ``design``, in the order of the files.

    Advice that needs a fact nobody knows is left out. Raises UserError where the size of a member is unknown.
    """
    members = [design.disk(member.disk_key) for vdev in design.vdevs for member in vdev.members]
    layout = design.layout()
    pool = pool_facts(
        groups_of(layout),
        profile=DiskProfile.from_disks(list({disk.key: disk for disk in members}.values())),
        ashift=design.ashift,
        version=design.version,
        numbers=numbers or LayoutNumbers(),
        details=pool_details(design),
    )
    pool = replace(pool, fitting_block_bytes=fitting_block(book, layout, design.ashift))
    facts = facts_of(design.workload, design.budget, design.machine, design.version, pool=pool)
    # A name that no command may hold stands in no command: it is told, and mended, elsewhere.
    named = not name_problems(design)
    asked = (facts, *_of_each_kind(facts, design.workload))
    given = (
        next((found for each in asked if (found := _advice(rule, each, book, named=named)) is not None), None)
        for rule in book.advice
        if rule.applies_to(design.workload.goal, design.version)
    )
    return tuple(advice for advice in given if advice is not None)


def _of_each_kind(facts: Facts, workload: Workload) -> tuple[Facts, ...]:
    """Return the facts as they are for each of several kinds of data: the machine needs what any of them needs."""
    if not workload.presets_beside:
        return ()
    with_programs = facts.workload.with_programs
    own = (workload_facts(of_answer(workload, chosen), use=chosen.key) for chosen in presets_of(workload))
    return tuple(replace(facts, workload=replace(found, with_programs=with_programs)) for found in own)


def _advice(rule: AdviceRule, facts: Facts, book: RuleBook, *, named: bool) -> HostAdvice | None:
    outcome, value = value_of_rule(rule, facts)
    if outcome is not Outcome.HOLDS:
        return None
    fill = Teller(book, Origins({})).filler(facts, value)
    return HostAdvice(
        kind=rule.kind.value,
        title=rule.title,
        command=rule.command.fill(fill) if rule.command.parts and named else None,
        file=rule.place.fill(fill) if named else "",
        content=rule.content.fill(fill) if named else "",
        reason=rule.text.fill(fill),
        why=rule.why.fill(fill),
        rule_id=rule.id,
        sources=rule.sources,
    )
