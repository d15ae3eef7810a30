"""What a design has on flash drives beside the layout that it was made of, in words."""

from poolwright.domain.design import Design
from poolwright.domain.vdev import describe
from poolwright.texts import tell


def beside_words(bare: Design, proposed: Design) -> str:
    """Return what ``proposed`` has beside ``bare``, the layout alone; empty where no flash drive carries anything."""
    known = {pool.pool_name: pool.layout() for pool in bare.pools()}
    found = []
    for pool in proposed.pools():
        if pool.pool_name not in known:
            found.append(tell("pool {name} of {layout}", name=pool.pool_name, layout=describe(pool.layout())))
        elif support := tuple(spec for spec in pool.layout() if spec not in known[pool.pool_name]):
            words = describe(support)
            of_one = proposed.main_workload is None
            found.append(words if of_one else tell("{layout} for {pool}", layout=words, pool=pool.pool_name))
    return ", ".join(found)
