"""Steps of growth on the command line: what a pool's space is after each of them."""

from collections.abc import Sequence

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.expansion import GrownPool, new_pool
from poolwright.capacity.expansion_steps import Grown, take_steps
from poolwright.capacity.pool import VdevDevices
from poolwright.cli.output import print_line, print_table
from poolwright.domain.growth import GrowthStep
from poolwright.domain.units import binary
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, describe
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell


def steps_later(
    layout: Layout,
    steps: Sequence[GrowthStep],
    *,
    ashift: int,
    version: ZfsVersion,
    members: MemberKind,
    logical_sector_bytes: int,
    autoexpand: bool,
) -> tuple[Grown, ...]:
    """Return the pool after each step, beginning with a new pool of ``layout``; errors as `take_step`."""

    def device(size: int) -> int:
        return device_bytes(size, members, logical_sector_bytes, version)

    vdevs = tuple(VdevDevices(spec=spec, devices=tuple(device(size) for size in spec.sizes)) for spec in layout)
    pool = new_pool(vdevs, ashift=ashift, version=version, members=members, autoexpand=autoexpand)
    return take_steps(pool, steps, logical_sector_bytes=logical_sector_bytes)


def steps_document(grown: Sequence[Grown]) -> list[dict[str, object]]:
    """Return each step as a JSON object: what it was, and what `zpool list` and `zfs list` print after it."""
    return [
        {
            "step": str(after.step),
            "pool_size_bytes": after.capacity.pool_size_bytes,
            "available_bytes": after.capacity.available_bytes,
            "slop_bytes": after.capacity.slop_bytes,
            "plan_bytes": after.capacity.plan_bytes,
            "vdevs": _vdevs(after.pool),
        }
        for after in grown
    ]


def _vdevs(pool: GrownPool) -> list[dict[str, object]]:
    """Return the vdevs that are left with their metaslabs and the deflate ratio, and the width that ratio is of."""
    capacity = pool.capacity()
    return [
        {
            "name": pool.name(placed.index),
            "spec": str(pool.tops[placed.index].spec),
            "metaslab_count": placed.capacity.metaslab_count,
            "metaslab_shift": placed.capacity.metaslab_shift,
            "deflate_ratio": placed.capacity.ratio,
            "deflate_ratio_of_width": pool.tops[placed.index].born_width,
        }
        for placed in capacity.vdevs
    ]


def print_steps(grown: Sequence[Grown]) -> None:
    """Print what the tools of OpenZFS show after each step."""
    print_line()
    rows = [
        (
            str(after.step),
            f"{after.capacity.pool_size_bytes:,}",
            f"{after.capacity.available_bytes:,}",
            binary(after.capacity.available_bytes),
            describe(after.capacity.layout),
        )
        for after in grown
    ]
    printed = ("zpool list SIZE", "zfs list USED+AVAIL")  # for machines
    print_table((tell("then"), *printed, "", tell("the pool")), rows, right=frozenset({1, 2, 3}))
    expanded = any(t.born_width != t.width and t.parity for after in grown for t in after.pool.tops)
    if expanded:
        print_line(
            tell(
                "A raidz that got a further disk keeps the deflate ratio of its first width: zfs list shows less "
                "than a new pool of that width would, and counts new blocks as smaller than they are."
            )
        )
    if any(_bare_beside_redundant(after.capacity.layout) for after in grown):
        print_line(
            tell(
                "A single disk beside redundant vdevs: when it fails the pool is lost with all of them, and beside a "
                "raidz it can never be removed. zpool add asks for -f there; zpool attach is what widens a raidz or "
                "mirror."
            )
        )


def _bare_beside_redundant(layout: Layout) -> bool:
    """Tell whether a data vdev without redundancy stands beside one with it."""
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    bare = [spec.kind is VdevKind.STRIPE for spec in data]
    return any(bare) and not all(bare)
