"""The flash drives that a design has beside a layout of the list: which they are, and what the rules say with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.advise.roles.advice import chosen_roles
from poolwright.advise.roles.model import Role
from poolwright.cli.by_hand import findings_by_hand
from poolwright.domain.design import Design
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import describe
from poolwright.rules.model import RuleBook
from poolwright.texts import tell


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
    roles = chosen_roles(proposed)
    if proposed == bare or not roles:
        return None
    alone = bare.layout()
    support = tuple(spec for spec in proposed.layout() if spec not in alone)
    known = {pool.pool_name for pool in bare.further_pools}
    pools = [
        tell("pool {name} of {layout}", name=pool.pool_name, layout=describe(pool.layout()))
        for pool in proposed.pools()
        if pool.pool_name not in known | {bare.pool_name}
    ]
    return FlashBeside(
        words=", ".join((*((describe(support),) if support else ()), *pools)),
        roles=roles,
        answered=frozenset(finding.rule_id for finding in findings_by_hand(proposed, bare, book)),
        findings=findings_by_hand(bare, proposed, book),
    )
