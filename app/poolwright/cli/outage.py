"""`poolwright outage`: what becomes of a design's pools when disks, a shelf or a controller are gone."""

import argparse
from collections.abc import Sequence

from poolwright.cli.as_json import json_of
from poolwright.cli.design_options import add_design_arguments, read_given_design
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer
from poolwright.design.blast import Blast, Losses, State, away, pool_outcome, unit_outcomes
from poolwright.design.survival import failures_survived
from poolwright.domain.design import Design
from poolwright.domain.disk import short_name
from poolwright.domain.errors import not_there
from poolwright.domain.outage import units_of
from poolwright.emit import report
from poolwright.emit.report import Blocks, listed, table
from poolwright.texts import _, capital, first_of, ngettext, sentence

_MOST_NAMED = 6


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(parser, f"--lose {REPORT}")


def run(args: argparse.Namespace) -> int:
    """Print the outcome; exit status 1 where what was asked for takes a pool."""
    design = read_given_design(args)
    if args.lose is not None:
        keys = frozenset(key for name in args.lose for key in _keys(design, name))
        blast = pool_outcome(design, keys)
        named = [unit.disk_keys for unit in units_of(design.disks) if {unit.name, str(unit)} & set(args.lose)]
        if keys == frozenset().union(*named):  # a broken disk among them would be lost with its data
            blast = away(blast)
        answer(args, lambda: _document(blast), _blocks(blast))
        return 1 if blast.state in (State.SUSPENDED, State.LOST) else 0
    units = [(str(found.unit), found.blast) for found in unit_outcomes(design)]
    losses = Losses(design)
    disks = [(_("disk {label}", label=design.disk(key).label), losses.of({key})) for key in sorted(design.used_keys())]

    def document() -> dict[str, object]:
        # Vdevs that a loss leaves whole stand once, not with every loss: a design of 2000 disks would fill a gigabyte.
        single = [{"loss": name, **_document(blast, hurt_only=True)} for name, blast in (*units, *disks)]
        return {"whole": _document(losses.of(())), "losses": single}

    answer(args, document, _losses_blocks(design, units, disks))
    return 0


def _losses_blocks(design: Design, units: Sequence[tuple[str, Blast]], disks: Sequence[tuple[str, Blast]]) -> Blocks:
    gravest = [(name, blast) for name, blast in disks if blast.state is State.LOST]
    taking = [name for name, blast in units if blast.state in (State.LOST, State.SUSPENDED)]
    least = 0 if gravest else failures_survived(design) or 1
    text = (
        sentence(capital(ngettext("any {count} disk may fail", "any {count} disks may fail", least)))
        if least
        else ngettext("The loss of {count} disk is the loss of a pool.",
                      "The loss of any of {count} disks is the loss of a pool.", len(gravest))
    )  # fmt: skip
    alone = _("A single point of failure: {names}.", names=first_of(taking, 3)) if taking else ""
    figures: dict[str, object] = {"survives": least, "single_points_of_failure": taking}
    yield report.Answer(text=f"{text} {alone}".rstrip(), figures=figures)
    if not units:
        yield from report.warnings(unknown=[_("No enclosure or controller is known for these disks.")])
    whole = [(_("any {count} of the disks", count=least), str(least), _("works"), "")] if least else []
    yield _losses_table([*units, *gravest], whole)
    yield report.Behind(report.ALL, (_losses_table(disks),))
    yield from report.endings(report.MORE, f"--lose {'NAME'}")


def _losses_table(of: Sequence[tuple[str, Blast]], first: Sequence[tuple[str, ...]] = ()) -> report.ReportTable:
    rows = [(name, str(len(blast.lost_keys)), _(blast.state.value), blast.sentence) for name, blast in of]
    return table((_("Loss of"), _("Disks"), _("Outcome"), ""), [*first, *rows], (1,))


def _keys(design: Design, name: str) -> frozenset[str]:
    for unit in units_of(design.disks):
        if name in (unit.name, str(unit)):
            return unit.disk_keys
    for disk in design.disks:
        if name in (disk.key, disk.serial, disk.path, short_name(disk.path or disk.key), disk.label, *disk.by_id):
            return frozenset(d.key for d in design.disks if d is disk or (disk.body and d.body == disk.body))
    units = ", ".join(str(unit) for unit in units_of(design.disks))
    disks = ", ".join(disk.label for disk in design.disks[:_MOST_NAMED])
    disks += ", …" if len(design.disks) > _MOST_NAMED else ""
    known = "; ".join(part for part in (units, _("the disks {disks}", disks=disks) if disks else "") if part)
    raise not_there(name, [known] if known else (), where="--lose")


def _document(blast: Blast, *, hurt_only: bool = False) -> dict[str, object]:
    """Return an outcome with its vdevs; ``hurt_only``, with those alone that miss a disk."""
    return json_of(
        blast,
        "state sentence lost_disks@ pools[pool=pool_name state bears_more spares_left datasets notes "
        "vdevs@vdevs[name class=vdev_class state members missing bears_more]]",
        lost_disks=sorted(blast.lost_keys),
        vdevs=lambda pool: [vdev for vdev in pool.vdevs if vdev.missing or not hurt_only],
    )


def _blocks(blast: Blast) -> Blocks:
    yield blast.sentence
    for pool in blast.pools:
        yield report.ReportHeading(text=pool.pool_name, level=3)
        yield listed(
            pool.vdevs,
            (_("Vdev"), lambda vdev: vdev.name),
            (_("Class"), lambda vdev: vdev.vdev_class.value),
            (_("State"), lambda vdev: _(vdev.state.value)),
            (_("Missing"), lambda vdev: _("{count} of {all}", count=vdev.missing, all=vdev.members)),
            (_("May fail"), lambda vdev: "" if vdev.bears_more is None else vdev.bears_more),
            right=(3, 4),
        )
        yield from pool.notes
