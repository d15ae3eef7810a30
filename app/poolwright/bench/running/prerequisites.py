"""What has to be there before a run begins: room for its files, the program that it asks, the volumes it writes to."""

from dataclasses import replace

from poolwright.bench.profiles.access import BenchSetup, BenchWishes
from poolwright.bench.profiles.knowledge import direct_refusal, exceeds_cache, percent_bytes
from poolwright.bench.record import AnswerPlot, BenchTarget, Effort, Engine, Profile
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, binary
from poolwright.texts import _

_PACKAGES = {Engine.DD: "coreutils", Engine.BONNIE: "bonnie++"}


def check_ready(profile: Profile, effort: Effort, place: BenchTarget) -> None:
    """Raise Refusal where a run of ``profile`` would fail for what can be seen before."""
    check_room(profile, effort, place)
    for engine, package in _PACKAGES.items():
        if place.tools is not None and engine not in place.tools and any(t.engine is engine for t in profile.tests):
            raise Refusal(
                _("{program} is not installed there", program=engine.value),
                where=place.host,
                todo=_("Install the package {program}.", program=package),
            )
    if effort.volume_bytes and place.volumes is not None:
        named = {dict(job.options).get("filename") for test in profile.tests for job in test.jobs}
        missing = sorted(name for name in named - set(place.volumes) if name)
        if missing:
            raise Refusal(
                _("The volumes of this profile are not there: {names}", names=", ".join(missing)),
                where=place.host,
                todo=_("Make them first: poolwright bench --paper-volumes {pool} -w volumes.sh", pool=place.pool),
            )


# Whether the files of a run have room: a pool that they fill up is slow for everybody, long after they are gone.

KEPT_PERCENT = 20  # of a pool stay free: beyond 80 % ZFS looks longer for room (thesis, figures 16 and 17)


def check_room(profile: Profile, effort: Effort, place: BenchTarget) -> None:
    """Raise Refusal where the files of ``profile`` have no room in ``place``.

    A fifth of a pool stays free, but where it is asked how a pool does that fills.
    """
    if not effort.space_bytes:
        return
    fills = profile.plot is AnswerPlot.AGAINST_FILL or any(test.keeps_files for test in profile.tests)
    kept = 0 if fills else int(KEPT_PERCENT * percent_bytes(place))
    if effort.space_bytes <= place.free_bytes - kept:
        return
    if effort.space_bytes <= place.free_bytes:
        what = _(
            "The files take {space}, which makes the pool more than {percent} % full",
            space=binary(effort.space_bytes),
            percent=100 - KEPT_PERCENT,
        )
    else:
        what = _(
            "The files take {space}; {free} are free", space=binary(effort.space_bytes), free=binary(place.free_bytes)
        )
    raise Refusal(what, where=place.directory, todo=_("Name less to be written, or make room."))


# A dataset made for one run in the directory it was given, and destroyed with its files: `keeper.sh` does both.

# Tools that make snapshots by themselves would keep what is to be destroyed; they look at this property.
_KEPT_OUT_OF_SNAPSHOTS = ("com.sun:auto-snapshot", "false")  # for machines
_PAST_THE_ARC = ("primarycache", "metadata")  # for machines
# What these measure is the cache; and disks or volumes, no files.
_WITH_THE_CACHE = frozenset(("l2arc", "cache"))  # for machines
# Where a run stands that reads disks alone. A folder of every machine, refused for anything else.
ANYWHERE = "/var/tmp"  # noqa: S108
_WITHOUT_FILES = frozenset(("siblings", "paper"))  # for machines


def on_own_dataset(place: BenchTarget, profile: str | None, wishes: BenchWishes | None = None) -> BenchTarget:
    """Return the place as a built-in profile finds it on a dataset made for its run; None is a profile of one's own.

    It is the same place where no dataset can be made, or none is of use.
    """
    if not place.may_make or profile in _WITHOUT_FILES:
        return place
    setup = BenchSetup(place=place, design=None, wishes=wishes or BenchWishes())
    beaten = exceeds_cache(place, setup.room_bytes) or direct_refusal(place, GIB) is None
    if profile is None or profile in _WITH_THE_CACHE or beaten:
        return replace(place, makes=(_KEPT_OUT_OF_SNAPSHOTS,))
    known = dict((*place.properties, _PAST_THE_ARC))
    return replace(place, makes=(_PAST_THE_ARC, _KEPT_OUT_OF_SNAPSHOTS), properties=tuple(known.items()))


def for_disks(place: BenchTarget) -> BenchTarget:
    """Return `ANYWHERE` as a run finds it that reads disks alone: nothing is written there but fio's own files."""
    return replace(place, refusals=(), warnings=(), commands=())


def as_before(place: BenchTarget, before: BenchTarget) -> BenchTarget:
    """Return a place that was looked at once more, with the dataset that was to be made there ``before``."""
    if before.makes is None or not place.may_make:
        return place
    made = dict((*place.properties, *(pair for pair in before.makes if pair == _PAST_THE_ARC)))
    return replace(place, makes=before.makes, properties=tuple(made.items()))
