"""What a search looked at in every way, and what it left out: told with each recommendation."""

from collections.abc import Sequence

from poolwright.advise.enumerate import (
    DRAID_DATA,
    EVERY_NUMBER_TO,
    LEAST_DRAID,
    MOST_DRAID_SPARES,
    MOST_SPARES,
    WIDEST_PARTLY,
)
from poolwright.advise.groups import EqualDisks
from poolwright.advise.pack import MOST_SEPARATE, WIDEST, WIDEST_COMBINED, Packer
from poolwright.advise.stock import LEAST_SLICE_BYTES, MOST_KINDS_CUT
from poolwright.domain.units import decimal

_GROUPS = ", ".join(str(data) for data in DRAID_DATA[:-1]) + f" or {DRAID_DATA[-1]}"


def searched(groups: Sequence[EqualDisks], packers: Sequence[Packer]) -> tuple[str, ...]:
    """Return of what every layout was looked at."""
    most = max((len(group.disks) for group in groups), default=0)
    told = [
        (
            "Of equal disks every pool of equal vdevs, or of vdevs whose widths differ by one and use every disk: "
            f"stripes, mirrors of 2 to 4, raidz1 to 3 of every width, 0 to {MOST_SPARES} spares."
        )
    ]
    if most >= LEAST_DRAID:
        told.append(
            f"dRAID of {LEAST_DRAID} and more disks, parity 1 to 3, {_GROUPS} data disks in a group, 1 to "
            f"{MOST_DRAID_SPARES} distributed spares."
        )
    told.extend(
        f"Every division of {packer.disks} disks among the vdevs of one pool, spares and idle disks."
        for packer in packers
        if packer.exhaustive
    )
    if any(packer.kinds > 1 for packer in packers):
        told.append(
            "Disks of several sizes: every division of neighbouring sizes, every way to cut all disks in layers of "
            "partitions, each with every full layout of equal width."
        )
    return tuple(told)


def left_out(groups: Sequence[EqualDisks], packers: Sequence[Packer]) -> tuple[str, ...]:
    """Return what was not looked at."""
    told = ["Several pools of equal disks, but for stripes where speed is the goal before OpenZFS 0.7."]
    if any(len(group.disks) > EVERY_NUMBER_TO for group in groups):
        told.append(
            f"Of more than {EVERY_NUMBER_TO} equal disks every number of vdevs: those that use up the disks, the least "
            f"with the space asked for, and of vdevs of up to {WIDEST_PARTLY} disks some in between are looked at."
        )
    if any(packer.kinds > 1 and not packer.exhaustive for packer in packers):
        told.append(
            "Of layouts of several sizes that are combined in one pool or side by side, only the best of each sort; "
            f"raidz of more than {WIDEST} disks beside other sizes, of more than {WIDEST_COMBINED} in combinations."
        )
        told.append("Other numbers of spares beside several sizes than none, one for twenty disks, one less, half.")
    if any(packer.kinds > MOST_SEPARATE for packer in packers):
        told.append(f"More than {MOST_SEPARATE} pools side by side.")
    if any(packer.kinds > 1 for packer in packers):
        told.append(
            "Partitions other than in layers over all disks of a medium, and slices under "
            f"{decimal(LEAST_SLICE_BYTES)}."
        )
    if any(packer.kinds > MOST_KINDS_CUT for packer in packers):
        told.append(f"Of more than {MOST_KINDS_CUT} sizes all divisions but two: all sizes together, and each apart.")
    if len({group.media for group in groups}) > 1:
        told.append("Data vdevs of different media in one pool.")
    return tuple(told)
