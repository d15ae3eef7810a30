"""A move as people read it, step by step with checks and commands, and as the script that takes one step at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from poolwright.changes.growth.design import exchange_words
from poolwright.changes.migration.by_copy import MigrationState
from poolwright.changes.migration.values import (
    MigrationAnswer,
    MigrationPlan,
    MigrationStep,
    Move,
    NewPlace,
    step_title,
    survival_words,
)
from poolwright.domain import action
from poolwright.domain.design import Member, Setting, Vdev
from poolwright.domain.disk import Disk, kernel_name
from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import OriginKind
from poolwright.domain.pool_settings import is_set_afterwards
from poolwright.domain.shown import shown_text
from poolwright.domain.units import TIB, binary, decimal
from poolwright.domain.vdev import CLASS_ORDER, VdevKind, add_wants_force, describe
from poolwright.emit import report
from poolwright.emit.commands import lines_in_words
from poolwright.emit.names import BY_ID, Stamp, StandIns, comment, device_path, device_problem, head_lines
from poolwright.emit.script import PlanStep, plan_script
from poolwright.predict.number_words import UNKNOWN, band_text, hours_text
from poolwright.texts import _, before_colon, ngettext, sentence


def migration_parts(migration: MigrationAnswer) -> report.Blocks:
    """Yield the answer; disks whose names cannot be written are ``<disk>``, other such names raise UserError."""
    plan = migration.plan
    figures = {"steps": len(plan.steps), "survives": plan.least}
    yield report.Answer(text=sentence(headline(plan)), figures=figures)
    yield " ".join(_safety_lines(plan))
    yield _steps_table(plan)
    yield from report.warnings(*plan.warnings)
    yield report.Behind(report.WHY, report.bullets(*_space_lines(plan), *kept_words(plan)))
    yield report.Behind(report.ALL, _steps_blocks(plan))
    for other in migration.others:
        title = report.ReportHeading(text=_("Another way: {headline}", headline=headline(other)), level=3)
        yield report.Behind(report.ALL, (title, *report.bullets(*_safety_lines(other), *_space_lines(other))))


def _steps_blocks(plan: MigrationPlan) -> Iterator[report.Block]:
    for number, (step, own) in enumerate(zip(plan.steps, lines_of(plan, preview=True), strict=True), 1):
        tone = (
            report.TextTone.BLOCK
            if step in plan.unprotected
            else report.TextTone.WARN
            if step.final
            else report.TextTone.PLAIN
        )
        yield report.ReportHeading(text=f"{number}. {step_title(plan, step)}", level=3)
        yield report.Words(step_facts(step), tone)
        yield from report.bullets(*step_notes(plan, step))
        yield report.Code(text="\n".join(lines_in_words(own, plan.target.version)), shell=False)


def _steps_table(plan: MigrationPlan) -> report.ReportTable:
    rows = []
    for number, step in enumerate(plan.steps):
        notes = (
            _("downtime") if step.down else "",
            _("no way back from here") if number == plan.final_step else "",
            _("both copies are whole") if step.copies > 1 else "",
        )
        title = step_title(plan, step)
        title = title if step.move is Move.CREATE else before_colon(title)
        survives = str(step.survives) if step.survives else _("none")
        rows.append((str(number + 1), _step_time(step), survives, "; ".join(filter(None, (title, *notes)))))
    return report.table(("#", _("Time"), _("May fail"), _("Step")), rows, (0, 2))


def _step_time(step: MigrationStep) -> str:
    if step.hours is None:
        return _("unknown")
    if step.hours.origin.kind is OriginKind.ASSUMED and not step.bytes_moved:
        return _("immediate")
    return band_text(step.hours, hours_text)


def headline(plan: MigrationPlan) -> str:
    down = any(step.down for step in plan.steps)
    words = {
        "old": plan.old.name, "layout": describe(plan.target.layout()), "count": len(plan.steps),
        "hours": band_text(plan.hours, hours_text) if plan.hours is not None else _("time unknown"),
        "down": band_text(plan.down_hours, hours_text) if plan.down_hours else _(UNKNOWN),
    }  # fmt: skip
    if plan.in_place:  # a look at the beginning and the end: there is no plan of one step
        return _("{old} becomes {layout} in place: {count} steps, {hours}, no downtime", **words)
    if not down:
        return _("{old} moves to {layout}: {count} steps, {hours}, no downtime", **words)
    return _("{old} moves to {layout}: {count} steps, {hours}, downtime {down}", **words)


def _safety_lines(plan: MigrationPlan) -> list[str]:
    worst = min(plan.steps, key=lambda step: step.survives)
    words = {"number": plan.steps.index(worst) + 1, "survival": survival_words(worst)}
    count = sum(step.survives == worst.survives for step in plan.steps)
    found = [
        _("Throughout, {survival}.", **words) if worst.survives
        else ngettext(
            "In step {number} there is {survival}.",
            "In {count} steps, the first of them step {number}, there is {survival}.", count, **words,
        )
    ]  # fmt: skip
    if plan.final_step is not None:
        found.append(_("Step {number} and those after it cannot be undone.", number=plan.final_step + 1))
    return found


def _space_lines(plan: MigrationPlan) -> Iterator[str]:
    if plan.first_percent is not None:
        yield (
            _(
                "The data take {needed}; the new pool begins with {room} ({percent} % full) and ends with {final}.",
                needed=binary(plan.needed_bytes),
                room=binary(plan.first_bytes),
                percent=round(plan.first_percent),
                final=binary(plan.final_bytes),
            )
        )
    if plan.final_size_bytes is not None and plan.final_bytes is not None:
        sizes = {"size": binary(plan.final_size_bytes), "room": binary(plan.final_bytes)}
        yield (
            _(
                "A vdev grows with its last new disk. At the end `zpool list` shows SIZE {size}, `zfs list` USED and "
                "AVAIL of {room} ({decimal}) together.",
                decimal=decimal(plan.final_bytes),
                **sizes,
            )
        )
    derived = (step.hours.origin for step in plan.steps if step.hours and step.hours.origin.kind is OriginKind.COMPUTED)
    yield from (_("Times: {origin}.", origin=origin) for origin in dict.fromkeys(derived))
    if plan.old.used_origin is not None:
        yield _("How much is stored: {origin}.", origin=plan.old.used_origin)


def kept_words(plan: MigrationPlan) -> Iterator[str]:
    if plan.in_place:
        yield _("Pool, datasets, mount points and shares stay as they are; what is stored already is not rewritten.")
        if any(step.move is Move.EXPAND for step in plan.steps):
            yield _("What is stored keeps its old share of parity until it is written anew (`poolwright growth`).")
        return
    yield _(
        "Datasets, snapshots, clones, volumes, properties and mount points come along; holds, bookmarks and the "
        "guid do not. Blocks keep their size and compression."
    )
    yield _(
        "Until it is renamed the new pool is not imported by itself after a restart: `zpool import -N {new}`.",
        new=plan.new_name,
    )
    if any(step.files for step in plan.steps):
        yield _(
            "A disk that comes later is stood for by a sparse file that is taken offline and deleted at once "
            "(openzfs/zfs#16367)."
        )


def step_facts(step: MigrationStep) -> str:
    parts = [_("time unknown: {why}", why=step.why_no_hours) if step.hours is None else _step_time(step)]
    if step.bytes_moved:
        parts.append(f"{binary(step.bytes_moved)} ({decimal(step.bytes_moved)})")
    parts.append(survival_words(step))
    return "; ".join(parts)


def step_notes(plan: MigrationPlan, step: MigrationStep) -> Iterator[str]:
    if step.copies > 1:
        yield _("Old copy survives {old}, new copy {new}.", old=step.old, new=step.new)
    if step.move is Move.REPLACE:
        first = next(each for each in plan.steps if each.move is Move.REPLACE)
        yield exchange_words(step.survives, first=step is first)
    if step.move is Move.COPY:
        yield _(
            "If it breaks off: destroy all snapshots and datasets in {new} (not the pool), and {old}@migration-1 with "
            "-r; then take this step again.",
            new=plan.new_name,
            old=plan.old.name,
        )
    if step.move is Move.STOP:
        yield _("Shares, virtual machines and services stay stopped until the new pool has the old name.")


# The script of a migration: every step with its checks, its question and its commands, taken one at a time.


def migration_script(plan: MigrationPlan, stamp: Stamp) -> str:
    """Return the bash script (4.2 or newer) that takes one step of the plan at a time.

    Raises Refusal where a disk has no name that a script can use, UserError for names that cannot be written.
    """
    disks = [plan.disk(key) for key in dict.fromkeys(key for step in plan.steps for key in step.disk_keys)]
    _check_there(disks)
    steps = zip(plan.steps, lines_of(plan), strict=True)
    return plan_script(
        _head(plan, stamp),
        one_by_one=True,
        pool=plan.old.name,
        disks=disks,
        steps=(
            PlanStep(title=step_title(plan, step), reason=survival_words(step), lines=lines) for step, lines in steps
        ),
        version=plan.target.version,
    )


# Raise Refusal where a disk is planned: there is no design that it could be bound in, so that is not advised. The file
# that stands in for a disk may be no larger than it, so that none is only assumed to be so large.
def _check_there(disks: Sequence[Disk]) -> None:
    planned = [disk for disk in disks if disk.planned]
    if planned:
        what = ngettext(
            "{count} disk of this move is planned, so no script can name it",
            "{count} disks of this move are planned, so no script can name them",
            len(planned),
        )
        todo = _("Once all are in the machine, read it again and plan the move without disks to come.")
        raise Refusal(what, todo=todo)
    if any((origin := disk.origin_of("size_bytes")) and origin.kind is OriginKind.ASSUMED for disk in disks):
        raise Refusal(
            _("The sizes of the disks are not known"),
            todo=_("Read zpool list -v -p or lsblk too: the collector reads both."),
        )


def _head(plan: MigrationPlan, stamp: Stamp) -> list[str]:
    title = _("Migration of {old} in {count} steps.", old=comment(plan.old.name), count=len(plan.steps))
    course = _(
        "Without an option it lists the steps; --step NUMBER takes one. It checks that the machine is as that "
        "step wants it, asks before anything is taken away or overwritten, and runs the commands of that step in "
        "the function “design”. A step that cannot come next is refused."
    )
    return head_lines(title, stamp, course)


# Each step of a migration as lines: what is checked before it, what has to be typed, and what is done then.

_Lines = Iterator[action.Line]
_FIRST, _SECOND = "migration-1", "migration-2"  # what the snapshots are called
# Sparse files of placeholders: ext4 holds none as large as the largest disks, a file system in memory does.
_USUAL_PLACE, _PLACE_IN_MEMORY = "/var/tmp", "/dev/shm"  # noqa: S108 - where files of an operator belong
_LARGEST_ON_EXT4 = 16 * TIB - 4096
_ROOT_OF_MOUNTS = "/run/poolwright"


def lines_of(plan: MigrationPlan, *, preview: bool = False) -> tuple[tuple[action.Line, ...], ...]:
    """Return the lines of each step, in order.

    With ``preview`` disks to come stand as ``<new disk 1>``; without, raises Refusal where a disk has no name
    that can be written into a script, UserError for names that cannot be written at all.
    """
    return tuple(_Writer(plan, preview=preview).steps())


class _Writer:
    """Takes the steps of a plan one after the other, and knows what everything is called at each of them."""

    def __init__(self, plan: MigrationPlan, *, preview: bool) -> None:
        self.plan, self.preview = plan, preview
        self.now = MigrationState(plan.old, plan.target)
        self.old, self.new = plan.old.name, plan.new_name  # what the pools are called now
        self.lost = sum(vdev.lost for vdev in plan.old.vdevs)  # members that the old pool lacks now
        self.stand_ins = StandIns("new disk")  # for machines
        self.stood_for = {place for step in plan.steps for place, __ in step.files}
        # Datasets of an encrypted root come to lie below it.
        self.below = f"/{plan.old.name}" if plan.old.root_encrypted else ""
        sizes = [size for step in plan.steps for __, size in step.files]
        where = _PLACE_IN_MEMORY if max(sizes, default=0) > _LARGEST_ON_EXT4 else _USUAL_PLACE
        self.folder = f"{where}/poolwright-{plan.new_name}"

    def steps(self) -> Iterator[tuple[action.Line, ...]]:
        plan = self.plan
        # A move makes names of its own, which are looked at; a pool that stays has to be the very one at each step.
        very = (_guard("pool", plan.old.name, plan.old.guid),) if plan.in_place and plan.old.guid else ()
        for step in plan.steps:
            self.step = step
            yield (*very, *getattr(self, f"_{step.move.replace('-', '_')}")())
            self.now.apply(step)
            if step.move is Move.OFFLINE:
                self.lost += 1
            elif step.move is Move.STOP:
                self.old = plan.parked_name
            elif step.move is Move.RENAME:
                self.new = plan.old.name

    # How things are called.

    # The path of a whole disk; raises Refusal where it has no name that a script can use.
    def _path(self, key: str) -> str:
        disk = self.plan.disk(key)
        if not self.preview or device_problem(disk) is None:
            return device_path(disk)
        if key in self.plan.old.keys:
            return f"{BY_ID}<{shown_text(disk.label)}>"
        return self.stand_ins.path(disk)

    def _fresh(self, key: str) -> Member:
        return Member(disk_key=key, path=self._path(key))

    # The sparse file that stands for the disk of a place.
    def _file(self, place: NewPlace) -> Member:
        return Member(disk_key="", path=f"{self.folder}/placeholder-{place.vdev}-{place.member}")

    # A disk as zpool calls it in the old pool; raises Refusal where that is a name of the kernel's.
    def _seat(self, key: str) -> Member:
        vdev = next(v for v in self.plan.old.vdevs if key in v.keys)
        leaf = vdev.seats[vdev.keys.index(key)].path
        if not self.preview and kernel_name(leaf):
            raise Refusal(
                _("{pool} calls a disk {leaf}, which may be another one after a restart",
                     pool=self.plan.old.name, leaf=leaf),
                todo=_(
                    "Import it by stable names (zpool export {pool}; zpool import -d /dev/disk/by-id {pool}), and read "
                    "the machine again.",
                    pool=self.plan.old.name,
                ),
            )  # fmt: skip
        return Member(disk_key=key, path=leaf)

    # What several steps have.

    # That the new pool lacks nothing but those for which files stood and no disk has come by then.
    def _healthy_new(self) -> action.Guard:
        waiting = self.stood_for - self.now.filled - set(self.step.places)
        return _guard("healthy", self.new, str(len(waiting)))

    def _healthy_old(self) -> action.Guard:
        return _guard("healthy", self.old, str(self.lost))

    # The checks of disks that are written to: empty ones, or such as have left the old data.
    def _ready(self, keys: tuple[str, ...]) -> _Lines:
        for key in keys:
            freed = key in self.plan.old.keys
            names = (self.plan.old.name, self.plan.parked_name) if freed else ()
            yield _guard("freed" if freed else "empty", self._path(key), *names)

    def _taking(self, pool: str) -> _Lines:
        yield from self._ready(self.step.disk_keys)
        yield action.Ask(words=_("add to {what}", what=pool))

    # What holds for every disk that leaves a redundant vdev.
    def _leaving(self) -> _Lines:
        path, leaf = self._path(self.step.disk_keys[0]), self._seat(self.step.disk_keys[0]).path or ""
        yield self._healthy_old()
        yield _guard("member", self.old, path, leaf)
        if self.step.copies > 1:
            yield self._same()
        yield action.Ask(words=_("take {what}", what=path.removeprefix(BY_ID)))

    def _same(self) -> action.Guard:
        return _guard("same", self.old, self.new, _SECOND, self.below)

    def _scrubbed(self, pool: str, healthy: action.Guard) -> _Lines:
        yield action.OnPool(pool=pool, verb=action.Verb.SCRUB)
        yield action.Wait(pool=pool, activity="scrub")
        yield healthy

    # The vdevs that a step makes, with ``files`` in the places of raidz and dRAID that wait for a disk.
    def _vdevs(self, *, files: bool) -> tuple[Vdev, ...]:
        made = []
        vdevs = self.plan.target.vdevs
        for number in sorted(self.step.vdevs, key=lambda number: vdevs[number].rank):
            vdev, stands_in = vdevs[number], files and vdevs[number].kind in (VdevKind.RAIDZ, VdevKind.DRAID)
            places = [NewPlace(number, i) for i in range(len(vdev.members))]
            devices = (
                self._fresh(self.now.keys[place]) if place in self.step.places else self._file(place)
                for place in places
                if stands_in or place in self.step.places
            )
            made.append(replace(vdev, members=tuple(devices)))
        # A bare disk, also the only side of a mirror, would join the group that stands before it.
        return tuple(sorted(made, key=lambda one: (CLASS_ORDER.index(one.vdev_class), one.zpool_word is not None)))

    # The first disk of the old vdev that becomes this one of the target.
    def _own(self, number: int) -> str:
        keys = {member.disk_key for member in self.plan.target.vdevs[number].members}
        return next(v for v in self.plan.old.vdevs if set(v.keys) <= keys).keys[0]

    # How blocks are sent as they lie; encrypted ones only raw, without their keys.
    def _sent(self) -> tuple[str, ...]:
        # Large, embedded and compressed blocks stay what they are; without -L records above 128 KiB would be cut.
        return ("-R", "-w") if self.plan.old.encrypted is not False else ("-R", "-L", "-e", "-c")

    # One for each `Move`, called by its word.

    def _check(self) -> _Lines:
        yield self._names_are_free()
        yield self._healthy_old()

    def _names_are_free(self) -> action.Guard:
        return _guard("names", self.plan.old.name, f"{self.plan.new_name}{self.below}", self.plan.parked_name)

    def _look(self) -> _Lines:
        if not self.plan.in_place:
            yield self._names_are_free()
        # Of data with one copy less a block that cannot be read is lost: it has to be known while all copies are there.
        yield from self._scrubbed(self.old, self._healthy_old())

    def _remove(self) -> _Lines:
        yield action.OnPool(pool=self.old, verb=action.Verb.REMOVE, devices=tuple(map(self._seat, self.step.disk_keys)))

    def _evacuate(self) -> _Lines:
        vdev = next(v for v in self.plan.old.vdevs if set(v.keys) == set(self.step.disk_keys))
        yield self._healthy_old()
        yield action.Ask(words=_("remove {what}", what=vdev.node.name))
        yield from action.awaited(
            action.OnPool(pool=self.old, verb=action.Verb.REMOVE, devices=(vdev.node.name,), moves_data=True)
        )

    def _detach(self) -> _Lines:
        yield from self._leaving()
        yield action.OnPool(pool=self.old, verb=action.Verb.DETACH, devices=(self._seat(self.step.disk_keys[0]),))

    def _offline(self) -> _Lines:
        yield from self._leaving()
        device = self._seat(self.step.disk_keys[0])
        yield action.OnPool(pool=self.old, verb=action.Verb.OFFLINE, devices=(device,))
        # Its label names a pool that is in use: without this no other pool takes the disk.
        yield action.RunCommand(argv=("zpool", "labelclear", "-f", device.path or ""))

    def _create(self) -> _Lines:
        target, pool = self.plan.target, self.new
        yield _guard("absent", pool)
        yield from self._ready(self.step.disk_keys)
        yield action.Ask(words=_("create {what}", what=pool))
        files = [(self._file(place), str(size)) for place, size in self.step.files]
        if files:
            yield action.RunCommand(argv=("mkdir", "-m", "700", self.folder))
        yield from (action.RunCommand(argv=("truncate", "-s", size, file.path or "")) for file, size in files)
        settings = [s for s in target.pool_settings if s.name != "ashift" and not is_set_afterwards(s.name)]
        # Mounted out of the way, and unknown to the machine after a restart, until it takes the place of the old one.
        aside = {"cachefile": "none", "altroot": f"{_ROOT_OF_MOUNTS}/{pool}"}
        yield action.CreatePool(
            pool=pool,
            ashift=target.ashift,
            vdevs=self._vdevs(files=True),
            pool_settings=(*settings, *(Setting(name=name, value=value) for name, value in aside.items())),
            # Files beside disks, a table on a disk of the old pool; the checks above are stricter than what -f passes.
            force="files",
        )
        # At once: the first blocks that came would fill the file system that the sparse files lie in.
        yield from (action.OnPool(pool=pool, verb=action.Verb.OFFLINE, devices=(file,)) for file, __ in files)
        yield from (action.RunCommand(argv=("rm", file.path or "")) for file, __ in files)
        yield self._healthy_new()

    def _copy(self) -> _Lines:
        first, sent, to = f"{self.old}@{_FIRST}", self._sent(), f"{self.new}{self.below}"
        # A received stream that broke off leaves half a dataset, which a second one would not fit on.
        yield _guard("empty_pool", self.new)
        yield action.RunCommand(argv=("zfs", "snapshot", "-r", first))
        yield action.RunCommand(argv=("zfs", "send", *sent, "-n", "-v", first))
        yield action.Copy(snapshot=first, target=to, options=sent, receiving=("-u",) if self.below else ("-F", "-u"))

    def _verify(self) -> _Lines:
        yield from self._scrubbed(self.new, self._healthy_new())

    def _stop(self) -> _Lines:
        parked = self.plan.parked_name
        # Under its own name programs would write to it again after a restart, and the copy would lack that.
        yield _guard("absent", parked)
        yield action.Ask(words=_("nothing uses {what}", what=self.old))
        yield action.Reimport(pool=self.old, as_name=parked, root=f"{_ROOT_OF_MOUNTS}/{parked}")

    def _copy_rest(self) -> _Lines:
        snapshot, target = f"{self.old}@{_SECOND}", f"{self.new}{self.below}"
        yield action.RunCommand(argv=("zfs", "snapshot", "-r", snapshot))
        yield action.Copy(snapshot=snapshot, target=target, options=self._sent(), since=f"@{_FIRST}")
        yield self._same()

    def _destroy(self) -> _Lines:
        # At the end the new pool has been in use for a while: the old copy is no longer the same.
        if self.step is self.plan.steps[-1]:
            yield _guard("healthy", self.new, "0")
        else:
            yield self._same()
            yield self._healthy_new()
        yield action.Ask(words=_("destroy {what}", what=self.old))
        yield action.OnPool(pool=self.old, verb=action.Verb.DESTROY)

    def _rename(self) -> _Lines:
        name = self.plan.old.name
        yield _guard("absent", name)
        yield action.Reimport(pool=self.new, as_name=name)
        if self.plan.old.encrypted:
            # An import loads no keys, and what has none is not mounted.
            yield action.RunCommand(argv=("zfs", "load-key", "-r", name))
            yield action.RunCommand(argv=("zfs", "mount", "-a"))

    def _fill(self) -> _Lines:
        pool = self.new
        yield from self._taking(pool)
        for key, place in zip(self.step.disk_keys, self.step.places, strict=True):
            if place in self.stood_for:
                yield action.Replace(pool=pool, old=self._file(place), new=self._fresh(key), force=True)
            else:
                side = next(p for p in sorted(self.now.filled) if p.vdev == place.vdev)
                yield action.Attach(pool=pool, to=self._fresh(self.now.keys[side]), device=self._fresh(key), force=True)
        if len(self.step.disk_keys) > 1:
            # The first one has begun a resilver: this begins it anew for all of them together.
            yield action.OnPool(pool=pool, verb=action.Verb.RESILVER)
        yield action.Wait(pool=pool, activity="resilver")
        yield self._healthy_new()

    def _add(self) -> _Lines:
        pool = self.old if self.plan.in_place else self.new
        yield from self._taking(pool)
        vdevs = self._vdevs(files=False)
        # What lay in the old pool may have its tables yet; what comes to the pool itself is empty.
        force = not self.plan.in_place or self._unlike()
        yield action.AddVdevs(pool=pool, vdevs=vdevs, ashift=self.plan.target.ashift, force=force)

    def _unlike(self) -> bool:
        target, steps = self.plan.target, self.plan.steps
        comes = {n for step in steps[steps.index(self.step) :] if step.move is Move.ADD for n in step.vdevs}
        there = [target.spec(vdev) for n, vdev in enumerate(target.vdevs) if n not in comes]
        new = (target.spec(target.vdevs[n]) for n in self.step.vdevs)
        return any(add_wants_force(there, spec, self.plan.old.design.version) for spec in new)

    def _attach(self) -> _Lines:
        side = self._seat(self._own(self.step.vdevs[0]))
        yield from self._taking(self.old)
        yield from (action.Attach(pool=self.old, to=side, device=self._fresh(key)) for key in self.step.disk_keys)
        yield action.Wait(pool=self.old, activity="resilver")
        yield self._healthy_old()

    def _replace(self) -> _Lines:
        old, new = self.step.disk_keys
        seat = self._seat(old)
        yield self._healthy_old()
        yield _guard("member", self.old, self._path(old), seat.path or "")
        yield from self._ready((new,))
        yield action.Ask(words=_("replace {what}", what=self._path(old).removeprefix(BY_ID)))
        if self.step is next(each for each in self.plan.steps if each.move is Move.REPLACE):
            # Else the vdev stays as small as it was when its last disk has been exchanged.
            yield action.set_on_pool(self.old, "autoexpand", "on")
        yield from action.awaited(action.Replace(pool=self.old, old=seat, new=self._fresh(new)))
        yield self._healthy_old()

    def _expand(self) -> _Lines:
        key = self._own(self.step.vdevs[0])
        name = next(v for v in self.plan.old.vdevs if key in v.keys).name
        yield from self._ready(self.step.disk_keys)
        yield action.Ask(words=_("widen {what}", what=name))
        device = self._fresh(self.step.disk_keys[0])
        yield from action.awaited(action.Attach(pool=self.old, to=Member(disk_key=key), device=device, widens=name))

    def _finish(self) -> _Lines:
        if self.plan.in_place:  # what it lacked before it lacks still
            yield from self._scrubbed(self.old, self._healthy_old())
        else:
            yield from self._scrubbed(self.new, _guard("healthy", self.new, "0"))

    def _clean_up(self) -> _Lines:
        pool = self.new
        yield _guard("healthy", pool, "0")
        yield action.Ask(words=_("clean up {what}", what=pool))
        for snapshot in (_FIRST, _SECOND):
            yield action.RunCommand(argv=("zfs", "destroy", "-r", f"{pool}{self.below}@{snapshot}"))
        if self.stood_for:
            yield action.RunCommand(argv=("rmdir", self.folder))


def _guard(kind: str, *words: str) -> action.Guard:
    return action.Guard(words=(kind, *words))
