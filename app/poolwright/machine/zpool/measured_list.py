"""The numbers of `zpool list` as facts of a measurement."""

from collections.abc import Iterator

from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.machine.figures import number, size
from poolwright.machine.picking import ROUNDED, cut_notes, nothing_of
from poolwright.machine.zpool.listed import ListedPool, reports
from poolwright.shipped import shipped
from poolwright.texts import _

# The properties that are numbers, as facts of a measurement.
_FACTS: dict[str, str] = {one["property"]: one["fact"] for one in shipped("zpool")["list"] if "fact" in one}


def measured_list(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the numbers of each pool as facts, named ``POOL size_bytes``; of several reports the last one's.

    Vdevs and disks are passed over. Raises UserError where no pool tells a number.
    """
    pools, cut = reports(data.decode("utf-8", errors="replace"))
    told = {pool.name: {f"{pool.name} {name}": value for name, value in _numbers(pool)} for pool in pools}
    facts = {name: value for mine in told.values() for name, value in mine.items()}
    if not facts:
        raise nothing_of("zpool list", where, "zpool list -p")
    notes = [_("Pool {pool} tells no numbers.", pool=name) for name, mine in told.items() if not mine]
    if any(pool.rounded for pool in pools):
        notes.append(_(ROUNDED))
    if len(told) < len(pools):
        notes.append(_("There are several reports: the numbers are those of the last one."))
    notes += cut_notes(cut)
    return (Recorded(tool=BenchTool.ZPOOL_LIST, where=where, facts=tuple(facts.items()), notes=tuple(notes)),)


def _numbers(pool: ListedPool) -> Iterator[tuple[str, float]]:
    for told in pool.properties:
        name = _FACTS.get(told.name, "")
        value = size(told.value) if name.endswith("_bytes") else number(told.value.rstrip("%x")) if name else None
        if value is not None:
            yield name, float(round(value)) if name.endswith("_bytes") else value
