"""The disks that hold a pool's data: they tell how fast it is, here as in a design.

Where disks of one size are of several models, those that become spares or stay unused must not be counted in. How the
disks of each vdev fail is told by `dealing`.
"""

from collections.abc import Callable, Sequence

from poolwright.design.forecaster import Forecaster
from poolwright.design.plan import PoolPlan
from poolwright.design.workshop import Workshop
from poolwright.domain.disk import Disk
from poolwright.predict.drives import DriveBook, rate_of
from poolwright.predict.media import find_rates
from poolwright.predict.outlook import Outlook


def alike(disks: Sequence[Disk], drives: DriveBook) -> bool:
    """Tell whether it does not matter which of ``disks`` hold the data: to speed and failures all are the same."""
    kinds = {(disk.model, disk.afr_percent): disk for disk in disks}
    rates = {rate_of(disk, drives) for disk in kinds.values()}
    others = {
        (d.media, d.smr, d.rotation_rpm, d.read_bytes_per_second, d.write_bytes_per_second, d.power_loss_protection)
        for d in disks
    }
    measured = {find_rates(disk.model) for disk in kinds.values()}
    return len(rates) < 2 and len(others) < 2 and len(measured) < 2


Taken = tuple[tuple[int, int], ...]


def taken_for_data(plan: PoolPlan) -> Taken:
    """Return of which kinds how many disks hold the data of a pool, for each layer of slices by itself, in order."""
    # Plain loops: this runs for each of thousands of plans.
    counts: dict[tuple[int, int], int] = {}
    for part in plan.segments:
        for made, count in part:
            layer = made.layer
            for group, number in made.taken:
                counts[group, layer] = counts.get((group, layer), 0) + number * count
    return tuple(sorted([(group, number) for (group, _), number in counts.items()]))


def disks_taken(workshop: Workshop, taken: Taken) -> tuple[Disk, ...]:
    """Return the disks of `taken_for_data`: one stands there once for each slice that holds data, as in a design."""
    return tuple(disk for group, number in taken for disk in workshop.kinds[group].disks[:number])


class Populations:
    """Forecasters of pools on the first so many of ``disks``, in the order in which they are assigned."""

    def __init__(self, disks: Sequence[Disk], drives: DriveBook, outlook: Callable[[Sequence[Disk]], Outlook]) -> None:
        self._disks, self._outlook = tuple(disks), outlook
        self._alike = alike(self._disks, drives)
        self._whole = Forecaster(outlook(self._disks))
        self._known: dict[int, Forecaster] = {len(self._disks): self._whole}

    def of(self, count: int) -> Forecaster:
        """Return what forecasts pools whose data lie on the first ``count`` disks; alike disks have one for all."""
        if self._alike:
            return self._whole
        found = self._known.get(count)
        if found is None:
            found = self._known[count] = Forecaster(self._outlook(self._disks[:count]))
        return found

    @property
    def told_apart(self) -> bool:
        """Tell whether the number of disks decides."""
        return not self._alike
