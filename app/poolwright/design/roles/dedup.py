"""A dedup vdev: worth it where deduplication is, and its table does not fit into RAM."""

from poolwright.capacity.pool import predict_pool
from poolwright.design.roles.content import Filling, fillings
from poolwright.design.roles.ddt import FAST_SINCE, TableSize, table_counted, table_of, thesis_ram_bytes
from poolwright.design.roles.memory import arc_bytes
from poolwright.design.roles.model import Role, RoleJudgement, RoleSetting, Verdict
from poolwright.design.roles.words import percent, scaled, size
from poolwright.domain.disk import FLASH_MEDIA
from poolwright.domain.estimate import Estimate
from poolwright.domain.units import KIB
from poolwright.texts import tell

# The same value as in rules/limits.toml: OpenZFS advises dedup from a simulated factor of 2.
LEAST_FACTOR = 2.0
MOST_ARC_SHARE = 0.25
# A dedup vdev that is full puts the table on the data vdevs; ZAP blocks are half empty after splits.
_SPARE_ROOM = 1.5


def judge_dedup_vdev(setting: RoleSetting, factor: float) -> RoleJudgement:
    """Return whether data worth deduplicating want a vdev for their table, and how large it should be."""
    capacity = predict_pool(setting.data, ashift=setting.ashift, version=setting.version)
    fills = deduplicated(fillings(setting, capacity))
    table = dedup_table(setting, fills, factor)
    words = _table_words(table, sum(f.logical_bytes for f in fills), factor)
    kind = (
        tell("fast dedup")
        if setting.version >= FAST_SINCE
        else tell("the older table, read from disk for each write it misses")
    )
    wanted = scaled(table.disk, _SPARE_ROOM)
    # Without known RAM nothing is worth deduplicating, and nobody asks for the vdev.
    share = table.core.typical / (arc_bytes(setting.host, setting.version) or 1)
    if share <= MOST_ARC_SHARE:
        fits = tell(
            "It fits into RAM with {share} of the ARC ({kind}); its writes are the smaller part.",
            share=percent(share),
            kind=kind,
        )
        return dedup_judgement(setting, Verdict.DOES_NOT_HELP, (words, fits), wanted=wanted)
    if setting.data_media in FLASH_MEDIA:
        flash = tell("The pool itself is flash: the table is read as fast from there.")
        return dedup_judgement(setting, Verdict.DOES_NOT_HELP, (words, flash), wanted=wanted)
    return dedup_judgement(
        setting,
        Verdict.HELPS,
        (
            words,
            tell(
                "It takes {share} of the ARC: what does not fit is read from hard disks for every write.",
                share=percent(share),
            ),
            tell("A special vdev holds the table as well (zfs_ddt_data_is_special); a dedup vdev keeps the two apart."),
        ),
        wanted=wanted,
    )


def _table_words(table: TableSize, data: int, factor: float) -> str:
    return tell(
        "{data} written {factor:g} times over make {entries} entries: a table of {disk} on disk and {core} in RAM (the "
        "rule of 5 GB a TB says {rule}).",
        data=size(data),
        factor=factor,
        entries=f"{table.entries.typical:,.0f}",
        disk=size(table.disk.typical),
        core=size(table.core.typical),
        rule=size(thesis_ram_bytes(data / factor)),
    )


def dedup_table(setting: RoleSetting, fills: tuple[Filling, ...], factor: float) -> TableSize:
    """Return the dedup table of these data; zdb's count, scaled to them, where somebody has one."""
    count = setting.choices.dedup
    data = float(sum(f.logical_bytes for f in fills))
    if count is not None and count.referenced_logical_bytes:
        return table_counted(count, setting.version, scale=data / count.referenced_logical_bytes)
    blocks = sum(f.logical_bytes / _block(f) for f in fills)
    return table_of(
        logical_bytes=data, block_bytes=round(data / blocks) if blocks else 128 * KIB, factor=factor,
        version=setting.version,
    )  # fmt: skip


def _block(filling: Filling) -> float:
    """Return the mean size of a block: files smaller than a record are one block each."""
    record = filling.block_bytes
    if filling.files is None or filling.volume:
        return float(record)
    blocks = sum(c.count_share * max(1, -(-c.size_bytes // record)) for c in filling.files.classes)
    return sum(c.count_share * c.size_bytes for c in filling.files.classes) / blocks


def dedup_factor(setting: RoleSetting) -> float | None:
    """Return how often a block occurs: as zdb counted, else the most that was told; None where nobody did."""
    if setting.choices.dedup is not None:
        return setting.choices.dedup.factor
    own = [dataset.workload.duplicate_factor for dataset in setting.datasets if dataset.workload is not None]
    told = [factor for factor in (*own, setting.workload.duplicate_factor) if factor is not None]
    return max(told, default=None)


def deduplicated(fills: tuple[Filling, ...]) -> tuple[Filling, ...]:
    """Return the data that would be deduplicated: datasets with dedup on, else those with duplicates, else all."""
    on = tuple(f for f in fills if f.dedup)
    if on:
        return on
    several = tuple(f for f in fills if (f.workload.duplicate_factor or 1) >= LEAST_FACTOR)
    return several or fills


def dedup_judgement(
    setting: RoleSetting,
    verdict: Verdict,
    because: tuple[str, ...],
    *,
    missing: tuple[str, ...] = (),
    wanted: Estimate | None = None,
) -> RoleJudgement:
    """Return what is to be said of a dedup vdev: with its loss the pool is lost."""
    return RoleJudgement(
        role=Role.DEDUP,
        verdict=verdict,
        because=because,
        size=wanted,
        least_redundancy=setting.redundancy,
        wished_redundancy=setting.redundancy,
        risks=(tell("Its loss is the loss of the pool: it must survive as many failures as the data vdevs."),),
        missing=missing,
    )
