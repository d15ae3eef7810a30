"""How a design held against a pool is told, wherever it is shown."""

from poolwright.changes.against.values import LiveComparison, LiveWay
from poolwright.texts import listed, marked, tell, tell_counted

WAYS = (LiveWay.STEP, LiveWay.CANNOT, LiveWay.LEFT, LiveWay.UNKNOWN)
_TITLES = {
    LiveWay.STEP: marked("What turns the pool into the design, in this order"),
    LiveWay.CANNOT: marked("What cannot be changed"),
    LiveWay.LEFT: marked("What is left as it is"),
    LiveWay.UNKNOWN: marked("What is not known"),
}


def way_title(way: LiveWay) -> str:
    """Return the heading over the differences of a kind."""
    return tell(_TITLES[way])


def counted_words(comparison: LiveComparison) -> str:
    """Return in a sentence how much differs."""
    steps = sum(1 for _ in comparison.of_way(LiveWay.STEP))
    others = len(comparison.differences) - steps
    if not comparison.differences:
        return tell("The pool {pool} is as the design says, as far as it was read.", pool=comparison.pool.name)
    barred = comparison.barred_by
    if barred:
        stays = listed([tell("{vdev} ({what})", vdev=one.place, what=one.found) for one in barred])
        return tell_counted("{pool} cannot become this design: {vdevs} stays in the pool, and the design does not have "
                            "it. No commands are written.",
                            "{pool} cannot become this design: {vdevs} stay in the pool, and the design does not have "
                            "them. No commands are written.",
                            len(barred), pool=comparison.pool.name, vdevs=stays)  # fmt: skip
    first = tell_counted("{count} step", "{count} steps", steps)
    then = tell_counted("{count} difference stays", "{count} differences stay", others)
    return tell("The pool {pool} against the design {design}: {steps}, {stays}.", pool=comparison.pool.name,
                design=comparison.design.name, steps=first, stays=then)  # fmt: skip
