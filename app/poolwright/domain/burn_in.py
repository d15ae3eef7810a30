"""The burn-in of a disk before it gets data: what self-test, reading and SMART told, and whether that is a go."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from operator import itemgetter

from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.shipped import shipped
from poolwright.texts import N_, _


class BurnInVerdict(StrEnum):
    GO = N_("go")
    WATCH = N_("watch")
    NO_GO = N_("no-go")


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnInCount:
    """What SMART counted before and after; ``name`` is a key of burn_in.toml."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnIn:
    """What was seen of a disk. ``self_test``: whether the long one passed, None where none ran to its end.

    ``read_percent`` of its bytes were read, at ``bytes_per_second`` on average. ``others_bytes_per_second`` is the
    median of disks of its model that were read at the same time, None of fewer than three.
    """

    ended: datetime | None = None
    self_test: bool | None = None
    read_percent: float = 0
    bytes_per_second: int | None = None
    others_bytes_per_second: int | None = None
    read_error_at: int | None = None
    kernel_errors: int = 0
    failing: bool = False
    counts: tuple[BurnInCount, ...] = ()

    @property
    def verdict(self) -> BurnInVerdict | None:
        """Return None where too little was seen for a go."""
        ranks = (BurnInVerdict.NO_GO, BurnInVerdict.WATCH, None, BurnInVerdict.GO)
        return ranks[min((rank for rank, __ in self._ranked_reasons()), default=3)]

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(text for __, text in sorted(self._ranked_reasons(), key=itemgetter(0)))

    @property
    def word(self) -> str:
        verdict = self.verdict
        return _("burn-in unfinished") if verdict is None else _("burn-in: {verdict}", verdict=_(verdict.value))

    @property
    def text(self) -> str:
        return f"{self.word} ({'; '.join(self.reasons)})" if self.reasons else self.word

    def _ranked_reasons(self) -> Iterator[tuple[int, str]]:
        """Yield what speaks against it (0), what is to be watched (1) and what is not known (2)."""
        limits = shipped("burn_in")
        if self.self_test is False:
            yield 0, _("its long self-test failed")
        if self.read_error_at is not None:
            yield 0, _("a read error at {place}", place=binary(self.read_error_at))
        if self.kernel_errors:
            yield 0, _("I/O errors in the kernel log: {count}", count=self.kernel_errors)
        if self.failing:
            yield 0, _("SMART says that this drive is failing")
        known = {count["name"]: count for count in limits["count"]}
        for count in self.counts:
            means, words = known.get(count.name, {}), {"before": count.before, "after": count.after}
            what = _(means.get("title", count.name))
            if count.after > count.before:
                text = _("{what}: {before} before, {after} after", what=what, **words)
                yield int(means.get("means") == "watch"), text
            elif count.after and means.get("standing"):
                yield 1, _("{what}: {count}, as before", what=what, count=count.after)
        mine, others = self.bytes_per_second, self.others_bytes_per_second
        share = 100 * mine / others if mine and others else 100
        if mine and others and share < limits["watch_percent"]:
            rates = {"rate": rate_text(mine), "other": rate_text(others)}
            yield int(share >= limits["no_go_percent"]), _("reads {rate}, others of its model {other}", **rates)
        if self.self_test is None:
            yield 2, _("no result of a long self-test")
        if self.read_percent < 100:
            yield 2, _("{percent:.0f} % of it was read", percent=self.read_percent)
        if not self.counts:
            yield 2, _("SMART counters were not read")
