"""How often a raidz vdev was expanded, where `zpool status` tells that it was and nobody asked `zdb -C` how often."""

from dataclasses import replace

from poolwright.changes.as_design import PoolDesign
from poolwright.changes.explain import explain_sizes
from poolwright.domain.existing_pool import ExistingPool, VdevSizes
from poolwright.domain.vdev import VdevKind

# What is left unexplained of USED + AVAIL where the width is the right one is far less, where it is not far more.
_MOST_REST = 0.01


def with_expansions(made: PoolDesign, known: ExistingPool) -> ExistingPool:
    """Return what is known with the number of expansions that explains USED + AVAIL best.

    It stays the one that is certain where no number explains them, or several vdevs were expanded.
    """
    unsure = [sizes for sizes in known.vdevs if sizes.expansions_at_least]
    if len(unsure) != 1:
        return known
    vdev = next((v for v, node in zip(made.design.vdevs, made.nodes, strict=True) if node.name == unsure[0].name), None)
    if vdev is None or vdev.kind is not VdevKind.RAIDZ:
        return known
    found: list[tuple[int, ExistingPool]] = []
    for count in range(1, len(vdev.members) - vdev.parity):
        tried = _with(known, unsure[0], count)
        available = explain_sizes(made, tried).available
        if available is not None and abs(available.rest_bytes) <= available.printed_bytes * _MOST_REST:
            found.append((abs(available.rest_bytes), tried))
    return min(found, key=lambda each: each[0])[1] if found else known


def _with(known: ExistingPool, sizes: VdevSizes, count: int) -> ExistingPool:
    told = replace(sizes, expansions=count, expansions_at_least=False)
    return replace(known, vdevs=tuple(told if one is sizes else one for one in known.vdevs))
