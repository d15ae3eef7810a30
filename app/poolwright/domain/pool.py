"""An existing pool as `zpool status` shows it."""

from dataclasses import dataclass

from poolwright.domain.disk import short_name
from poolwright.texts import tell, tell_counted

_NO_ERRORS = "No known data errors"  # for machines
_NO_IMPORT = ("cannot be imported", "must be exported from")  # for machines
# In these states the data of a pool can be read and written.
USABLE = frozenset({"ONLINE", "DEGRADED"})
# A device in these states works, and a spare waits or stands in; a DEGRADED one serves on, with too many errors.
WELL = frozenset({"ONLINE", "AVAIL", "INUSE"})
SERVING = WELL | {"DEGRADED"}
# Groups within a vdev, of a device and of the one that takes its place.
STANDING_IN = frozenset({"spare", "replacing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNode:
    """One line of the config tree: a top-level vdev, a member, or a spare in use.

    ``kind`` is the vdev word without its number (``disk``, ``file``, ``mirror``, ``raidz2``, ``draid1:…``, ``spare``,
    ``replacing``); ``section`` is ``data``, ``special``, ``dedup``, ``logs``, ``cache`` or ``spares``.
    Error counts are None where the tool printed none.
    """

    name: str
    kind: str
    section: str
    state: str | None = None
    read_errors: int | None = None
    write_errors: int | None = None
    checksum_errors: int | None = None
    note: str | None = None
    path: str | None = None
    children: tuple["PoolNode", ...] = ()

    @property
    def label(self) -> str:
        return short_name(self.name)

    def leaves(self) -> tuple["PoolNode", ...]:
        if not self.children:
            return (self,)
        return tuple(leaf for child in self.children for leaf in child.leaves())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A pool: name, state, texts of `status`, `action`, `scan` and `errors`, and its top-level vdevs.

    ``operations`` are the texts of `remove`, `expand` and `checkpoint`, each with its key in front. ``status_read``
    False: `zpool status` told nothing of this pool. What counts errors, scans and remarks is unknown then, and so are
    the vdevs, but for those that `zpool list -v` named. ``message`` is the id behind `see`, such as ZFS-8000-HC;
    ``damaged_files`` are those that -v named.
    """

    name: str
    state: str | None = None
    guid: str | None = None
    status: str | None = None
    action: str | None = None
    scans: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    errors: str | None = None
    message: str | None = None
    damaged_files: tuple[str, ...] = ()
    importable: bool = False
    status_read: bool = True
    vdevs: tuple[PoolNode, ...] = ()

    @property
    def destroyed(self) -> bool:
        return "DESTROYED" in (self.state or "")

    @property
    def cannot_be_imported(self) -> bool:
        """Tell whether `zpool import` said that it will not come, whatever the state of single devices."""
        return any(words in (self.action or "") for words in _NO_IMPORT)

    @property
    def suspended_by_multihost(self) -> bool:
        """Tell whether it lost its claim against other hosts: `zpool clear` does not bring such a pool back."""
        return self.message == "ZFS-8000-MM" or "multihost writes failed" in (self.status or "")

    @property
    def damaged(self) -> bool | None:
        """Tell whether files are damaged; None where that was not printed, or a pool without its disks cannot tell."""
        if self.errors is None or "unavailable" in self.errors:
            return None
        return _NO_ERRORS not in self.errors

    def leaves(self) -> tuple[PoolNode, ...]:
        return tuple(leaf for vdev in self.vdevs for leaf in vdev.leaves())


# What is wrong with a pool at a glance, wherever it is named: a state ONLINE says little of it.


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
