"""What has to be there before a run begins: room for its files, the program that it asks, the volumes it writes to."""

from poolwright.bench.profiles.profile import Effort, Engine, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.bench.running.room import check_room
from poolwright.domain.errors import Refusal
from poolwright.texts import tell

_ASKED = (Engine.DD, Engine.BONNIE)


def check_ready(profile: Profile, effort: Effort, place: BenchPlace) -> None:
    """Raise Refusal where a run of ``profile`` would fail for what can be seen before."""
    check_room(profile, effort, place)
    for engine in _ASKED:
        if place.tools is not None and engine not in place.tools and any(t.engine is engine for t in profile.tests):
            raise Refusal(
                tell("{program} is not installed there", program=engine.value),
                where=place.host,
                todo=tell("Install the package {program}.", program=engine.value),
            )
    if effort.volume_bytes and place.volumes is not None:
        named = {dict(job.options).get("filename") for test in profile.tests for job in test.jobs}
        missing = sorted(name for name in named - set(place.volumes) if name)
        if missing:
            raise Refusal(
                tell("The volumes of this profile are not there: {names}", names=", ".join(missing)),
                where=place.host,
                todo=tell(
                    "A script makes them, run it first: poolwright bench --paper-volumes {pool} -o volumes.sh",
                    pool=place.pool,
                ),
            )
