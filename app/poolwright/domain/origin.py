"""Where a value comes from. Every number that is shown carries one of these."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.texts import marked, tell


class OriginKind(StrEnum):
    """How a value came to be known."""

    READ = marked("read")  # a tool printed it on a machine
    TYPED = marked("typed")  # a person entered it
    COMPUTED = marked("computed")  # exact arithmetic on other values
    PREDICTED = marked("predicted")  # a model with an error
    MEASURED = marked("measured")  # a row of a table of measurements
    ASSUMED = marked("assumed")  # a default, because nobody said otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The source of a value, in words a person can check.

    ``source`` names tool and machine, formula or table; ``when`` is an ISO time where one is known.
    """

    kind: OriginKind
    source: str
    when: str | None = None

    def __str__(self) -> str:
        source = tell(self.source)
        return f"{source}, {self.when}" if self.when else source
