"""Reading this machine: which commands, and what to make of their answers."""

import re
from contextlib import suppress
from dataclasses import replace

from poolwright.domain.command import Batch, Command, Completed, Reading
from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.machine.bays.adapters import is_places
from poolwright.machine.gather import Gatherer, ToolOutput, merge_in_steps
from poolwright.machine.json_values import is_json
from poolwright.machine.lsblk.read import LsblkReading
from poolwright.machine.packed import collector_part
from poolwright.machine.recognition import PieceKind
from poolwright.machine.remarks import about
from poolwright.machine.smartctl.read import other_types, scanned, tells_capacity
from poolwright.shipped import shipped
from poolwright.texts import N_, _

_LSBLK = Command(argv=("lsblk", "-J", "-b", "-O"))
# What lsblk 2.26 and older, which knows no -J, can tell.
_OLD_COLUMNS = "NAME,KNAME,PKNAME,TYPE,SIZE,LOG-SEC,PHY-SEC,ROTA,RM,RO,MODEL,SERIAL,WWN,FSTYPE,LABEL,MOUNTPOINT,TRAN"
_OLD_LSBLK = Command(argv=("lsblk", "-P", "-b", "-o", _OLD_COLUMNS))
_FACTS: tuple[tuple[PieceKind, Command], ...] = (
    (PieceKind.BY_ID, Command(argv=("ls", "-l", "/dev/disk/by-id"))),
    (PieceKind.ZPOOL_STATUS, Command(argv=("zpool", "status", "-P"))),
    (PieceKind.MEMINFO, Command(argv=("cat", "/proc/meminfo"))),
    (PieceKind.CPUINFO, Command(argv=("cat", "/proc/cpuinfo"))),
    (PieceKind.OS_RELEASE, Command(argv=("cat", "/etc/os-release"))),
    (PieceKind.UNAME, Command(argv=("uname", "-r"))),
    (PieceKind.HOSTNAME, Command(argv=("uname", "-n"))),
    (PieceKind.ZFS_VERSION, Command(argv=("zfs", "version"))),
)
# Asked only where pools are imported. A host of containers has thousands of datasets; snapshots are not listed.
_OF_POOLS: tuple[tuple[PieceKind, Command], ...] = (
    (PieceKind.ZPOOL_LIST, Command(argv=("zpool", "list", "-v", "-Hp", "-P"))),
    (PieceKind.ZPOOL_GET, Command(argv=("zpool", "get", "-Hp", "all"))),
    (PieceKind.ZFS_GET, Command(argv=("zfs", "get", "-Hp", "-t", "filesystem,volume", "all"), timeout_seconds=120)),
    (PieceKind.DATE, Command(argv=("date", "+%Y-%m-%d %H:%M:%S"))),
)
_MODULE_VERSION = Command(argv=("cat", "/sys/module/zfs/version"))
_IMPORT = Command(argv=("zpool", "import"), needs_root=True, timeout_seconds=120)
# Without the name of a pool it prints the cache file and reads no disk.
_ZDB = Command(argv=("zdb", "-C"), needs_root=True)
_MULTIPATH = Command(argv=("multipath", "-ll"), needs_root=True)
_PRINTED = {_MULTIPATH: PieceKind.MULTIPATH, _ZDB: PieceKind.ZDB_CONFIG}
_SCAN = Command(argv=("smartctl", "--scan", "--json"), accepted=None, needs_root=True)
# smartctl's exit status is a bit mask of facts about the disk: every value is an answer.
_SMART_SECONDS = 60.0
NO_LSBLK = N_("There is no lsblk: names, sizes and sectors come from /sys/block, and what uses a disk is not known")


def read_machine(*, name: str = N_("this machine")) -> Reading[Inventory]:
    """Read the machine the commands run on: a conversation that returns its inventory.

    Every command only reads. What is missing or not permitted becomes a note and its facts stay unknown; only
    without lsblk and /sys/block there is nothing to say. Raises EnvironmentFailure when lsblk cannot run or prints no
    disks.
    """
    answers = yield (
        _LSBLK,
        *(command for __, command in _FACTS),
        Command(argv=("sh", "-c", collector_part("places"), "places"), timeout_seconds=60),
    )
    gatherer = Gatherer()
    blocks = yield from _blocks(answers[0], name, gatherer)
    yield from _facts(gatherer, answers[1:-1], name)
    if is_places(answers[-1].text):
        yield from _add(gatherer, PieceKind.PLACES, answers[-1].text, name)
    yield from _existing(gatherer, name)
    denied = yield from _asked_as_root(gatherer, blocks, name)
    yield ()
    origin = Origin(kind=OriginKind.READ, source=name)
    merged = yield from merge_in_steps(gatherer, name=gatherer.host.name or name, origin=origin)
    return replace(merged, denied=denied)


def _piece(kind: PieceKind, text: str, name: str, device: str | None = None) -> ToolOutput:
    origin = Origin(kind=OriginKind.READ, source=_("{tool} on {host}", tool=kind.value, host=name))
    return ToolOutput(kind=kind, text=text, origin=origin, device=device)


def _blocks(first: Completed, name: str, gatherer: Gatherer) -> Reading[LsblkReading]:
    answer = first
    if not answer.missing and (not answer.ok or not answer.stdout.strip()):
        (answer,) = yield (_OLD_LSBLK,)
    if first.missing or not answer.stdout.strip():
        # BusyBox brings no lsblk, or one that knows no columns.
        (blocks,) = yield (Command(argv=("sh", "-c", collector_part("blocks"))),)
        if blocks.ok and blocks.stdout.strip():
            answer = blocks
            gatherer.warn(_(NO_LSBLK))
    if not answer.stdout.strip():
        failed = _without_output("lsblk", first if first.complaint else answer)
        raise EnvironmentFailure(failed, where=name, todo=_("Install util-linux, or open a capture with --from."))
    try:
        yield from gatherer.add_in_steps(_piece(PieceKind.LSBLK, answer.text, name))
    except UserError as error:
        raise EnvironmentFailure(error.what, where=name, todo=error.todo) from None
    return gatherer.lsblk[-1]


def _facts(gatherer: Gatherer, answers: tuple[Completed, ...], name: str) -> Reading[None]:
    missing = {entry["kind"]: _(entry["why"]) for entry in shipped("outputs")["missing"]}
    for (kind, __), answer in zip(_FACTS, answers, strict=True):
        if kind is PieceKind.ZFS_VERSION and not answer.ok:
            (answer,) = yield (_MODULE_VERSION,)  # noqa: PLW2901 - the tools may be absent while the module is loaded
            if not answer.ok:
                continue
        if answer.missing:
            if kind in missing:
                gatherer.warn(missing[kind])
            continue
        if not answer.ok and kind is PieceKind.ZPOOL_STATUS:
            gatherer.warn(_without_output("zpool status", answer))
            continue
        # zpool says on standard error that there are no pools.
        text = _output_or_complaint(answer) if kind is PieceKind.ZPOOL_STATUS else answer.text
        if text.strip():
            yield from _add(gatherer, kind, text, name)
        elif kind in missing:
            gatherer.warn(_("{what} ({why})", what=missing[kind], why=_why(answer)))


def _existing(gatherer: Gatherer, name: str) -> Reading[None]:
    """Ask what is known of the imported pools beside their tree; what cannot be asked stays unknown."""
    if not gatherer.pools:
        return
    vdevs = (Command(argv=("zpool", "get", "-Hp", "ashift,guid", pool.name, "all-vdevs")) for pool in gatherer.pools)
    asked = (*_OF_POOLS, *((PieceKind.ZPOOL_GET, command) for command in vdevs))
    answers = yield tuple(command for __, command in asked)
    for (kind, command), answer in zip(asked, answers, strict=True):
        if answer.stdout.strip() and (answer.ok or answer.truncated):
            yield from _add(gatherer, kind, answer.text, name)
        elif kind is not PieceKind.DATE and "all-vdevs" not in command.argv:
            # Releases before 2.2 know no properties of vdevs.
            gatherer.warn(_without_output(command.text, answer))


def _output_or_complaint(answer: Completed) -> str:
    return answer.text if answer.stdout.strip() else answer.stderr.decode("utf-8", "replace")


def _without_output(command: str, answer: Completed) -> str:
    return _("{command} reported nothing: {why}", command=command, why=_why(answer))


def _why(answer: Completed) -> str:
    return answer.complaint or _("it printed nothing")


def _add(gatherer: Gatherer, kind: PieceKind, text: str, name: str, device: str | None = None) -> Reading[None]:
    """Read what was printed, with a pause behind it; what is damaged is told of and left out."""
    try:
        yield from gatherer.add_in_steps(_piece(kind, text, name, device))
    except UserError as error:
        gatherer.warn(f"{kind.value}: {error.text}")
    yield ()


def _asked_as_root(gatherer: Gatherer, blocks: LsblkReading, name: str) -> Reading[tuple[str, ...]]:
    """Ask what only root is told, all of it at once, so that a person who must give a password gives it once.

    Returns the devices that might not be opened.
    """
    paths = [path for disk in blocks.disks if (path := disk.path) and _worth_asking(disk)]
    nvme = tuple(path for path in paths if path.startswith("/dev/nvme"))
    several: Batch = (_MULTIPATH,) if any((d.path or "").startswith("/dev/mapper/") for d in blocks.disks) else ()
    several += (_ZDB,) if gatherer.pools else ()
    answers = yield (
        _SCAN,
        *(_smartctl(path, None) for path in paths),
        *(Command(argv=("nvme", "id-ns", "-o", "json", path), needs_root=True) for path in nvme),
        _IMPORT,  # reads every disk's labels
        *several,
    )
    for answer in answers:
        if answer.command == _IMPORT and not answer.missing:
            text = _output_or_complaint(answer)
            if "no pools available" in text or "pool:" in text:
                yield from _add(gatherer, PieceKind.ZPOOL_IMPORT, text, name)
            else:
                gatherer.warn(_without_output("zpool import", answer))
        elif answer.command in _PRINTED and answer.ok and answer.text.strip():
            # zdb finds no configuration where none is cached.
            yield from _add(gatherer, _PRINTED[answer.command], answer.text, name)
    if answers[0].missing:
        return ()
    hidden: Batch = ()
    with suppress(UserError):
        scan = scanned(answers[0].text, "smartctl --scan") if is_json(answers[0].text) else []
        hidden = tuple(_smartctl(path, kind) for path, kind in scan if path and "," in kind)
    if hidden:
        answers += yield hidden
    return (yield from _drives(gatherer, answers[1:], name, len(paths)))


def _drives(gatherer: Gatherer, answers: tuple[Completed, ...], name: str, count: int) -> Reading[tuple[str, ...]]:
    for answer in answers:
        if answer.command.program == "nvme" and answer.ok and is_json(answer.text):
            yield from _add(gatherer, PieceKind.NVME_NAMESPACE, answer.text, name, answer.command.argv[-1])
    smart = yield from _in_text(tuple(a for a in answers if a.command.program == "smartctl"))
    smart = yield from _as_other_types(smart)
    denied: list[str] = []
    for answer in smart:
        disk = answer.command.argv[-1]
        if not answer.stdout.strip():
            text = _("smartctl reported nothing for {disk}: {why}", disk=disk, why=_why(answer))
            gatherer.remarks.append(about(disk, text))
            continue
        if re.search(r"Permission denied|Operation not permitted", answer.text):
            denied.append(disk)
        yield from _add(gatherer, PieceKind.SMARTCTL, answer.text, name, disk)
    if denied:
        gatherer.warn(
            _(
                "smartctl may not open {denied} of {count} disks: run as root to learn sector sizes and health",
                denied=len(denied),
                count=count,
            )
        )
    return tuple(denied)


def _in_text(answers: tuple[Completed, ...]) -> Reading[tuple[Completed, ...]]:
    """Return the answers, those of a smartctl older than 7.0, which knows no --json, asked again for text."""
    refused = re.compile(r"UNRECOGNIZED OPTION|unrecognized option")
    old = {answer.command: None for answer in answers if not is_json(answer.text) and refused.search(answer.text)}
    if not old:
        return answers
    again = yield tuple(replace(c, argv=tuple(word for word in c.argv if word != "--json")) for c in old)
    return (*(answer for answer in answers if answer.command not in old), *again)


def _as_other_types(answers: tuple[Completed, ...]) -> Reading[tuple[Completed, ...]]:
    """Return the answers; of disks that told no capacity, the answer as another device type where that tells more."""
    tries: list[Command] = []
    for asked in answers:
        argv = asked.command.argv
        if "-d" not in argv:
            if asked.stdout.strip() and argv[-1].startswith("/dev/sd"):
                tries += [
                    replace(asked.command, argv=(*argv[:-1], "-d", kind, argv[-1])) for kind in other_types(asked.text)
                ]
            yield ()
    if not tries:
        return answers
    found = yield tuple(tries)
    better: dict[str, Completed] = {}
    for answer in found:
        if tells_capacity(answer.text):
            better.setdefault(answer.command.argv[-1], answer)
        yield ()
    return tuple(better.get(a.command.argv[-1], a) if "-d" not in a.command.argv else a for a in answers)


def _worth_asking(disk: Disk) -> bool:
    """Tell whether smartctl is to be asked: once a disk, and of a multipath disk its paths, not the mapped device."""
    # A path of a mapped device names the map; where nothing is mapped, the second path names the first in any language.
    second = any(use.kind is UseKind.MULTIPATH and "/dev/" in use.detail for use in disk.uses)
    return not second and re.match(r"/dev/(?!mapper/|mmcblk|pmem|ram|xvd)", disk.path or "") is not None


def _smartctl(path: str, kind: str | None) -> Command:
    option = ("-d", kind) if kind else ()
    argv = ("smartctl", "--json", "-x", *option, path)
    return Command(argv=argv, accepted=None, needs_root=True, timeout_seconds=_SMART_SECONDS)
