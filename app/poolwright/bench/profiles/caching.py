"""How a test is kept out of the cache, and how large its files are: decided for the place, and always told."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.bench.profiles.knowledge import direct_refusal, most_cached
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.units import GIB, MIB, binary
from poolwright.texts import tell

CACHE_FACTOR = 2  # files are larger than so many times what memory may hold
_BEYOND = 8  # and by an eighth of it, so that what is rounded down or grows on the way changes nothing
# Beyond, files that beat the cache by their size take longer than the tests: other ways are looked for first.
_USUAL_MOST = 128 * GIB
_WITHOUT_CACHE_BYTES = 16 * GIB
_LEAST_BYTES = 64 * MIB
_SHARE_OF_FREE = 2  # half of the free space at most


class Keeper(StrEnum):
    PROPERTY = "property"
    SIZE = "size"
    DIRECT = "direct"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOut:
    """The keeper of a test with a sentence; ``needs`` are commands that would give it one."""

    keeper: Keeper
    note: str

    @property
    def proof(self) -> bool:
        """Tell whether what is measured cannot come from memory."""
        return self.keeper is not Keeper.NOTHING


def room_bytes(place: BenchPlace) -> int:
    """Return how many bytes the files of a profile may take where nobody wishes less: half of what is free."""
    return place.free_bytes // _SHARE_OF_FREE


def data_bytes(place: BenchPlace, room: int | None = None) -> int:
    """Return the size of all files that a profile reads from, together; ``room`` where it is not `room_bytes`."""
    cached = most_cached(place)
    room = room_bytes(place) if room is None else room
    enough = _WITHOUT_CACHE_BYTES if cached is None else CACHE_FACTOR * cached + cached // _BEYOND
    if _out_by_property(place) or (direct_refusal(place, GIB) is None and enough > min(room, _USUAL_MOST)):
        enough = min(enough, _WITHOUT_CACHE_BYTES)
    return max(min(enough, room), min(_LEAST_BYTES, room))


def is_beaten_by_size(place: BenchPlace, room: int) -> bool:
    """Tell whether files of more than twice what memory may hold fit into ``room``; False where nobody knows."""
    cached = most_cached(place)
    return cached is not None and CACHE_FACTOR * cached < room


def kept_out(place: BenchPlace, block_bytes: int, size: int, *, asks: bool = True) -> KeptOut:
    """Return what keeps reads of ``block_bytes`` in files of ``size`` bytes together out of the cache.

    ``asks`` tells whether what reads can ask for O_DIRECT.
    """
    cached = most_cached(place)
    if _out_by_property(place):
        kind = place.property("primarycache")
        return KeptOut(
            keeper=Keeper.PROPERTY,
            note=tell(
                "primarycache={kind} on the dataset: the ARC keeps none of the data, nor what is read ahead, so that "
                "reads in order may be slower than with it.",
                kind=kind,
            ),
        )
    if cached is not None and size > CACHE_FACTOR * cached:
        return KeptOut(
            keeper=Keeper.SIZE,
            note=tell(
                "The files are {size}, the cache holds {cached} at most: at least half comes from the disks.",
                size=binary(size),
                cached=binary(cached),
            ),
        )
    refusal = direct_refusal(place, block_bytes) if asks else tell("nothing asks for O_DIRECT")
    if refusal is None:
        return KeptOut(keeper=Keeper.DIRECT, note=tell("Done with O_DIRECT, past the cache."))
    return KeptOut(keeper=Keeper.NOTHING, note=_unproved(size, cached, refusal))


def _unproved(size: int, cached: int | None, refusal: str) -> str:
    if cached is None:
        return tell(
            "Not cache-proof: how much memory may hold is not known here, and {refusal}. Set primarycache=metadata on "
            "a dataset made for the run.",
            refusal=refusal,
        )
    return tell(
        "Not cache-proof: the files are {size} where {needed} would be needed against a cache of {cached}, and "
        "{refusal}. Set primarycache=metadata on a dataset made for the run.",
        size=binary(size),
        needed=binary(CACHE_FACTOR * cached),
        cached=binary(cached),
        refusal=refusal,
    )


def _out_by_property(place: BenchPlace) -> bool:
    return place.property("primarycache") in ("metadata", "none")
