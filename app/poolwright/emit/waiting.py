"""How a command line waits for what a pool is at work on: `zpool wait` came with OpenZFS 2.0."""

from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import quote

WAIT_SINCE = ZfsVersion(2, 0, 0)


def wait_line(pool: str, activity: str, version: ZfsVersion) -> str:
    """Return the line that ends when the activity (a word of `zpool wait -t`) has ended on a pool, named unquoted."""
    if version >= WAIT_SINCE:
        return f"zpool wait -t {activity} {quote(pool)}"  # for machines
    return f"while zpool status {quote(pool)} | grep -q 'in progress'; do sleep 60; done"  # for machines


def discard_lines(pool: str, version: ZfsVersion) -> tuple[str, ...]:
    """Return the lines that discard a pool's checkpoint and end when its space is free."""
    if version >= WAIT_SINCE:
        return (f"zpool checkpoint -d -w {quote(pool)}",)  # for machines
    waiting = f"while zpool status {quote(pool)} | grep -q discarding; do sleep 60; done"  # for machines
    return (f"zpool checkpoint -d {quote(pool)}", waiting)  # for machines
