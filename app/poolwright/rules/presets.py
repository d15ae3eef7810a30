"""Workloads people name in a word, as values: what each detail is taken to be and why.

The figures are starting points, not measurements; each says its reason, and everything can be changed afterwards.
A detail of which nothing can be said in general stays unknown. A pool may hold several kinds of data: the hardest
demand of each detail decides about the pool, and each kind has a dataset with what suits itself (`dataset_plan`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.domain.workload import Goal, Sharing, Workload
from poolwright.texts import listed, marked, tell

# What a preset may fill: every detail of a workload, not its goal.
DETAILS = tuple(field.name for field in fields(Workload) if field.name not in {"goal", "preset", "presets_beside"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named workload. ``workload`` holds the details it fills; ``reasons`` names each of them with its why.

    ``workload.goal`` is the goal that such data usually have.
    """

    key: str
    title: str
    summary: str
    workload: Workload
    reasons: tuple[tuple[str, str], ...]

    @property
    def filled(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.reasons)

    def reason(self, detail: str) -> str | None:
        """Return why it fills this detail as it does; None when it leaves it open."""
        return next((tell(why) for name, why in self.reasons if name == detail), None)

    def origin(self, detail: str) -> Origin | None:
        why = self.reason(detail)
        if why is None:
            return None
        return Origin(kind=OriginKind.ASSUMED, source=tell("preset “{title}”: {why}", title=tell(self.title), why=why))


PRESETS = (
    Preset(
        key="home-directories",
        title=marked("Home directories"),
        summary=marked("Many people, small files"),
        workload=Workload(
            goal=Goal.CONCURRENT, read_percent=70, sequential_percent=40, io_size_bytes=64 * KIB,
            typical_file_bytes=256 * KIB, compressible=True,
        ),
        reasons=(
            ("read_percent", marked("files are opened more often than saved")),
            ("sequential_percent", marked("each file is read from start to end, but many people read at once")),
            ("io_size_bytes", marked("small files are read in one piece, large ones in 128 KiB records")),
            ("typical_file_bytes", marked("documents, mail and source code: most files are small")),
            ("compressible", marked("text and documents shrink; pictures and films do not")),
        ),
    ),
    Preset(
        key="vm-images",
        title=marked("VM images"),
        summary=marked("Disks of virtual machines"),
        workload=Workload(
            goal=Goal.CONCURRENT, read_percent=60, sequential_percent=10, io_size_bytes=16 * KIB,
            sync_write_percent=50, compressible=True, volumes=True,
        ),
        reasons=(
            ("read_percent", marked("the guest's own cache takes many of the reads")),
            ("sequential_percent", marked("what many guests do in order arrives mixed, as random I/O")),
            ("io_size_bytes", marked("the default volblocksize of a zvol since OpenZFS 2.2")),
            ("sync_write_percent", marked("guests flush their file systems' journals and databases")),
            ("compressible", marked("system files and unused space shrink well")),
            ("volumes", marked("a zvol each; files on a dataset work as well")),
        ),
    ),
    Preset(
        key="database",
        title=marked("Database"),
        summary=marked("Small random I/O, each commit waits"),
        workload=Workload(
            goal=Goal.CONCURRENT, read_percent=70, sequential_percent=10, io_size_bytes=16 * KIB,
            sync_write_percent=90, compressible=True,
        ),
        reasons=(
            ("read_percent", marked("most queries read; a busy import turns this round")),
            ("sequential_percent", marked("pages are found through indexes, anywhere in the files")),
            ("io_size_bytes", marked("the page of InnoDB; PostgreSQL has 8 KiB: type that where it runs")),
            ("sync_write_percent", marked("each commit waits until its log is on stable storage")),
            ("compressible", marked("pages hold text, numbers and free space")),
        ),
    ),
    Preset(
        key="media-archive",
        title=marked("Media archive"),
        summary=marked("Large files, written once"),
        workload=Workload(
            goal=Goal.SAFETY, read_percent=90, sequential_percent=95, io_size_bytes=MIB, sync_write_percent=0,
            typical_file_bytes=GIB, compressible=False,
        ),
        reasons=(
            ("read_percent", marked("written once, looked at often")),
            ("sequential_percent", marked("films and pictures are read from start to end")),
            ("io_size_bytes", marked("large files are read ahead in large pieces")),
            ("sync_write_percent", marked("a copy that was cut off is made again")),
            ("typical_file_bytes", marked("films and raw recordings")),
            ("compressible", marked("pictures, sound and films are compressed already")),
        ),
    ),
    Preset(
        key="backup-target",
        title=marked("Backup target"),
        summary=marked("Long streams in, seldom out"),
        workload=Workload(
            goal=Goal.SAFETY, read_percent=20, sequential_percent=90, io_size_bytes=MIB, sync_write_percent=0,
        ),
        reasons=(
            ("read_percent", marked("written every night; read for checks and in need")),
            ("sequential_percent", marked("archives and `zfs receive` arrive as streams")),
            ("io_size_bytes", marked("backup programs and `zfs receive` write large pieces")),
            ("sync_write_percent", marked("a backup that was cut off is made again")),
        ),
    ),
    Preset(
        key="scratch",
        title=marked("Scratch"),
        summary=marked("Fast, can be made again"),
        workload=Workload(
            goal=Goal.SPEED, read_percent=50, sequential_percent=90, io_size_bytes=MIB, sync_write_percent=0,
        ),
        reasons=(
            ("read_percent", marked("what is written is read back once by the next step")),
            ("sequential_percent", marked("computations stream large files")),
            ("io_size_bytes", marked("programs that stream write large pieces")),
            ("sync_write_percent", marked("nobody waits for data that can be made again")),
        ),
    ),
    Preset(
        key="nfs",
        title="NFS",
        summary=marked("Files for Unix clients"),
        workload=Workload(
            goal=Goal.CONCURRENT, read_percent=70, sequential_percent=50, io_size_bytes=128 * KIB,
            sync_write_percent=50, sharing=Sharing.NFS,
        ),
        reasons=(
            ("read_percent", marked("files are opened more often than saved")),
            ("sequential_percent", marked("single files are read in order, many clients at once are not")),
            ("io_size_bytes", marked("the default recordsize; clients ask for up to 1 MiB at a time")),
            ("sync_write_percent", marked("a COMMIT and a new file are answered only once they are on stable storage")),
            ("sharing", marked("that is what this preset is for")),
        ),
    ),
    Preset(
        key="smb",
        title="SMB",
        summary=marked("Files for Windows and macOS clients"),
        workload=Workload(
            goal=Goal.CONCURRENT, read_percent=70, sequential_percent=50, io_size_bytes=128 * KIB,
            sync_write_percent=0, sharing=Sharing.SMB,
        ),
        reasons=(
            ("read_percent", marked("files are opened more often than saved")),
            ("sequential_percent", marked("single files are read in order, many clients at once are not")),
            ("io_size_bytes", marked("the default recordsize; clients ask for up to 1 MiB at a time")),
            ("sync_write_percent", marked("Samba writes asynchronously unless “sync always” is set; Time "
"Machine does flush")),
            ("sharing", marked("that is what this preset is for")),
        ),
    ),
    Preset(
        key="iscsi",
        title="iSCSI",
        summary=marked("Volumes for other machines"),
        workload=Workload(
            goal=Goal.CONCURRENT, read_percent=60, sequential_percent=10, io_size_bytes=16 * KIB,
            sync_write_percent=50, sharing=Sharing.ISCSI, volumes=True,
        ),
        reasons=(
            ("read_percent", marked("the initiator's own cache takes many of the reads")),
            ("sequential_percent", marked("several initiators together arrive as random I/O")),
            ("io_size_bytes", marked("the default volblocksize of a zvol since OpenZFS 2.2")),
            ("sync_write_percent", marked("initiators flush their file systems' journals")),
            ("sharing", marked("that is what this preset is for")),
            ("volumes", marked("iSCSI exports block devices")),
        ),
    ),
    Preset(
        key="proxmox-backup",
        title=marked("Proxmox Backup Server"),
        summary=marked("Chunks of 4 MiB, found by their hash"),
        workload=Workload(
            goal=Goal.SAFETY, read_percent=40, sequential_percent=70, io_size_bytes=4 * MIB, sync_write_percent=0,
            typical_file_bytes=4 * MIB, compressible=False,
        ),
        reasons=(
            ("read_percent", marked("written every night; verification reads all chunks again")),
            ("sequential_percent", marked("a chunk is read from start to end, the next one lies elsewhere")),
            ("io_size_bytes", marked("chunks of disk images are cut at 4 MiB")),
            ("sync_write_percent", marked("chunks are written first and made safe together")),
            ("typical_file_bytes", marked("each chunk is a file, of 4 MiB before compression")),
            ("compressible", marked("chunks are compressed already")),
        ),
    ),
    Preset(
        key="surveillance",
        title=marked("Surveillance"),
        summary=marked("Cameras write day and night"),
        workload=Workload(
            goal=Goal.SAFETY, read_percent=10, sequential_percent=90, io_size_bytes=MIB, sync_write_percent=0,
            typical_file_bytes=GIB, compressible=False,
        ),
        reasons=(
            ("read_percent", marked("recordings are looked at only where something happened")),
            ("sequential_percent", marked("each camera writes one stream")),
            ("io_size_bytes", marked("recorders write large pieces")),
            ("sync_write_percent", marked("a second of film may be lost")),
            ("typical_file_bytes", marked("a recording of some minutes to an hour")),
            ("compressible", marked("film is compressed already")),
        ),
    ),
    Preset(
        key="video-editing",
        title=marked("Video editing"),
        summary=marked("Large files, cut over the network"),
        workload=Workload(
            goal=Goal.SAFETY, read_percent=70, sequential_percent=80, io_size_bytes=MIB, sync_write_percent=0,
            typical_file_bytes=4 * GIB, compressible=False,
        ),
        reasons=(
            ("read_percent", marked("material is played far more often than it is written")),
            ("sequential_percent", marked("tracks play from start to end, and scrubbing jumps between them")),
            ("io_size_bytes", marked("editors read ahead in large pieces")),
            ("sync_write_percent", marked("what was rendered can be rendered again")),
            ("typical_file_bytes", marked("clips and raw material")),
            ("compressible", marked("film is compressed already")),
        ),
    ),
)  # fmt: skip


def preset(key: str | None) -> Preset | None:
    """Return the preset of this key; None for None and for a key nobody knows (a design from a newer program)."""
    return next((known for known in PRESETS if known.key == key), None)


def presets_of(workload: Workload) -> tuple[Preset, ...]:
    """Return the known presets of a workload, the one that demands most first."""
    return tuple(found for found in map(preset, workload.uses) if found is not None)


def filled_by(workload: Workload, detail: str) -> Preset | None:
    """Return the preset whose value ``detail`` still has; None where a person said it, or nobody."""
    value, chosen = getattr(workload, detail), presets_of(workload)
    if value != getattr(_demands(chosen), detail):
        return None
    return next((p for p in chosen if detail in p.filled and getattr(p.workload, detail) == value), None)


def apply_preset(workload: Workload, *chosen: Preset | None) -> Workload:
    """Return the workload with what the chosen presets demand; without any the present ones' details are taken back.

    What the former presets filled and nobody changed becomes unknown again; what a person typed and the new ones do
    not fill stays. The goal stays: it is the person's to choose.
    """
    empty = Workload(goal=workload.goal)
    kept = {d: getattr(empty if filled_by(workload, d) else workload, d) for d in DETAILS}
    ordered = sorted({p.key: p for p in chosen if p is not None}.values(), key=_hardest_first)
    demanded = _demands(ordered)
    kept |= {d: getattr(demanded, d) for p in ordered for d in p.filled}
    keys = [p.key for p in ordered]
    return replace(empty, preset=keys[0] if keys else None, presets_beside=tuple(keys[1:]), **kept)


def usual_goal(workload: Workload) -> Goal | None:
    """Return the goal that data of these presets usually have: many clients before safety before speed."""
    goals = {chosen.workload.goal for chosen in presets_of(workload)}
    return next((goal for goal in (Goal.CONCURRENT, Goal.SAFETY, Goal.SPEED, Goal.SPACE) if goal in goals), None)


def goal_of_data(workload: Workload) -> Goal:
    """Return the goal of a workload for which nobody named one.

    Images of machines, databases and volumes are random I/O of many, and so is what many clients do. Speed and space
    give up redundancy, and that is a person's to say: data that can be made again are kept safe until somebody does.
    """
    crowd = (workload.clients or 0) >= MANY_CLIENTS and (workload.sequential_percent or 0) <= _IN_TURN
    if crowd or workload.volumes or workload.sharing is Sharing.ISCSI or _AT_RANDOM.keys() & set(workload.uses):
        return Goal.CONCURRENT
    return Goal.SAFETY


def random_and_rest(workload: Workload) -> tuple[tuple[Preset, ...], tuple[Preset, ...]]:
    """Return the presets of data that are used at random by their nature, and the others where some of them are bulk.

    Neither without the other: shares of NFS alone may be how the first are reached.
    """
    chosen = presets_of(workload)
    at_random = tuple(one for one in chosen if one.key in _AT_RANDOM)
    rest = tuple(one for one in chosen if one.key not in _AT_RANDOM)
    bulk = any(one.key != "nfs" for one in rest)
    return (at_random, rest) if at_random and bulk else ((), ())


def with_goal_of_data(workload: Workload) -> Workload:
    return replace(workload, goal=goal_of_data(workload))


def goal_words(workload: Workload, *, told: bool) -> str:
    """Return where the goal comes from and which other there is; empty where nothing speaks for another one.

    What a person says holds, but of data that ask for something else it is told.
    """
    usual = usual_goal(workload)
    if usual is None and goal_of_data(workload) is not Goal.SAFETY:
        usual = Goal.CONCURRENT
    if usual is None:
        return ""
    data = listed([tell("“{title}”", title=tell(chosen.title)) for chosen in presets_of(workload)])
    if told:
        if usual is workload.goal:
            return ""
        what = data or tell("many clients, or volumes")
        words = {"goal": tell(workload.goal.value), "usual": tell(usual.value), "what": what}
        if usual is Goal.CONCURRENT:
            return tell(
                "Goal {goal}, as you said, for {what}: such data ask for many random I/Os at once, which the goal "
                "{usual} (mirrors) gives.",
                **words,
            )
        return tell("Goal {goal}, as you said; data such as {what} usually ask for the goal {usual}.", **words)
    if workload.goal is Goal.CONCURRENT:
        return tell(
            "Goal concurrent: {what} are random I/O of many at once. The goal safety puts space and a second failure "
            "first, with fewer random reads.",
            what=_random_data(workload),
        )
    if usual is not workload.goal:
        return tell(
            "Goal {goal}, because none was named; data such as {what} can ask for the goal {usual} as well.",
            goal=tell(workload.goal.value),
            what=data,
            usual=tell(usual.value),
        )
    return ""


def _random_data(workload: Workload) -> str:
    """Return which of the data make it random I/O, as words in the plural; what lies beside them is none."""
    known = [tell(_AT_RANDOM[key]) for key in workload.uses if key in _AT_RANDOM]
    if not known:
        block = workload.volumes or workload.sharing is Sharing.ISCSI
        known = [tell("volumes") if block else tell("the files of many clients")]
    return listed(known)


def of_answer(workload: Workload, chosen: Preset) -> Workload:
    """Return the workload of the data of one of the presets that ``workload`` follows.

    Of a detail over which another preset prevails it has its own value. What a person said instead of the value that
    prevails is meant for the data it came from, and what no preset fills for all.
    """
    demanded = _demands(presets_of(workload))
    own = {
        d: getattr(workload if getattr(chosen.workload, d) == getattr(demanded, d) else chosen.workload, d)
        for d in DETAILS
    }
    return Workload(goal=workload.goal, preset=chosen.key, **own)


def _demands(chosen: Sequence[Preset]) -> Workload:
    """Return the hardest demand of each detail over presets of which the first is the hardest.

    Random, small and synchronous I/O are what a layout can fail at, so the least of the shares and sizes and the most
    of the commits count. Neither reads nor writes are harder in themselves: their share is that of the hardest.
    """
    if len(chosen) == 1:
        return chosen[0].workload
    of = [p.workload for p in chosen]
    compressible = {w.compressible for w in of}
    return Workload(
        goal=of[0].goal if of else Goal.SAFETY,
        read_percent=of[0].read_percent if of else None,
        sequential_percent=_least(w.sequential_percent for w in of),
        io_size_bytes=_least(w.io_size_bytes for w in of),
        sync_write_percent=max((w.sync_write_percent for w in of if w.sync_write_percent is not None), default=None),
        typical_file_bytes=_least(w.typical_file_bytes for w in of),
        compressible=False if False in compressible else None if None in compressible else True if of else None,
        sharing=next((s for s in _WAITS_MOST if any(w.sharing is s for w in of)), None),
        volumes=any(w.volumes for w in of),
    )


def _least(values: Iterable[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _hardest_first(chosen: Preset) -> tuple[int, int, int, int]:
    asked = chosen.workload
    return (
        100 if asked.sequential_percent is None else asked.sequential_percent,
        asked.io_size_bytes or MIB,
        -(asked.sync_write_percent or 0),
        PRESETS.index(chosen),
    )


# What is read and written at random by its nature; shares of files are so only with many clients.
_AT_RANDOM = {
    "vm-images": marked("images of virtual machines"),
    "database": marked("databases"),
    "iscsi": marked("volumes for other machines"),
}
# A family or a small office is none, and a crowd is one that keeps all disks busy.
MANY_CLIENTS = 20
_IN_TURN = 50  # per cent of the I/O from start to end, up to which heads are what many clients wait for
# Clients of NFS wait for each file, initiators for their journals, those of SMB seldom.
_WAITS_MOST = (Sharing.NFS, Sharing.ISCSI, Sharing.SMB, Sharing.LOCAL)
