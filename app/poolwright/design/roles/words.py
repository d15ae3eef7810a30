"""Numbers in the reasons of role judgements, in the same words everywhere."""

from dataclasses import replace

from poolwright.design.roles.model import Filling, Gain, RoleSetting, SmallBlocks, is_told
from poolwright.domain.design import Design
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.domain.units import KIB, binary
from poolwright.domain.vdev import describe
from poolwright.domain.version import ZfsVersion
from poolwright.predict.number_words import with_band
from poolwright.texts import tell


def size(value: float) -> str:
    return binary(round(value))


def percent(share: float) -> str:
    """Return a share (0 to 1) in per cent, without claiming digits."""
    value = 100 * share
    if 0 < value < 0.1:
        return tell("under {percent} %", percent="0.1")
    return f"{value:.1f} %" if value < 10 else f"{value:.0f} %"


def estimate(values: tuple[float, float, float], *, limit: str, source: str) -> Estimate:
    """Return a predicted number with low, typical and high; ``source`` is the formula and where it comes from."""
    origin = Origin(kind=OriginKind.PREDICTED, source=source)
    return Estimate(low=values[0], typical=values[1], high=values[2], limit=limit, origin=origin)


def scaled(value: Estimate, factor: float) -> Estimate:
    return Estimate(
        low=value.low * factor,
        typical=value.typical * factor,
        high=value.high * factor,
        limit=value.limit,
        origin=value.origin,
    )


def minus(whole: Estimate, part: Estimate) -> Estimate:
    """Return what is left of ``whole`` without ``part`` in whole bytes, never below 0."""
    left = sorted(
        max(0, round(a - b)) for a, b in ((whole.low, part.low), (whole.typical, part.typical), (whole.high, part.high))
    )
    return replace(whole, low=float(left[0]), typical=float(left[1]), high=float(left[2]))


def estimate_words(value: Estimate) -> str:
    return with_band(*(size(v) for v in (value.typical, value.low, value.high)))


def gain_words(gain: Gain) -> str:
    return tell(
        "{what}: {before} before, {after} after",
        what=gain.what,
        before=_amount(gain.before, gain.unit),
        after=_amount(gain.after, gain.unit),
    )


def _amount(value: Estimate, unit: str) -> str:
    if unit == "bytes/s":
        return with_band(*(rate_text(v) for v in (value.typical, value.low, value.high)))
    low, typical, high = (f"{v:,.0f}" for v in (value.low, value.typical, value.high))
    return with_band(f"{typical} {unit}", low, high)


# What is said of a special vdev: how much metadata there are, what each limit of small blocks takes, and why.

_VOLUMES_SINCE = ZfsVersion(2, 4, 0)


def metadata_words(setting: RoleSetting, logical: int, metadata: Estimate, arc: int | None) -> str:
    """Return how much metadata so many bytes of data have, beside the bytes of the ARC where they are known."""
    data = size(logical) if is_told(setting) else tell("{logical} (80 % of the pool)", logical=size(logical))
    taken, share = size(metadata.typical), percent(metadata.typical / max(1, logical))
    if arc is None:
        return tell("Metadata of {data} take about {taken} ({share}).", data=data, taken=taken, share=share)
    return tell(
        "Metadata of {data} take about {taken} ({share}); the ARC has {arc}.",
        data=data,
        taken=taken,
        share=share,
        arc=size(arc),
    )


def block_words(blocks: tuple[SmallBlocks, ...]) -> tuple[str, ...]:
    return tuple(
        tell(
            "{dataset}: special_small_blocks={limit}K puts {files} of the files and {bytes} of the bytes on flash, "
            "{moved}.",
            dataset=block.dataset or tell("the root dataset"),
            limit=block.limit_bytes // KIB,
            files=percent(block.share_of_files),
            bytes=percent(block.share_of_bytes),
            moved=size(block.moved.typical),
        )
        for block in blocks
        if block.limit_bytes and block.share_of_files
    )


def limit_words(filling: Filling, limit: int, room: int | None, version: ZfsVersion) -> str:
    """Return why small blocks of a dataset are taken up to ``limit`` bytes; ``room`` is that of the flash."""
    if filling.volume:
        if version >= _VOLUMES_SINCE:
            return tell("volumes have blocks of one size, all or none would go there")
        return tell(
            "volumes have blocks of one size, all or none would go there; blocks of volumes go there only since "
            "OpenZFS 2.4"
        )
    if not limit:
        return tell("metadata alone fill it")
    if limit >= filling.block_bytes:
        return tell("every block goes to the special vdev")
    most = limit == filling.block_bytes // 2
    if most:
        return tell("the largest below the recordsize of {block_bytes}", block_bytes=size(filling.block_bytes))
    return (
        tell("the largest that fits on three quarters of {room}", room=size(room))
        if room is not None
        else tell("a usual start")
    )


# What a design has on flash drives beside the layout that it was made of, in words.


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
