"""Predictions in the form in which the rules ask for them."""

from poolwright.predict.growth import FillForecast
from poolwright.predict.outlook import Predictions
from poolwright.predict.speed import SpeedPrediction
from poolwright.rules.layout_facts import PredictedFacts as Facts


def predicted_facts(predictions: Predictions, itself: SpeedPrediction, fill: FillForecast | None = None) -> Facts:
    """Return the typical values; ``itself`` are the speeds of the pool without the network, which rules compare with.

    ``fill`` is None where nobody said how much is stored and how it grows.
    """
    years = None if fill is None or fill.years is None else fill.years.typical
    return Facts(
        seq_read_bytes_per_second=round(itself.seq_read.typical),
        seq_write_bytes_per_second=round(itself.seq_write.typical),
        rand_read_iops=round(itself.rand_read_iops.typical),
        rand_write_iops=round(itself.rand_write_iops.typical),
        sync_write_iops=round(itself.sync_write_iops.typical),
        yearly_loss_percent=100 * predictions.risk.probability,
        scrub_hours=predictions.scrub.typical,
        years_until_full=0.0 if fill is not None and fill.reached else years,
    )
