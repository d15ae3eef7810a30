"""`poolwright bench`: measures a pool by profiles, reads what other tools measured, and judges it."""

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from poolwright import __version__
from poolwright.bench.own_profiles import kept_profiles, make_own
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import BUILT_IN, BuiltIn, effort_of, make_profile
from poolwright.bench.record import BenchTarget, Effort, Profile, TargetDisk, time_words
from poolwright.bench.run_file import kept_runs
from poolwright.bench.running.inspection import check_whole, look
from poolwright.cli.as_json import json_of
from poolwright.cli.design_source import design_of_machine, read_design, read_named, read_this_machine
from poolwright.cli.options import options
from poolwright.cli.output import answer, deliver
from poolwright.cli.over_ssh import read_over_ssh, terminal_asker
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError, excluded
from poolwright.domain.units import GIB, TIB, binary
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.report import Answer, Blocks, listed, table, warnings
from poolwright.process.blocking import converse, drive
from poolwright.process.on_host import SshHost, on_host
from poolwright.process.piped import Conversation
from poolwright.process.ssh import arrived
from poolwright.texts import _, dated, ngettext


def configure(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_mutually_exclusive_group()
    options(doing, "--list --profile --own --repeat --read --verdict --runs --paper-volumes")
    options(
        parser,
        "--directory --host --design:bench --from --pool --against --repeats --seconds --max-bytes --max-seconds "
        "--max-celsius --fill --steps --keep --no-dataset --no-keep --yes "
        "--why --all --format -w|--output:bench --force --color --json",
    )


def run(args: argparse.Namespace) -> int:
    if args.list:
        return list_profiles(args)
    if args.runs is not None:
        return list_runs(args)
    if args.profile or args.own or args.repeat:
        from poolwright.cli.bench_run import measure

        return measure(args)
    if args.read:
        from poolwright.cli.bench_read import read_files

        return read_files(args)
    if args.verdict:
        from poolwright.cli.bench_read import judge_run

        return judge_run(args)
    if args.paper_volumes:
        return write_volumes_script(args)
    raise UserError(
        _("Nothing to do"),
        todo=_("Add --list, --profile NAME --directory DIR, --read FILE... or --verdict RUN DESIGN."),
    )


# `poolwright bench --list`: the profiles with their questions, and what each costs at most.

# Where no directory is given, costs are those on this ordinary machine; the list says so.
_ORDINARY = BenchTarget(
    directory="/tank/bench", filesystem="zfs", host="", free_bytes=4 * TIB, ram_bytes=32 * GIB, dataset="tank/bench",
    pool="tank", pool_bytes=8 * TIB, fill_percent=10, arc_most_bytes=16 * GIB, userland=DEFAULT_VERSION,
    module=DEFAULT_VERSION, has_log=True,
    disks=tuple(TargetDisk(name=f"disk{number}", rotational=True) for number in range(1, 7)),
)  # fmt: skip


def list_profiles(args: argparse.Namespace) -> int:
    place = looked_at(args.directory) if args.directory is not None else _ORDINARY
    design, wishes = own_design(args), wishes_of(args)
    rows, told, own = [], [], []
    for known in BUILT_IN:
        effort, why = _effort(partial(make_profile, known, place, design, wishes), place)
        rows.append((known.name, _(known.question), effort, why))
        told.append(_document(known) | _effort_told(effort, why))
    for kept in kept_profiles():
        effort, why = _effort(partial(make_own, kept, place, wishes), place)
        rows.append((kept.name, kept.name, effort, why))
        own.append({"name": kept.name, "title": kept.name, "plot": "bars"} | _effort_told(effort, why))
    document = {"directory": args.directory, "profiles": told, "own": own}
    answer(args, lambda: document, _profiles_blocks(rows, ordinary=args.directory is None))
    return 0


def _profiles_blocks(rows: Sequence[tuple[str, str, Effort | None, str]], *, ordinary: bool) -> Blocks:
    yield Answer(text=_("{count} profiles. The first answers within minutes.", count=len(rows)))
    cells = ((name, question, *_cells(effort)) for name, question, effort, __ in rows)
    lines = [(name, time, question, written, room) for name, question, time, written, room in cells]
    yield table((_("Profile"), _("Time"), _("Question"), _("Written"), _("Room")), lines, (1, 3, 4))
    if ordinary:
        yield _(
            "At most, for {count} hard disks with {size} and {ram} of RAM; --directory says it for your pool.",
            count=len(_ORDINARY.disks),
            size=binary(_ORDINARY.pool_bytes),
            ram=binary(_ORDINARY.ram_bytes),
        )
    yield from warnings(unknown=(f"{name}: {why}" for name, _question, _effort, why in rows if why))


def list_runs(args: argparse.Namespace) -> int:
    found = kept_runs(" ".join(args.runs))
    none = _("No run matches.") if args.runs else _("No run has been kept yet.")
    rows = listed(
        found,
        (_("Run key"), lambda run: run.key),
        (_("Made (UTC)"), lambda run: dated(run.made, "%Y-%m-%d %H:%M")),
        (_("Profile"), lambda run: run.profile),
        (_("Pool"), lambda run: run.pool or ""),
        (_("Host"), lambda run: run.host),
        (_("Verdict"), lambda run: run.judgement),
    )
    blocks = (ngettext("{count} run", "{count} runs", len(found)), rows) if found else (none,)
    answer(args, lambda: {"runs": [asdict(run) | {"made": run.made.isoformat()} for run in found]}, blocks)
    return 0


def _effort(make: Callable[[], Profile], place: BenchTarget) -> tuple[Effort | None, str]:
    try:
        return effort_of(make(), place), ""
    except (Refusal, UserError) as error:
        return None, error.text


def _cells(effort: Effort | None) -> tuple[str, str, str]:
    if effort is None:
        return "-", "-", "-"
    room = effort.space_bytes + effort.volume_bytes
    return time_words(effort.seconds), binary(effort.written_bytes), binary(room)


def effort_document(effort: Effort | None) -> dict[str, object] | None:
    words = "seconds:1 written_bytes read_bytes space_bytes volume_bytes wear"  # for machines
    return None if effort is None else json_of(effort, words)


def _document(known: BuiltIn) -> dict[str, object]:
    return {
        "name": known.name,
        "title": _(known.title),
        "question": _(known.question),
        **json_of(known, "plot table"),
        "source": _(known.source) if known.source else None,
    }


def _effort_told(effort: Effort | None, why: str) -> dict[str, object]:
    return {"effort": effort_document(effort), "why_not": why or None}


def write_volumes_script(args: argparse.Namespace) -> int:
    from poolwright.bench.profiles.built_in import outside
    from poolwright.emit.names import Stamp
    from poolwright.emit.script import volumes_script
    from poolwright.store.files import SCRIPT_MODE

    text = volumes_script(
        args.paper_volumes,
        stem=outside.VOLUME_STEM,
        count=outside.PAPER_VOLUMES,
        size_bytes=outside.PAPER_VOLUME_BYTES,
        block_bytes=outside.PAPER_RECORD_BYTES,
        stamp=Stamp(generated_at=datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC"), program_version=__version__),
    )
    deliver(args, text, lambda: {"pool": args.paper_volumes, "file": args.output, "script": text}, mode=SCRIPT_MODE)
    return 0


# What all uses of the benchmark on the command line share: the place, the design and the wishes.

_T = TypeVar("_T")


def looked_at(directory: str, host: str | None = None) -> BenchTarget:
    if host is not None:
        check_whole(directory, host)
    return run_there(look(directory if host is not None else os.fspath(Path(directory).absolute())), host)


def run_there(conversation: Conversation[_T], host: str | None) -> _T:
    if host is None:
        return converse(conversation)
    visit = drive(arrived(SshHost(name=host), terminal_asker()))
    try:
        return converse(on_host(conversation, visit.host))
    finally:
        visit.leave()


def free_disks(host: str | None) -> tuple[Disk, ...]:
    return (read_this_machine() if host is None else read_over_ssh([host])).usable()


def own_design(args: argparse.Namespace, named: str | None = None) -> Design | None:
    """Return the design that is ``named`` or of ``--design``, else the pool of ``--from``; None without any."""
    name = named or args.design
    if args.from_paths is None:
        return None if name is None else read_design(name)
    if name is not None:
        raise excluded("DESIGN", "--from")
    return design_of_machine(read_named("from_paths", tuple(args.from_paths)), args.pool)


def wishes_of(args: argparse.Namespace) -> BenchWishes:
    return BenchWishes(
        repeats=args.repeats, seconds=args.seconds, most_bytes=args.max_bytes, fill_percent=args.fill, steps=args.steps
    )
