"""`poolwright inventory`: the disks of this machine, a host, a capture, an example or a list."""

import argparse
import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable

from poolwright.cli.as_json import json_of
from poolwright.cli.design_source import add_source_options, host_words, read_machine_of, source_words
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer, say, separated, with_header, write_output
from poolwright.cli.over_ssh import read_side_by_side
from poolwright.domain.disk import Disk, NoteLevel, plan_only
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.estimate import Origin
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool, PoolNode, import_words, pool_troubles
from poolwright.domain.shown import shown_text
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.emit import report
from poolwright.machine.packed import COLLECTOR
from poolwright.predict.number_words import UNKNOWN
from poolwright.store.files import redacted
from poolwright.texts import _, capital, first_of, ngettext, sentence

INVENTORY_SCHEMA = 1
_AS_ROOT = "poolwright collector | sudo sh | poolwright inventory --from -"  # for machines


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(parser, f"--redact:inventory --redact-to --redact-pools {REPORT}")


def run(args: argparse.Namespace) -> int:
    if args.redact_to is not None:
        return _write_redacted(args)
    if (args.redact and not args.json) or (args.redact_pools and not args.redact):
        raise UserError(
            _("What is printed for people is not redacted"),
            where="--redact",
            todo=_("Add --json, or write another capture by --redact-to FILE."),
        )
    if args.host is not None and len(args.host) > 1:
        return _print_hosts(args)
    inventory = read_machine_of(args)
    following = "audit" if any(pool_troubles(pool) for pool in inventory.pools) else "recommend"
    command = [] if args.redact else [shlex.join(["poolwright", following, *source_words(args)])]
    blocks = (*inventory_blocks(inventory), *report.endings(report.NEXT, *command))
    document = with_header(args, inventory_document(inventory), blocks) if args.json else {}
    if args.redact:
        document = _redacted(document, [inventory], pools=args.redact_pools)
    answer(args, lambda: document, blocks)
    return 0


def _redacted(
    document: object, inventories: Iterable[Inventory], *, pools: bool, asked: Iterable[str] = ()
) -> dict[str, object]:
    """Return a document without the serial numbers and names in it; ``asked`` is what the person calls the hosts."""
    hosts = [name for host in asked for name in (host, *host.split("@"))]
    links, names = [], []
    for inventory in inventories:
        hosts += [name for name in (inventory.host.name, inventory.name) if name]
        links += [link for disk in inventory.disks for link in disk.by_id]
        names += [pool.name for pool in inventory.pools]
    text = json.dumps(document, ensure_ascii=False, indent=1)
    found: dict[str, object] = json.loads(redacted(text, COLLECTOR, names=pools, hosts=hosts, links=links, pools=names))
    return found


def _write_redacted(args: argparse.Namespace) -> int:
    from poolwright.store.capture_files import text_of

    if args.from_paths is None or len(args.from_paths) != 1:
        raise UserError(_("--redact-to takes one capture"), where="--redact-to", todo=_("Name one file with --from."))
    write_output(
        args.redact_to, redacted(text_of(args.from_paths[0]), COLLECTOR, names=args.redact_pools), force=args.force
    )
    answer(args, lambda: {"file": args.redact_to}, report.endings(report.SAVED, args.redact_to))
    return 0


def _print_hosts(args: argparse.Namespace) -> int:
    """Print several hosts. Redacted, a disk that two of them see stays one disk."""
    names = args.host
    found = read_side_by_side(names)
    read = [each for each in found if isinstance(each, Inventory)]
    failed = [each for each in found if isinstance(each, PoolwrightError)]

    def document() -> dict[str, object]:
        hosts = [
            {"asked": name, **(json_of(each, "error=what where todo") if isinstance(each, PoolwrightError)
                               else inventory_document(each))}
            for name, each in zip(names, found, strict=True)
        ]  # fmt: skip
        count = ngettext("{count} host read.", "{count} hosts read.", len(read))
        whole = {"schema": INVENTORY_SCHEMA, "answer": {"text": count}, "warnings": [], "next": [], "hosts": hosts}
        return _redacted(whole, read, pools=args.redact_pools, asked=names) if args.redact else whole

    for name, each in zip(names, found, strict=True):
        if isinstance(each, PoolwrightError):
            say(_("poolwright: {host}: {error}", host=name, error=each.text))
    answer(args, document, separated(map(inventory_blocks, read)))
    return failed[0].exit_status if failed else 0


_NOTES = "notes=notes.text warnings@"  # for machines
_CONTROLLERS = "controllers[name bytes_per_second kind origin@]"  # for machines
_BURN_IN = (
    "burn_in[verdict reasons ended self_test read_percent bytes_per_second others_bytes_per_second read_error_at "
    "kernel_errors counts[name before after]]"
)  # for machines
_FORM = f"""
    schema@ name origin[kind source when]
    host[name ram_bytes cores kernel os_name zfs_version {_CONTROLLERS} network_bytes_per_second ups notes=notes.text
         origins@]
    disks[key path by_id_name by_id model vendor serial wwn firmware size_bytes logical_sector_bytes
          physical_sector_bytes lba_formats[data_bytes metadata_bytes current] media rotation_rpm smr transport
          power_loss_protection read_bytes_per_second write_bytes_per_second health wear_percent power_on_hours
          temperature_celsius media_errors {_BURN_IN} removable controller enclosure slot body planned in_use use_known
          uses[kind detail] refusals {_NOTES} origins@]
    pools@ {_NOTES} denied
"""  # for machines


def inventory_document(inventory: Inventory) -> dict[str, object]:
    return json_of(
        inventory,
        _FORM,
        schema=INVENTORY_SCHEMA,
        warnings=lambda of: [note.text for note in of.notes if note.level is NoteLevel.WARN],
        origin=lambda controller: controller.origin and _origin(controller.origin),
        origins=lambda of: {field: _origin(origin) for field, origin in of.origins},
        pools=list(map(pool_document, inventory.pools)),
    )


def _origin(origin: Origin) -> str:
    return f"{origin.kind.value}: {origin}"


def pool_document(pool: Pool) -> dict[str, object]:
    return json_of(
        pool,
        "name state guid status action scans errors operations troubles@ importable cannot_be_imported "
        "destroyed message damaged_files status_read vdevs@",
        troubles=pool_troubles,
        vdevs=list(map(_node, pool.vdevs)),
    )


def _node(node: PoolNode) -> dict[str, object]:
    words = "name kind section state read_errors write_errors checksum_errors note path children@"  # for machines
    return json_of(node, words, children=list(map(_node, node.children)))


_MOST_ROWS = 12  # of disks, each with its own


def inventory_blocks(inventory: Inventory) -> report.Blocks:
    disks = inventory.disks
    free = [disk for disk in disks if not disk.uses and not disk.refusals()]
    kinds = Counter(f"{_size(disk)} {_media(disk)}" for disk in disks)
    count = ngettext("{count} disk, {free} free", "{count} disks, {free} free", len(disks), free=len(free))
    named = first_of([f"{number} × {kind}" for kind, number in kinds.most_common()], _MOST_KINDS)
    figures: dict[str, object] = {"disks": len(disks), "disks_free": len(free), "pools": len(inventory.pools)}
    yield report.Answer(text=sentence(f"{count}: {named}") if disks else _("No disks."), figures=figures)
    host = host_words(inventory.host)
    yield f"{inventory.name}: {host}" if host else inventory.name
    whole = (_disks_table(disks),) if disks else ()
    if 0 < len(disks) <= _MOST_ROWS:
        yield report.listed(disks, (_("Disk"), _name), *_columns(), right=(1,))
    elif disks:
        alike = grouped((tuple(str(value(disk)) for _title, value in _columns()), disk) for disk in disks)
        rows = [(str(len(of)), *words) for words, of in alike.items()]
        yield report.table(("n", *(title for title, _value in _columns())), rows, (0, 1))
    yield report.Behind(report.ALL, whole)
    yield ""
    for pool in inventory.pools:
        devices = ngettext("{count} device", "{count} devices", len(pool.leaves()))
        devices = devices if pool.vdevs or pool.status_read else _("its devices were not read")
        name = ", ".join((pool.name, *((pool.state,) if pool.state else ()), *pool_troubles(pool)))
        yield (
            _("pool {name}, {import_words}: {devices}", name=name, devices=devices, import_words=import_words(pool))
            if pool.importable
            else _("pool {name}: {devices}", name=name, devices=devices)
        )
    yield from _notes_blocks(inventory)
    if inventory.denied:
        yield _("What only root can read: {command}", command=_AS_ROOT)
    yield report.Behind(report.WHY, (_("read from {origin}", origin=inventory.origin),))


_MOST_KINDS = 4


def _name(disk: Disk) -> str:
    return disk.by_id_name or disk.path or disk.key


def _columns() -> tuple[tuple[str, Callable[[Disk], object]], ...]:
    return (
        (_("Size"), _size),
        (_("Media"), _media),
        (_("Used by"), _use),
        (_("Model"), lambda disk: disk.model or _(UNKNOWN)),
        (capital(_("sectors")), lambda disk: f"{disk.logical_sector_bytes or '?'}/{disk.physical_sector_bytes or '?'}"),
        (_("Health"), lambda disk: _(disk.health.value if disk.health else UNKNOWN)),
    )


def _disks_table(disks: tuple[Disk, ...]) -> report.ReportTable:
    bays = (
        ((_("Shelf and bay"), lambda disk: shown_text(disk.place) or _(UNKNOWN)),)
        if any(disk.enclosure for disk in disks)
        else ()
    )
    size, *others = _columns()
    return report.listed(
        disks,
        (_("Disk"), _name),
        size,
        ("", lambda disk: "" if disk.size_bytes is None else binary(disk.size_bytes)),
        (_("Serial"), lambda disk: disk.serial or _(UNKNOWN)),
        *((title, (lambda d: "; ".join(map(str, d.uses)) or _use(d)) if of is _use else of) for title, of in others),
        *bays,
        right=(1, 2),
    )


def _size(disk: Disk) -> str:
    return drive_size(disk.size_bytes) if (disk.size_bytes or 0) >= 10**9 else decimal(disk.size_bytes)


def _media(disk: Disk) -> str:
    known = disk.media.value.upper() if disk.media else _(UNKNOWN)
    return f"{known}{' SMR' if disk.smr else ''}{f' {disk.rotation_rpm}' if disk.rotation_rpm else ''}"


def _use(disk: Disk) -> str:
    """Return what uses a disk; that it has partitions is said where nothing is known to be in them."""
    unused = _("free") if disk.use_known else _(UNKNOWN)
    use = str(disk.uses[0]) if disk.uses else plan_only((disk,), short=True) or unused
    return f"{use}; {disk.burn_in.word}" if disk.burn_in else use


def _notes_blocks(inventory: Inventory) -> report.Blocks:
    hindered = grouped((why, disk.path or disk.label) for disk in inventory.disks for why in disk.hindrances())
    notes = [(note, note.text) for note in inventory.notes]
    notes += [(note, f"{first_of(owners, 4)}: {note.text}") for note, owners in inventory.notes_of_disks()]
    warn = [text for note, text in notes if note.level is NoteLevel.WARN]
    burnt = {disk.label: disk.burn_in for disk in inventory.disks if disk.burn_in and disk.burn_in.reasons}
    warn = [*(f"{label}: {burn_in.text}" for label, burn_in in burnt.items()), *warn]
    barred = [_("{disks} cannot be used: {why}", disks=first_of(n, 4), why=why) for why, n in hindered.items()]
    yield from report.warnings(*warn, *barred)
    yield report.Behind(
        report.WHY, (_("note: {text}", text=text) for note, text in notes if note.level is not NoteLevel.WARN)
    )
