"""What was not chosen, and why."""

from dataclasses import dataclass

from poolwright.domain.vdev import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A family that was not chosen, with its best layout where one exists, and why not.

    ``rule_id`` names the rule that speaks against it, ``feasible`` tells whether the request admits it at all.
    ``unmet`` counts the wishes a refused layout does not meet; ``usable_bytes`` is what it would offer.
    """

    family: str
    reason: str
    layout: Layout | None = None
    score: float | None = None
    rule_id: str | None = None
    feasible: bool = False
    unmet: int = 0
    usable_bytes: int | None = None
