"""A number that is not certain, with its band, and where a value comes from."""

from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.texts import N_, _

# Where a value comes from. Every number that is shown carries one of these.


class OriginKind(StrEnum):
    READ = N_("read")  # a tool printed it on a machine
    TYPED = N_("typed")  # a person entered it
    COMPUTED = N_("computed")  # exact arithmetic on other values
    PREDICTED = N_("predicted")  # a model with an error
    MEASURED = N_("measured")  # a row of a table of measurements
    ASSUMED = N_("assumed")  # a default, because nobody said otherwise


# How a source ends that printed a value with few digits; files hold it so in every language.
_ROUNDED = " (rounded)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The source of a value, in words a person can check.

    ``source`` names tool and machine, formula or table; ``when`` is an ISO time where one is known.
    """

    kind: OriginKind
    source: str
    when: str | None = None

    @property
    def rounded(self) -> bool:
        return self.source.endswith(_ROUNDED)

    def as_rounded(self) -> "Origin":
        return replace(self, source=self.source.removesuffix(_ROUNDED) + _ROUNDED)

    def __str__(self) -> str:
        source = _(self.source.removesuffix(_ROUNDED))
        source = _("{source} (rounded)", source=source) if self.rounded else source
        return f"{source}, {self.when}" if self.when else source


# A predicted number: never one value alone.

# A band of a speed that spans this factor tells no speed: only a benchmark does.
WIDEST_TOLD = 25.0
# From this factor on the band stands beside the typical value wherever a speed is told in short.
WIDE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The value under one answer to a question that decides it: ``when`` is that answer."""

    when: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A prediction with its band; ``limit`` names what limits it, ``origin`` the model and its error.

    ``cases`` are the values under each answer to what is not known and widens the band most.
    """

    low: float
    typical: float
    high: float
    limit: str
    origin: Origin
    cases: tuple[Case, ...] = ()

    @property
    def cannot_tell(self) -> bool:
        return self.high >= WIDEST_TOLD * self.low

    @property
    def told_as_band(self) -> bool:
        """Tell whether the band stands in the place of a typical value that would mislead."""
        return self.high >= 10 * self.low

    @property
    def wide(self) -> bool:
        return self.high >= WIDE * self.low
