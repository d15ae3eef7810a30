"""What the disks of a step of growth cost, model by model, and of when their price is."""

from collections import Counter
from dataclasses import dataclass

from poolwright.changes.growth.plan import Stage
from poolwright.domain.disk import Disk
from poolwright.domain.growth import GrowthStep
from poolwright.domain.money import Money
from poolwright.domain.units import drive_size
from poolwright.domain.workload import Budget
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class DisksBought:
    """Equal disks that are bought together: ``price`` of one, as said on ``price_on`` (ISO date, empty: unknown)."""

    count: int
    model: str | None
    size_bytes: int | None
    price: Money | None
    price_on: str

    def __str__(self) -> str:
        size = drive_size(self.size_bytes)
        what = (
            f"{self.count} × {self.model} ({size})"
            if self.model
            else tell("{count} × {size}, model open", count=self.count, size=size)
        )
        if self.price is None:
            return tell("{what}, price unknown", what=what)
        return tell(
            "{what} at {price} each, price of {day}",
            what=what,
            price=self.price,
            day=self.price_on or tell("an unknown date"),
        )


def brings_disks(step: GrowthStep) -> bool:
    return step.vdev is not None or step.size_bytes is not None


def price_of_step(step: GrowthStep | None, budget: Budget) -> tuple[Money | None, str]:
    """Return the price of a disk that a step brings, and its date: its own, else what the budget says of any disk."""
    if step is not None and step.price_per_disk is not None:
        return step.price_per_disk, step.price_on
    return budget.price_per_disk, "" if budget.price_per_disk is None else budget.price_on


def disks_bought(stage: Stage) -> tuple[DisksBought, ...]:
    """Return what a stage adds to the pool, equal disks together; for the first stage what the new pool is made of."""
    fallback = price_of_step(stage.step, stage.grown.origin.budget)
    groups = Counter((disk.model, disk.size_bytes, *_price(disk, fallback)) for disk in stage.disks)
    return tuple(
        DisksBought(count=count, model=model, size_bytes=size, price=price, price_on=on)
        for (model, size, price, on), count in groups.items()
    )


def _price(disk: Disk, fallback: tuple[Money | None, str]) -> tuple[Money | None, str]:
    if disk.price is None:
        return fallback
    origin = disk.origin_of("price")
    return disk.price, (origin.when or "") if origin is not None else ""
