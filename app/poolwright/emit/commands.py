"""Actions as command lines: the only place that knows how zpool, zfs and sgdisk are called."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
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
    Guard,
    Line,
    OnPool,
    PartitionDisk,
    Reimport,
    Replace,
    RunCommand,
    SetProperty,
    Verb,
    Wait,
)
from poolwright.domain.as_built import as_built
from poolwright.domain.dataset_edits import holds_no_other
from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import check_dataset_name
from poolwright.domain.pool_settings import is_set_afterwards
from poolwright.domain.shown import folded, shown_text
from poolwright.domain.vdev import VdevClass, describe
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.names import BY_ID, StandIns, check_setting, device_path, part_path, quote
from poolwright.emit.partitions import SplitDisk, split_disks
from poolwright.emit.validity import check_design, force_reason
from poolwright.texts import N_, _, ngettext

INDENT = "  "
LONGEST_LINE = 100
WAIT_SINCE = ZfsVersion(2, 0, 0)
Rows = tuple[tuple[str, ...], ...]
Path = Callable[[Member], str]
# Words that stand together for people, and what they are about: one of these, or a word for what has no value.
AboutRow = tuple[tuple[str, ...], Setting | Member | Vdev | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptCommand:
    """One command line. ``rows`` are its arguments grouped as they are laid out for people."""

    rows: Rows
    reason: str

    @property
    def argv(self) -> tuple[str, ...]:
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
    return ScriptCommand(rows=tuple(row for row, __ in created(action, written_path)), reason=action.reason)


def shell_text(actions: Iterable[Creation]) -> str:
    return "".join(f"{c.text}\n" for c in commands(actions))


def lines(action: Action, *, version: ZfsVersion = DEFAULT_VERSION, path: Path | None = None) -> tuple[str, ...]:
    """Return the shell lines of an action, for the OpenZFS that runs them; `zpool wait` came with 2.0."""
    found = tuple(map(shell_line, argvs(action, path or written_path)))
    match action:
        case Copy() | RunCommand():
            return (" | ".join(found),)
        # Before 2.0 nothing waits for an activity: what `zpool status` says of it goes when it has ended.
        case Wait() if version < WAIT_SINCE:
            return (_until_gone(action.pool, "'in progress'"),)  # for machines
        case OnPool(verb=Verb.DISCARD_CHECKPOINT) if version < WAIT_SINCE:
            return (f"zpool checkpoint -d {quote(action.pool)}", _until_gone(action.pool, "discarding"))  # for machines
    return found


def chain(actions: Iterable[Action], *, version: ZfsVersion = DEFAULT_VERSION, path: Path | None = None) -> str:
    """Return actions on one line, on which each begins once the one before it has succeeded."""
    return " && ".join(text for action in actions for text in lines(action, version=version, path=path))


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
            for text in lines(line, version=version, path=path):
                word = line.verb.partition(" ")[0]
                yield f"settle {quote(line.pool)} {word}" if text.startswith("while ") else f"write {text}"
        case _:
            yield from (f"write {text}" for text in lines(line, version=version, path=path))


def argvs(action: Action, path: Path) -> Iterator[tuple[str, ...]]:
    if isinstance(action, Creation):
        yield tuple(word for row, __ in created(action, path) for word in row)
    elif isinstance(action, AddVdevs | Attach | Replace):
        yield from _coming(action, path)
    else:
        yield from _changed(action, path)


def written_path(device: Member) -> str:
    assert device.path is not None
    return device.path


def created(action: Creation, path: Path) -> Iterator[AboutRow]:
    match action:
        case PartitionDisk():
            yield ("sgdisk", "-U", str(action.table)), ""
            yield from ((words, "partition") for words in action.words)
            yield (path(action.device),), action.device
        case CreatePool():
            yield ("zpool", "create", *(("-f",) if action.force else ())), ""
            yield ("-o", f"ashift={action.ashift}"), "ashift"
            yield from ((("-o", f"{s.name}={s.value}"), s) for s in action.pool_settings)
            yield from ((("-O", f"{s.name}={s.value}"), s) for s in action.root_settings)
            if action.mountpoint is not None:
                yield ("-m", action.mountpoint), "mountpoint"
            yield (action.pool,), "name"
            yield from vdev_rows(action.vdevs, path)
        case CreateDataset():
            yield ("zfs", "create"), ""
            if action.volume_bytes is not None:
                yield ("-V", str(action.volume_bytes)), "size"
            yield from ((("-o", f"{s.name}={s.value}"), s) for s in action.settings)
            yield (action.name,), "name"
        case SetProperty(inherit=True):
            yield ("zfs", "inherit", action.setting.name, action.name), action.setting
        case SetProperty():
            tool, words = "zpool" if action.of_pool else "zfs", f"{action.setting.name}={action.setting.value}"
            yield (tool, "set", words, action.name, *action.others), action.setting


def _coming(action: AddVdevs | Attach | Replace, path: Path) -> Iterator[tuple[str, ...]]:
    # Without -o a vdev that is added gets the ashift of its own disks, and a pool of two kinds lets no vdev go.
    front = (*(("-f",) if action.force else ()), *(() if action.ashift is None else ("-o", f"ashift={action.ashift}")))
    match action:
        case AddVdevs():
            words = (*front, action.pool, *(w for row, __ in vdev_rows(action.vdevs, path) for w in row))
            yield ("zpool", "add", *_trial(action), *words)
        case Attach():
            yield ("zpool", "attach", *front, action.pool, action.widens or path(action.to), path(action.device))
        case Replace():
            yield ("zpool", "replace", *front, action.pool, path(action.old), path(action.new))


def _trial(action: AddVdevs | OnPool) -> tuple[str, ...]:
    return ("-n",) if action.trial else ()


def _changed(action: OnPool | Reimport | Copy | RunCommand | Wait, path: Path) -> Iterator[tuple[str, ...]]:
    match action:
        case OnPool():
            # Discarding goes on in the background, and until it has ended no device leaves the pool.
            waits = ("-w",) if action.verb is Verb.DISCARD_CHECKPOINT else ()
            devices = (one if isinstance(one, str) else path(one) for one in action.devices)
            yield ("zpool", *action.verb.split(), *waits, *_trial(action), action.pool, *devices)
        case Reimport():
            # -R also keeps the pool out of the cache file, so that a restart does not import it.
            unmounted = ("-N", "-R", action.root) if action.root else ()
            # From this folder zpool takes the names of the disks, and keeps them from then on.
            stable = ("-d", BY_ID.rstrip("/")) if action.stable else ()
            yield ("zpool", "export", action.pool)
            yield ("zpool", "import", *unmounted, *stable, action.pool, *((action.as_name,) if action.as_name else ()))
        case Copy():
            # -I brings every snapshot between the two; -u mounts nothing over what the old pool has mounted there.
            since = ("-I", action.since) if action.since else ()
            yield ("zfs", "send", *action.options, *since, action.snapshot)
            yield ("zfs", "receive", *action.receiving, action.target)
        case RunCommand():
            yield from filter(None, (action.argv, action.into))
        case Wait():
            yield ("zpool", "wait", "-t", action.activity, action.pool)


def vdev_rows(vdevs: Iterable[Vdev], path: Path) -> Iterator[AboutRow]:
    """Yield vdevs as zpool takes them. The class is said once and holds for every vdev up to the next class."""
    for vdev_class, of_class in groupby(vdevs, key=lambda vdev: vdev.vdev_class):
        front: tuple[str, ...] = () if vdev_class is VdevClass.DATA else (vdev_class.value,)
        for vdev in of_class:
            if words := (*front, *((vdev.zpool_word,) if vdev.zpool_word is not None else ())):
                yield words, vdev
            yield from (((path(member),), member) for member in vdev.members)
            front = ()


def action_word(action: Action | None) -> str:
    """Return the command that does an action, as programs are told it: ``zpool attach``, ``zfs set``."""
    match action:
        case None:
            return ""
        case OnPool():
            return f"zpool {action.verb}"
    *__, last = argvs(action, lambda __: "")
    return " ".join(last[:2])


# A design as the ordered steps that build it, each with its reason. What people see before anything is written.

# special_small_blocks is checked against the recordsize given before it on the same command line.
_FIRST = ("recordsize", "volblocksize")


def plan_actions(design: Design, *, placeholders: bool = False) -> tuple[Creation, ...]:
    """Return the steps that build ``design``, in order: partitions where disks are cut, then pool after pool.

    A pool is followed by its datasets (parents first) and what comes after them. One `zpool create` takes everything,
    so that no half-made pool can be left behind. With ``placeholders`` disks without a by-id name are written as
    `StandIns` has them, for a preview that cannot be run. Raises Refusal with all reasons where it cannot be built,
    UserError for names and values that cannot be written.
    """
    check_design(design, named=not placeholders)
    design = as_built(design)
    paths = _disk_paths(design, placeholders=placeholders)
    partitions = tuple(_create_partitions(design, disk, paths[disk.disk_key]) for disk in split_disks(design))
    return (*partitions, *(action for pool in design.pools() for action in _pool_actions(pool, paths)))


_NAMES_IN_SIGHT = 6
_RUN = re.compile(r"\b(DISK|SHELF\S*?-)\d+(?: \1\d+)+\b")


def short_lines(design: Design) -> tuple[list[str], list[list[str]]]:
    """Return the lines that cut disks, and each command that makes the pools as lines that fit a page, for people.

    Disks are numbered where their names would fill it, in their shelf where they have none. Raises as `plan_actions`.
    """
    actions = plan_actions(design, placeholders=True)
    paths = _disk_paths(design, placeholders=True)
    numbers = {key: f"DISK{number:02}" for number, key in enumerate(paths, 1)}
    short = len(paths) <= _NAMES_IN_SIGHT and not any(disk.planned for disk in design.disks)

    def name(device: Member) -> str:
        path = paths[device.disk_key]
        word = path.removeprefix(BY_ID) if short else numbers[device.disk_key]
        if path.endswith(">"):
            where = re.sub(", (disk|bay) ", ", ", path.removeprefix(BY_ID))
            joined = re.sub(r"(?<!,) (?=\d)", "", re.sub(r"(?<=<disk )\d(?=>)", r"0\g<0>", where))
            word = re.sub(r"\W+", "-", joined.strip("<>")).upper()
        return part_path(word, device.part)

    cut = [line for a in actions if isinstance(a, PartitionDisk) for line in lines(a, path=name)]
    made: list[list[str]] = []
    for action in actions:
        if not isinstance(action, PartitionDisk):
            why = [f"# -f: {action.force}"] if isinstance(action, CreatePool) and action.force else []
            first, *rest = (_folded(_RUN.sub(_as_range, line)) for line in lines(action, path=name))
            made += [[*why, *first], *rest]
    return cut, made


def _as_range(found: re.Match[str]) -> str:
    """Return disks as first..last, where they are numbered one after the other."""
    words, shelf = found[0].split(), found[1] != "DISK"
    numbers = [int(word.removeprefix(found[1])) for word in words]
    if numbers != [*range(numbers[0], numbers[-1] + 1)] or (len(words) == 2 and not shelf):
        return found[0]
    return f"{words[0]}..{words[-1].removeprefix(found[1]) if shelf else words[-1]}"


def _folded(line: str) -> list[str]:
    pairs = re.sub(r"(?<= -[oO]) ", "\u00a0", line)
    rows = folded(pairs, 72, below="  ")
    return [row.replace("\u00a0", " ") + (" \\" if row is not rows[-1] else "") for row in rows]


def _pool_actions(design: Design, paths: dict[str, str]) -> tuple[Creation, ...]:
    def named(member: Member) -> Member:
        return replace(member, path=part_path(paths[member.disk_key], member.part))

    order = sorted(design.vdevs, key=lambda v: v.rank)
    settings = _checked(design.pool_settings, where=design.pool_name)
    settings = tuple(s for s in settings if (s.name, s.value) != ("ashift", str(design.ashift)))
    root = next((d for d in design.datasets if d.name == ""), Dataset(name=""))
    root_settings = _written(design, root)
    mountpoint = next((s.value for s in root_settings if s.name == "mountpoint"), None)
    create = CreatePool(
        pool=design.pool_name,
        ashift=design.ashift,
        vdevs=tuple(replace(vdev, members=tuple(map(named, vdev.members))) for vdev in order),
        pool_settings=tuple(s for s in settings if not is_set_afterwards(s.name)),
        root_settings=tuple(s for s in root_settings if s.name != "mountpoint"),
        mountpoint=mountpoint,
        force=force_reason(tuple(map(design.spec, order)), design.version),
        reason=_("Pool {pool}: {layout}", pool=design.pool_name, layout=describe(design.layout())),
    )
    after = tuple(
        SetProperty(
            name=design.pool_name,
            setting=s,
            of_pool=True,
            reason=s.why or _("{property} needs its dataset to exist", property=s.name),
        )
        for s in settings
        if is_set_afterwards(s.name)
    )
    return (create, *_dataset_actions(design), *after)


def _create_partitions(design: Design, disk: SplitDisk, path: str) -> PartitionDisk:
    pools = ", ".join(dict.fromkeys(p.pool for p in disk.partitions if p.pool))
    label = shown_text(design.disk(disk.disk_key).label)
    reserved = ", ".join(p.reserved.words for p in disk.partitions if p.reserved is not None)
    if reserved:
        pools = _("{pools} and {reserved}", pools=pools, reserved=reserved)
    reason = ngettext(
        "{count} partition of {disk} for {pools}",
        "{count} partitions of {disk} for {pools}",
        len(disk.partitions),
        disk=label,
        pools=pools,
    )
    words = tuple(part.sgdisk_words for part in disk.partitions)
    device = Member(disk_key=disk.disk_key, path=path)
    return PartitionDisk(device=device, table=disk.table_guid, words=words, reason=reason)


# The path of every disk of all pools by its key, in the order of commands.
def _disk_paths(design: Design, *, placeholders: bool) -> dict[str, str]:
    vdevs = (vdev for pool in design.pools() for vdev in sorted(pool.vdevs, key=lambda v: v.rank))
    keys = dict.fromkeys(key for vdev in vdevs for key in vdev.keys)
    path = StandIns().path if placeholders else device_path
    return {key: path(design.disk(key)) for key in keys}


def _written(design: Design, dataset: Dataset) -> tuple[Setting, ...]:
    checked = _checked(dataset.settings, where=design.full_name(dataset.name))
    return Resolver(design).written(replace(dataset, settings=checked))


def _checked(settings: tuple[Setting, ...], *, where: str) -> tuple[Setting, ...]:
    names = [s.name for s in settings]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UserError(_("{name} is set twice", name=twice), where=where)
    for setting in settings:
        check_setting(setting.name, setting.value, where=where)
    return tuple(sorted(settings, key=lambda s: s.name not in _FIRST))


def _dataset_actions(design: Design) -> tuple[CreateDataset, ...]:
    named = {d.name: d for d in design.datasets if d.name != ""}
    if len(named) != sum(d.name != "" for d in design.datasets):
        raise UserError(_("Two datasets have the same name"), where=design.pool_name)
    for dataset in named.values():
        check_dataset_name(design.pool_name, dataset.name)
        if dataset.volume_bytes is not None and dataset.volume_bytes <= 0:
            raise UserError(_("The size of a volume is more than 0"), where=dataset.name)
    paths = (name.split("/") for name in named)
    wanted = dict.fromkeys("/".join(parts[:count]) for parts in paths for count in range(1, len(parts) + 1))
    parents = {name.rpartition("/")[0] for name in wanted}
    volume = next((name for name in wanted if name in parents and name in named and named[name].volume_bytes), None)
    if volume is not None:
        raise UserError(holds_no_other(volume), where=design.pool_name)
    return tuple(_dataset_action(design, named.get(name), name) for name in sorted(wanted, key=lambda n: n.count("/")))


def _dataset_action(design: Design, dataset: Dataset | None, name: str) -> CreateDataset:
    full = f"{design.pool_name}/{name}"
    if dataset is None:
        return CreateDataset(name=full, reason=_("{dataset} holds the datasets below it", dataset=full))
    reason = _("Filesystem {dataset}", dataset=full)
    if dataset.volume_bytes is not None:
        reason = _("Volume {dataset}", dataset=full)
    return CreateDataset(
        name=full, settings=_written(design, dataset), volume_bytes=dataset.volume_bytes, reason=reason
    )


def lines_in_words(lines_of: Iterable[Line], version: ZfsVersion) -> Iterator[str]:
    """Yield the lines of a step as people read them: what is checked, what is asked, what is run."""
    for line in lines_of:
        match line:
            case Guard():
                yield _("check: {what}", what=guard_words(line))
            case Ask():
                yield _("the script asks you to type: {words}", words=line.words)
            case _:
                yield from (f"$ {text}" for text in lines(line, version=version))


_GUARDS = {
    "absent": N_("No pool {a} is there."),
    "pool": N_("{a} is the pool that was read (same guid)."),
    "empty_pool": N_("Nothing was received into {a} yet."),
    "names": N_("The names of {a} fit {b}, and those that this move needs are free."),
    "empty": N_("{a} is that very disk (size, sectors, serial number), empty, and nothing uses it."),
    "freed": N_("{a} is that very disk (size, sectors, serial number), has left {b}, and holds nothing else."),
    "member": N_("{c} is a member of {a}, and lies on that very disk."),
    "same": N_("Every snapshot of {a} is in {b}{d} (same guid), and nothing was written to {a} since @{c}."),
}


def guard_words(guard: Guard) -> str:
    kind, first, *rest = guard.words
    if kind in _GUARDS:
        words = dict(zip("abcd", (first.removeprefix(BY_ID), *rest), strict=False))
        return _(_GUARDS[kind], **words)
    if rest == ["0"]:
        return _("{pool} lacks no member, counts no errors, and nothing runs on it.", pool=first)
    return ngettext(
        "{pool} lacks {count} member and no more, counts no errors, and nothing runs on it.",
        "{pool} lacks {count} members and no more, counts no errors, and nothing runs on it.",
        int(rest[0]),
        pool=first,
    )
