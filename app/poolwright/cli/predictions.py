"""Predictions as JSON objects: the same form wherever a command prints them."""

from poolwright.cli.output import print_line
from poolwright.domain.steps import Estimate
from poolwright.predict.drives import PERCENT, OtherCauses
from poolwright.predict.outlook import Predictions
from poolwright.predict.reliability import Risk
from poolwright.predict.risk_words import advice_on, loss_words, units_words
from poolwright.predict.speed import SpeedPrediction
from poolwright.texts import tell

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
    """Return the five speeds: rates in bytes/s, operations a second, and whether the band leaves anything to tell."""
    found: dict[str, Estimate] = {name: getattr(speed, name) for name in METRICS}
    return {name: {**estimate_document(rate), **_untold(rate)} for name, rate in found.items()}


def _untold(rate: Estimate) -> dict[str, object]:
    cases = [{"when": case.when, "value": rounded(case.value)} for case in rate.cases]
    return {"cannot_tell": rate.cannot_tell, "cases": cases}


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


def print_loss(risk: Risk | None) -> None:
    """Print how likely the pools are lost within a year, and what helps against the rest; nothing where unknown."""
    if risk is not None:
        print_losses(risk.probability, risk.disk_probability)
        if taken := units_words(risk.units):
            print_line(f"  {taken}")


def print_losses(loss: float, disk_loss: float) -> None:
    """Print the two yearly probabilities of a loss, and what helps where disks are the least of it."""
    print_line("  " + tell("lost within a year: {loss}", loss=loss_words(loss, disk_loss)))
    if advice := advice_on(disk_loss):
        print_line(f"  {advice}")


def risk_document(risk: Risk) -> dict[str, object]:
    """Return the risk of a pool in short; `poolwright risk` tells what it is made of."""
    return {**losses_document(risk), "mttdl_hours": None if risk.mttdl_hours is None else rounded(risk.mttdl_hours)}


def losses_document(risk: Risk) -> dict[str, object]:
    """Return the yearly probabilities of losing a pool, and any data: by disks alone, and with other causes."""
    return {
        "yearly_loss_probability": estimate_document(risk.disk_loss),
        "yearly_loss_with_other_causes_probability": estimate_document(risk.loss),
        "yearly_damage_probability": estimate_document(risk.disk_damage),
        "yearly_damage_with_other_causes_probability": estimate_document(risk.damage),
        "advice": advice_on(risk.disk_probability) or None,
        "units_that_take_the_pool": sorted(risk.units),
    }


def other_causes_document(causes: OtherCauses) -> list[dict[str, object]]:
    """Return what was reckoned with beside failing disks, each number with its source; shares are 0 to 1."""
    return [
        {
            "name": cause.name,
            "low": rounded(cause.low),
            "typical": rounded(cause.typical),
            "high": rounded(cause.high),
            "unit": "share" if cause.unit == PERCENT else cause.unit,
            "basis": cause.basis,
            "means": cause.means,
            "source": cause.source,
        }
        for cause in causes.all
    ]


def typical_losses(loss: float, disk_loss: float) -> dict[str, object]:
    """Return the two typical values of a yearly loss under the names of `losses_document`."""
    return {"yearly_loss_probability": rounded(disk_loss), "yearly_loss_with_other_causes_probability": rounded(loss)}
