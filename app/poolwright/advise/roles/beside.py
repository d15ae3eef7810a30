"""What a design has on flash drives beside the layout that it was made of, in words."""

from poolwright.advise.roles.advice import chosen_roles
from poolwright.domain.design import Design
from poolwright.domain.vdev import describe
from poolwright.texts import tell


def beside_words(bare: Design, proposed: Design) -> str:
    """Return what ``proposed`` has beside ``bare``, the layout alone; empty where no flash drive carries anything."""
    if proposed == bare or not chosen_roles(proposed):
        return ""
    alone = bare.layout()
    support = tuple(spec for spec in proposed.layout() if spec not in alone)
    known = {pool.pool_name for pool in bare.further_pools}
    pools = [
        tell("pool {name} of {layout}", name=pool.pool_name, layout=describe(pool.layout()))
        for pool in proposed.pools()
        if pool.pool_name not in known | {bare.pool_name}
    ]
    return ", ".join((*((describe(support),) if support else ()), *pools))
