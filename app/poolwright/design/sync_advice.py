"""What the model of synchronous writes says of a design, with the same numbers as its forecast and its roles."""

from poolwright.design.roles.advice import setting_of
from poolwright.design.roles.log import log_speeds, worth_of_log
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.flush import flush_of
from poolwright.predict.synclog.advice import Advice, LogForecast, advise
from poolwright.predict.synclog.compare import compare
from poolwright.predict.synclog.model import Setup
from poolwright.predict.synclog.of_design import setup_of

# Enough for advice: another seed moves a gain by about a point.
REQUESTS = 3000


def sync_forecast(design: Design, assumed: Assumptions | None = None) -> LogForecast | None:
    """Return the synchronous writes a second of ``design`` without and with a log device; None where it has no data.

    The log device is the best of the flash that is free or in a support role, else an SSD with power-loss protection.
    """
    try:
        setting = setting_of(design, assumed=assumed)
        found = log_speeds(setting)
    except PoolwrightError:
        return None
    return LogForecast(
        without=found.without.sync_write_iops,
        beside=found.beside.sync_write_iops,
        device=flush_of(found.log).words,
        worth=worth_of_log(setting),
    )


def advise_design(design: Design) -> tuple[Setup, tuple[Advice, ...]] | None:
    """Return what the model was asked for ``design`` and what it means; None where the design does not ask.

    Takes some tenths of a second.
    """
    setup = setup_of(design)
    if setup is None:
        return None
    return setup, advise(compare(setup, requests=REQUESTS), design.version, sync_forecast(design))
