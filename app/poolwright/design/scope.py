"""What a search looked at in every way, and what it left out: told with each recommendation."""

from collections.abc import Sequence

from poolwright.design.enumerate import (
    DRAID_DATA,
    EVERY_NUMBER_TO,
    LEAST_DRAID,
    MOST_DRAID_SPARES,
    MOST_SPARES,
    WIDEST_PARTLY,
)
from poolwright.design.groups import EqualDisks
from poolwright.design.pack import MOST_SEPARATE, WIDEST, WIDEST_COMBINED, Packer
from poolwright.design.stock import LEAST_SLICE_BYTES, MOST_KINDS_CUT
from poolwright.domain.units import decimal
from poolwright.texts import either, tell, tell_counted


def searched(groups: Sequence[EqualDisks], packers: Sequence[Packer]) -> tuple[str, ...]:
    most = max((len(group.disks) for group in groups), default=0)
    told = [
        (
            tell(
                "Of equal disks every pool of equal vdevs, or of vdevs whose widths differ by one "
                "and use every disk: stripes, mirrors of 2 to 4, raidz1 to 3 of every width, 0 to "
                "{most_spares} spares.",
                most_spares=MOST_SPARES,
            )
        )
    ]
    if most >= LEAST_DRAID:
        told.append(
            tell(
                "dRAID of {least_draid} and more disks, parity 1 to 3, {groups} data disks in a "
                "group, 1 to {most_draid_spares} distributed spares.",
                least_draid=LEAST_DRAID,
                groups=either([str(data) for data in DRAID_DATA]),
                most_draid_spares=MOST_DRAID_SPARES,
            )
        )
    told.extend(
        tell_counted(
            "Every division of {count} disk among the vdevs of one pool, spares and idle disks.",
            "Every division of {count} disks among the vdevs of one pool, spares and idle disks.",
            packer.disks,
        )
        for packer in packers
        if packer.exhaustive
    )
    if any(packer.kinds > 1 for packer in packers):
        told.append(
            tell(
                "Disks of several sizes: every division of neighbouring sizes, every way to cut all disks in layers of "
                "partitions, each with every full layout of equal width."
            )
        )
    return tuple(told)


def left_out(groups: Sequence[EqualDisks], packers: Sequence[Packer]) -> tuple[str, ...]:
    told = [tell("Several pools of equal disks, but for stripes where speed is the goal before OpenZFS 0.7.")]
    if any(len(group.disks) > EVERY_NUMBER_TO for group in groups):
        told.append(
            tell(
                "Of more than {every_number_to} equal disks every number of vdevs: those that use up "
                "the disks, the least with the space asked for, and of vdevs of up to "
                "{widest_partly} disks some in between are looked at.",
                every_number_to=EVERY_NUMBER_TO,
                widest_partly=WIDEST_PARTLY,
            )
        )
    if any(packer.kinds > 1 and not packer.exhaustive for packer in packers):
        told.append(
            tell(
                "Of layouts of several sizes that are combined in one pool or side by side, only the "
                "best of each sort; raidz of more than {widest} disks beside other sizes, of more "
                "than {widest_combined} in combinations.",
                widest=WIDEST,
                widest_combined=WIDEST_COMBINED,
            )
        )
        told.append(
            tell("Other numbers of spares beside several sizes than none, one for twenty disks, one less, half.")
        )
    if any(packer.kinds > MOST_SEPARATE for packer in packers):
        told.append(tell("More than {most_separate} pools side by side.", most_separate=MOST_SEPARATE))
    if any(packer.kinds > 1 for packer in packers):
        told.append(
            tell(
                "Partitions other than in layers over all disks of a medium, and slices under {least_slice_bytes}.",
                least_slice_bytes=decimal(LEAST_SLICE_BYTES),
            )
        )
    if any(packer.kinds > MOST_KINDS_CUT for packer in packers):
        told.append(
            tell(
                "Of more than {most_kinds_cut} sizes all divisions but two: all sizes together, and each apart.",
                most_kinds_cut=MOST_KINDS_CUT,
            )
        )
    if len({group.media for group in groups}) > 1:
        told.append(tell("Data vdevs of different media in one pool."))
    return tuple(told)
