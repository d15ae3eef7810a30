"""Each step of a migration as lines: checks, questions and commands."""

from collections.abc import Callable, Iterator

from poolwright.changes.migration.values import MigrationPlan, MigrationStep, Move
from poolwright.domain.action import (
    AddVdevs,
    Attach,
    CreatePool,
    DeviceVerb,
    Group,
    MemberDevice,
    OnDevices,
    Replace,
    set_on_pool,
)
from poolwright.domain.design import Setting
from poolwright.domain.pool_settings import is_set_afterwards
from poolwright.domain.vdev import CLASS_ORDER, VdevKind
from poolwright.emit.migration.lines import (
    FIRST,
    ROOT_OF_MOUNTS,
    SECOND,
    MoveLine,
    MoveLineKind,
    Names,
    ask,
    command,
    done,
    group,
    guard,
    ready,
)
from poolwright.emit.names import BY_ID
from poolwright.texts import tell

_Maker = Callable[[Names, MigrationStep], Iterator[MoveLine]]


def lines_of(plan: MigrationPlan, *, preview: bool = False) -> tuple[tuple[MoveLine, ...], ...]:
    """Return the lines of each step, in order.

    With ``preview`` disks that are not there yet stand as ``<disk>``; without, raises Refusal where a disk has no name
    that can be written into a script, UserError for names that cannot be written at all.
    """
    names = Names(plan=plan, preview=preview)
    # A move makes names of its own, which are looked at; a pool that stays has to be the very one at each step.
    very = (guard("pool", plan.old.name, plan.old.guid),) if plan.in_place and plan.old.guid else ()
    return tuple((*very, *_STEPS[step.move](names, step)) for step in plan.steps)


def _look(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    plan = names.plan
    if not plan.in_place:
        yield guard("names", plan.old.name, f"{plan.new_name}{_below(names)}", plan.parked_name)
    yield from _scrubbed(names, names.old(step), names.old_missing(step))


def _remove(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    devices = tuple(map(names.seat, step.disk_keys))
    yield from done(OnDevices(pool=names.old(step), verb=DeviceVerb.REMOVE, devices=devices))


def _evacuate(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool = names.old(step)
    vdev = next(v for v in names.plan.old.vdevs if set(v.keys) == set(step.disk_keys))
    yield guard("healthy", pool, str(names.old_missing(step)))
    yield ask(tell("remove {what}", what=vdev.name))
    yield from done(OnDevices(pool=pool, verb=DeviceVerb.REMOVE, devices=(vdev.name,)))
    yield names.wait(pool, "remove")


def _detach(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    yield from _leaving(names, step)
    device = names.seat(step.disk_keys[0])
    yield from done(OnDevices(pool=names.old(step), verb=DeviceVerb.DETACH, devices=(device,)))


def _offline(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool, key = names.old(step), step.disk_keys[0]
    leaf = names.leaf(key)
    yield from _leaving(names, step)
    yield command("zpool", "offline", pool, leaf)
    # Its label names a pool that is in use: without this no other pool takes the disk.
    yield command("zpool", "labelclear", "-f", leaf)


def _leaving(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    """Yield what holds for every disk that leaves a redundant vdev."""
    pool, key = names.old(step), step.disk_keys[0]
    yield guard("healthy", pool, str(names.old_missing(step)))
    yield guard("member", pool, names.device(key), names.leaf(key))
    if step.copies > 1:
        yield guard("same", pool, names.new(step), SECOND, _below(names))
    yield ask(tell("take {what}", what=names.device(key).removeprefix(BY_ID)))


def _create(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    plan, pool = names.plan, names.new(step)
    yield guard("absent", pool)
    yield from ready(names, step.disk_keys)
    yield ask(tell("create {what}", what=pool))
    if step.placeholders:
        yield command("mkdir", "-m", "700", names.folder())
    for each in step.placeholders:
        yield command("truncate", "-s", str(each.size_bytes), names.placeholder(each.place))
    settings = [s for s in plan.target.pool_settings if s.name != "ashift" and not is_set_afterwards(s.name)]
    # Mounted out of the way, and unknown to the machine after a restart, until it takes the place of the old one.
    aside = {"cachefile": "none", "altroot": f"{ROOT_OF_MOUNTS}/{pool}"}
    settings += [Setting(name=name, value=value) for name, value in aside.items()]
    # -f: files beside disks, a table on a disk of the old pool; the checks above are stricter than what it passes.
    groups = _groups(names, step, files=True)
    own, ashift = tuple(settings), plan.target.ashift
    yield from done(CreatePool(pool=pool, ashift=ashift, groups=groups, pool_settings=own, force="files"))
    for each in step.placeholders:
        yield command("zpool", "offline", pool, names.placeholder(each.place))
    for each in step.placeholders:
        yield command("rm", names.placeholder(each.place))
    yield guard("healthy", pool, str(names.missing(step)))


def _groups(names: Names, step: MigrationStep, *, files: bool) -> tuple[Group, ...]:
    """Return the vdevs that a step makes, as `zpool create` takes them."""
    vdevs = names.plan.target.vdevs
    ordered = sorted(step.vdevs, key=lambda number: vdevs[number].rank)
    made = [group(names, number, step.places, files=files and _stands_in(names, number)) for number in ordered]
    # A bare disk, also the only side of a mirror, would join the group that stands before it.
    return tuple(sorted(made, key=lambda one: (CLASS_ORDER.index(one.vdev_class), one.word is not None)))


def _stands_in(names: Names, number: int) -> bool:
    return names.plan.target.vdevs[number].kind in (VdevKind.RAIDZ, VdevKind.DRAID)


def _send_options(names: Names) -> tuple[str, ...]:
    """Return how blocks are sent as they lie; encrypted ones only raw, without their keys."""
    return ("-R", "-w") if names.plan.old.encrypted is not False else ("-R", "-L", "-e", "-c")


def _below(names: Names) -> str:
    """Return what stands behind the new pool's name in the names of its datasets: they lie below an encrypted root."""
    return f"/{names.plan.old.name}" if names.plan.old.root_encrypted else ""


def _receive(names: Names, step: MigrationStep) -> tuple[str, ...]:
    force = () if names.plan.old.root_encrypted and step.move is Move.COPY else ("-F",)
    return ("zfs", "receive", *force, "-u", f"{names.new(step)}{_below(names)}")


def _copy(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    old, new = names.old(step), names.new(step)
    snapshot = f"{old}@{FIRST}"
    yield guard("empty_pool", new)
    yield command("zfs", "snapshot", "-r", snapshot)
    yield command("zfs", "send", *_send_options(names), "-n", "-v", snapshot)
    yield MoveLine(
        kind=MoveLineKind.PIPE, words=("zfs", "send", *_send_options(names), snapshot), into=_receive(names, step)
    )


def _verify(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    yield from _scrubbed(names, names.new(step), names.missing(step))


def _scrubbed(names: Names, pool: str, missing: int) -> Iterator[MoveLine]:
    """Yield a scrub, after which so many members are missing and nothing is damaged."""
    yield command("zpool", "scrub", pool)
    yield names.wait(pool, "scrub")
    yield guard("healthy", pool, str(missing))


def _stop(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    del step
    pool, parked = names.plan.old.name, names.plan.parked_name
    yield guard("absent", parked)
    yield ask(tell("nothing uses {what}", what=pool))
    yield command("zpool", "export", pool)
    yield command("zpool", "import", "-N", "-R", f"{ROOT_OF_MOUNTS}/{parked}", "-d", BY_ID.rstrip("/"), pool, parked)


def _copy_rest(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    old = names.old(step)
    yield command("zfs", "snapshot", "-r", f"{old}@{SECOND}")
    words = ("zfs", "send", *_send_options(names), "-I", f"@{FIRST}", f"{old}@{SECOND}")
    yield MoveLine(kind=MoveLineKind.PIPE, words=words, into=_receive(names, step))
    yield guard("same", old, names.new(step), SECOND, _below(names))


def _destroy(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    old, new = names.old(step), names.new(step)
    if step is names.plan.steps[-1]:
        yield guard("healthy", new, "0")
    else:
        yield guard("same", old, new, SECOND, _below(names))
        yield guard("healthy", new, str(names.missing(step)))
    yield ask(tell("destroy {what}", what=old))
    yield command("zpool", "destroy", old)


def _rename(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    del step
    old, new = names.plan.old.name, names.plan.new_name
    yield guard("absent", old)
    yield command("zpool", "export", new)
    yield command("zpool", "import", "-d", BY_ID.rstrip("/"), new, old)
    if names.plan.old.encrypted:
        yield command("zfs", "load-key", "-r", old)
        yield command("zfs", "mount", "-a")


def _fill(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool, stood, filled = names.new(step), names.stood_for(), names.filled_before(step)
    yield from ready(names, step.disk_keys)
    yield ask(tell("add to {what}", what=pool))
    for key, place in zip(step.disk_keys, step.places, strict=True):
        if place in stood:
            yield from done(Replace(pool=pool, old=names.file(place), new=names.fresh(key), force=True))
        else:
            yield from done(Attach(pool=pool, to=names.side(place, filled), device=names.fresh(key), force=True))
    if len(step.disk_keys) > 1:
        # The first one has begun a resilver: this begins it anew for all of them together.
        yield command("zpool", "resilver", pool)
    yield names.wait(pool, "resilver")
    yield guard("healthy", pool, str(names.missing(step)))


def _add(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool = names.old(step) if names.plan.in_place else names.new(step)
    yield from ready(names, step.disk_keys)
    yield ask(tell("add to {what}", what=pool))
    groups = _groups(names, step, files=False)
    yield from done(AddVdevs(pool=pool, groups=groups, ashift=names.plan.target.ashift, force=True, rehearse=False))


def _attach(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool, number = names.old(step), step.vdevs[0]
    own = next(v for v in names.plan.old.vdevs if set(v.keys) <= set(_keys(names, number)))
    yield from ready(names, step.disk_keys)
    yield ask(tell("add to {what}", what=pool))
    for key in step.disk_keys:
        yield from done(Attach(pool=pool, to=names.seat(own.keys[0]), device=names.fresh(key)))
    yield names.wait(pool, "resilver")
    yield guard("healthy", pool, str(names.old_missing(step)))


def _replace(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool = names.old(step)
    old, new = step.disk_keys
    yield guard("healthy", pool, str(names.old_missing(step)))
    yield guard("member", pool, names.device(old), names.leaf(old))
    yield from ready(names, (new,))
    yield ask(tell("replace {what}", what=names.device(old).removeprefix(BY_ID)))
    if step is next(each for each in names.plan.steps if each.move is Move.REPLACE):
        yield from done(set_on_pool(pool, "autoexpand", "on"))
    yield from done(Replace(pool=pool, old=names.seat(old), new=names.fresh(new)))
    yield names.wait(pool, "replace")
    yield guard("healthy", pool, str(names.old_missing(step)))


def _expand(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool, number = names.old(step), step.vdevs[0]
    own = next(v for v in names.plan.old.vdevs if set(v.keys) <= set(_keys(names, number)))
    yield from ready(names, step.disk_keys)
    yield ask(tell("widen {what}", what=own.name))
    beside, device = MemberDevice(disk=own.keys[0]), names.fresh(step.disk_keys[0])
    yield from done(Attach(pool=pool, to=beside, device=device, widens=own.name))
    yield names.wait(pool, "raidz_expand")


def _keys(names: Names, number: int) -> tuple[str, ...]:
    return tuple(member.disk_key for member in names.plan.target.vdevs[number].members)


def _finish(names: Names, step: MigrationStep) -> Iterator[MoveLine]:
    pool = names.old(step) if names.plan.in_place else names.new(step)
    yield command("zpool", "scrub", pool)
    yield names.wait(pool, "scrub")
    yield guard("healthy", pool, "0")
    if names.plan.in_place:
        return
    for snapshot in (FIRST, SECOND):
        yield command("zfs", "destroy", "-r", f"{pool}{_below(names)}@{snapshot}")
    if names.stood_for():
        yield command("rmdir", names.folder())


_STEPS: dict[Move, _Maker] = {
    Move.LOOK: _look,
    Move.REMOVE: _remove,
    Move.EVACUATE: _evacuate,
    Move.DETACH: _detach,
    Move.OFFLINE: _offline,
    Move.CREATE: _create,
    Move.COPY: _copy,
    Move.VERIFY: _verify,
    Move.STOP: _stop,
    Move.COPY_REST: _copy_rest,
    Move.DESTROY: _destroy,
    Move.RENAME: _rename,
    Move.FILL: _fill,
    Move.ADD: _add,
    Move.ATTACH: _attach,
    Move.REPLACE: _replace,
    Move.EXPAND: _expand,
    Move.FINISH: _finish,
}
