"""Measured runs in the user's library, for window and command line."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from poolwright import paths
from poolwright.bench.judging.verdict_words import JUDGEMENTS
from poolwright.bench.judging.verdicts import RunVerdict
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import read_run, run_archive
from poolwright.domain.design import Design
from poolwright.store.database import Database
from poolwright.store.runs import Runs, StoredRun
from poolwright.texts import tell


def stored_run(record: RunRecord, verdict: RunVerdict, design: Design | None) -> StoredRun:
    """Return what lists tell of a run, under a key of its own."""
    return StoredRun(
        key=str(uuid4()),
        name=record.name,
        made=record.started,
        host=record.place.host,
        profile=record.profile.name,
        judgement=tell(JUDGEMENTS[verdict.judgement]),
        seconds=record.seconds,
        pool=record.place.pool,
        design_name=None if design is None else design.name,
        design_key=None if design is None else design.key,
    )


def keep_stored(run: StoredRun, record: RunRecord, path: Path) -> StoredRun:
    """Keep a run of which lists tell ``run``, in the place of one of the same key.

    Raises as `Database.open` and `Runs.keep`.
    """
    database = Database.open(path)
    try:
        return Runs(database).keep(run, run_archive(record))
    finally:
        database.close()


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
    database = Database.open(file)
    try:
        runs = Runs(database)
        found = [run.key for run in runs.entries() if run.key.startswith(key)]
        return read_run(runs.archive(found[0]), where=key) if len(found) == 1 else None
    finally:
        database.close()


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
