"""What is said of flash beside slower disks, for cases that take every turn of the judgements."""

from dataclasses import replace
from typing import Any

from tests.design.role_cases import PLAIN_NVME, SAFE_NVME, disk, flash, raidz2_design, tunables_design

from poolwright.design.goals import sync_forecast
from poolwright.design.roles.advice import advised_roles, apply_roles, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.share import criticise, plan_roles
from poolwright.design.roles.verdicts import FileSizes, RoleChoices, counted_sizes, gain_words, spread_sizes
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.block_counts import BlockClass, BlockCount, DedupCount, DedupSide
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import GIB, KIB, MIB, TB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Sharing, Workload

BLOCKS = BlockCount(
    metadata_blocks=4_000_000,
    metadata_physical_bytes=12 * GIB,
    metadata_bytes=40 * GIB,
    data_logical_bytes=9 * TB,
    classes=tuple(BlockClass(size_bytes=512 << n, count=900_000 >> n, physical_bytes=400 * MIB << n) for n in range(9)),
)
COUNTED = DedupCount(
    allocated=DedupSide(blocks=10_000_000, logical_bytes=TB, physical_bytes=0, disk_bytes=0),
    referenced=DedupSide(blocks=31_000_000, logical_bytes=3 * TB, physical_bytes=0, disk_bytes=0),
    simulated=True,
    dedup=3.0,
    compress=1.4,
)


def _datasets(design: Design) -> Design:
    """Return the design with data of three kinds: mail, films, a volume."""
    mail = Dataset(
        name="mail",
        workload=Workload(goal=Goal.CONCURRENT, typical_file_bytes=24 * KIB, duplicate_factor=1.6),
        logical_bytes=2 * TB,
    )
    films = Dataset(
        name="films",
        workload=Workload(goal=Goal.SPACE, typical_file_bytes=700 * MIB),
        settings=(Setting(name="recordsize", value="1M"),),
        logical_bytes=8 * TB,
    )
    volume = Dataset(
        name="vm",
        volume_bytes=TB,
        settings=(Setting(name="volblocksize", value="16K"), Setting(name="dedup", value="on")),
    )
    return replace(design, datasets=(*design.datasets, mail, films, volume))


_SMALL: dict[str, Any] = {
    "typical_file_bytes": 20 * KIB,
    "growth_percent": 30,
    "sync_write_percent": 60,
    "compressible": True,
}
_CACHED: dict[str, Any] = {
    "working_set_bytes": 600 * GIB,
    "read_percent": 90,
    "sequential_percent": 10,
    "io_size_bytes": 16 * KIB,
}
_DATABASE: dict[str, Any] = {"preset": "database", "io_size_bytes": 8 * KIB, "sync_write_percent": 100, "clients": 30}
_WRITTEN: dict[str, Any] = {
    "read_percent": 5,
    "sequential_percent": 90,
    "sync_write_percent": 3,
    "typical_file_bytes": 90 * MIB,
}
_VOLUMES: dict[str, Any] = {
    "volumes": True,
    "sharing": Sharing.ISCSI,
    "working_set_bytes": 3 * TB,
    "io_size_bytes": 32 * KIB,
}
_COPIES: dict[str, Any] = {"duplicate_factor": 2.5, "typical_file_bytes": 200 * KIB, "working_set_bytes": 20 * GIB}


def _synced(value: str) -> Design:
    root = Dataset(name="", settings=(Setting(name="sync", value=value),))
    return replace(raidz2_design(*flash(2), **_SMALL), datasets=(root,))


def _on_flash() -> Design:
    """Return a mirror of SSDs with two NVMe drives free."""
    made = raidz2_design(*flash(2), width=4, **_DATABASE)
    return replace(made, disks=tuple(replace(d, media=Media.SSD) if d.media is Media.HDD else d for d in made.disks))


def _hot() -> Design:
    """Return a design of which one dataset is in constant use and fits on flash."""
    hot = Dataset(name="hot", workload=Workload(goal=Goal.CONCURRENT, sequential_percent=20), logical_bytes=TB // 3)
    cold = Dataset(name="cold", logical_bytes=9 * TB, workload=Workload(goal=Goal.SPACE, sequential_percent=100))
    made = raidz2_design(*flash(3), ram=64 * GIB, **_CACHED)
    warm = replace(hot, name="warm", logical_bytes=TB // 4)
    return replace(made, datasets=(*made.datasets, warm, hot, replace(warm, name="hot/below", logical_bytes=1), cold))


def _counted() -> FileSizes:
    sizes = (0, 300, 512, 513, 40_000, 66_000, 65_536, 3 * MIB, 3 * MIB, 900 * MIB)
    return counted_sizes(sizes, Origin(kind=OriginKind.TYPED, source="find -printf"))


def _cases() -> dict[str, tuple[Design, RoleChoices]]:
    none = RoleChoices()
    plain = flash(2, model=PLAIN_NVME)
    one_small = (disk(0, size_bytes=60 * 10**9, media=Media.NVME, model=SAFE_NVME),)
    unequal = (*flash(3), disk(7, size_bytes=400 * 10**9, media=Media.SSD, model="x"))
    return {
        "nothing told": (raidz2_design(*flash(2)), none),
        "three drives, small files": (raidz2_design(*flash(3), **_SMALL), none),
        "small files, one drive": (raidz2_design(*flash(1), **_SMALL), none),
        "much in use": (raidz2_design(*flash(3), **_CACHED), none),
        "much in use, little RAM": (raidz2_design(*flash(2), ram=8 * GIB, **_CACHED), none),
        "much in use, no RAM told": (raidz2_design(*unequal, ram=None, **_CACHED), none),
        "database on plain drives": (raidz2_design(*plain, ram=32 * GIB, **_DATABASE), none),
        "streams": (raidz2_design(*flash(2), **_WRITTEN), none),
        "volumes": (raidz2_design(*flash(4), ram=16 * GIB, **_VOLUMES), none),
        "copies": (raidz2_design(*flash(4), **_COPIES), none),
        "copies, old": (replace(raidz2_design(*flash(4), **_COPIES), version=ZfsVersion(0, 8, 6)), none),
        "counted": (raidz2_design(*flash(3), **_COPIES), RoleChoices(blocks=BLOCKS, dedup=COUNTED, ingest_seconds=30)),
        "files counted": (
            _datasets(raidz2_design(*unequal, **_SMALL)),
            RoleChoices(files=spread_sizes(40 * KIB), working_set_bytes=2 * TB, small_blocks=(("mail", 64 * KIB),)),
        ),
        "several data": (_datasets(raidz2_design(*flash(3), sharing=Sharing.NFS)), none),
        "always synchronous": (_synced("always"), none),
        "never synchronous": (_synced("disabled"), none),
        "flash on flash": (_on_flash(), none),
        "hot datasets": (_hot(), none),
        "files of counted sizes": (raidz2_design(*flash(3), **_DATABASE), RoleChoices(files=_counted())),
        "fast disks": (tunables_design(sync_write_percent=1, io_size_bytes=MIB, sequential_percent=100), none),
        "small flash": (raidz2_design(*one_small, **_SMALL), RoleChoices(small_blocks=(("", 128 * KIB),))),
        "two mirrors with a cache": (tunables_design(sharing=Sharing.SMB, clients=12), none),
    }


def _own_pool(made: Design) -> list[object]:
    """Return the pools beside the main one with what lies in them, and what is left of the main one's datasets."""
    pools = [[p.pool_name, p.purpose, p.vdevs, [d.name for d in p.datasets]] for p in made.further_pools]
    return [*pools, [dataset.name for dataset in made.datasets], chosen_roles(made)]


def role_answers() -> dict[str, object]:
    """Return by case: every judgement, what is advised, planned together, and the design that it makes."""
    found: dict[str, object] = {}
    for name, (design, choices) in _cases().items():
        setting = setting_of(design, choices)
        advice = judge_roles(setting)
        made = apply_roles(design, advice, advised_roles(advice))
        found[name] = {
            "judgements": advice.judgements,
            "advised": advised_roles(advice),
            "planned": plan_roles(advice, advised_roles(advice)),
            "all planned": plan_roles(advice, Role),
            "vdevs": made.all_vdevs(),
            "settings": [f"{d.name} {s.name}={s.value}: {s.reason}" for d in made.datasets for s in d.settings],
            "all criticised": criticise(advice, Role),
            "criticised alone": [one.text for role in Role for one in criticise(advice, (role,)) if one.better],
            "gains": [gain_words(one.gain) for one in advice.judgements if one.gain is not None],
            "a pool of its own": _own_pool(apply_roles(design, advice, (Role.OWN_POOL,))),
            "chosen": [chosen_roles(made), [plan_roles(advice, Role).refusal(role) for role in Role]],
            "synchronous": sync_forecast(design),
            "deduplication": judge_deduplication(setting),
        }
    return found
