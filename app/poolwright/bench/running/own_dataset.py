"""A dataset made for one run in the directory it was given, and destroyed with its files: `keeper.sh` does both.

It holds no data but the run's, so that nothing of a person's is near, and inherits all that is set above it, also what
a person sets there between two tests. Where no files fit that are twice what memory holds, it keeps file data out of
the ARC (zfsprops(7), primarycache); not elsewhere, for what is read ahead is lost with it (openzfs/zfs issue 9375).
"""

from dataclasses import replace

from poolwright.bench.profiles.caching import is_beaten_by_size
from poolwright.bench.profiles.ground import Ground
from poolwright.bench.profiles.knowledge import direct_refusal
from poolwright.bench.profiles.wishes import BenchWishes
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.units import GIB

# Tools that make snapshots by themselves would keep what is to be destroyed; they look at this property.
_KEPT_OUT_OF_SNAPSHOTS = ("com.sun:auto-snapshot", "false")  # for machines
_PAST_THE_ARC = ("primarycache", "metadata")  # for machines
# What these measure is the cache; and disks or volumes, no files.
_WITH_THE_CACHE = frozenset(("l2arc", "cache"))  # for machines
# Where a run stands that reads disks alone. A folder of every machine, refused for anything else.
ANYWHERE = "/var/tmp"  # noqa: S108
_WITHOUT_FILES = frozenset(("siblings", "paper"))  # for machines


def on_own_dataset(place: BenchPlace, profile: str | None, wishes: BenchWishes | None = None) -> BenchPlace:
    """Return the place as a built-in profile finds it on a dataset made for its run; None is a profile of one's own.

    It is the same place where no dataset can be made, or none is of use.
    """
    if not place.may_make or profile in _WITHOUT_FILES:
        return place
    ground = Ground(place=place, design=None, wishes=wishes or BenchWishes())
    beaten = is_beaten_by_size(place, ground.room_bytes) or direct_refusal(place, GIB) is None
    if profile is None or profile in _WITH_THE_CACHE or beaten:
        return replace(place, makes=(_KEPT_OUT_OF_SNAPSHOTS,))
    known = dict((*place.properties, _PAST_THE_ARC))
    return replace(place, makes=(_PAST_THE_ARC, _KEPT_OUT_OF_SNAPSHOTS), properties=tuple(known.items()))


def for_disks(place: BenchPlace) -> BenchPlace:
    """Return `ANYWHERE` as a run finds it that reads disks alone: nothing is written there but fio's own files."""
    return replace(place, refusals=(), warnings=(), commands=())


def as_before(place: BenchPlace, before: BenchPlace) -> BenchPlace:
    """Return a place that was looked at once more, with the dataset that was to be made there ``before``."""
    if before.makes is None or not place.may_make:
        return place
    made = dict((*place.properties, *(pair for pair in before.makes if pair == _PAST_THE_ARC)))
    return replace(place, makes=before.makes, properties=tuple(made.items()))
