"""The burn-in of a disk before it gets data: what self-test, reading and SMART told, and whether that is a go."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

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
        if any(self._against()):
            return BurnInVerdict.NO_GO
        if any(self._odd()):
            return BurnInVerdict.WATCH
        return None if any(self._missing()) else BurnInVerdict.GO

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self._against(), *self._odd(), *self._missing())

    @property
    def word(self) -> str:
        verdict = self.verdict
        return _("burn-in unfinished") if verdict is None else _("burn-in: {verdict}", verdict=_(verdict.value))

    @property
    def text(self) -> str:
        return f"{self.word} ({'; '.join(self.reasons)})" if self.reasons else self.word

    def _against(self) -> Iterator[str]:
        if self.self_test is False:
            yield _("its long self-test failed")
        if self.read_error_at is not None:
            yield _("a read error at {place}", place=binary(self.read_error_at))
        if self.kernel_errors:
            yield _("I/O errors in the kernel log: {count}", count=self.kernel_errors)
        if self.failing:
            yield _("SMART says that this drive is failing")
        yield from self._counted("no-go")
        if (share := self._share()) is not None and share < shipped("burn_in")["no_go_percent"]:
            yield self._slow()

    def _odd(self) -> Iterator[str]:
        yield from self._counted("watch")
        least = shipped("burn_in")
        if (share := self._share()) is not None and least["no_go_percent"] <= share < least["watch_percent"]:
            yield self._slow()
        standing = {count["name"]: count["title"] for count in shipped("burn_in")["count"] if "standing" in count}
        for count in self.counts:
            if count.name in standing and count.before == count.after > 0:
                yield _("{what}: {count}, as before", what=_(standing[count.name]), count=count.after)

    def _missing(self) -> Iterator[str]:
        if self.self_test is None:
            yield _("no result of a long self-test")
        if self.read_percent < 100:
            yield _("{percent:.0f} % of it was read", percent=self.read_percent)
        if not self.counts:
            yield _("SMART counters were not read")

    def _counted(self, means: str) -> Iterator[str]:
        titles = {count["name"]: count["title"] for count in shipped("burn_in")["count"] if count["means"] == means}
        for count in self.counts:
            if count.name in titles and count.after > count.before:
                words = {"what": _(titles[count.name]), "before": count.before, "after": count.after}
                yield _("{what}: {before} before, {after} after", **words)

    def _share(self) -> float | None:
        """Return how fast it was in per cent of the others."""
        mine, others = self.bytes_per_second, self.others_bytes_per_second
        return 100 * mine / others if mine is not None and others else None

    def _slow(self) -> str:
        words = {"rate": rate_text(self.bytes_per_second or 0), "other": rate_text(self.others_bytes_per_second or 0)}
        return _("reads {rate}, others of its model {other}", **words)
