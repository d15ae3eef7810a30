"""Steps as command lines: argument tuples for programs, laid-out text for people."""

from dataclasses import dataclass
from itertools import groupby

from poolwright.domain.design import Setting
from poolwright.domain.vdev import VdevClass
from poolwright.emit.actions import Action, CreateDataset, CreatePartitions, CreatePool
from poolwright.emit.names import quote

INDENT = "  "
LONGEST_LINE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptCommand:
    """One command line. ``rows`` are its arguments grouped as they are laid out for people."""

    rows: tuple[tuple[str, ...], ...]
    reason: str

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the arguments in order, the program first."""
        return tuple(word for row in self.rows for word in row)

    @property
    def text(self) -> str:
        """Return shell text: one line where it fits, else continued with backslashes; every word quoted."""
        quoted = [" ".join(quote(word) for word in row) for row in self.rows]
        line = " ".join(quoted)
        if len(line) <= LONGEST_LINE:
            return line
        return f" \\\n{INDENT}".join(quoted)


def commands(actions: tuple[Action, ...]) -> tuple[ScriptCommand, ...]:
    return tuple(command(action) for action in actions)


def command(action: Action) -> ScriptCommand:
    if isinstance(action, CreatePartitions):
        return _create_partitions(action)
    if isinstance(action, CreatePool):
        return _create_pool(action)
    if isinstance(action, CreateDataset):
        return _create_dataset(action)
    return ScriptCommand(
        rows=(("zpool", "set", f"{action.setting.name}={action.setting.value}", action.pool),), reason=action.reason
    )


def shell_text(actions: tuple[Action, ...]) -> str:
    """Return all commands as shell text for people, one after the other."""
    return "\n".join(c.text for c in commands(actions)) + "\n"


def _options(flag: str, settings: tuple[Setting, ...]) -> list[tuple[str, ...]]:
    return [(flag, f"{s.name}={s.value}") for s in settings]


def _create_partitions(action: CreatePartitions) -> ScriptCommand:
    table = ("sgdisk", "-U", str(action.disk.table_guid))
    rows = (table, *(p.sgdisk_words for p in action.disk.partitions), (action.device,))
    return ScriptCommand(rows=rows, reason=action.reason)


def _create_pool(action: CreatePool) -> ScriptCommand:
    rows: list[tuple[str, ...]] = [("zpool", "create", *(("-f",) if action.force else ()))]
    rows.append(("-o", f"ashift={action.ashift}"))
    rows.extend(_options("-o", action.pool_settings))
    rows.extend(_options("-O", action.root_settings))
    if action.mountpoint is not None:
        rows.append(("-m", action.mountpoint))
    rows.append((action.pool,))
    for vdev_class, vdevs in groupby(action.vdevs, key=lambda v: v.vdev_class):
        # The class is said once and holds for every vdev up to the next class.
        front: tuple[str, ...] = () if vdev_class is VdevClass.DATA else (vdev_class.value,)
        for vdev in vdevs:
            words = front + ((vdev.word,) if vdev.word is not None else ())
            if words:
                rows.append(words)
            rows.extend((f"{device}",) for device in vdev.devices)
            front = ()
    return ScriptCommand(rows=tuple(rows), reason=action.reason)


def _create_dataset(action: CreateDataset) -> ScriptCommand:
    rows: list[tuple[str, ...]] = [("zfs", "create")]
    if action.volume_bytes is not None:
        rows.append(("-V", str(action.volume_bytes)))
    rows.extend(_options("-o", action.settings))
    rows.append((action.name,))
    return ScriptCommand(rows=tuple(rows), reason=action.reason)
