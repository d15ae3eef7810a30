"""What a design has on flash drives beside its data, and which drives could carry more; what is worth it is asked late.

Light to import: most machines have no flash drive to spare, and then no role is judged.
"""

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from poolwright.design.request import Request
from poolwright.domain.design import Dataset, Design, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.vdev import VdevClass, describe
from poolwright.texts import N_, _, per_language

if TYPE_CHECKING:
    from poolwright.design.roles.verdicts import RoleAdvice


class Role(StrEnum):
    SPECIAL = "special"
    LOG = "log"
    CACHE = "cache"
    DEDUP = "dedup"
    OWN_POOL = N_("own pool")

    @property
    def vdev_class(self) -> VdevClass:
        return VdevClass.DATA if self is Role.OWN_POOL else VdevClass(self.value)


# Marks the pool that `apply_roles` made, so that it finds it again.
FLASH_POOL_PURPOSE = "The flash drives as a pool of their own"  # for machines
SMALL_BLOCKS = "special_small_blocks"
_SUPPORT_CLASSES = (VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE)


def free_flash(design: Design, allowed: Collection[str] | None = None) -> tuple[Disk, ...]:
    """Return the SSDs and NVMe drives that may carry a role: free and sound, or in a support role already.

    ``allowed`` are the keys of drives that may be used beside those in the design (None: all of its inventory).
    """
    flash = [disk for disk in design.disks if disk.media in FLASH_MEDIA]
    if not flash:
        return ()
    taken, placed = without_support(design).used_keys(), design.used_keys()
    return tuple(
        disk
        for disk in flash
        if disk.key not in taken
        and not (disk.refusals() or disk.transport == "usb" or disk.array)
        and disk.health is not Health.FAILING
        and (allowed is None or disk.key in allowed or disk.key in placed)
    )


def chosen_roles(design: Design) -> frozenset[Role]:
    found = {Role(vdev.vdev_class.value) for vdev in design.vdevs if _is_support(design, vdev)}
    own = any(pool.purpose == FLASH_POOL_PURPOSE for pool in design.further_pools)
    return frozenset(found | {Role.OWN_POOL}) if own else frozenset(found)


def without_support(design: Design) -> Design:
    """Return the design without support vdevs on flash drives, and without the settings that belong to them."""
    vdevs = tuple(vdev for vdev in design.vdevs if not _is_support(design, vdev))
    pools = tuple(pool for pool in design.further_pools if pool.purpose != FLASH_POOL_PURPOSE)
    back = (d for p in design.further_pools if p.purpose == FLASH_POOL_PURPOSE for d in p.datasets if d.name)
    special = any(vdev.vdev_class is VdevClass.SPECIAL for vdev in vdevs)
    own = design.datasets if special else map(without_small_blocks, design.datasets)
    return replace(design, vdevs=vdevs, further_pools=pools, datasets=(*own, *back))


def without_small_blocks(dataset: Dataset) -> Dataset:
    return replace(dataset, settings=tuple(setting for setting in dataset.settings if setting.name != SMALL_BLOCKS))


def _is_support(design: Design, vdev: Vdev) -> bool:
    if vdev.vdev_class not in _SUPPORT_CLASSES:
        return False
    flash = {disk.key for disk in design.disks if disk.media in FLASH_MEDIA}
    return all(member.disk_key in flash for member in vdev.members)


def beside_words(bare: Design, proposed: Design) -> str:
    """Return what ``proposed`` has beside ``bare``, the layout alone; empty where no flash drive carries anything."""
    known = {pool.pool_name: pool.layout() for pool in bare.pools()}
    found = []
    for pool in proposed.pools():
        layout = pool.layout()
        if pool.pool_name not in known:
            found.append(_("pool {name} of {layout}", name=pool.pool_name, layout=describe(layout)))
        elif support := tuple(spec for spec in layout if spec not in known[pool.pool_name]):
            words = describe(support)
            of_one = proposed.main_workload is None
            found.append(words if of_one else _("{layout} for {pool}", layout=words, pool=pool.pool_name))
    return ", ".join(found)


@per_language
@lru_cache(maxsize=1)  # what is proposed is mostly what was asked about
def role_advice(design: Design, request: Request, *others: Design) -> "RoleAdvice | None":
    """Return what ticked flash drives without a place are worth as special, log, cache, dedup or a pool of their own.

    ``design`` is made from a layout of ``request``, and ``others`` beside it. None where there are no such drives, or
    nothing can be said of it. Of pools with data of their own the main one is meant.
    """
    if design.main_workload is not None:
        design, others = design.pools()[0], design.pools()[1:]
    ticked = frozenset(disk.key for disk in request.disks).difference(*(other.used_keys() for other in others))
    if not free_flash(design, ticked):
        return None
    from poolwright.design.roles.advice import judge_roles, setting_of  # noqa: PLC0415 - eight modules few need

    try:
        return judge_roles(setting_of(design, allowed=ticked))
    except PoolwrightError:
        return None


def with_support(design: Design, request: Request) -> Design:
    """Return the design with the roles that are known to help carried by the ticked flash drives.

    Of pools with data of their own each gets what helps it, the main one first; what is on flash gains from a log
    alone.
    """
    alone = design.main_workload is None
    pools = [design] if alone else list(design.pools())
    for number, pool in enumerate(pools):
        # Drives that a pool before it took are no longer free.
        advice = role_advice(pool, request, *(other for other in pools if other is not pool))
        if advice is not None and advice.helpful:
            from poolwright.design.roles.advice import advised_roles, apply_roles  # noqa: PLC0415 - loaded by now

            fit = frozenset(Role) if alone else frozenset(Role) - {Role.OWN_POOL} if number else frozenset({Role.LOG})
            pools[number] = apply_roles(pool, advice, fit.intersection(advised_roles(advice)))
    main, *further = pools
    return (
        main
        if alone
        else replace(
            design,
            vdevs=main.vdevs,
            datasets=main.datasets,
            further_pools=tuple(
                replace(pool, vdevs=made.vdevs, datasets=made.datasets)
                for pool, made in zip(design.further_pools, further, strict=True)
            ),
        )
    )
