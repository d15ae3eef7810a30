"""What the ticked flash drives are worth beside the data vdevs of a layout, and the design that has them."""

from poolwright.advise.request import Request
from poolwright.advise.roles.advice import apply_roles, free_flash, judge_roles, setting_of
from poolwright.advise.roles.advised import advised_roles
from poolwright.advise.roles.model import RoleAdvice
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError


def advice_on(design: Design, request: Request) -> RoleAdvice | None:
    """Return what ticked flash drives without a place are worth as special, log, cache, dedup or a pool of their own.

    ``design`` is made from a layout of ``request``. None where there are none, or nothing can be said of it.
    """
    ticked = frozenset(disk.key for disk in request.disks)
    if not free_flash(design, ticked):
        return None
    try:
        return judge_roles(setting_of(design, allowed=ticked))
    except PoolwrightError:
        return None


def with_support(design: Design, request: Request) -> Design:
    """Return the design with the roles that are known to help carried by the ticked flash drives."""
    advice = advice_on(design, request)
    return design if advice is None or not advice.helpful else apply_roles(design, advice, advised_roles(advice))
