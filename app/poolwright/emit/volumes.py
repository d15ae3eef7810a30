"""A guarded script that makes zvols for a measurement and removes them again, and touches nothing else."""

from poolwright.domain.names import check_pool_name
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.names import comment_line, commented
from poolwright.emit.script_tables import assemble
from poolwright.emit.stamp import Stamp
from poolwright.texts import tell


def volumes_script(pool: str, *, stem: str, count: int, size_bytes: int, block_bytes: int, stamp: Stamp) -> str:
    """Return the bash script (4.2 or newer) that makes ``count`` volumes ``stem-1``, ... of ``size_bytes`` in ``pool``.

    It asks before it writes, marks what it makes, and destroys only what bears the mark. Raises UserError for a name
    that no command may hold.
    """
    check_pool_name(pool, DEFAULT_VERSION)
    values = {"pool": pool, "volume_stem": stem, "volume_count": str(count)}
    sizes = {"volume_bytes": str(size_bytes), "volume_block": str(block_bytes)}
    return assemble(
        "volumes",
        head=(
            comment_line(tell("Volumes for a measurement in the pool {pool}: made, and removed again.", pool=pool)),
            *commented(stamp.words),
        ),
        constants=values | sizes,
        design=(":",),
    )
