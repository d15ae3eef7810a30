"""Rules with the answers that they gave, so that each is asked once for the values of the facts that it looks at."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any

from poolwright.domain.finding import Finding, Outcome
from poolwright.rules.facts import Facts, VdevFacts
from poolwright.rules.model import Rule, UnknownFact
from poolwright.texts import told_once

Key = Callable[[Any], Any]
Told = tuple[int, Finding]  # a finding behind its rank, by which findings are sorted
# Facts of the pool that are the same in every layout of one judge.
CONSTANT = frozenset(
    f"pool.{name}"
    for name in (
        "ashift",
        "ashift_bytes",
        "logical_sector_bytes",
        "physical_sector_bytes",
        "physical_sectors_known",
        "media",
        "flash",
        "planned",
        # Only a whole design knows these; of a layout they are unknown.
        "name",
        "name_valid",
        "compatibility",
        "boots",
        "autotrim",
        "dedup_quota",
        "encrypted",
        "fitting_block_bytes",
    )
)
# How many such vdevs there are, which changes from layout to layout, and what their disks hold, which does with slices.
_OF_NUMBER = frozenset({"vdev.count", "vdev.total_bytes", "vdev.label"})
_OF_SIZE = _OF_NUMBER | frozenset(
    f"vdev.{name}"
    for name in (
        "least_bytes",
        "largest_bytes",
        "size_step_bytes",
        "wasted_bytes",
        "beyond_standard_bytes",
        "slack_bytes",
        "rebuild_hours",
    )
)


def key_of(names: Iterable[str], part: str) -> Key:
    """Return what fetches the values of those of the facts ``names`` that belong to ``part``."""
    attributes = sorted({name.partition(".")[2] for name in names if name.startswith(part + ".")})
    return attrgetter(*attributes) if attributes else _nothing


def _nothing(_: object) -> None:
    return None


@dataclass(slots=True)
class Memo:
    """A rule with the answers it gave, by the values of the facts it looks at.

    ``counts`` says that it looks at how many such vdevs there are, ``sizes`` at that or at the sizes of their members,
    ``shows_more`` that the text depends on further facts, so that the finding must be looked up by those too. ``told``
    holds the finding of the values it looks at, None where there is nothing to tell.
    """

    rule: Rule
    pool_key: Key
    vdev_key: Key
    shown_pool_key: Key
    shown_vdev_key: Key
    shows_more: bool
    counts: bool = False
    sizes: bool = False
    answers: dict[Any, tuple[Outcome, tuple[str, ...]]] = field(default_factory=dict)
    findings: dict[Any, Told] = field(default_factory=dict)
    told: dict[Any, "Told | None"] = field(default_factory=dict)


def memo_of(rule: Rule) -> Memo:
    return Memo(rule, *_looks_of(rule))


@told_once
@lru_cache(maxsize=1024)
def _looks_of(rule: Rule) -> tuple[Key, Key, Key, Key, bool, bool, bool]:
    reads = [name for name in rule.reads if name not in CONSTANT]
    shown = [name for name in (*rule.reads, *rule.shows) if name not in CONSTANT]
    return (
        key_of(reads, "pool"),
        key_of(reads, "vdev"),
        key_of(shown, "pool"),
        key_of(shown, "vdev"),
        len(shown) > len(reads),
        not _OF_NUMBER.isdisjoint(reads),
        not _OF_SIZE.isdisjoint(reads),
    )


class Concerning:
    """The rules that can say anything of vdevs of one role and kind: without the pool's facts, and with (``bound``).

    Which of the former are silent is known by the values that they look at: another number of the same vdevs, or vdevs
    of other slices, change the name and the sizes only.
    """

    def __init__(self, free: Sequence[Memo], bound: Sequence[Memo]) -> None:
        self.bound = tuple(bound)
        self._free = tuple(free)
        self._key = key_of([name for memo in free if not memo.counts for name in memo.rule.reads], "vdev")
        self._key_but_sizes = key_of([name for memo in free if not memo.sizes for name in memo.rule.reads], "vdev")
        self._telling: dict[Any, tuple[Memo, ...]] = {}
        self._telling_but_sizes: dict[Any, tuple[Memo, ...]] = {}

    def telling(self, facts: VdevFacts, tells: Callable[[Memo], bool]) -> tuple[Memo, ...]:
        """Return the rules that may have a finding on these vdevs, in order; ``tells`` asks one."""
        key = self._key(facts)
        found = self._telling.get(key)
        if found is None:
            key_but_sizes = self._key_but_sizes(facts)
            may = self._telling_but_sizes.get(key_but_sizes)
            if may is None:
                may = tuple([memo for memo in self._free if memo.sizes or tells(memo)])
                self._telling_but_sizes[key_but_sizes] = may
            found = self._telling[key] = tuple([memo for memo in may if memo.counts or tells(memo)])
        return found


class OnlyKind:
    """Stands for VdevFacts, of which only role and kind are known yet."""

    def __init__(self, role: str, kind: str) -> None:
        self.role, self.kind = role, kind

    def __getattr__(self, _: str) -> None:
        return None


def may_apply(rule: Rule, facts: Facts) -> bool:
    """Tell whether a rule can say anything where no more than ``facts`` is known: not when its condition is false.

    Conditions stop early, so one that is false without touching an unknown fact is false whatever that turns out to be.
    """
    if rule.when is None:
        return True
    try:
        return bool(rule.when.evaluate(facts))
    except UnknownFact:
        return True


@told_once
@lru_cache(maxsize=1024)
def varies_with_pool(rule: Rule) -> bool:
    """Tell whether what a rule says may differ between layouts with equal vdevs."""
    return any(name.startswith("pool.") and name not in CONSTANT for name in (*rule.reads, *rule.shows))
