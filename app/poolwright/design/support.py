"""What the ticked flash drives are worth beside the data vdevs of a layout, and the design that has them."""

from dataclasses import replace

from poolwright.design.request import Request
from poolwright.design.roles.advice import apply_roles, free_flash, judge_roles, setting_of
from poolwright.design.roles.advised import advised_roles
from poolwright.design.roles.model import Role, RoleAdvice
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError


def advice_on(design: Design, request: Request) -> RoleAdvice | None:
    """Return what ticked flash drives without a place are worth as special, log, cache, dedup or a pool of their own.

    ``design`` is made from a layout of ``request``. None where there are none, or nothing can be said of it. Of pools
    with data of their own the main one is meant.
    """
    ticked = frozenset(disk.key for disk in request.disks)
    if design.main_workload is None:
        return _advice(design, ticked)
    main, *others = design.pools()
    return _advice(main, ticked.difference(*(pool.used_keys() for pool in others)))


def _advice(design: Design, allowed: frozenset[str]) -> RoleAdvice | None:
    if not free_flash(design, allowed):
        return None
    try:
        return judge_roles(setting_of(design, allowed=allowed))
    except PoolwrightError:
        return None


def with_support(design: Design, request: Request) -> Design:
    """Return the design with the roles that are known to help carried by the ticked flash drives."""
    if design.main_workload is not None:
        return _with_support_of_each(design, request)
    advice = advice_on(design, request)
    return design if advice is None or not advice.helpful else apply_roles(design, advice, advised_roles(advice))


def _with_support_of_each(design: Design, request: Request) -> Design:
    """Do the same for each pool with data of its own, the main one first: what is on flash gains from a log alone."""
    ticked = frozenset(disk.key for disk in request.disks)
    pools = list(design.pools())
    for number, pool in enumerate(pools):
        others = (other.used_keys() for other in pools if other is not pool)
        advice = _advice(pool, ticked.difference(*others))
        if advice is not None:
            fit = {Role.SPECIAL, Role.LOG, Role.CACHE, Role.DEDUP} if number else {Role.LOG}
            pools[number] = apply_roles(pool, advice, fit.intersection(advised_roles(advice)))
    main, *others_made = pools
    further = zip(design.further_pools, others_made, strict=True)
    return replace(
        design,
        vdevs=main.vdevs,
        datasets=main.datasets,
        further_pools=tuple(replace(pool, vdevs=made.vdevs, datasets=made.datasets) for pool, made in further),
    )
