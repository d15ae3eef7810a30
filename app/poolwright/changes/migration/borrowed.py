"""What some disks more would change: they take the places of old ones, which can replace them when all is done."""

from dataclasses import replace

from poolwright.changes.migration.target import NewLayout
from poolwright.changes.migration.values import OldData
from poolwright.domain.errors import Refusal
from poolwright.texts import tell_counted

MOST_BORROWED = 4


def with_borrowed(target: NewLayout, old: OldData, count: int) -> NewLayout | None:
    """Return the layout with so many disks more, in the last places that wait for old ones; None where fewer wait."""
    design = target.design
    waiting = [
        (number, i)
        for number, vdev in enumerate(design.vdevs)
        for i, member in enumerate(vdev.members)
        if member.disk_key in old.keys
    ]
    if len(waiting) < count:
        return None
    twins = []
    vdevs = [list(vdev.members) for vdev in design.vdevs]
    for number, i in waiting[-count:]:
        key = vdevs[number][i].disk_key
        twin = replace(
            design.disk(key), key=f"{key} borrowed", serial=None, by_id=(), path=None, wwn=None, planned=True
        )
        twins.append(twin)
        vdevs[number][i] = replace(vdevs[number][i], disk_key=twin.key)
    made = tuple(replace(vdev, members=tuple(own)) for vdev, own in zip(design.vdevs, vdevs, strict=True))
    changed = replace(design, vdevs=made, disks=(*design.disks, *twins))
    return NewLayout(design=changed, movable=target.movable)


def told_with(refusal: Refusal, count: int | None) -> Refusal:
    """Return the refusal with how many disks more would help; as it is where nobody knows a number."""
    if count is None:
        return refusal
    text = tell_counted(
        "with {count} disk more, borrowed until it is done, some redundancy is left at every moment",
        "with {count} disks more, borrowed until it is done, some redundancy is left at every moment",
        count,
    )
    return Refusal(refusal.what, where=refusal.where, todo=refusal.todo, reasons=(*refusal.reasons, text))
