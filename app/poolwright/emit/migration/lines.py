"""The lines of a step: what is checked before it, what has to be typed, and the commands themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from poolwright.changes.migration.values import MigrationPlan, MigrationStep, Move, NewPlace, Placeholder
from poolwright.domain.action import Action, Group, MemberDevice, Wait
from poolwright.domain.disk import Disk, kernel_name
from poolwright.domain.errors import Refusal
from poolwright.domain.shown import shown_text
from poolwright.domain.units import TIB
from poolwright.emit.commands import argvs, lines, shell_line, written_path
from poolwright.emit.names import BY_ID, device_path, device_problem
from poolwright.texts import marked, tell, tell_counted

FIRST, SECOND = "migration-1", "migration-2"  # what the snapshots are called
# Sparse files of placeholders: ext4 holds none as large as the largest disks, a file system in memory does.
USUAL_PLACE, PLACE_IN_MEMORY = "/var/tmp", "/dev/shm"  # noqa: S108 - where files of an operator belong
LARGEST_ON_EXT4 = 16 * TIB - 4096
ROOT_OF_MOUNTS = "/run/poolwright"


class MoveLineKind(StrEnum):
    """What a line is; the values are the words of the script."""

    GUARD = "guard"  # a check of the script, without which the step is not taken
    ASK = "ask"  # what has to be typed
    RUN = "write"
    PIPE = "pipe"  # two commands with `|` between them
    WAIT = "settle"  # until what runs on a pool has ended


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLine:
    """One line; ``words`` are arguments, those of the second command of a pipe in ``into``."""

    kind: MoveLineKind
    words: tuple[str, ...]
    into: tuple[str, ...] = ()
    by_hand: str = ""  # a wait as a command line has it: the script waits in its own way

    @property
    def text(self) -> str:
        """Return it as one would type it; a check in words for the script alone is empty."""
        if self.kind is MoveLineKind.RUN:
            return shell_line(self.words)
        if self.kind is MoveLineKind.PIPE:
            return f"{shell_line(self.words)} | {shell_line(self.into)}"
        return self.by_hand


def guard(kind: str, *words: str) -> MoveLine:
    return MoveLine(kind=MoveLineKind.GUARD, words=(kind, *words))


def ask(words: str) -> MoveLine:
    """Return what must be typed before what follows is done."""
    return MoveLine(kind=MoveLineKind.ASK, words=(words,))


def command(*words: str) -> MoveLine:
    return MoveLine(kind=MoveLineKind.RUN, words=words)


def done(action: Action) -> Iterator[MoveLine]:
    return (command(*argv) for argv in argvs(action, written_path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """How everything is called in the commands of one plan. ``preview``: disks without a name stand as ``<disk>``."""

    plan: MigrationPlan
    preview: bool = False

    def old(self, step: MigrationStep) -> str:
        """Return what the old pool is called while a step is taken."""
        return self.plan.parked_name if self._after(step, Move.STOP) else self.plan.old.name

    def new(self, step: MigrationStep) -> str:
        """Return what the new pool is called while a step is taken."""
        return self.plan.old.name if self._after(step, Move.RENAME) else self.plan.new_name

    def wait(self, pool: str, activity: str) -> MoveLine:
        """Return the wait for an activity of a pool, a word of `zpool wait -t`, which the pool's OpenZFS may lack."""
        (by_hand,) = lines(Wait(pool=pool, activity=activity), version=self.plan.target.version)
        return MoveLine(kind=MoveLineKind.WAIT, words=(pool, activity), by_hand=by_hand)

    def _after(self, step: MigrationStep, move: Move) -> bool:
        steps = self.plan.steps
        first = next((number for number, each in enumerate(steps) if each.move is move), len(steps))
        return next(number for number, each in enumerate(steps) if each is step) > first

    def device(self, key: str) -> str:
        """Return the path of a whole disk; raises Refusal where it has no name that a script can use."""
        disk = self.plan.disk(key)
        if self.preview and device_problem(disk) is not None:
            return f"{BY_ID}<{shown_text(disk.label)}>"
        return device_path(disk)

    def fresh(self, key: str) -> MemberDevice:
        return MemberDevice(disk=key, path=self.device(key))

    def file(self, place: NewPlace) -> MemberDevice:
        return MemberDevice(disk="", path=self.placeholder(place))

    def seat(self, key: str) -> MemberDevice:
        return MemberDevice(disk=key, path=self.leaf(key))

    def leaf(self, key: str) -> str:
        """Return what zpool calls a disk of the old pool; raises Refusal where that is a name of the kernel's."""
        vdev = next(v for v in self.plan.old.vdevs if key in v.keys)
        leaf = vdev.leaves[vdev.keys.index(key)]
        if self.preview:
            return leaf
        if kernel_name(leaf):
            raise Refusal(
                tell("{pool} calls a disk {leaf}, which may be another one after a restart",
                     pool=self.plan.old.name, leaf=leaf),
                todo=tell(
                    "Import it by stable names (zpool export {pool}; zpool import -d /dev/disk/by-id {pool}), and read "
                    "the machine again.",
                    pool=self.plan.old.name,
                ),
            )  # fmt: skip
        return leaf

    def folder(self) -> str:
        files = [p.size_bytes for step in self.plan.steps for p in step.placeholders]
        where = PLACE_IN_MEMORY if max(files, default=0) > LARGEST_ON_EXT4 else USUAL_PLACE
        return f"{where}/poolwright-{self.plan.new_name}"

    def placeholder(self, place: NewPlace) -> str:
        """Return the file that stands for the disk of a place."""
        return f"{self.folder()}/placeholder-{place.vdev}-{place.member}"

    def stood_for(self) -> dict[NewPlace, Placeholder]:
        return {p.place: p for step in self.plan.steps for p in step.placeholders}

    def disk(self, key: str) -> Disk:
        return self.plan.disk(key)

    def missing(self, step: MigrationStep) -> int:
        """Return how many members the new pool lacks when a step has ended: those for which placeholders stood."""
        taken: set[NewPlace] = set()
        for each in self.plan.steps:
            taken.update(each.places)
            if each is step:
                break
        return sum(1 for place in self.stood_for() if place not in taken)

    def old_missing(self, step: MigrationStep) -> int:
        """Return how many members the old pool lacks when a step begins: lost before, or taken offline on the way."""
        before = self.plan.steps[: next(n for n, each in enumerate(self.plan.steps) if each is step)]
        offline = sum(1 for each in before if each.move is Move.OFFLINE)
        return sum(vdev.lost for vdev in self.plan.old.vdevs) + offline

    def side(self, place: NewPlace, filled: set[NewPlace]) -> MemberDevice:
        """Return a side of a mirror of the new pool that is there, for `zpool attach`."""
        vdev = self.plan.target.vdevs[place.vdev]
        there = next(i for i in range(len(vdev.members)) if NewPlace(place.vdev, i) in filled)
        return self.fresh(vdev.members[there].disk_key)

    def filled_before(self, step: MigrationStep) -> set[NewPlace]:
        """Return the places of the new pool that disks have taken when a step begins."""
        taken: set[NewPlace] = set()
        for each in self.plan.steps:
            if each is step:
                return taken
            taken.update(each.places)
        return taken


def ready(names: Names, keys: tuple[str, ...]) -> Iterator[MoveLine]:
    """Yield the checks of disks that are about to be written to: empty ones, or such as have left the old data."""
    for key in keys:
        path = names.device(key)
        if key not in names.plan.old.keys:
            yield guard("empty", path)
        else:
            yield guard("freed", path, names.plan.old.name, names.plan.parked_name)


def group(names: Names, number: int, places: tuple[NewPlace, ...], *, files: bool) -> Group:
    """Return a vdev of the new pool as it is made: with ``files``, placeholders stand where no disk is."""
    vdev = names.plan.target.vdevs[number]
    at = {NewPlace(number, i): member.disk_key for i, member in enumerate(vdev.members)}
    there = (place for place in at if files or place in places)
    devices = (names.fresh(at[place]) if place in places else names.file(place) for place in there)
    return Group(vdev=vdev, devices=tuple(devices))


# What the checks of a step mean, in words.

_OF_POOL = {
    "absent": marked("No pool {pool} is there."),
    "pool": marked("{pool} is the pool that was read (same guid)."),
    "empty_pool": marked("Nothing was received into {pool} yet."),
}


def guard_words(line: MoveLine) -> str:
    """Return what a check looks at, in a sentence."""
    kind, first, *rest = line.words
    name = first.removeprefix(BY_ID)
    match kind:
        case "absent" | "pool" | "empty_pool":
            return tell(_OF_POOL[kind], pool=first)
        case "healthy":
            return _healthy(first, int(rest[0]))
        case "names":
            return tell(
                "The names of {pool} fit {new}, and nothing bears those that this move needs.", pool=first, new=rest[0]
            )
        case "empty":
            return tell(
                "{disk} is that very disk (size, sectors, serial number), empty, and nothing uses it.", disk=name
            )
        case "freed":
            return tell(
                "{disk} is that very disk (size, sectors, serial number), has left {pool}, and holds nothing else.",
                disk=name,
                pool=rest[0],
            )
        case "member":
            return tell("{leaf} is a member of {pool}, and lies on that very disk.", leaf=rest[1], pool=first)
        case "same":
            return tell(
                "Every snapshot of {old} is in {new} (same guid), and nothing was written to {old} since {snapshot}.",
                old=first,
                new=f"{rest[0]}{rest[2]}",
                snapshot=f"@{rest[1]}",
            )
    return " ".join(line.words)


def _healthy(pool: str, missing: int) -> str:
    if not missing:
        return tell("{pool} lacks no member, counts no errors, and nothing runs on it.", pool=pool)
    return tell_counted(
        "{pool} lacks the {count} member that is to come and no other, counts no errors, and nothing runs on it.",
        "{pool} lacks the {count} members that are to come and no others, counts no errors, and nothing runs on it.",
        missing,
        pool=pool,
    )
