"""Whether the files of a run have room: a pool that they fill up is slow for everybody, long after they are gone."""

from poolwright.bench.profiles.profile import AnswerPlot, Effort, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.errors import Refusal
from poolwright.domain.units import binary
from poolwright.texts import tell

KEPT_PERCENT = 20  # of a pool stay free: beyond 80 % ZFS looks longer for room (thesis, figures 16 and 17)


def check_room(profile: Profile, effort: Effort, place: BenchPlace) -> None:
    """Raise Refusal where the files of ``profile`` have no room in ``place``.

    A fifth of a pool stays free, but for a profile that asks how a pool does that fills.
    """
    kept = 0
    if place.pool_bytes is not None and profile.plot is not AnswerPlot.AGAINST_FILL:
        kept = place.pool_bytes * KEPT_PERCENT // 100
    if effort.space_bytes <= place.free_bytes - kept:
        return
    if effort.space_bytes <= place.free_bytes:
        what = tell(
            "The files take {space}, and the pool would be more than {percent} % full",
            space=binary(effort.space_bytes),
            percent=100 - KEPT_PERCENT,
        )
    else:
        what = tell(
            "The files take {space}, and {free} are free",
            space=binary(effort.space_bytes),
            free=binary(place.free_bytes),
        )
    raise Refusal(what, where=place.directory, todo=tell("Name less to be written, or make room."))
