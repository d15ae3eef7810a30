"""What is said of a special vdev: how much metadata there are, what each limit of small blocks takes, and why."""

from poolwright.design.roles.content import Filling, is_told
from poolwright.design.roles.model import RoleSetting, SmallBlocks
from poolwright.design.roles.words import percent, size
from poolwright.domain.steps import Estimate
from poolwright.domain.units import KIB
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell

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
    """Return what each limit of small blocks puts on flash, a sentence each."""
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
