"""A layout of one's own as a JSON object and as lines: its numbers, and which wishes it misses."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.cli.asked import evaluated
from poolwright.cli.capacity import capacity_document
from poolwright.cli.documents import picked, plain
from poolwright.cli.output import print_line
from poolwright.cli.predictions import predictions_document, print_loss, risk_document
from poolwright.cli.ranking import finding_document, speeds
from poolwright.design.evaluate import Evaluation
from poolwright.design.rank import survives
from poolwright.design.roles.advice import chosen_roles
from poolwright.design.roles.model import Role
from poolwright.design.roles.words import beside_words
from poolwright.design.wishes import budget_objections
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.vdev import describe
from poolwright.predict.reliability import Risk, joined
from poolwright.rules.model import RuleBook
from poolwright.texts import tell


def _judged(design: Design, book: RuleBook) -> Evaluation:
    """Return everything known of the design; raises Refusal where OpenZFS would not make it."""
    found = evaluated(design, rules=book)
    if found.main.capacity is None or found.usable_bytes is None:
        raise Refusal(tell("This layout cannot be made"), todo=tell("Change --layout."), reasons=(found.main.problem,))
    return found


def _missed(found: Evaluation) -> tuple[str, ...]:
    usable, survived = found.usable_bytes or 0, found.survived or 0
    return budget_objections(found.design.budget, found.spares, usable, survived)


def own_document(design: Design, book: RuleBook) -> dict[str, object]:
    """Return the design's layout in the form of a candidate; raises Refusal where it cannot be made."""
    found = _judged(design, book)
    assert found.main.capacity is not None
    expected = found.main.expected
    return {
        "layout": plain(design.layout()),
        "description": describe(design.layout()),
        "capacity": {**capacity_document(found.main.capacity), "usable_bytes_all_pools": found.usable_bytes},
        **picked(found, "failures_survived=survived spares"),
        "predictions": None if expected is None else predictions_document(expected),
        "risk": None if expected is None else risk_document(expected.risk),
        **picked(
            _risk(found), "yearly_loss_any_pool:g=disk_probability yearly_loss_any_pool_with_other_causes:g=probability"
        ),
        "findings": [finding_document(finding) for finding in told_findings(found.findings)],
        "wishes_missed": list(_missed(found)),
        "disks": [
            {"vdev": number, "disk": member.disk_key}
            for number, vdev in enumerate(design.vdevs)
            for member in vdev.members
        ],
    }


def _risk(found: Evaluation) -> Risk | None:
    """Return the risk of losing any of the pools; None where nothing can be predicted of one."""
    risks = [pool.expected.risk for pool in found.pools if pool.expected is not None]
    return joined(risks, pools=len(risks)) if len(risks) == len(found.pools) else None


def print_own(design: Design, book: RuleBook) -> tuple[Finding, ...]:
    """Print the layout and its numbers; return the findings. Raises Refusal where it cannot be made."""
    found = _judged(design, book)
    print_line(tell("Your layout: {layout}, ashift {ashift}", layout=describe(design.layout()), ashift=design.ashift))
    usable = found.usable_bytes or 0
    told = tell("usable {binary} ({decimal})", binary=units.binary(usable), decimal=units.decimal(usable))
    print_line(f"  {told}" if found.survived is None else f"  {told}, {survives(found.survived)}")
    expected = found.main.expected
    if expected is not None:
        for text in speeds(expected.speed, expected.itself):
            print_line(f"  {text}")
    print_loss(_risk(found))
    for text in _missed(found):
        print_line("  " + tell("wish missed: {text}", text=text))
    return told_findings(found.findings)


# What the rules say of settings, datasets and volumes that a person gives beside a layout of the list.


def told_findings(findings: tuple[Finding, ...] | None) -> tuple[Finding, ...]:
    """Return what speaks against a design, then what cannot be told."""
    order = (Outcome.VIOLATED, Outcome.CANNOT_TELL)
    return tuple(finding for outcome in order for finding in findings or () if finding.outcome is outcome)


def findings_by_hand(proposed: Design, changed: Design, book: RuleBook) -> tuple[Finding, ...]:
    """Return the findings of ``changed`` that ``proposed``, the same layout without the person's options, has not.

    The list is ranked with the properties that the rules propose; what is set by hand is judged here, so that
    compression=off or copies=2 meets the same words beside a layout of the list as beside one of the person's own.
    """
    if changed == proposed:
        return ()
    known = {_key(finding) for finding in told_findings(evaluated(proposed, rules=book).findings)}
    found = told_findings(evaluated(changed, rules=book).findings)
    return tuple(finding for finding in found if _key(finding) not in known)


def _key(finding: Finding) -> tuple[str, str, Outcome]:
    return finding.rule_id, finding.subject, finding.outcome


# The flash drives that a design has beside a layout of the list: which they are, and what the rules say with them.


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashBeside:
    """What the flash drives carry, in ``words``; ``answered`` are rules that hold with them, ``findings`` come anew."""

    words: str
    roles: frozenset[Role]
    answered: frozenset[str]
    findings: tuple[Finding, ...]

    def judged(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return what the rules say of the layout with these drives, from what they say of it without."""
        return (*(finding for finding in findings if finding.rule_id not in self.answered), *self.findings)


def flash_beside(bare: Design, proposed: Design, book: RuleBook) -> FlashBeside | None:
    """Return what ``proposed`` has beside ``bare``, the layout alone; None where no flash drive carries anything."""
    words = beside_words(bare, proposed)
    if not words:
        return None
    return FlashBeside(
        words=words,
        roles=chosen_roles(proposed),
        answered=frozenset(finding.rule_id for finding in findings_by_hand(proposed, bare, book)),
        findings=findings_by_hand(bare, proposed, book),
    )
