"""What a search that is stopped has not tried, in one sentence."""

from collections.abc import Sequence

from poolwright.design.enumerate import FAMILIES, EqualLayout
from poolwright.design.groups import EqualDisks
from poolwright.design.pack import Packer
from poolwright.texts import tell, tell_counted


def untried_words(parts: Sequence[str]) -> str:
    """Return the sentence; of a search without parts left, what is not settled."""
    if not parts:
        return tell("Every layout was tried; the order of the first ones was not yet checked on the disks themselves.")
    return tell("Not tried: {parts}.", parts="; ".join(parts))


def of_shapes(group: EqualDisks, every: Sequence[EqualLayout], looked_at: int, *, alone: bool) -> tuple[str, ...]:
    """Return which families of one kind of disks are left after ``looked_at`` of ``every`` layout, in their order."""
    begun = {shape.family for shape in every[:looked_at]}
    left = {shape.family for shape in every[looked_at:]}
    words = [
        tell("{family} in part", family=family) if family in begun else family for family in FAMILIES if family in left
    ]
    if not words:
        return ()
    families = ", ".join(words)
    return (families if alone else tell("{families} of {disks}", families=families, disks=group.words),)


def of_group(group: EqualDisks, *, alone: bool) -> str:
    """Return that nothing was tried of one kind of disks by itself."""
    return tell("every layout") if alone else tell("every layout of {disks} alone", disks=group.words)


def of_kinds(kinds: Sequence[EqualDisks]) -> str:
    """Return that nothing was tried of several sizes together."""
    return tell("{disks} together, in whole disks and in partitions", disks=", ".join(kind.words for kind in kinds))


def of_packer(packer: Packer) -> tuple[str, ...]:
    """Return which ways to pack several sizes are left."""
    told = (
        tell_counted(
            "{count} way to divide the sizes among vdevs and pools",
            "{count} ways to divide the sizes among vdevs and pools",
            packer.left.divisions,
        ),
        tell_counted(
            "{count} way to cut the disks into partitions",
            "{count} ways to cut the disks into partitions",
            packer.left.layers,
        ),
        tell("the divisions of few disks one by one"),
    )
    left = (packer.left.divisions, packer.left.layers, packer.left.every_way)
    return tuple(text for text, any_left in zip(told, left, strict=True) if any_left)
