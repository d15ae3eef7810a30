"""A run as one file: an archive (.zip) with its description, its job files and every raw output, read back whole.

What tools printed is kept as it was and read again, so that a better reader makes a better run of an old file. The
archive may come from anybody: names, sizes and the description are checked before anything is taken.
"""

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from poolwright import paths
from poolwright.bench.judging.verdicts import JUDGEMENTS, RunVerdict
from poolwright.bench.profiles.access import jobs_of
from poolwright.bench.record import Repeat, RunRecord, TestRun
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.shown import whole_text
from poolwright.store.codec import read_document, write_document
from poolwright.store.database import Database
from poolwright.store.library import Runs, StoredRun
from poolwright.store.read_results import read_repeat
from poolwright.store.tool_files import unpacked_bytes_of
from poolwright.texts import _

RUN_SCHEMA = 1
_KIND = "poolwright-run"
DESCRIPTION = "run.json"
_MOST_FILES = 20_000
_MOST_BYTES = 2 << 30  # unpacked, of all files together
_MOST_DESCRIPTION = 64 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
# Moments at which an archive was packed would make two of one run differ.
_WHEN = (1980, 1, 1, 0, 0, 0)


def run_archive(record: RunRecord) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        # Raw outputs are files of the archive.
        bare = (replace(run, repeats=tuple(replace(each, files=()) for each in run.repeats)) for run in record.tests)
        described = write_document(_KIND, RUN_SCHEMA, "run", replace(record, tests=tuple(bare)))
        _put(archive, DESCRIPTION, whole_text(described).encode())
        for number, run in enumerate(record.tests, start=1):
            _put(archive, f"{number}/job.fio", whole_text(run.job_file).encode())
            for repeat in run.repeats:
                for name, data in repeat.files:
                    _put(archive, f"{number}/{repeat.number}/{name}", data)
    return packed.getvalue()


def read_run(data: bytes, *, where: str) -> RunRecord:
    """Return the run in an archive. Raises UserError where it is none, is damaged, or holds what none of ours does."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check(archive, where)
            described = archive.read(DESCRIPTION).decode()
            raw = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, RuntimeError) as error:
        raise UserError(
            _("This is no run that Poolwright kept"), where=where, todo=_("Name a file of bench -o.")
        ) from error
    record = read_document(described, kind=_KIND, schema=RUN_SCHEMA, name="run", cls=RunRecord, where=where)
    # What tools printed tells what it tells when it is read now.
    tests = (
        replace(run, repeats=tuple(_repeat(run, each, f"{number}/{each.number}/", raw) for each in run.repeats))
        for number, run in enumerate(record.tests, start=1)
    )
    return replace(record, tests=tuple(tests))


def open_run(path: Path) -> RunRecord:
    """Return the run in a file. Raises UserError where it is none or cannot be read."""
    return read_run(unpacked_bytes_of(path)[0], where=path.name)


def raw_bytes(record: RunRecord) -> int:
    return sum(len(data) for run in record.tests for repeat in run.repeats for __, data in repeat.files)


def _check(archive: zipfile.ZipFile, where: str) -> None:
    """Refuse an archive that would unpack to more than a run, or under names that none of ours has."""
    entries = archive.infolist()
    total = sum(entry.file_size for entry in entries)
    names = [part for entry in entries for part in entry.filename.split("/")]
    description = next((entry.file_size for entry in entries if entry.filename == DESCRIPTION), 0)
    if len(entries) > _MOST_FILES or total > _MOST_BYTES or description > _MOST_DESCRIPTION:
        raise UserError(_("The file is larger than {most} MiB", most=_MOST_BYTES >> 20), where=where)
    if not all(_NAME.match(name) for name in names) or len({entry.filename for entry in entries}) < len(entries):
        raise UserError(_("The archive holds names that no run has"), where=where)


def _repeat(run: TestRun, repeat: Repeat, folder: str, raw: dict[str, bytes]) -> Repeat:
    files = tuple((name.removeprefix(folder), data) for name, data in raw.items() if name.startswith(folder))
    application, seen = read_repeat(files, f"{run.test.name}-{repeat.number}", jobs_of(run.test))  # for machines
    fresh = {each.where: each for each in seen}
    watched = tuple(fresh.get(each.where, each) for each in repeat.watched)
    return replace(repeat, files=files, application=application or repeat.application, watched=watched)


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _WHEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


# Measured runs in the user's library, for window and command line.


def stored_run(record: RunRecord, verdict: RunVerdict, design: Design | None) -> StoredRun:
    return StoredRun(
        key=str(uuid4()),
        name=record.name,
        made=record.started,
        host=record.place.host,
        profile=record.profile.name,
        judgement=_(JUDGEMENTS[verdict.judgement]),
        seconds=record.seconds,
        pool=record.place.pool,
        design_name=None if design is None else design.name,
        design_key=None if design is None else design.key,
    )


def keep_stored(run: StoredRun, record: RunRecord, path: Path) -> StoredRun:
    """Keep a run of which lists tell ``run``, in the place of one of the same key.

    Raises as `Database.open` and `Runs.keep`.
    """
    with Database.open(path) as database:
        return Runs(database).keep(run, run_archive(record))


def kept_runs(words: str) -> tuple[StoredRun, ...]:
    """Return the runs of the library that hold all these words, the latest first; raises as `Database.open`."""
    file = paths.library_file()
    if not file.is_file():
        return ()
    with Database.open(file) as database:
        return tuple(run for run in Runs(database).entries() if run.has_words(words))


def kept_run(key: str, path: Path | None = None) -> RunRecord | None:
    """Return the run of the library with this key, or whose key alone begins so; None where there is none.

    Raises as `Database.open` and `Runs.archive`.
    """
    file = path or paths.library_file()
    if not key or not file.is_file():
        return None
    with Database.open(file) as database:
        runs = Runs(database)
        found = [run.key for run in runs.entries() if run.key.startswith(key)]
        return read_run(runs.archive(found[0]), where=key) if len(found) == 1 else None


def compared_run(key: str, path: Path) -> RunRecord | None:
    """Return a run as `kept_run` does, without what only its own pages show: many of them are held at once."""
    run = kept_run(key, path)
    if run is None:
        return None
    tests = tuple(
        replace(test, repeats=tuple(replace(repeat, files=(), watched=()) for repeat in test.repeats))
        for test in run.tests
    )
    return replace(run, tests=tests, idle=())
