"""Where a value comes from. Every number that is shown carries one of these."""

from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.texts import marked, tell


class OriginKind(StrEnum):
    READ = marked("read")  # a tool printed it on a machine
    TYPED = marked("typed")  # a person entered it
    COMPUTED = marked("computed")  # exact arithmetic on other values
    PREDICTED = marked("predicted")  # a model with an error
    MEASURED = marked("measured")  # a row of a table of measurements
    ASSUMED = marked("assumed")  # a default, because nobody said otherwise


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
        source = tell(self.source.removesuffix(_ROUNDED))
        source = tell("{source} (rounded)", source=source) if self.rounded else source
        return f"{source}, {self.when}" if self.when else source
