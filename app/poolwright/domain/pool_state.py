"""What is wrong with a pool at a glance, wherever it is named: a state ONLINE says little of it."""

from poolwright.domain.pool import SERVING, Pool, PoolNode
from poolwright.texts import tell, tell_counted


def pool_troubles(pool: Pool) -> tuple[str, ...]:
    """Return in a few words each what `zpool status` shows that a person must know; empty for a pool that is well.

    Only the tree and its texts are asked; what the rules say of the pool is the matter of the audit. Pure.
    """
    leaves = pool.leaves()
    faulty = sum(1 for leaf in leaves if leaf.state is not None and leaf.state not in SERVING)
    erring = sum(1 for leaf in leaves if _errors(leaf))
    worn = sum(1 for leaf in leaves if leaf.state == "DEGRADED")
    spares = sum(1 for leaf in leaves if leaf.section == "spares" and leaf.state == "INUSE")
    lone = [node for node in pool.vdevs if node.section in {"special", "dedup"} and not node.children]
    grouped = any(node.children for node in pool.vdevs if node.section == "data")
    found = (
        tell_counted("{count} device not online", "{count} devices not online", faulty) if faulty else "",
        tell_counted("{count} device DEGRADED", "{count} devices DEGRADED", worn) if worn else "",
        tell_counted("{count} device with errors", "{count} devices with errors", erring) if erring else "",
        tell("damaged files") if pool.damaged else "",
        tell_counted("{count} spare in use", "{count} spares in use", spares) if spares else "",
        tell("a {section} device without redundancy", section=lone[0].section) if lone and grouped else "",
        tell("resilver running") if any("resilver" in scan and "in progress" in scan for scan in pool.scans) else "",
    )
    return tuple(text for text in found if text)


def import_words(pool: Pool) -> str:
    """Return what `zpool import` said of a pool in its list: not everything there can be imported."""
    if pool.destroyed and pool.cannot_be_imported:
        return tell("destroyed, cannot be imported")
    if pool.destroyed:
        return tell("destroyed, comes back with zpool import -D")
    if "readonly=on" in (pool.action or ""):
        return tell("can only be imported with -o readonly=on")
    return tell("cannot be imported") if pool.cannot_be_imported else tell("can be imported")


def _errors(leaf: PoolNode) -> int:
    return (leaf.read_errors or 0) + (leaf.write_errors or 0) + (leaf.checksum_errors or 0)
