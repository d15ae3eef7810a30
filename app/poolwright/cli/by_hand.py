"""What the rules say of settings, datasets and volumes that a person gives beside a layout of the list."""

from poolwright.cli.designs import evaluated
from poolwright.domain.design import Design
from poolwright.domain.finding import Finding, Outcome
from poolwright.rules.model import RuleBook


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
