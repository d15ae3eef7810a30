"""The flash drives that a design has beside a layout of the list: which they are, and what the rules say with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.cli.by_hand import findings_by_hand
from poolwright.design.roles.advice import chosen_roles
from poolwright.design.roles.model import Role
from poolwright.design.roles.words import beside_words
from poolwright.domain.design import Design
from poolwright.domain.finding import Finding
from poolwright.rules.model import RuleBook


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
