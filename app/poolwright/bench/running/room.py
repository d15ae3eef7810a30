"""Whether the files of a run have room: a pool that they fill up is slow for everybody, long after they are gone."""

from poolwright.bench.profiles.knowledge import percent_bytes
from poolwright.bench.profiles.profile import AnswerPlot, Effort, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.errors import Refusal
from poolwright.domain.units import binary
from poolwright.texts import tell

KEPT_PERCENT = 20  # of a pool stay free: beyond 80 % ZFS looks longer for room (thesis, figures 16 and 17)


def check_room(profile: Profile, effort: Effort, place: BenchPlace) -> None:
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
