"""What the user entered about machine, disks, use and prices, which predictions are made with."""

from dataclasses import dataclass

from poolwright.domain.money import Money
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.predict.measured_runs import NO_RUNS, Calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """None: what the design knows, else the model's default.

    Rates are bytes/s: ``disk_read`` and ``disk_write`` of one disk, ``hba`` of all together. ``cores`` are those for
    checksums and parity. ``fill_percent`` and ``load_percent`` are those of a rebuild or scrub; ``growth_percent`` is a
    year's. ``afr_percent`` is how many disks of a hundred fail in a year, ``correlation`` what multiplies it for the
    others of a vdev while one is down. ``cost_date`` is the month in which prices and watts were entered.
    """

    fill_percent: int = PLAN_FILL_PERCENT
    load_percent: int = 0
    disk_read: float | None = None
    disk_write: float | None = None
    hba: float | None = None
    network: float | None = None
    cores: int | None = None
    afr_percent: float | None = None
    replace_hours: float | None = None
    correlation: float | None = None
    read_errors_per_bit: float | None = None
    price: Money | None = None
    watts: float | None = None
    kwh_price: Money | None = None
    years: float | None = None
    cooling_factor: float | None = None
    cost_date: str | None = None
    used_bytes: int | None = None
    growth_percent: float | None = None
    calibration: Calibration = NO_RUNS
    runs_name: str = ""


NOTHING_SAID = Assumptions()
