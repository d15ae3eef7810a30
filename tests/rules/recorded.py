"""Machines that are recorded or shipped, and designs seated on their disks."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.machines.reading import read_case

from poolwright import paths
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.machine.examples import EXAMPLES, example_file, load_example
from poolwright.store.capture_files import open_captures

MACHINES = Path(__file__).parents[1] / "machines"
_FLASH = (Media.SSD, Media.NVME)


@cache
def machine(name: str) -> Inventory:
    """Return a machine: ``example/thesis``, ``capture/vm-mixed-sectors``, ``cases/smr-three``, ``designs/truenas``."""
    kind, _, stem = name.partition("/")
    if kind == "example":
        text = (paths.resources_folder() / "machines" / example_file(stem)).read_text(encoding="utf-8")
        return load_example(stem, text)
    if kind == "capture":
        return open_captures([MACHINES / f"{stem}.capture"])
    case = read_case(MACHINES / kind / f"{stem}.toml")
    request = case.asks[0].request
    origin = Origin(kind=OriginKind.TYPED, source=case.title)
    return Inventory(name=stem, host=request.host or Host(), disks=case.disks, origin=origin)


@cache
def machine_names() -> tuple[str, ...]:
    return (
        *(f"example/{name}" for name in EXAMPLES),
        *(f"capture/{path.stem}" for path in sorted(MACHINES.glob("*.capture"))),
        *(f"{kind}/{path.stem}" for kind in ("cases", "designs") for path in sorted((MACHINES / kind).glob("*.toml"))),
    )


def seated(made: Design, on: Inventory) -> Design | None:
    """Return the design ``made`` with the disks and the host of a machine; None where it has too few such disks.

    Disks are taken in the machine's order: hard disks (or unknown media) for hard disks, flash for flash. A disk that
    has several places keeps them.
    """
    pools = {False: _of(on, flash=False), True: _of(on, flash=True)}
    chosen: dict[str, Disk] = {}
    try:
        for vdev in made.all_vdevs():
            for member in vdev.members:
                if member.disk_key not in chosen:
                    flash = made.disk(member.disk_key).media in _FLASH
                    chosen[member.disk_key] = next(pools[flash])
    except StopIteration:
        return None

    def seat(vdev: Vdev) -> Vdev:
        members = tuple(replace(m, disk_key=chosen[m.disk_key].key) for m in vdev.members)
        return replace(vdev, members=members)

    reserve = tuple(replace(p, disk_keys=tuple(chosen[key].key for key in p.disk_keys)) for p in made.reserve)
    vdevs = tuple(seat(vdev) for vdev in made.vdevs)
    return replace(made, disks=on.disks, host=on.host, vdevs=vdevs, reserve=reserve)


def _of(on: Inventory, *, flash: bool) -> Iterator[Disk]:
    return (disk for disk in on.disks if disk.size_bytes is not None and (disk.media in _FLASH) is flash)
