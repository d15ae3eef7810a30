"""Example machines: the test systems of the source documents, one TOML file each in resources/machines."""

from typing import Any

from poolwright.domain.disk import Disk, Media, Note
from poolwright.domain.errors import UserError, not_there
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Controller, Host, Inventory
from poolwright.machine.json_values import child, elements, integer, members, string
from poolwright.machine.remarks import warning
from poolwright.texts import _

# Each with its disks in short, for lists that read no file.
EXAMPLES = {
    "thesis": "44 × 6 TB",
    "paper": "3 × 500 GB",
    "macblog": "5 × 2–3 TB",
    "wikibook": "40 × 6 TB",
    "tunables": "4 × 6 TB, NVMe",  # for machines
}
_DISK_FIELDS = (
    "vendor", "model", "size_bytes", "logical_sector_bytes", "physical_sector_bytes", "media", "rotation_rpm", "smr",
    "transport",
)  # fmt: skip
_HOST_FIELDS = ("ram_bytes", "cores", "kernel", "os_name", "network_bytes_per_second")


def example_file(name: str) -> str:
    """Return the name of the file in resources/machines that holds the example; raises UserError for an unknown one."""
    if name not in EXAMPLES:
        raise not_there(name, tuple(EXAMPLES), where="example")
    return f"{name}.toml"


def load_example(name: str, text: str) -> Inventory:
    """Return the example machine ``name`` from the TOML ``text`` of its file.

    A fact's origin is the document unless the file lists the field under `sheet` (the maker's data sheet), `label`
    (bytes computed from the capacity on the label) or `assumed`. What the file leaves out is unknown. Serial numbers
    are made up and begin with EXAMPLE. Raises UserError when the file is damaged.
    """
    import tomllib  # noqa: PLC0415 - the start page only names the examples

    try:
        document: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            _("The example machine “{name}” is damaged: {error}", name=name, error=error),
            todo=_("Install Poolwright again."),
        ) from None
    source = string(document, "document") or name
    disks: list[Disk] = []
    for entry in elements(document, "disks"):
        disks.extend(_disks(entry, source))
    title = string(document, "title")
    texts = ([title] if title else []) + [t for t in elements(document, "notes") if isinstance(t, str)]
    return Inventory(
        name=name,
        host=_host(document, source),
        disks=tuple(disks),
        notes=tuple(Note(text=_(t)) for t in texts),
        origin=Origin(kind=OriginKind.READ, source=_("example machine “{name}” ({source})", name=name, source=source)),
    )


def _origins(entry: object, fields: tuple[str, ...], source: str) -> tuple[tuple[str, Origin], ...]:
    read = Origin(kind=OriginKind.READ, source=source)
    special = {
        "sheet": Origin(kind=OriginKind.READ, source=_("the maker's data sheet")),
        "label": Origin(kind=OriginKind.COMPUTED, source=_("capacity behind the label (IDEMA LBA1-03)")),
        "assumed": Origin(kind=OriginKind.ASSUMED, source=_("assumed: {source} does not say it", source=source)),
    }
    listed = {field: origin for word, origin in special.items() for field in elements(entry, word)}
    present = {name for name, __ in members(entry)}
    return tuple((field, listed.get(field, read)) for field in fields if field in present)


def _host(document: object, source: str) -> Host:
    entry = dict(members(document, "host"))
    fields: dict[str, Any] = {field: entry.get(field) for field in ("name", *_HOST_FIELDS)}
    controllers = tuple(
        Controller(name=string(c, "name") or "", bytes_per_second=integer(c, "bytes_per_second"))
        for c in elements(document, "controllers")
    )
    return Host(controllers=controllers, origins=_origins(entry, _HOST_FIELDS, source), **fields)


def _disks(entry: object, source: str) -> list[Disk]:
    count, prefix, by_id = integer(entry, "count") or 1, string(entry, "serial") or "EXAMPLE", string(entry, "by_id")
    media = string(entry, "media")
    notes = [warning(_(t)) for t in elements(entry, "warnings") if isinstance(t, str)]
    notes += [Note(text=_(t)) for t in elements(entry, "notes") if isinstance(t, str)]
    origins = _origins(entry, _DISK_FIELDS, source)
    fields: dict[str, Any] = {field: child(entry, field) for field in (*_DISK_FIELDS, "controller")}
    fields |= {"media": Media(media) if media else None, "notes": tuple(notes), "origins": origins}
    serials = [f"{prefix}{number:02d}" for number in range(1, count + 1)]
    return [
        Disk(key=serial, serial=serial, by_id=(f"{by_id}_{serial}",) if by_id else (), **fields) for serial in serials
    ]
