"""Predictions as JSON objects: the same form wherever a command prints them."""

from poolwright.cli.documents import all_picked, picked, plain
from poolwright.cli.output import print_line
from poolwright.domain.steps import Estimate
from poolwright.predict.assessment import Assessment
from poolwright.predict.drives import PERCENT, OtherCauses
from poolwright.predict.reliability import Risk
from poolwright.predict.risk_words import advice_on, loss_words, units_words
from poolwright.predict.speed import SpeedPrediction
from poolwright.texts import tell

METRICS = ("seq_write", "seq_read", "rand_read_iops", "rand_write_iops", "sync_write_iops")


def speed_document(speed: SpeedPrediction) -> dict[str, object]:
    """Return the five speeds: rates in bytes/s, operations a second, and whether the band leaves anything to tell."""
    found: dict[str, Estimate] = {name: getattr(speed, name) for name in METRICS}
    return {
        name: {**plain(rate), "cannot_tell": rate.cannot_tell, "cases": all_picked(rate.cases, "when value:g")}
        for name, rate in found.items()
    }


def predictions_document(predictions: Assessment) -> dict[str, object]:
    """Return speed, rebuild and scrub of a pool."""
    return {
        **speed_document(predictions.speed),
        **picked(predictions, "rebuild_hours=rebuild scrub_hours=scrub"),
        "chain": all_picked(predictions.speed.chain, "name read_bytes_per_second write_bytes_per_second"),
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
    return {**losses_document(risk), **picked(risk, "mttdl_hours:g")}


def losses_document(risk: Risk) -> dict[str, object]:
    """Return the yearly probabilities of losing a pool, and any data: by disks alone, and with other causes."""
    return {
        **picked(risk, "yearly_loss_probability=disk_loss yearly_loss_with_other_causes_probability=loss"),
        **picked(risk, "yearly_damage_probability=disk_damage yearly_damage_with_other_causes_probability=damage"),
        "advice": advice_on(risk.disk_probability) or None,
        "units_that_take_the_pool": sorted(risk.units),
    }


def other_causes_document(causes: OtherCauses) -> list[dict[str, object]]:
    """Return what was reckoned with beside failing disks, each number with its source; shares are 0 to 1."""
    return [
        {
            **picked(cause, "name low:g typical:g high:g"),
            "unit": "share" if cause.unit == PERCENT else cause.unit,
            **picked(cause, "basis means source"),
        }
        for cause in causes.all
    ]
