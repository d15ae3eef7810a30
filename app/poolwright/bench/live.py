"""What comes in while a test runs, as curves over its own time."""

from collections.abc import Iterable

from poolwright.domain.measurement import TimeCurve
from poolwright.machine.samples import CurveMaker, Sample

_SINCE_1970 = 10**11  # ms: a moment above it is one of the calendar, below it one since the tool began


class LiveCurves:
    """Gathers the samples of one repeat, all over one time, which begins with the first that has a time of day.

    What is counted from a begin of its own, as fio does when its files have been laid out, stands where it came in.
    """

    def __init__(self, test: str = "", number: int = 0) -> None:
        self.test, self.number = test, number
        self._dated, self._counted = CurveMaker(), CurveMaker()
        self._latest: int | None = None
        self._late: int | None = None  # ms from the begin of the repeat to that of what is counted

    def take(self, samples: Iterable[Sample]) -> None:
        for sample in samples:
            dated = sample.ms > _SINCE_1970
            if dated:
                self._latest = sample.ms
            elif self._late is None and self._latest is not None and sample.ms > 0:
                self._late = max(0, self._latest - (self._dated.began() or 0) - sample.ms)
            (self._dated if dated else self._counted).add(sample.ms, sample.key, sample.value)

    def curves(self) -> tuple[TimeCurve, ...]:
        return (*self._counted.curves(-(self._late or 0)), *self._dated.curves())
