"""What is said to people about datasets: what each property does, where a value comes from, what a dataset takes."""

from functools import cache

from poolwright.domain.estimate import Estimate
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.units import TB, binary
from poolwright.predict.space import DatasetSpace
from poolwright.shipped import shipped
from poolwright.texts import tell
from poolwright.ui.parts.theme import Tone


def full_name(pool_name: str, name: str) -> str:
    return f"{pool_name}/{name}".rstrip("/")


def source_words(effective: Effective, pool_name: str) -> str:
    """Return where a value comes from, in the words of `zfs get`."""
    if effective.source is SettingSource.LOCAL:
        return tell("local")
    if effective.inherited_from is not None:
        return tell("inherited from {name}", name=full_name(pool_name, effective.inherited_from))
    return tell("default")


def reason_words(effective: Effective) -> str:
    """Return why a property has its value; what it does where nobody gave a reason."""
    if effective.reason:
        return effective.reason
    return property_words(effective.name) if effective.source is SettingSource.DEFAULT else tell("set by hand")


def told_words(effective: Effective) -> str:
    why, does = reason_words(effective), property_words(effective.name)
    told = why if not does or why == does else f"{why}. {does}"
    told = f"{told[:1].upper()}{told[1:]}"
    if not effective.changed or effective.default_value is None:
        return f"{told}."
    return tell("{told}. OpenZFS's default is {value}.", told=told, value=effective.default_value)


def property_words(name: str) -> str:
    """Return in a few words what a property does; empty for one that nobody described."""
    return tell(known) if (known := _summaries().get(name)) else ""


@cache
def _summaries() -> dict[str, str]:
    return {**shipped("dataset_properties")["summaries"], **shipped("pool_properties")["summaries"]}


def band_words(estimate: Estimate) -> str:
    """Return the low and the high end of a number of bytes."""
    low, high = binary(round(estimate.low)), binary(round(estimate.high))
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return tell("{low} to {high}", low=number if high.endswith(f" {unit}") else low, high=high)


def poor(space: DatasetSpace) -> bool:
    """Tell whether blocks of this size waste a fifth or more of what the disks could hold."""
    return space.efficiency < 0.8 * space.nominal


def dataset_notes(space: DatasetSpace, money: str) -> list[tuple[str, Tone]]:
    """Return what is to be said of a dataset; ``money`` is what it wastes in money, empty where that is not known."""
    lines: list[tuple[str, Tone]] = []
    lost = ""
    if space.usage is not None and space.waste_bytes and space.waste_bytes >= TB / 1000:
        lost = tell("{size} of the disks go to padding and extra parity", size=f"{space.waste_bytes / TB:,.2f} TB")
        lost = f"{lost}, {money}." if money else f"{lost}."
    if poor(space):
        text = tell("Blocks of {size} are stored at {share:.0f} %, where {most:.0f} % are data disks.")
        share, most = 100 * space.efficiency, 100 * space.nominal
        text = text.format(size=binary(space.block_bytes), share=share, most=most)
        lines.append((f"{text} {lost}".rstrip(), Tone.WARN))
    elif lost:
        lines.append((lost, Tone.NOTE))
    if space.reserved_bytes and space.dataset.volume_bytes is not None:
        told = tell("The volume reserves {size} at once. refreservation=none makes it thin.")
        lines.append((told.format(size=binary(space.reserved_bytes)), Tone.NOTE))
    return [*lines, *((note, Tone.NOTE) for note in space.notes)]
