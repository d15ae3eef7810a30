"""Actions as command lines: the only place that knows how zpool, zfs and sgdisk are called."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from poolwright.domain.action import (
    Action,
    AddVdevs,
    Ask,
    Attach,
    Copy,
    CreateDataset,
    CreatePool,
    Creation,
    Group,
    Guard,
    Line,
    MemberDevice,
    OnDevices,
    OnPool,
    PartitionDisk,
    PoolVerb,
    Reimport,
    Replace,
    RunCommand,
    Wait,
)
from poolwright.domain.design import Setting
from poolwright.domain.vdev import VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.names import BY_ID, quote

INDENT = "  "
LONGEST_LINE = 100
WAIT_SINCE = ZfsVersion(2, 0, 0)
Rows = tuple[tuple[str, ...], ...]
Path = Callable[[MemberDevice], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptCommand:
    """One command line. ``rows`` are its arguments grouped as they are laid out for people."""

    rows: Rows
    reason: str

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the arguments in order, the program first."""
        return tuple(word for row in self.rows for word in row)

    @property
    def text(self) -> str:
        """Return shell text: one line where it fits, else continued with backslashes; every word quoted."""
        quoted = [shell_line(row) for row in self.rows]
        line = " ".join(quoted)
        return line if len(line) <= LONGEST_LINE else f" \\\n{INDENT}".join(quoted)


def shell_line(words: Iterable[str]) -> str:
    return " ".join(map(quote, words))


def commands(actions: Iterable[Creation]) -> tuple[ScriptCommand, ...]:
    return tuple(map(command, actions))


def command(action: Creation) -> ScriptCommand:
    return ScriptCommand(rows=_created(action, written_path), reason=action.reason)


def shell_text(actions: Iterable[Creation]) -> str:
    """Return all commands as shell text for people, one after the other."""
    return "".join(f"{c.text}\n" for c in commands(actions))


def lines(action: Action, *, version: ZfsVersion = DEFAULT_VERSION, path: Path | None = None) -> tuple[str, ...]:
    """Return the shell lines of an action, for the OpenZFS that runs them; `zpool wait` came with 2.0."""
    found = tuple(map(shell_line, argvs(action, path or written_path)))
    match action:
        case Copy() | RunCommand():
            return (" | ".join(found),)
        case Wait() if version < WAIT_SINCE:
            return (_until_gone(action.pool, "'in progress'"),)  # for machines
        case OnPool(verb=PoolVerb.DISCARD_CHECKPOINT) if version < WAIT_SINCE:
            return (f"zpool checkpoint -d {quote(action.pool)}", _until_gone(action.pool, "discarding"))  # for machines
    return found


def _until_gone(pool: str, sought: str) -> str:
    return f"while zpool status {quote(pool)} | grep -q {sought}; do sleep 60; done"  # for machines


def script_lines(line: Line, *, version: ZfsVersion = DEFAULT_VERSION, path: Path | None = None) -> Iterator[str]:
    """Yield a line of a step as the scripts have it that take a pool through steps: they wait in their own way."""
    match line:
        case Guard():
            yield f"guard {shell_line(line.words)}"
        case Ask():
            yield f"ask {quote(line.words)}"
        case Copy():
            send, receive = argvs(line, written_path)
            yield f"pipe {len(send)} {shell_line((*send, *receive))}"
        case Wait():
            yield f"settle {quote(line.pool)} {quote(line.activity)}"
        case OnPool():
            for text in lines(line, version=version):
                word = line.verb.partition(" ")[0]
                yield f"settle {quote(line.pool)} {word}" if text.startswith("while ") else f"write {text}"
        case _:
            yield from (f"write {text}" for text in lines(line, version=version, path=path))


def argvs(action: Action, path: Path) -> Iterator[tuple[str, ...]]:
    if isinstance(action, Creation):
        yield tuple(word for row in _created(action, path) for word in row)
    elif isinstance(action, AddVdevs | Attach | Replace):
        yield from _coming(action, path)
    else:
        yield from _changed(action, path)


def written_path(device: MemberDevice) -> str:
    assert device.path is not None
    return device.path


def _created(action: Creation, path: Path) -> Rows:
    match action:
        case PartitionDisk():
            return ("sgdisk", "-U", str(action.table)), *action.words, (path(action.device),)
        case CreatePool():
            return tuple(_create(action, path))
        case CreateDataset():
            size = () if action.volume_bytes is None else (("-V", str(action.volume_bytes)),)
            return ("zfs", "create"), *size, *_options("-o", action.settings), (action.name,)
    if action.inherit:
        return (("zfs", "inherit", action.setting.name, action.name),)
    tool = "zpool" if action.of_pool else "zfs"
    return ((tool, "set", f"{action.setting.name}={action.setting.value}", action.name, *action.others),)


def _coming(action: AddVdevs | Attach | Replace, path: Path) -> Iterator[tuple[str, ...]]:
    front = (*(("-f",) if action.force else ()), *(() if action.ashift is None else ("-o", f"ashift={action.ashift}")))
    match action:
        case AddVdevs():
            words = (*front, action.pool, *(w for row in vdev_rows(action.groups, path) for w in row))
            yield ("zpool", "add", *_trial(action), *words)
        case Attach():
            yield ("zpool", "attach", *front, action.pool, action.widens or path(action.to), path(action.device))
        case Replace():
            yield ("zpool", "replace", *front, action.pool, path(action.old), path(action.new))


def _trial(action: AddVdevs | OnDevices) -> tuple[str, ...]:
    return ("-n",) if action.trial else ()


def _changed(action: OnDevices | OnPool | Reimport | Copy | RunCommand | Wait, path: Path) -> Iterator[tuple[str, ...]]:
    match action:
        case OnDevices():
            words = (action.pool, *(d if isinstance(d, str) else path(d) for d in action.devices))
            yield ("zpool", *action.verb.split(), *_trial(action), *words)
        case OnPool():
            waits = ("-w",) if action.verb is PoolVerb.DISCARD_CHECKPOINT else ()
            yield ("zpool", *action.verb.split(), *waits, action.pool)
        case Reimport():
            unmounted = ("-N", "-R", action.root) if action.root else ()
            stable = ("-d", BY_ID.rstrip("/")) if action.stable else ()
            yield ("zpool", "export", action.pool)
            yield ("zpool", "import", *unmounted, *stable, action.pool, *((action.as_name,) if action.as_name else ()))
        case Copy():
            since = ("-I", action.since) if action.since else ()
            yield ("zfs", "send", *action.options, *since, action.snapshot)
            yield ("zfs", "receive", *(("-F",) if action.force else ()), "-u", action.target)
        case RunCommand():
            yield from filter(None, (action.argv, action.into))
        case Wait():
            yield ("zpool", "wait", "-t", action.activity, action.pool)


def _options(flag: str, settings: Iterable[Setting]) -> Iterator[tuple[str, ...]]:
    return ((flag, f"{s.name}={s.value}") for s in settings)


def _create(action: CreatePool, path: Path) -> Iterator[tuple[str, ...]]:
    yield ("zpool", "create", *(("-f",) if action.force else ()))
    yield ("-o", f"ashift={action.ashift}")
    yield from _options("-o", action.pool_settings)
    yield from _options("-O", action.root_settings)
    if action.mountpoint is not None:
        yield ("-m", action.mountpoint)
    yield (action.pool,)
    yield from vdev_rows(action.groups, path)


def vdev_rows(groups: Iterable[Group], path: Path) -> Iterator[tuple[str, ...]]:
    """Yield vdevs as zpool takes them. The class is said once and holds for every vdev up to the next class."""
    for vdev_class, of_class in groupby(groups, key=lambda group: group.vdev_class):
        front: tuple[str, ...] = () if vdev_class is VdevClass.DATA else (vdev_class.value,)
        for group in of_class:
            if words := (*front, *((group.word,) if group.word is not None else ())):
                yield words
            yield from ((path(device),) for device in group.devices)
            front = ()


def action_word(action: Action | None) -> str:
    """Return the command that does an action, as programs are told it: ``zpool attach``, ``zfs set``."""
    match action:
        case None:
            return ""
        case OnDevices() | OnPool():
            return f"zpool {action.verb}"
    *_, last = argvs(action, lambda _: "")
    return " ".join(last[:2])
