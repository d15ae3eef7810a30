"""What a recommendation has only where somebody wishes it, in words, and how it is typed."""

from collections.abc import Iterable

from poolwright.design.floors import WIDEST
from poolwright.domain.errors import UserError
from poolwright.domain.number import shortened
from poolwright.domain.workload import Allowance
from poolwright.texts import tell


def allowance_title(allowance: Allowance) -> str:
    return {
        Allowance.PARTITIONS: tell("Partitions"),
        Allowance.KINDS: tell("Several kinds of vdevs in a pool"),
        Allowance.SHINGLED: tell("Shingled (SMR) disks behind parity"),
        Allowance.WIDE: tell("Very wide raidz"),
    }[allowance]


def allowance_sentence(allowance: Allowance) -> str:
    """Return what is gained by allowing it and what is paid, in one sentence."""
    return {
        Allowance.PARTITIONS: tell(
            "Disks of several sizes are cut, so that more of them is used; parts of a disk share its "
            "heads, and its rebuild serves several vdevs or pools."
        ),
        Allowance.KINDS: tell(
            "Mirrors beside raidz or other parity in one pool: what the weakest of them loses is lost for all."
        ),
        Allowance.SHINGLED: tell(
            "Their long rewrites make rebuilds of a raidz or dRAID take days and may drop disks from "
            "it; mirrors are not concerned."
        ),
        Allowance.WIDE: tell(
            "More than {one} disks in a raidz1, {two} in a raidz2 or {three} in a raidz3: most space, and a rebuild "
            "that reads all of them.",
            one=WIDEST[1],
            two=WIDEST[2],
            three=WIDEST[3],
        ),
    }[allowance]


def allowed_titles(allowed: Iterable[Allowance]) -> str:
    """Return what is allowed as the end of a sentence; empty for nothing."""
    return ", ".join(allowance_title(one)[0].lower() + allowance_title(one)[1:] for one in allowed)


def allowed_words(allowed: Iterable[Allowance]) -> str:
    """Return what is allowed as part of a list of wishes."""
    return tell("allowed: {allowed}", allowed=allowed_titles(allowed))


def parse_allowances(text: str) -> tuple[Allowance, ...]:
    """Return what ``text`` names with commas or spaces, each once, in the order of the list. Raises UserError."""
    words = text.replace(",", " ").casefold().split()
    known = {one.value: one for one in Allowance}
    wrong = next((word for word in words if word not in known), None)
    if wrong is not None or not words:
        told = shortened(text) if wrong is None else shortened(wrong)
        raise UserError(
            tell("{told} is nothing that can be allowed", told=told),
            todo=tell("Known are: {known}.", known=", ".join(known)),
        )
    return tuple(one for one in Allowance if one.value in words)
