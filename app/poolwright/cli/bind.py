"""`poolwright bind`: a design's planned disks, or another machine's, matched to the disks of a real machine."""

import argparse
import json
from collections.abc import Sequence

from poolwright.cli.as_json import json_of
from poolwright.cli.design_source import add_source_options, read_design, read_source
from poolwright.cli.options import REPORT, options, unfit
from poolwright.cli.output import answer, say, write_output
from poolwright.design.binding.applying import SpaceChange, bound_design, space_changes, space_words
from poolwright.design.binding.binding import Binding, bind_disks
from poolwright.design.binding.judging import seats_of
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError, not_there
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Inventory
from poolwright.emit.report import ALL, NEXT, SAVED, Answer, Behind, Blocks, bullets, endings, listed, warnings
from poolwright.store.design_file import to_json
from poolwright.texts import _, first_of

_MOST_NAMED, _FEW_NAMED = 12, 3


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "design", design={"nargs": None})
    add_source_options(parser)
    options(parser, f"--pair --smaller --partly {REPORT}")


def run(args: argparse.Namespace) -> int:
    design = read_design(args.design)
    inventory = read_source(args)
    if inventory.disks and all(disk.planned for disk in inventory.disks):
        raise UserError(_("--disks names disks of no machine"), todo=_("Name a machine: --from or --example."))
    binding = bind_disks(
        design, inventory, chosen=_pairs_by_hand(args.pair or (), design, inventory), smaller=args.smaller
    )
    bound = bound_design(binding)
    done = bool(binding.bound) and (args.partly or not binding.missing)
    changes = space_changes(design, bound)
    written = args.output if done and args.format is None else None
    if written is not None:
        write_output(written, to_json(bound), force=args.force)
    made = bound if done else None
    answer(args, lambda: _document(binding, changes, made, written), _blocks(binding, changes, written), makes=True)
    if not done:
        say(_("poolwright: disks are missing on {machine}:", machine=binding.inventory.name))
        alike = grouped(((pair.seat.words, pair.reasons), pair.seat.label) for pair in binding.missing)
        for (place, reasons), disks in alike.items():
            named, why = first_of(disks, _FEW_NAMED), "; ".join(reasons)
            line = _("{disks} in {place}: {reasons}", disks=named, place=place, reasons=why)
            say(f"  - {line}")
        say(_("--pair chooses by hand, --smaller takes smaller disks, --partly writes what is bound."))
    return 0 if done else 1


def _pairs_by_hand(pairs: Sequence[str], design: Design, inventory: Inventory) -> dict[str, str | None]:
    chosen: dict[str, str | None] = {}
    for text in pairs:
        planned, sign, real = text.partition("=")
        if not sign or not planned:
            raise unfit(text, "--pair", _("Write {example}.", example="disk-01=sda"))
        key = _key_of_disk(planned, [seat.disk for seat in seats_of(design)], _("the design"))
        other = _key_of_disk(real, inventory.disks, inventory.name) if real else None
        if key in chosen:
            raise UserError(_("{disk} stands in two pairs", disk=planned), where="--pair")
        chosen[key] = other
    return chosen


def _key_of_disk(name: str, disks: Sequence[Disk], where: str) -> str:
    found = [disk for disk in disks if disk.key == name] or [disk for disk in disks if name in _names(disk)]
    if len(found) == 1:
        return found[0].key
    if not found:
        keys = first_of([disk.key for disk in disks], _MOST_NAMED)
        raise not_there(name, [keys] if keys else (), where=f"--pair, {where}")
    keys = first_of([disk.key for disk in found], _MOST_NAMED)
    raise UserError(
        _("{where} has several disks “{name}”", where=where, name=name),
        where="--pair",
        todo=_("Choose from {names}.", names=keys),
    )


def _names(disk: Disk) -> set[str | None]:
    path = disk.path or ""
    by_id = {f"/dev/disk/by-id/{name}" for name in disk.by_id}
    return {disk.label, disk.serial, disk.wwn, path, path.removeprefix("/dev/"), *disk.by_id, *by_id} - {"", None}


def _blocks(binding: Binding, changes: Sequence[SpaceChange], written: str | None) -> Blocks:
    places, missing = sum(pair.seat.needed for pair in binding.pairs), len(binding.missing)
    words = {"missing": missing, "count": places, "look": binding.to_look_at, "machine": binding.inventory.name}
    if missing:
        text = _("{missing} of {count} disks are missing on {machine}.", **words)
    elif binding.to_look_at:
        text = _("All {count} disks found. Check {look} of them.", **words)
    else:
        text = _("All {count} disks found. Nothing to check.", **words)
    yield Answer(text=text, figures={"disks": places, "missing": missing, "to_check": binding.to_look_at})
    yield from () if missing else (space_words(changes),)
    found = [(pair, pair.real, pair.judged) for pair in binding.pairs if pair.real and pair.judged]  # the rest below
    names = ((_("In the design"), lambda one: one[0].seat.label), (_("Real disk"), lambda one: one[1].label))
    states = (
        ("", lambda one: _(one[2].verdict.value)),
        (_("What differs"), lambda one: "; ".join(difference.text for difference in one[2].differences)),
    )
    if odd := [one for one in found if one[2].differences]:
        yield listed(odd, *names, *states)
    by = (_("Found by"), lambda one: _(one[0].by.value) if one[0].by else "")
    yield Behind(ALL, (listed(found, (_("Place"), lambda one: one[0].seat.words), *names, by),) if found else ())
    if binding.idle:
        yield _("Not used: {disks}.", disks=first_of([disk.label for disk in binding.idle], _FEW_NAMED))
        why = ((disk.label, "; ".join(disk.refusals())) for disk in binding.idle)
        yield Behind(ALL, bullets(*(f"{label} ({reasons})" for label, reasons in why if reasons)))
    yield from warnings(*binding.remarks)
    yield from endings(SAVED, written)
    script = f"poolwright script {written} -w create-{binding.design.pool_name}.sh"  # for machines
    yield from endings(NEXT, "" if written is None else script)


def _document(
    binding: Binding, changes: Sequence[SpaceChange], bound: Design | None, written: str | None
) -> dict[str, object]:
    return json_of(
        binding,
        "machine=inventory.name complete@ pairs[place=seat.words planned=seat.disk.key needed=seat.needed "
        "real=real.key label=real.label by verdict=judged.verdict equal@ differences@[verdict text] reasons] "
        "idle[key label reasons=refusals] "
        "pools@[pool=pool_name available_bytes_before=before_bytes available_bytes=after_bytes] remarks file@ design@",
        complete=not binding.missing,
        equal=lambda pair: pair.judged.equal if pair.judged else (),
        differences=lambda pair: pair.judged.differences if pair.judged else (),
        pools=changes,
        file=written,
        design=None if bound is None else json.loads(to_json(bound)),
    )
