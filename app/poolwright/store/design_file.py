"""A design as one JSON file that can be mailed: ``{"schema": 2, "kind": "poolwright-design", "design": {…}}``; an
inventory as another; and what both must satisfy beyond their types before they are saved or opened."""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

from poolwright.domain.design import DESIGN_SCHEMA, SHARED_SPARE, Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError, is_missing
from poolwright.domain.host import Inventory
from poolwright.domain.money import Money
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.vdev import VdevKind
from poolwright.store.codec import EDITED_WRONGLY, MEND, read_document, twice, write_document
from poolwright.store.files import write_bytes
from poolwright.texts import _

KIND = "poolwright-design"


def to_json(design: Design, rules: Mapping[str, int] | None = None, *, lines: bool = True) -> str:
    """Return the document of a design; with the sums of the ``rules`` that judged it, as of a file to be handed on."""
    return write_document(KIND, DESIGN_SCHEMA, "design", design, lines=lines, rules=rules or {})


def rules_in(document: str) -> dict[str, int] | None:
    """Return the sums of the rules that judged a design when its file was written; None where it tells none."""
    found = json.loads(document).get("rules")
    return found if isinstance(found, dict) and all(isinstance(one, int) for one in found.values()) else None


def sum_of(document: str) -> str:
    """Return the sum by which a stored document proves that none of its letters turned."""
    return sha256(document.encode()).hexdigest()[:32]


def from_json(text: str, *, where: str | None = None) -> Design:
    """Return the design of a JSON document; ``where`` names the file in errors.

    Raises UserError, naming the field, for text that is no such document, a newer schema, wrong types, unknown or
    missing fields, and for designs that contradict themselves.
    """
    design = read_document(
        text, kind=KIND, schema=DESIGN_SCHEMA, name="design", cls=Design, where=where, beside="rules"
    )
    check_design(design, where=where)
    return replace(design, disks=tuple(_with_known_currency(disk) for disk in design.disks))


def _with_known_currency(disk: Disk) -> Disk:
    """Return a disk of schema 1 with the currency of its price where that is certain: the shipped street prices."""
    if disk.price is None or disk.price.currency is not None:
        return disk
    origin = disk.origin_of("price")
    if origin is None or not origin.source.startswith("catalogue: ") or ", street price" not in origin.source:
        return disk
    return replace(disk, price=replace(disk.price, currency="USD"))


INVENTORY_KIND = "poolwright-inventory"
INVENTORY_SCHEMA = 3  # 2: money is a decimal text with its currency; 3: partitions seen on disks


def inventory_document(inventory: Inventory) -> str:
    return write_document(INVENTORY_KIND, INVENTORY_SCHEMA, "inventory", inventory)


def read_inventory(text: str) -> Inventory:
    """Return the inventory of a JSON document; raises UserError as `from_json` does."""
    kind, schema = INVENTORY_KIND, INVENTORY_SCHEMA
    found = read_document(text, kind=kind, schema=schema, name="inventory", cls=Inventory, where=None)
    _refuse(chain(_of_disks(found.disks, "inventory.disks"), _empty(found.name, "inventory.name")), None)
    return found


# Designs that the library could not take: each in a file of its own, until the library takes it.

_PRIVATE = 0o600
_FRONT = "unsaved-"


def keep(design: Design, folders: Iterable[Path]) -> Path | None:
    """Write ``design`` into the first folder that takes it; return its file, None where no folder does."""
    for folder in folders:
        path = _file_of(design.key, folder)
        with suppress(OSError, PoolwrightError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(path, to_json(design).encode(), mode=_PRIVATE)
            return path
    logging.getLogger("poolwright").error("a design could not be kept in any folder")
    return None


def kept(folders: Iterable[Path]) -> Iterator[tuple[Path, Design]]:
    """Return the designs that are kept, with their files; a file that is none is left where it is."""
    for folder in folders:
        with suppress(OSError):
            for path in sorted(folder.glob(f"{_FRONT}*.json")):
                with suppress(OSError, UnicodeDecodeError, PoolwrightError):
                    yield path, from_json(path.read_text(encoding="utf-8"), where=str(path))


def forget(key: str, folders: Iterable[Path]) -> None:
    """Remove what was kept of a design that the library has taken."""
    for folder in folders:
        with suppress(OSError):
            _file_of(key, folder).unlink(missing_ok=True)


def _file_of(key: str, folder: Path) -> Path:
    return folder / f"{_FRONT}{sha256(key.encode()).hexdigest()[:24]}.json"


# What a design or an inventory must satisfy beyond its types.

MOST_DISKS = 10_000
MOST_VDEVS = 10_000
MOST_POOLS = 1_000
MOST_PARTITIONS = 128  # entries of a GUID partition table
MOST_RESERVED = 32
_PARITIES = {VdevKind.RAIDZ: (1, 2, 3), VdevKind.DRAID: (1, 2, 3)}


def check_design(design: Design, *, where: str | None = None) -> None:
    """Raise UserError, naming the field, where the parts of a design contradict one another.

    Whether the design is a good or even a possible pool is not looked at: an unfinished one is saved too.
    """
    _refuse(_of_design(design), where)


def _refuse(complaints: Iterable[str], where: str | None) -> None:
    complaint = next(iter(complaints), None)
    if complaint is not None:
        raise UserError(_(EDITED_WRONGLY, what=complaint), where=where, todo=_(MEND))


def _of_design(design: Design) -> Iterator[str]:
    yield from _empty(design.key, "design.key")
    yield from _empty(design.name, "design.name")
    yield from _of_disks(design.disks, "design.disks")
    yield from _of_numbers(design)
    yield from _of_pools(design)
    yield from _of_members(design)
    yield from _too_many(design.reserve, MOST_RESERVED, "design.reserve")
    known = {disk.key for disk in design.disks}
    for index, partition in enumerate(design.reserve):
        here = f"design.reserve[{index}]"
        yield from _no_size(partition.size_bytes, f"{here}.size_bytes")
        for key in partition.disk_keys:
            yield from _unknown_disk(key, known, f"{here}.disk_keys")


# The few things that can be wrong with any field.


def _outside(field: str, value: object, takes: str) -> str:
    return _("{field} is {value}, and takes {takes}", field=field, value=value, takes=takes)


def _empty(text: str, field: str) -> Iterator[str]:
    if not text.strip():
        yield is_missing(field)


def _too_many(values: Sequence[object], most: int, field: str) -> Iterator[str]:
    if len(values) > most:
        yield _("{field} has more than {most} entries", field=field, most=most)


def _no_size(value: int | None, field: str) -> Iterator[str]:
    if value is not None and value <= 0:
        yield _outside(field, value, "> 0")


def _negative(value: float | Money | None, field: str) -> Iterator[str]:
    number = value.amount if isinstance(value, Money) else value
    if number is not None and number < 0:
        yield _outside(field, number, "≥ 0")


def _unknown_disk(key: str, known: Container[str], field: str) -> Iterator[str]:
    if key not in known:
        yield _("{field} refers to a disk “{key}” that the design does not describe", field=field, key=key)


def _of_disks(disks: tuple[Disk, ...], path: str) -> Iterator[str]:
    yield from _too_many(disks, MOST_DISKS, path)
    keys = Counter(disk.key for disk in disks)
    for index, disk in enumerate(disks):
        here = f"{path}[{index}]"
        yield from _empty(disk.key, f"{here}.key")
        if keys[disk.key] > 1:
            yield twice(f"{here}.key", disk.key)
        for name in ("size_bytes", "logical_sector_bytes", "physical_sector_bytes"):
            yield from _no_size(getattr(disk, name), f"{here}.{name}")
        for name in ("price", "wear_percent", "power_on_hours", "media_errors", "rotation_rpm"):
            yield from _negative(getattr(disk, name), f"{here}.{name}")


def _of_numbers(design: Design) -> Iterator[str]:
    for part, names in (
        ("budget", ("least_usable_bytes", "survive", "spares", "bays", "ram_bytes", "money", "price_per_disk")),
        ("workload", ("io_size_bytes", "clients", "typical_file_bytes", "working_set_bytes", "duplicate_factor")),
        ("workload", ("network_bytes_per_second", "growth_percent")),
        ("host", ("ram_bytes", "cores", "network_bytes_per_second")),
    ):
        for name in names:
            yield from _negative(getattr(getattr(design, part), name), f"design.{part}.{name}")
    for index, controller in enumerate(design.host.controllers):
        yield from _negative(controller.bytes_per_second, f"design.host.controllers[{index}].bytes_per_second")
    for name in ("read_percent", "sequential_percent", "sync_write_percent"):
        value = getattr(design.workload, name)
        if value is not None and not 0 <= value <= 100:
            yield _outside(f"design.workload.{name}", value, "0–100")


def _paths(design: Design) -> list[tuple[str, tuple[Vdev, ...], tuple[Dataset, ...], int]]:
    """Return for each pool the path of its fields, its vdevs, its datasets and its ashift."""
    main = ("design", design.vdevs, design.datasets, design.ashift)
    others = enumerate(design.further_pools)
    return [main, *((f"design.further_pools[{i}]", p.vdevs, p.datasets, p.ashift) for i, p in others)]


def _of_pools(design: Design) -> Iterator[str]:
    yield from _too_many(design.further_pools, MOST_POOLS, "design.further_pools")
    names = [design.pool_name]
    for index, pool in enumerate(design.further_pools):
        field = f"design.further_pools[{index}].pool_name"
        yield from _empty(pool.pool_name, field)
        if pool.pool_name in names:
            yield twice(field, pool.pool_name)
        names.append(pool.pool_name)
    for path, vdevs, datasets, ashift in _paths(design):
        if not 9 <= ashift <= 16:
            yield _outside(f"{path}.ashift", ashift, "9–16")
        yield from _too_many(vdevs, MOST_VDEVS, f"{path}.vdevs")
        for index, vdev in enumerate(vdevs):
            yield from _of_vdev(vdev, f"{path}.vdevs[{index}]")
        yield from _of_datasets(datasets, path)


def _of_members(design: Design) -> Iterator[str]:
    shared = design.shared_spare()
    if shared is not None:
        yield _("the disk “{shared}” {shared_spare}", shared=shared, shared_spare=_(SHARED_SPARE))
    sizes = {disk.key: disk.size_bytes for disk in design.disks}
    whole, sliced, parts = set[str](), Counter[str](), defaultdict[str, set[int]](set)
    for spot, member in _members(design):
        key, slice_bytes, part = member.disk_key, member.slice_bytes, member.part
        yield from _unknown_disk(key, sizes, spot)
        if key in whole or (slice_bytes is None and sliced[key]):
            yield twice(f"{spot}.disk_key", key)
        if slice_bytes is None:
            whole.add(key)
            if part is not None:
                yield is_missing(f"{spot}.slice_bytes")
            continue
        yield from _no_size(slice_bytes, f"{spot}.slice_bytes")
        if part is not None:
            if not 1 <= part <= MOST_PARTITIONS:
                yield _outside(f"{spot}.part", part, f"1–{MOST_PARTITIONS}")
            if part in parts[key]:
                yield twice(f"{spot}.part", part)
            parts[key].add(part)
        sliced[key] += slice_bytes
        size = sizes.get(key)  # of a disk that is not there: told already
        room = size if size is None or not parts[key] else sliceable_bytes(size)
        if room is not None and sliced[key] > room:
            yield _("{spot}: the partitions of “{key}” do not fit on the disk", spot=spot, key=key)


def _members(design: Design) -> Iterator[tuple[str, Member]]:
    """Yield the members of all pools with the paths of their fields."""
    for path, vdevs, *__ in _paths(design):
        for index, vdev in enumerate(vdevs):
            for slot, member in enumerate(vdev.members):
                yield f"{path}.vdevs[{index}].members[{slot}]", member


def _of_vdev(vdev: Vdev, here: str) -> Iterator[str]:
    if not vdev.members:
        yield is_missing(f"{here}.members")
    if vdev.parity not in _PARITIES.get(vdev.kind, (0,)):
        takes = ", ".join(map(str, _PARITIES.get(vdev.kind, (0,))))
        yield _outside(f"{here}.parity", vdev.parity, takes)
    if vdev.draid_data is not None and vdev.draid_data < 1:
        yield _outside(f"{here}.draid_data", vdev.draid_data, "> 0")
    yield from _negative(vdev.draid_spares, f"{here}.draid_spares")


def _of_datasets(datasets: tuple[Dataset, ...], path: str) -> Iterator[str]:
    names = Counter(dataset.name for dataset in datasets)
    for index, dataset in enumerate(datasets):
        here = f"{path}.datasets[{index}]"
        if names[dataset.name] > 1:
            yield twice(f"{here}.name", dataset.name)
        yield from _no_size(dataset.volume_bytes, f"{here}.volume_bytes")
        yield from _negative(dataset.logical_bytes, f"{here}.logical_bytes")
