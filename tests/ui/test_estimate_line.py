"""A predicted value on its line, and what stands there where nobody can tell one."""

from pytestqt.qtbot import QtBot

from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.ui.parts.estimate_line import EstimateLine


def estimate(low: float, high: float) -> Estimate:
    origin = Origin(kind=OriginKind.PREDICTED, source="a model")
    return Estimate(low=low, typical=5e8, high=high, limit="the disks", origin=origin)


def test_that_a_speed_with_too_wide_a_band_sends_to_the_benchmark(qtbot: QtBot) -> None:
    line = EstimateLine("Sequential read", rate_text)
    qtbot.addWidget(line)
    line.show_estimate(estimate(1e8, 4e9), 4e9)
    told = line.button.accessibleName() + line.button.accessibleDescription()
    assert "cannot tell" in told
    assert "run the benchmark" in told
    assert "500 MB/s" not in told
    assert "Between 100 MB/s and 4.00 GB/s" in told
    line.show_estimate(estimate(2e8, 1e9), 4e9)
    told = line.button.accessibleName() + line.button.accessibleDescription()
    assert "500 MB/s" in told
    assert "cannot tell" not in told
