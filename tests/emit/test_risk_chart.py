"""The chart of the risk: one value for the window and for reports."""

import pytest

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.emit.chart import Chart
from poolwright.emit.chart_drawing import chart_drawing
from poolwright.emit.drawing import svg
from poolwright.emit.prediction_charts import RiskRow, risk_chart


def _estimate(low: float, typical: float, high: float) -> Estimate:
    origin = Origin(kind=OriginKind.PREDICTED, source="model")
    return Estimate(low=low, typical=typical, high=high, limit="", origin=origin)


def _chart(simulated: tuple[float, float, float] | None) -> Chart:
    rare, often = _estimate(1e-9, 1e-8, 1e-7), _estimate(1e-5, 1e-4, 1e-3)
    return risk_chart(
        (RiskRow(name="Pool lost", estimate=often), RiskRow(name="By disks", estimate=rare, simulated=simulated))
    )


def test_that_model_and_simulation_stand_side_by_side_and_tell_their_bands() -> None:
    chart = _chart((2e-9, 1e-8, 3e-8))
    assert chart.legend == ("Model", "Simulation")
    model, simulated = chart.series
    assert model.marks[0].told == "Pool lost: 1 in 10,000, between 1 in 100,000 and 1 in 1,000"
    assert (model.marks[0].low, model.marks[0].x, model.marks[0].high) == (1e-5, 1e-4, 1e-3)
    assert simulated.marks[0].told.startswith("By disks, simulated: 1 in 100 million")
    assert (simulated.marks[0].y, chart.rows) == (1, ("Pool lost", "By disks"))
    assert model.role is not simulated.role
    assert model.marker is not simulated.marker


def test_that_what_never_happened_stands_at_the_end_of_the_axis_and_is_told_as_never() -> None:
    chart = _chart((0.0, 0.0, 3e-8))
    mark = chart.series[1].marks[0]
    assert mark.x == mark.low == pytest.approx(chart.x.low)
    assert "simulated: never, between never and 1 in" in mark.told
    # The powers of ten are those of what can happen.
    assert 1e-10 < chart.x.low < 1e-9


def test_that_a_report_draws_the_same_chart() -> None:
    drawn = svg(chart_drawing(_chart((2e-9, 1e-8, 3e-8))))
    for text in ("Pool lost", "By disks", "Simulation", "1 in 1 million"):
        assert text in drawn
