"""The steps that are others where the old data are files of another file system: rsync copies and compares."""

from collections.abc import Callable, Iterator

from poolwright.changes.migration.values import MigrationStep, Move
from poolwright.emit.migration.lines import MoveLine, Names, ask, command, guard
from poolwright.emit.names import BY_ID
from poolwright.texts import tell

# Everything a file has: hard links, ACLs, extended attributes, holes, numeric owners.
_RSYNC = ("rsync", "-aHAXS", "--numeric-ids")


def _from(names: Names) -> str:
    return f"{(names.plan.old.filesystem or '').rstrip('/')}/"


def _to(names: Names) -> str:
    root = next((d for d in names.plan.target.datasets if d.name == ""), None)
    told = next((s.value for s in root.settings if s.name == "mountpoint"), None) if root is not None else None
    return f"{told or '/' + names.plan.new_name}/"


def _look(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    del step
    yield guard("mounted", _from(names))


def _copy(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    del step
    yield guard("mounted", _from(names))
    yield guard("mounted", _to(names))
    yield command(*_RSYNC, _from(names), _to(names))


def _stop(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    del step
    yield ask(tell("nothing uses {what}", what=_from(names)))
    yield command("mount", "-o", "remount,ro", _from(names))


def _copy_rest(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    del step
    yield guard("mounted", _from(names))
    yield guard("mounted", _to(names))
    yield command(*_RSYNC, "--delete", _from(names), _to(names))


def _verify(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    yield guard("identical", _from(names), _to(names))
    yield command("zpool", "scrub", names.new(step))
    yield names.wait(names.new(step), "scrub")
    yield guard("healthy", names.new(step), str(names.missing(step)))


def _destroy(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    if step is not names.plan.steps[-1]:
        yield guard("identical", _from(names), _to(names))
    yield ask(tell("give up {what}", what=names.device(names.plan.old.vdevs[0].keys[0]).removeprefix(BY_ID)))
    yield command("umount", _from(names))


def _rename(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    yield command("zfs", "list", "-r", names.new(step))


def _finish(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool = names.new(step)
    yield command("zpool", "scrub", pool)
    yield names.wait(pool, "scrub")
    yield guard("healthy", pool, "0")
    if names.stood_for():
        yield command("rmdir", names.folder())


FILE_STEPS: dict[Move, Callable[[Names, MigrationStep], Iterator[MoveLine]]] = {
    Move.LOOK: _look,
    Move.COPY: _copy,
    Move.STOP: _stop,
    Move.COPY_REST: _copy_rest,
    Move.VERIFY: _verify,
    Move.DESTROY: _destroy,
    Move.RENAME: _rename,
    Move.FINISH: _finish,
}
