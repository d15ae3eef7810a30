"""What a rule says of one subject, with everything needed to check it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.estimate import Origin
from poolwright.shipped import shipped
from poolwright.texts import N_, _, quoted

FactValue = str | int | float | bool | None
_ENDS = re.compile(r"(?<=[\w)%`]{2}\.) (?=\S)|(?<=。)(?=\S)")


class Severity(StrEnum):
    """How much a violated rule matters. A block is never recommended."""

    BLOCK = N_("block")
    WARN = N_("warn")
    NOTE = N_("note")


SEVERITY_WORDS = {Severity.BLOCK: N_("Blocks"), Severity.WARN: N_("Warning"), Severity.NOTE: N_("Note")}


class Outcome(StrEnum):
    HOLDS = "holds"
    VIOLATED = "violated"
    NOT_APPLICABLE = "not-applicable"
    CANNOT_TELL = "cannot-tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a rule comes from; ``kind`` is table, document, man or source."""

    kind: str
    ref: str
    note: str = ""

    @property
    def words(self) -> str:
        """Return what a reader can look up: of a table of the program its title, and where its figures are from."""
        if self.kind != "table":
            return _(self.ref)
        table = shipped(f"../tables/{self.ref.removesuffix('.csv')}")
        return f"{quoted(_(table['title']))} ({_(table['source'])})"

    def __str__(self) -> str:
        source = f"{_(self.kind)} {self.words}"
        return f"{source} ({_(self.note)})" if self.note else source


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedFact:
    name: str
    value: FactValue
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule's answer about ``subject`` (``pool``, ``raidz2-0``, a disk, a dataset).

    ``missing`` lists the facts that were unknown when the outcome is cannot-tell; ``weight`` the score terms a
    violation counts in. ``subjects`` are the names of all it is about where ``subject`` names only some of several.
    ``unworded``: the rule has no words of its own for what is unknown, so that ``text`` only lists ``missing``.
    """

    rule_id: str
    title: str
    severity: Severity
    basis: str
    subject: str
    outcome: Outcome
    text: str
    why: str = ""
    advice: str = ""
    gain: str = ""
    facts: tuple[UsedFact, ...] = ()
    missing: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    weight: tuple[tuple[str, float], ...] = ()
    since: str | None = None
    until: str | None = None
    users_own: bool = False
    subjects: tuple[str, ...] = ()
    unworded: bool = False

    @property
    def sentence(self) -> str:
        """Return the text and what follows from it, which is the first sentence of the reason."""
        return f"{self.text} {first_sentence(self.why)}".strip() if self.outcome is Outcome.VIOLATED else self.text


def first_sentence(text: str) -> str:
    return _ENDS.split(text)[0]


def violated(findings: Iterable[Finding] | None, *severities: Severity) -> list[Finding]:
    """Return the findings of rules that do not hold, of these severities where any are named; none of None."""
    asked = severities or tuple(Severity)
    return [one for one in findings or () if one.outcome is Outcome.VIOLATED and one.severity in asked]
