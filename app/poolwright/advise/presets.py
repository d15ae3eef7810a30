"""Workloads people name in a word, as values: what each detail is taken to be and why.

The figures are starting points, not measurements; each says its reason, and everything can be changed afterwards.
A detail of which nothing can be said in general stays unknown.
"""

from dataclasses import dataclass, fields, replace

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.domain.workload import Goal, Sharing, Workload
from poolwright.texts import marked, tell

# What a preset may fill: every detail of a workload, not its goal.
DETAILS = tuple(field.name for field in fields(Workload) if field.name not in {"goal", "preset"})


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
        """Return the names of the details it fills."""
        return tuple(name for name, _ in self.reasons)

    def reason(self, detail: str) -> str | None:
        """Return why it fills this detail as it does; None when it leaves it open."""
        return next((tell(why) for name, why in self.reasons if name == detail), None)

    def origin(self, detail: str) -> Origin | None:
        """Return the origin of a detail it fills."""
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
)  # fmt: skip


def preset(key: str | None) -> Preset | None:
    """Return the preset of this key; None for None and for a key nobody knows (a design from a newer program)."""
    return next((known for known in PRESETS if known.key == key), None)


def from_preset(workload: Workload, detail: str) -> bool:
    """Tell whether ``detail`` still has the value that the workload's preset filled in."""
    chosen = preset(workload.preset)
    return (
        chosen is not None and detail in chosen.filled and getattr(workload, detail) == getattr(chosen.workload, detail)
    )


def apply_preset(workload: Workload, chosen: Preset | None) -> Workload:
    """Return the workload with the details of a preset; None takes the present preset's details back.

    What the former preset filled and nobody changed becomes unknown again; what a person typed and the new preset
    does not fill stays. The goal stays: it is the person's to choose.
    """
    empty = Workload(goal=workload.goal)
    kept = {d: getattr(empty if from_preset(workload, d) else workload, d) for d in DETAILS}
    if chosen is not None:
        kept |= {d: getattr(chosen.workload, d) for d in chosen.filled}
    return replace(empty, preset=chosen.key if chosen is not None else None, **kept)
