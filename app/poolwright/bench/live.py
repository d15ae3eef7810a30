"""What comes in while a test runs, as curves over its own time."""

from collections.abc import Iterable

from poolwright.bench.reading.samples import CurveMaker, Sample
from poolwright.bench.result import TimeCurve

_SINCE_1970 = 10**11  # ms: a moment above it is one of the calendar, below it one since the tool began


class LiveCurves:
    """Gathers the samples of one repeat; those with a time of day and those counted from a begin both begin at 0."""

    def __init__(self, test: str = "", number: int = 0) -> None:
        self.test, self.number = test, number
        self._dated, self._counted = CurveMaker(), CurveMaker()

    def take(self, samples: Iterable[Sample]) -> None:
        """Take what came in."""
        for sample in samples:
            maker = self._dated if sample.ms > _SINCE_1970 else self._counted
            maker.add(sample.ms, sample.key, sample.value)

    def curves(self) -> tuple[TimeCurve, ...]:
        """Return all that came in so far."""
        return (*self._counted.curves(0), *self._dated.curves())
