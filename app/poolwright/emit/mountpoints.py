"""Where the datasets of a design will be mounted, and why some of these places cannot be taken.

OpenZFS mounts over whatever is in a folder. `shell/28_mountpoints.sh` judges the same way on the machine itself.
"""

import posixpath
from collections.abc import Sequence

from poolwright.domain.design import Dataset, Design
from poolwright.domain.inheritance import Resolver, all_datasets
from poolwright.domain.names import dataset_name_problem
from poolwright.domain.shown import shown_text
from poolwright.texts import tell

_WITH_ALL_BELOW = frozenset(["bin", "boot", "dev", "efi", "etc", "lib", "proc", "run", "sbin", "sys", "usr"])
_FREE_BELOW_USR = ("local", "src")
_ALONE = frozenset(
    [f"/{name}" for name in ("lib32", "lib64", "libx32", "lost+found", "nix", "root", "snap", "tmp", "var")]
    + [f"/var/{name}" for name in ("cache", "lib", "lock", "log", "spool", "tmp")]
)
_NOT_MOUNTED = ("off", "noauto")


def is_system_folder(path: str) -> bool:
    """Return whether the running system needs what lies at this absolute path."""
    clean = posixpath.normpath(f"/{path.lstrip('/')}")
    first, _, below = clean[1:].partition("/")
    if first == "usr" and below.split("/")[0] in _FREE_BELOW_USR:
        return False
    deep = first in _WITH_ALL_BELOW or f"{clean}/".startswith(("/var/run/", "/nix/store/"))
    return clean == "/" or deep or clean in _ALONE


def mounts(pool: Design) -> tuple[tuple[str, str], ...]:
    """Return each dataset of one pool that is mounted by itself, by its full name, with its folder; parents first.

    Datasets with canmount=off or noauto, with mountpoint none or legacy, and volumes are left out. A mountpoint is
    inherited as OpenZFS does; with altroot it lies below that.
    """
    resolver = Resolver(pool)
    altroot = next((s.value.rstrip("/") for s in pool.pool_settings if s.name == "altroot"), "")
    found: list[tuple[str, str]] = []
    for dataset in all_datasets(pool):
        at = resolver.value(dataset, "mountpoint") if dataset.volume_bytes is None else "none"
        if at.startswith("/") and resolver.value(dataset, "canmount") not in _NOT_MOUNTED:
            name = f"{pool.pool_name}/{dataset.name}".rstrip("/")
            found.append((name, posixpath.normpath(f"{altroot}/{at.lstrip('/')}")))
    return tuple(found)


def _misnamed(pool: Design, dataset: Dataset) -> bool:
    return dataset.name != "" and dataset_name_problem(pool.pool_name, dataset.name) is not None


def mountpoint_problems(pools: Sequence[Design]) -> tuple[str, ...]:
    """Return every reason why the datasets of these pools cannot be mounted where the design says.

    A pool with a dataset name that cannot be is left to who checks names.
    """
    problems: list[str] = []
    taken: dict[str, str] = {}
    named = (pool for pool in pools if not any(_misnamed(pool, dataset) for dataset in pool.datasets))
    for dataset, path in (mount for pool in named for mount in mounts(pool)):
        if is_system_folder(path):
            problems.append(
                tell(
                    "{dataset} would be mounted on the system folder {path} and hide what is in it",
                    dataset=shown_text(dataset),
                    path=shown_text(path),
                )
            )
        elif taken.get(path, dataset) != dataset:  # the same name twice is refused for itself
            problems.append(
                tell(
                    "{dataset} and {other} would both be mounted on {path}",
                    dataset=shown_text(taken[path]),
                    other=shown_text(dataset),
                    path=shown_text(path),
                )
            )
        taken.setdefault(path, dataset)
    return tuple(problems)
