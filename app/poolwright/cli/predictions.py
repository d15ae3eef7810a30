"""Predictions as JSON objects: the same form wherever a command prints them."""

from poolwright.domain.estimate import Estimate
from poolwright.predict.outlook import Predictions
from poolwright.predict.reliability import Risk
from poolwright.predict.speed import SpeedPrediction

METRICS = ("seq_write", "seq_read", "rand_read_iops", "rand_write_iops", "sync_write_iops")


def estimate_document(estimate: Estimate) -> dict[str, object]:
    """Return an estimate as a JSON object, without digits that mean nothing."""
    return {
        "low": rounded(estimate.low),
        "typical": rounded(estimate.typical),
        "high": rounded(estimate.high),
        "limit": estimate.limit,
        "origin": str(estimate.origin),
    }


def rounded(value: float) -> float:
    """Return ``value`` with six significant digits."""
    return float(f"{value:.6g}")


def speed_document(speed: SpeedPrediction) -> dict[str, object]:
    """Return the five speeds: rates in bytes/s, operations a second."""
    return {name: estimate_document(getattr(speed, name)) for name in METRICS}


def predictions_document(predictions: Predictions) -> dict[str, object]:
    """Return speed, rebuild and scrub of a pool."""
    rebuild = predictions.rebuild
    return {
        **speed_document(predictions.speed),
        "rebuild_hours": None if rebuild is None else estimate_document(rebuild),
        "scrub_hours": estimate_document(predictions.scrub),
        "chain": [
            {
                "name": link.name,
                "read_bytes_per_second": link.read_bytes_per_second,
                "write_bytes_per_second": link.write_bytes_per_second,
            }
            for link in predictions.speed.chain
        ],
        "extrapolations": list(predictions.speed.extrapolations),
    }


def risk_document(risk: Risk) -> dict[str, object]:
    """Return the risk of a pool in short; `poolwright risk` tells what it is made of."""
    return {
        "yearly_loss_probability": estimate_document(risk.loss),
        "mttdl_hours": None if risk.mttdl_hours is None else rounded(risk.mttdl_hours),
        "yearly_damage_probability": estimate_document(risk.damage),
    }
