"""Looks at a directory before anything is measured there: what it lies on, what speaks against it, what a run needs."""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from poolwright.bench.profiles.access import BenchSetup, BenchWishes, direct_refusal, exceeds_cache, percent_bytes
from poolwright.bench.record import AnswerPlot, BenchTarget, Effort, Engine, Profile, TargetDisk, left_behind
from poolwright.bench.running.run import looker
from poolwright.domain.command import Batch, Command, Completed
from poolwright.domain.errors import EnvironmentFailure, Refusal, UserError
from poolwright.domain.shown import shown_text
from poolwright.domain.units import GIB, binary
from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import quote
from poolwright.machine.zpool.status import read_zpool_status
from poolwright.texts import _

# What zfs and zpool say of the pool that a directory lies on.

_PAIR = re.compile(r'([A-Z]+)="([^"]*)"')
_PART = re.compile(r"(?:p|-part)?\d+\Z")
_ACTIVE = (
    re.compile(r"^\s*scan:\s*(.*(?:scrub|resilver).* in progress.*)$", re.MULTILINE),
    re.compile(r"^\s*remove:\s*(Evacuation of .* in progress.*)$", re.MULTILINE),
    re.compile(r"^\s*expand:\s*(expansion of .* in progress.*)$", re.MULTILINE),
    re.compile(r"\((\d+% (?:trimmed|initialized), started[^)]*)\)"),
)


def _with_pool(place: BenchTarget, answers: Sequence[Completed], parts: Mapping[str, str]) -> BenchTarget:
    got, listed, status, version, trims = answers
    columns = (*(listed.text.strip().split("\t") if listed.ok else ()), "", "", "", "", "")
    layout = _layout(status.text) if status.ok else ()
    caches = (line.partition(" ")[::2] for line in parts.get("caches", "").splitlines())
    flushed = {name: kind == "write back" for name, kind in caches if kind in ("write back", "write through")}
    links = {
        before.split()[-1]: target.rpartition("/")[2]
        for before, __, target in (line.rpartition(" -> ") for line in parts.get("names", "").splitlines())
        if before
    }
    return replace(
        place,
        properties=tuple((words[0], words[1]) for line in got.text.splitlines() if len(words := line.split("\t")) > 1),
        pool_health=columns[4] or None,
        pool_bytes=_whole(columns[1]),
        fill_percent=_whole(columns[2].rstrip("%")),
        fragmentation_percent=_whole(columns[3].rstrip("%")),
        activity=next((found[1].strip() for look in _ACTIVE if (found := look.search(status.text))), None),
        autotrim={"on": True, "off": False}.get(trims.text.strip()),
        userland=version_of(version.text.partition("\n")[0]),
        layout=layout,
        disks=tuple(_disks(layout, parts.get("disks", ""), flushed, links)),
        has_log=any(line.startswith("logs ") for line in layout) if status.ok else None,
        warnings=tuple(
            _("{program} did not tell: {why}", program=each.command.program, why=each.complaint)
            for each in (got, listed, status, version)  # before 0.8 there is no autotrim
            if not each.ok
        ),
    )


def _layout(status: str) -> tuple[str, ...]:
    """Return a line for each vdev, its name or its class and its members; a bare disk is a vdev of its own."""
    try:
        vdevs = read_zpool_status(status)[0].vdevs
    except UserError:
        return ()
    names = [(vdev.name if vdev.children else "disk") if vdev.section == "data" else vdev.section for vdev in vdevs]
    return tuple(
        " ".join((name, *(leaf.name for leaf in vdev.leaves()))) for name, vdev in zip(names, vdevs, strict=True)
    )


def _disks(
    layout: Sequence[str], lsblk: str, flushed: Mapping[str, bool], links: Mapping[str, str]
) -> Iterator[TargetDisk]:
    """Yield each member with what lsblk says of the disk that it is, or that its partition or mapping lies on."""
    rows = [dict(_PAIR.findall(line)) for line in lsblk.splitlines()]
    known = {row[word]: row for word in ("KNAME", "NAME") for row in rows if word in row}
    for name in (name for line in layout for name in line.split()[1:]):
        row = known.get(links.get(name, name)) or known.get(_PART.sub("", name)) or _by_serial(name, rows)
        while row is not None and row.get("TYPE") != "disk" and row.get("PKNAME") in known:
            row = known[row["PKNAME"]]
        if row is None:
            yield TargetDisk(name=name)
            continue
        yield TargetDisk(
            name=name,
            kernel_name=row["NAME"],
            serial=row.get("SERIAL") or None,
            model=row.get("MODEL") or None,
            rotational={"0": False, "1": True}.get(row.get("ROTA", "")),
            bytes=_whole(row.get("SIZE", "")),
            flushed=flushed.get(row["NAME"]),
        )


def _by_serial(name: str, rows: Sequence[dict[str, str]]) -> dict[str, str] | None:
    bare = _PART.sub("", name) if "-part" in name else name
    return next((row for row in rows if row.get("SERIAL") and bare.endswith(row["SERIAL"])), None)


# Where a system lives: a benchmark has no place there, even where it could write.
_SYSTEM = frozenset((
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt", "/proc", "/root", "/run",
    "/sbin", "/srv", "/sys", "/tmp", "/usr", "/var", "/var/lib", "/var/tmp",  # noqa: S108 - named to be refused
))  # fmt: skip
_BELOW_SYSTEM = ("/boot/", "/dev/", "/etc/", "/proc/", "/run/", "/sys/", "/usr/")
_NOT_SYSTEM = ("/run/media/",)  # where a desktop mounts what is plugged in
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_LEAST_FREE = 64 << 20
_OLDEST_FIO = (3, 1)  # 3.0 knows no lat_percentiles
SCRATCH_DATASET = "poolwright-bench"


class _Mount(NamedTuple):
    target: str
    source: str
    kind: str
    options: str


def look(directory: str) -> Generator[Batch, tuple[Completed, ...], BenchTarget]:
    """Return what is known of a directory, with every reason why nothing may be measured there.

    Raises UserError where it is no directory that can be entered, EnvironmentFailure where nothing answers.
    """
    (answer,) = yield (looker(directory),)
    if not answer.ok:
        raise EnvironmentFailure(_("The place cannot be looked at: {why}", why=answer.complaint), where=directory)
    parts = _parts(answer.text)
    path = parts.get("directory", "")
    if not path:
        raise UserError(
            _("This is no directory that can be entered"), where=directory, todo=_("Make it first, or name another.")
        )
    # findmnt -r writes spaces as \x20.
    words = [_ESCAPE.sub(lambda match: chr(int(match[1], 16)), word) for word in parts.get("mount", "").split(" ")]
    mount = _Mount(*(*words, "", "", "", "")[:4])
    place = _place(path, parts, mount)
    if place.pool is not None:
        answers = yield (
            Command(argv=("zfs", "get", "-Hp", "-o", "property,value", "all", mount.source)),
            Command(argv=("zpool", "list", "-Hp", "-o", "name,size,capacity,fragmentation,health", place.pool)),
            Command(argv=("zpool", "status", "-t", "-i", place.pool)),
            Command(argv=("zfs", "version")),
            Command(argv=("zpool", "get", "-H", "-o", "value", "autotrim", place.pool)),
        )
        if not answers[2].ok:  # before 0.8 it does not know what it is asked for
            (plain,) = yield (Command(argv=("zpool", "status", place.pool)),)
            answers = (*answers[:2], plain, *answers[3:])
        place = _with_pool(place, answers, parts)
    (datasets,) = yield (Command(argv=("zfs", "list", "-H", "-o", "name,mountpoint,mounted,keystatus")),)
    listed = datasets.text if datasets.ok else ""
    made = frozenset(line.partition("\t")[0] for line in listed.splitlines())
    own = quote(f"{place.pool}/{SCRATCH_DATASET}")
    return replace(
        place,
        refusals=(*_hidden(path, mount.target, listed), *_refusals(place, parts, mount.options.split(","))),
        warnings=(*_warnings(place, parts, made), *place.warnings),
        commands=(f"zfs create {own}", f"zfs destroy {own}") if place.pool is not None else (),
    )


def check_whole(directory: str, host: str) -> None:
    """Refuse a directory of another machine that depends on where one is; raises UserError."""
    if not directory.startswith("/"):
        raise UserError(
            _("The directory on {host} is to be whole", host=shown_text(host)),
            where=directory,
            todo=_("Begin it with a /."),
        )


def _hidden(path: str, mounted_at: str, listed: str) -> Iterator[str]:
    """Yield why another dataset than the one that is there belongs to the directory; nothing where none does."""
    for line in listed.splitlines():
        name, mountpoint, mounted, key = (*line.split("\t"), "", "", "", "")[:4]
        below = f"{path}/".startswith(f"{mountpoint.rstrip('/')}/") and len(mountpoint) > len(mounted_at)
        if mounted == "no" and mountpoint.startswith("/") and (below or mountpoint == path):
            why = _("its key is not loaded") if key == "unavailable" else _("it is not mounted")
            yield _("{dataset} belongs at {mountpoint}, and {why}", dataset=name, mountpoint=mountpoint, why=why)


def _parts(text: str) -> dict[str, str]:
    __, *words = re.split(r"^@([a-z]+)$\n?", text, flags=re.MULTILINE)
    return {name: part.removesuffix("\n") for name, part in zip(words[::2], words[1::2], strict=True) if part}


def _place(path: str, parts: Mapping[str, str], mount: _Mount) -> BenchTarget:
    host, links = (*parts.get("host", "").splitlines(), "", ""), _columns(parts.get("links", ""), 0, 1)
    place = BenchTarget(
        directory=path,
        filesystem=mount.kind or "unknown",
        host=host[0],
        free_bytes=_kib(parts.get("df", ""), 3) or 0,
        ram_bytes=_kib(parts.get("memory", ""), 1),
        cores=_whole(parts.get("cores", "")),
        kernel=host[1] or None,
        fio=parts.get("fio") or None,
        links=tuple((link, int(mbits) * 125_000) for link, mbits in links if mbits.isdigit() and int(mbits) > 0),
        tools=tuple(parts.get("tools", "").splitlines()),
        volumes=tuple(parts.get("volumes", "").splitlines()),
    )
    if mount.kind != "zfs":
        return place
    return replace(
        place,
        dataset=mount.source,
        pool=mount.source.partition("/")[0],
        module=version_of(parts.get("module", "")),
        arc_most_bytes=_whole(dict(_columns(parts.get("arc", ""), 0, 2)).get("c_max", "")),
        parameters=tuple(_columns(parts.get("parameters", ""), 0, 1)),
        # On Linux only root may mount what it may make (zfs-allow(8)).
        may_make=parts.get("user") == "0" and mount.target == path,
    )


def _refusals(place: BenchTarget, parts: Mapping[str, str], options: Sequence[str]) -> Iterator[str]:
    path = place.directory
    if path in _SYSTEM or (f"{path}/".startswith(_BELOW_SYSTEM) and not f"{path}/".startswith(_NOT_SYSTEM)):
        yield _("{directory} belongs to the system", directory=path)
    if "ro" in options:
        yield _("{directory} is mounted read-only", directory=path)
    elif parts.get("writable") != "yes":
        yield _("{directory} may not be written to by this user", directory=path)
    if place.free_bytes < _LEAST_FREE:
        yield _("there is next to no room in {directory}", directory=path)
    if place.fio is None:
        yield _("fio is not installed there; install the package fio")
    elif (found := re.match(r"fio-(\d+)\.(\d+)", place.fio)) and tuple(map(int, found.groups())) < _OLDEST_FIO:
        yield _("{fio} is too old: 3.1 or newer is needed", fio=place.fio)
    if place.pool_health not in (None, "ONLINE"):
        yield _("the pool {pool} is {health}", pool=place.pool, health=place.pool_health)
    if place.activity is not None:
        yield _("the pool {pool} is at work: {activity}", pool=place.pool, activity=place.activity)


def _warnings(place: BenchTarget, parts: Mapping[str, str], made: frozenset[str]) -> Iterator[str]:
    for name in parts.get("left", "").splitlines():
        path, dataset = f"{place.directory}/{name}", f"{place.dataset}/{name}"
        yield left_behind(dataset, dataset=True) if dataset in made else left_behind(path)
    if place.dataset is not None and place.dataset == place.pool:
        yield _("This is the root of the pool: better measure in a dataset of its own.")
    if place.fill_percent is not None and place.fill_percent > 80:
        yield _("The pool is {fill} % full; beyond {most} % writes slow down.", fill=place.fill_percent, most=80)
    if place.userland is not None and place.module is not None and place.userland != place.module:
        yield _(
            "The tools are of OpenZFS {userland}, the module of {module}.", userland=place.userland, module=place.module
        )


def _columns(text: str, name: int, value: int) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        words = line.split()
        if len(words) > max(name, value):
            yield words[name], words[value]


def _kib(text: str, column: int) -> int | None:
    words = text.split()
    return int(words[column]) * 1024 if len(words) > column and words[column].isdigit() else None


def _whole(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


def version_of(text: str) -> ZfsVersion | None:
    try:
        return ZfsVersion.parse(text.strip().removeprefix("zfs-kmod-"))
    except UserError:
        return None


# What has to be there before a run begins: room for its files, the program that it asks, the volumes it writes to.

_PACKAGES = {Engine.DD: "coreutils", Engine.BONNIE: "bonnie++"}


def check_ready(profile: Profile, effort: Effort, place: BenchTarget) -> None:
    """Raise Refusal where a run of ``profile`` would fail for what can be seen before."""
    check_room(profile, effort, place)
    for engine, package in _PACKAGES.items():
        if place.tools is not None and engine not in place.tools and any(t.engine is engine for t in profile.tests):
            raise Refusal(
                _("{program} is not installed there", program=engine.value),
                where=place.host,
                todo=_("Install the package {program}.", program=package),
            )
    if effort.volume_bytes and place.volumes is not None:
        named = {dict(job.options).get("filename") for test in profile.tests for job in test.jobs}
        missing = sorted(name for name in named - set(place.volumes) if name)
        if missing:
            raise Refusal(
                _("The volumes of this profile are not there: {names}", names=", ".join(missing)),
                where=place.host,
                todo=_("Make them first: poolwright bench --paper-volumes {pool} -w volumes.sh", pool=place.pool),
            )


# Whether the files of a run have room: a pool that they fill up is slow for everybody, long after they are gone.

KEPT_PERCENT = 20  # of a pool stay free: beyond 80 % ZFS looks longer for room (thesis, figures 16 and 17)


def check_room(profile: Profile, effort: Effort, place: BenchTarget) -> None:
    """Raise Refusal where the files of ``profile`` have no room in ``place``.

    A fifth of a pool stays free, but where it is asked how a pool does that fills.
    """
    if not effort.space_bytes:
        return
    fills = profile.plot is AnswerPlot.AGAINST_FILL or any(test.keeps_files for test in profile.tests)
    kept = 0 if fills else int(KEPT_PERCENT * percent_bytes(place))
    if effort.space_bytes <= place.free_bytes - kept:
        return
    if effort.space_bytes <= place.free_bytes:
        what = _(
            "The files take {space}, which makes the pool more than {percent} % full",
            space=binary(effort.space_bytes),
            percent=100 - KEPT_PERCENT,
        )
    else:
        what = _(
            "The files take {space}; {free} are free", space=binary(effort.space_bytes), free=binary(place.free_bytes)
        )
    raise Refusal(what, where=place.directory, todo=_("Name less to be written, or make room."))


# A dataset made for one run in the directory it was given, and destroyed with its files: `keeper.sh` does both.

# Tools that make snapshots by themselves would keep what is to be destroyed; they look at this property.
_KEPT_OUT_OF_SNAPSHOTS = ("com.sun:auto-snapshot", "false")  # for machines
_PAST_THE_ARC = ("primarycache", "metadata")  # for machines
# What these measure is the cache; and disks or volumes, no files.
_WITH_THE_CACHE = frozenset(("l2arc", "cache"))  # for machines
# Where a run stands that reads disks alone. A folder of every machine, refused for anything else.
ANYWHERE = "/var/tmp"  # noqa: S108
_WITHOUT_FILES = frozenset(("siblings", "paper"))  # for machines


def on_own_dataset(place: BenchTarget, profile: str | None, wishes: BenchWishes | None = None) -> BenchTarget:
    """Return the place as a built-in profile finds it on a dataset made for its run; None is a profile of one's own.

    It is the same place where no dataset can be made, or none is of use.
    """
    if not place.may_make or profile in _WITHOUT_FILES:
        return place
    setup = BenchSetup(place=place, design=None, wishes=wishes or BenchWishes())
    beaten = exceeds_cache(place, setup.room_bytes) or direct_refusal(place, GIB) is None
    if profile is None or profile in _WITH_THE_CACHE or beaten:
        return replace(place, makes=(_KEPT_OUT_OF_SNAPSHOTS,))
    known = dict((*place.properties, _PAST_THE_ARC))
    return replace(place, makes=(_PAST_THE_ARC, _KEPT_OUT_OF_SNAPSHOTS), properties=tuple(known.items()))


def for_disks(place: BenchTarget) -> BenchTarget:
    """Return `ANYWHERE` as a run finds it that reads disks alone: nothing is written there but fio's own files."""
    return replace(place, refusals=(), warnings=(), commands=())


def as_before(place: BenchTarget, before: BenchTarget) -> BenchTarget:
    """Return a place that was looked at once more, with the dataset that was to be made there ``before``."""
    if before.makes is None or not place.may_make:
        return place
    made = dict((*place.properties, *(pair for pair in before.makes if pair == _PAST_THE_ARC)))
    return replace(place, makes=before.makes, properties=tuple(made.items()))
