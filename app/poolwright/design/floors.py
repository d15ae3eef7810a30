"""What a first choice never falls below, unless somebody wishes it: before any score is compared."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.disk import FLASH_MEDIA, Disk
from poolwright.domain.errors import not_there
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.workload import Allowance, Budget, Goal
from poolwright.texts import _, inside, ngettext

# Failures that a pool should survive, whichever disks they are, for each goal.
FAILURES_WANTED = {Goal.SAFETY: 2, Goal.CONCURRENT: 1, Goal.SPEED: 0, Goal.SPACE: 2}
# Disks up to which one failure survived is enough: of three disks two failures would leave one disk's space, of five
# they would cost a third of it where space is what was asked for.
FEW_DISKS = {Goal.SAFETY: 3, Goal.CONCURRENT: 3, Goal.SPEED: 3, Goal.SPACE: 5}
# Of shingled disks (SMR) only mirrors are made. Mirrors of three would leave two of eight: up to these mirrors of two
# do, and a backup; where space is the goal, of any number.
FEW_SHINGLED = 8
# Unequal disks, up to so many, of which one failure survived is enough where two would leave less than these shares of
# the space, of raidz1 and of mirrors of two, whose rebuild reads one disk: 2 x 8 TB and 2 x 4 TB are two mirrors with
# 12 TB, and no raidz2 with 8 (J. Salter, "ZFS: You should use mirror vdevs, not RAIDZ", jrs-s.net 2015, of 2 x 2 TB and
# 2 x 1 TB), 3 x 18 TB do not become a mirror of three for a fourth disk of 3 TB, nor 3 x 12 TB for three of 4 TB more.
FEW_UNEQUAL = 6
LEAST_LEFT, LEAST_OF_MIRRORS = 0.6, 0.75
# The widest raidz, or redundancy group of a dRAID, by its parity. OpenZFS' documentation recommends 3 to 9 disks;
# 12 are the widest that are still common practice, and one failure survived is too little for so many. With three of
# parity 13 hold what 12 do with two: ten disks.
WIDEST = {1: 8, 2: 12, 3: 13}

# Data disks of a raidz at least: with one a mirror of as many disks does all it does, and faster.
LEAST_DATA = 2


def too_wide(vdev: str, parity: int) -> str:
    return _("{vdev} is wider than the failures that it survives allow ({most}).", vdev=vdev, most=WIDEST[parity])


class Floor(StrEnum):
    SURVIVES = "survives"
    SHINGLED = "shingled"
    KINDS = "kinds"
    WIDTH = "width"
    MIRROR = "a mirror"
    PARTITIONS = "partitions"
    LONE_SPARE = "lone spare"


# How far below a broken floor takes a layout: where nothing is above them all, the least sum is shown first.
# Each failure too few counts by itself.
DEPTH = {
    Floor.SURVIVES: 100,
    Floor.SHINGLED: 20,
    Floor.KINDS: 10,
    Floor.WIDTH: 5,
    Floor.MIRROR: 5,
    Floor.PARTITIONS: 4,
    Floor.LONE_SPARE: 1,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """The floors of one request: what is asked of its goal, less what somebody wished.

    ``survives`` is the number of failures, less than the goal's own where the disks are too ``unlike`` for it;
    ``spares_wished`` tells that a number of spares was asked for.
    """

    survives: int
    allowed: frozenset[Allowance]
    spares_wished: bool
    unlike: bool = False

    def broken(
        self,
        vdevs: Sequence[tuple[VdevSpec, int]],
        *,
        survived: int,
        hot_spares: int,
        shingled: bool,
        partitioned: bool = False,
        survives: int | None = None,
    ) -> Iterator[Floor]:
        """Return which floors a pool of so many data vdevs does not keep to; ``shingled``: some disks are (SMR).

        ``survives`` is what is asked of a pool of left-over slices: what the goal asks of a pool of so many disks.
        """
        if survived < (self.survives if survives is None else survives):
            yield Floor.SURVIVES
        # A raidz counts by its width, a dRAID by that of a group.
        data = [(spec.data_disks, spec.parity) for spec, _ in vdevs if spec.kind in (VdevKind.RAIDZ, VdevKind.DRAID)]
        if data and shingled and Allowance.SHINGLED not in self.allowed:
            yield Floor.SHINGLED
        kinds = {(spec.kind, spec.parity, spec.kind is VdevKind.MIRROR and spec.width) for spec, _ in vdevs}
        if len(kinds) > 1 and Allowance.KINDS not in self.allowed:
            yield Floor.KINDS
        if any(disks + parity > WIDEST[parity] for disks, parity in data) and Allowance.WIDE not in self.allowed:
            yield Floor.WIDTH
        if any(disks < LEAST_DATA for disks, _ in data):
            yield Floor.MIRROR
        if partitioned and Allowance.PARTITIONS not in self.allowed:
            yield Floor.PARTITIONS
        lone = len(vdevs) == 1 and vdevs[0][0].kind is VdevKind.RAIDZ and vdevs[0][1] == 1
        if lone and hot_spares and not self.spares_wished:
            yield Floor.LONE_SPARE


def floors_of(goal: Goal, budget: Budget, disks: Sequence[Disk]) -> Floors:
    """Return the floors for data that will lie on those of ``disks``, spinning or flash, that have most raw bytes.

    Two NVMe drives beside four hard disks are no reason to ask of the pool what is asked of one of six.
    """
    flash = [disk for disk in disks if disk.media in FLASH_MEDIA]
    spinning = [disk for disk in disks if disk.media not in FLASH_MEDIA]
    data = max(spinning, flash, key=lambda among: sum(disk.size_bytes or 0 for disk in among))
    # Who asks for the most space asks for what partitions reach.
    opened = {Allowance.PARTITIONS} if goal is Goal.SPACE else set()
    usual = failures_wanted(goal, budget, len(data), sum(bool(disk.smr) for disk in data))
    unlike = budget.survive is None and two_cost_too_much([disk.size_bytes or 0 for disk in data])
    survives = min(1, usual) if unlike else usual
    return Floors(
        survives=survives,
        unlike=survives < usual,
        allowed=frozenset(budget.allow) | opened,
        spares_wished=budget.spares is not None,
    )


def failures_wanted(goal: Goal, budget: Budget, disks: int, shingled: int = 0) -> int:
    """Return how many failures a pool must survive: as wished, or as the goal asks of so many equal disks."""
    if budget.survive is not None:
        return budget.survive
    mirrored = 0 if Allowance.SHINGLED in budget.allow else shingled
    few_mirrored = goal is Goal.SPACE or disks <= FEW_SHINGLED
    few = disks <= FEW_DISKS[goal] or (few_mirrored and disks - mirrored <= FEW_DISKS[goal])
    return min(1, FAILURES_WANTED[goal]) if few else FAILURES_WANTED[goal]


def two_cost_too_much(sizes: Sequence[int]) -> bool:
    """Tell whether few disks of these sizes would lose too much of their space to a second failure survived.

    Compared are the roomiest layouts of whole disks: mirrors of two, one raidz1 or, of six, two of three; a mirror of
    three or one raidz2.
    """
    falling = sorted(sizes, reverse=True)
    if not 4 <= len(falling) <= FEW_UNEQUAL:
        return False
    least = list(enumerate(falling, start=1))  # the smallest of so many of the largest
    groups = 2 * (falling[2] + falling[-1]) if len(falling) == FEW_UNEQUAL else 0
    of_one = max(groups, mirrors := sum(falling[1::2]), *((members - 1) * size for members, size in least[2:]))
    of_two = max(falling[2], *((members - 2) * size for members, size in least[3:]))
    return of_two < LEAST_LEFT * of_one or of_two < LEAST_OF_MIRRORS * mirrors


def floor_words(floor: Floor, *, survives: int = 0) -> str:
    """Return what is wrong with a layout below this floor, as the end of a sentence about it."""
    return {
        Floor.SURVIVES: ngettext(
            "survives fewer than {count} failure", "survives fewer than {count} failures", survives
        )
        if survives > 1
        else _("survives no failure"),
        Floor.SHINGLED: _("puts shingled (SMR) disks behind parity"),
        Floor.KINDS: _("mixes vdevs of different redundancy in one pool"),
        Floor.WIDTH: _("has a wider raidz than a rebuild should read"),
        Floor.MIRROR: _("is a raidz with one data disk, where a mirror holds as much and is faster"),
        Floor.PARTITIONS: _("cuts disks into partitions that share their heads"),
        Floor.LONE_SPARE: _("keeps a hot spare that would serve better as parity"),
    }[floor]


# What a recommendation has only where somebody wishes it, in words, and how it is typed.


def allowance_title(allowance: Allowance) -> str:
    return {
        Allowance.PARTITIONS: _("Partitions"),
        Allowance.KINDS: _("Several kinds of vdevs in a pool"),
        Allowance.SHINGLED: _("Shingled (SMR) disks behind parity"),
        Allowance.WIDE: _("Very wide raidz"),
    }[allowance]


def allowance_sentence(allowance: Allowance) -> str:
    """Return what is gained by allowing it and what is paid, in one sentence."""
    return {
        Allowance.PARTITIONS: _(
            "Disks of several sizes are cut, so that more of them is used; parts of a disk share its "
            "heads, and its rebuild serves several vdevs or pools."
        ),
        Allowance.KINDS: _(
            "Mirrors beside raidz or other parity in one pool: what the weakest of them loses is lost for all."
        ),
        Allowance.SHINGLED: _(
            "Their long rewrites make rebuilds of a raidz or dRAID take days and may drop disks from "
            "it; mirrors are not concerned."
        ),
        Allowance.WIDE: _(
            "More than {one} disks in a raidz1, {two} in a raidz2 or {three} in a raidz3: most space, and a rebuild "
            "that reads all of them.",
            one=WIDEST[1],
            two=WIDEST[2],
            three=WIDEST[3],
        ),
    }[allowance]


def allowed_titles(allowed: Iterable[Allowance]) -> str:
    """Return what is allowed as the end of a sentence; empty for nothing."""
    return ", ".join(inside(allowance_title(one)) for one in allowed)


def allowed_words(allowed: Iterable[Allowance]) -> str:
    return _("allowed: {allowed}", allowed=allowed_titles(allowed))


def parse_allowances(text: str) -> tuple[Allowance, ...]:
    """Return what ``text`` names with commas or spaces, each once, in the order of the list. Raises UserError."""
    words = text.replace(",", " ").casefold().split()
    known = {one.value: one for one in Allowance}
    wrong = next((word for word in words if word not in known), None)
    if wrong is not None or not words:
        raise not_there(wrong or text, known)
    return tuple(one for one in Allowance if one.value in words)
