"""What a person must know of a step of growth beyond its numbers: what it costs for ever, what it does not do."""

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.expansion import target
from poolwright.changes.growth.design import GrownDesign, new_vdevs
from poolwright.domain.design import Vdev
from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.replication import add_wants_force, added_alike
from poolwright.domain.units import PLAN_FILL_PERCENT, drive_size
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell, tell_counted

REWRITE_SINCE = ZfsVersion(2, 3, 4)
PHYSICAL_REWRITE_SINCE = ZfsVersion(2, 4, 0)
_ROUNDING = 0.5  # per cent: a step planned at 80 % begins within a day of it


def notes_of(
    step: GrowthStep, before: GrownDesign, after: GrownDesign, *, fill_before: float | None
) -> tuple[Note, ...]:
    bays = after.origin.budget.bays
    needed = sum(len(vdev.members) for vdev in after.vdevs)
    warnings = [*_fill_warnings(fill_before), *_spare_warnings(after), *_own_warnings(step, before, after)]
    if step.kind in (GrowthKind.ATTACH, GrowthKind.REPLACE) and _smaller(before, after, target(before.pool, step)):
        warnings.append(
            tell("The new disk is a little smaller: OpenZFS takes it only after the pool was imported once more.")
        )
    if bays is not None and needed > bays:
        disks = tell_counted("{count} disk", "{count} disks", needed)
        warnings.append(tell("{disks}, and bays for {bays}.", disks=disks, bays=bays))
    notes = [*_own_notes(step, before, after), *([step.note] if step.note else ())]
    return (*(Note(text=text, level=NoteLevel.WARN) for text in warnings), *(Note(text=text) for text in notes))


# `vdev_min_asize` is rounded down to whole metaslabs only on import: until then no smaller disk is taken.
def _smaller(before: GrownDesign, after: GrownDesign, at: int) -> bool:
    return min(map(leaf_bytes, after.pool.tops[at].devices)) < min(map(leaf_bytes, before.pool.tops[at].devices))


def _fill_warnings(fill_before: float | None) -> tuple[str, ...]:
    if fill_before is None or fill_before <= PLAN_FILL_PERCENT + _ROUNDING:
        return ()
    if fill_before > 100:
        return (tell("The pool is full before this step: do it earlier."),)
    return (tell("The pool is above {percent} % when this step begins: writes are slow.", percent=PLAN_FILL_PERCENT),)


def _own_warnings(step: GrowthStep, before: GrownDesign, after: GrownDesign) -> tuple[str, ...]:
    if step.kind is GrowthKind.ADD:
        old, new = [v for v in before.vdevs if v.vdev_class is VdevClass.DATA], _added_data(before, after)
        if not old or not new or added_alike(old[-1].sizeless(), new[0].sizeless(), after.pool.version):
            return ()
        if add_wants_force(before.design.layout(), after.design.spec(new[0]), after.pool.version):
            return (tell("The new vdev differs from the others: zpool add asks for -f, and the weakest vdev decides."),)
        return (tell("The new vdev differs from the last one, and the weakest vdev decides."),)
    if step.kind is GrowthKind.ATTACH and before.pool.tops[target(before.pool, step)].spec.kind is VdevKind.RAIDZ:
        found = [tell("The pool cannot be imported by OpenZFS before 2.3 any more (feature raidz_expansion).")]
        allowed = next((s.value for s in after.origin.pool_settings if s.name == "compatibility"), "off")
        if allowed not in ("off", ""):
            found.append(tell("compatibility={allowed} has to allow raidz_expansion.", allowed=allowed))
        return tuple(found)
    if step.kind is GrowthKind.REPLACE:
        return _replace_warnings(before, after, target(before.pool, step))
    if step.kind is GrowthKind.DETACH:
        return (tell("One failure less is survived."),)
    return ()


def _own_notes(step: GrowthStep, before: GrownDesign, after: GrownDesign) -> tuple[str, ...]:
    if step.kind is GrowthKind.ADD:
        return _add_notes(before, after)
    if step.kind is GrowthKind.ATTACH:
        at = target(before.pool, step)
        return _expansion_notes(after) if before.pool.tops[at].spec.kind is VdevKind.RAIDZ else _side_notes(before, at)
    if step.kind is GrowthKind.REPLACE:
        return _replace_notes(before, target(before.pool, step))
    if step.kind is GrowthKind.REMOVE:
        at = target(before.pool, step)
        if before.pool.tops[at].spec.vdev_class is VdevClass.LOG:
            return (tell("A log vdev leaves without a copy and without a trace."),)
        return (
            tell("Its data go to the other vdevs; a map of where they went stays in memory."),
            tell("No raidz or dRAID can be added after it."),
        )
    if step.kind is GrowthKind.DETACH:
        return (tell("To take the data along on the disk, use zpool split instead."),)
    return ()


def _added_data(before: GrownDesign, after: GrownDesign) -> list[Vdev]:
    return [vdev for vdev in new_vdevs(before, after) if vdev.vdev_class is VdevClass.DATA]


def _add_notes(before: GrownDesign, after: GrownDesign) -> tuple[str, ...]:
    data = _added_data(before, after)
    if not data:
        return ()
    found = [
        tell("Data that are there stay on the old vdevs; new ones go mostly to the new vdev until all are as full.")
    ]
    if any(vdev.parity for vdev in data):
        found.append(tell("A raidz or dRAID vdev never leaves a pool again."))
    return tuple(found)


def _expansion_notes(after: GrownDesign) -> tuple[str, ...]:
    version, since = after.pool.version, REWRITE_SINCE
    how = tell("copy the files (zfs rewrite needs OpenZFS {version})", version=since)
    if version >= since:
        command = "zfs rewrite -P -r" if version >= PHYSICAL_REWRITE_SINCE else "zfs rewrite -r"  # for machines
        how = tell("rewrite them ({command})", command=command)
    return (
        tell("Old data keep the old share of parity, new data have the new one."),
        tell("zfs list counts all space at the old deflate ratio for ever; new blocks look smaller than they are."),
        tell("To store old data at the new width {how}; blocks in snapshots stay and take room twice.", how=how),
        tell("It survives as many failures as before, of one disk more."),
    )


def _side_notes(before: GrownDesign, at: int) -> tuple[str, ...]:
    width = before.pool.tops[at].width
    if width == 1:
        return (tell("The single disk becomes a mirror: no room is won, and one failure is survived."),)
    return (tell("A mirror of {width} sides: no room is won, one failure more is survived.", width=width + 1),)


def _replace_notes(before: GrownDesign, at: int) -> tuple[str, ...]:
    width = before.pool.tops[at].width
    return (
        tell_counted(
            "{count} resilver. With a free bay the old disk stays in until the new one is full.",
            "{count} resilvers in turn. With a free bay the old disk stays in until the new one is full.",
            width,
        ),
    )


def _replace_warnings(before: GrownDesign, after: GrownDesign, at: int) -> tuple[str, ...]:
    top, old = after.pool.tops[at], before.pool.tops[at]
    found = []
    spec = top.spec
    if spec.vdev_class is VdevClass.DATA and spec.width > 1 and spec.failures_survived < 2:
        found.append(tell("Without a free bay the vdev survives no failure while a disk is replaced."))
    if top.asize == old.asize and top.offered > old.asize:
        found.append(tell("The vdev grows only at zpool online -e, because autoexpand is off."))
    elif top.asize >> top.shift == old.asize >> old.shift:
        found.append(tell("The difference is below one metaslab: no room is won."))
    least = min(spec.sizes)
    if max(spec.sizes) > least:
        found.append(tell("Members differ in size; of each only {least} are used.", least=drive_size(least)))
    return tuple(found)


# A spare that is smaller than a member is no spare of it.
def _spare_warnings(after: GrownDesign) -> tuple[str, ...]:
    spares = [v for v in after.others if v.vdev_class is VdevClass.SPARE]
    sizes = [after.disk(m.disk_key).size_bytes or 0 for vdev in spares for m in vdev.members]
    data = [t.spec for t in after.pool.tops if not t.removed and t.spec.vdev_class is VdevClass.DATA]
    largest = max((min(spec.sizes) for spec in data), default=0)
    if sizes and max(sizes) < largest:
        words = {"spares": drive_size(max(sizes)), "largest": drive_size(largest)}
        return (tell("The hot spares ({spares}) are too small for members of {largest}.", **words),)
    return ()
