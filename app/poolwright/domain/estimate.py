"""A predicted number: never one value alone."""

from dataclasses import dataclass

from poolwright.domain.origin import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A prediction with its band; ``limit`` names what limits it, ``origin`` the model and its error."""

    low: float
    typical: float
    high: float
    limit: str
    origin: Origin
