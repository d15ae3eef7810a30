"""`poolwright roles`: what flash drives are worth beside the pool of a design, as which devices, of which size."""

import argparse
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_options import add_design_arguments, read_given_design, with_retention
from poolwright.cli.design_source import design_about, read_raw
from poolwright.cli.options import REPORT, options, unfit, without_none
from poolwright.cli.output import answer, write_output
from poolwright.design.roles import verdicts
from poolwright.design.roles.advice import advised_roles, apply_roles, held_back, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.share import Critique, criticise, plan_roles
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import Refusal, UserError, excluded, not_there
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.inheritance import all_datasets
from poolwright.domain.units import binary, parse_block_size
from poolwright.domain.vdev import VdevKind
from poolwright.emit import report
from poolwright.machine.zdb import read_block_count, read_dedup_count
from poolwright.texts import N_, _, ngettext
from poolwright.texts import listed as listed_words

_LARGEST_PRINTED_BYTES = 64 << 20
_WORTH = {
    verdicts.Verdict.HELPS: N_("worth it"),
    verdicts.Verdict.DOES_NOT_HELP: N_("not worth it"),
    verdicts.Verdict.CANNOT_TELL: N_("it depends"),
}
_WORDS = {role.value.replace(" ", "-"): role for role in Role}


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(
        parser,
        f"--pool --change --ingest-seconds --ram --working-set --small-blocks --files --blocks --zdb --add {REPORT}",
        ingest_seconds={"seconds": verdicts.DEFAULT_INGEST_SECONDS},
        add={"choices": sorted(_WORDS), "roles": ", ".join(sorted(_WORDS))},
    )


def run(args: argparse.Namespace) -> int:
    whole = with_retention(read_given_design(args), args)
    if args.ram is not None:
        whole = replace(whole, budget=replace(whole.budget, ram_bytes=args.ram))
    design = design_about(whole, args.pool)
    if args.add and design is not whole:
        raise excluded("--add", f"--pool {args.pool}")
    advice = judge_roles(setting_of(design, _choices(args, design)))
    if args.add:
        return _write(args, design, advice)
    critiques = criticise(advice, chosen_roles(design))
    plan = plan_roles(advice, advised_roles(advice))
    answer(args, lambda: document(advice, plan, critiques), _blocks(design, advice, plan, critiques))
    return 0


def document(
    advice: verdicts.RoleAdvice, plan: verdicts.RolePlan, critiques: tuple[Critique, ...] = ()
) -> dict[str, object]:
    gain = "[what unit before after]"  # for machines
    small = "[dataset bytes=limit_bytes moved_bytes=moved share_of_files:g share_of_bytes:g reason]"  # for machines

    return {
        "deduplication": json_of(
            judge_deduplication(advice.setting),
            "verdict@ because factor saved_bytes:0 table_entries=table.entries table_ram_bytes=table.core "
            f"table_disk_bytes=table.disk share_of_arc:g=arc_share writes{gain} missing",
            verdict=lambda found: _WORTH[found.verdict],
        ),
        "roles": json_list(
            advice.judgements,
            f"role verdict because size_bytes=size gain{gain} least_redundancy wished_redundancy risks missing "
            f"special_small_blocks=small_blocks{small}",
        ),
        "plan": json_of(
            plan,
            "devices=planned[role vdevs[kind members[disk=disk_key part slice_bytes]] capacity_bytes risks notes] "
            "refused@ held_back@ idle shared",
            refused=[{"role": role.value, "reason": why} for role, why in plan.refused],
            held_back=[{"role": role.value, "reason": why} for role, why in held_back(advice)],
        ),
        "critique": json_list(critiques, "role text better"),
    }


def _blocks(
    design: Design, advice: verdicts.RoleAdvice, plan: verdicts.RolePlan, critiques: tuple[Critique, ...]
) -> report.Blocks:
    named = [f"{_(part.role.value)} {_made_of(vdev)}" for part in plan.planned for vdev in part.vdevs]
    asked = {option for one in advice.judgements for option in _OPTION.findall(" ".join(one.missing))}
    text = _("Add {devices}.", devices=listed_words(named)) if named else _("Add no flash device on what is known.")
    more = ngettext("{count} answer would decide more.", "{count} answers would decide more.", len(asked))
    figures: dict[str, object] = {"add": [part.role.value for part in plan.planned], "answer_with": sorted(asked)}
    yield report.Answer(text=f"{text} {more}" if asked else text, figures=figures)
    found = judge_deduplication(advice.setting)
    rows = [(_(j.role.value), _(j.verdict.value), _because(j.because, j.missing)) for j in advice.judgements]
    separated = all(one.because[:1] != found.because[:1] for one in advice.judgements)  # not what the dedup vdev says
    if separated:
        rows.append((_("deduplication"), _(_WORTH[found.verdict]), _because(found.because, found.missing)))
    yield report.table((_("Device"), _("Verdict"), _("Why")), rows)
    yield ""
    yield from _devices(design, plan)
    yield from (_("{role}: left out here. {reason}", role=_(role.value), reason=why) for role, why in held_back(advice))
    yield from report.warnings(
        *(
            f"{', '.join(_(role.value) for role, why in plan.refused if why == reason)}: {reason}"
            for reason in dict.fromkeys(why for __, why in plan.refused)
        ),
        *(_("In the design now: {text}", text=critique.text) for critique in critiques),
        *_risks(plan),
    )
    yield report.Behind(report.WHY, report.bullets(*(note for part in plan.planned for note in part.notes)))
    for judgement in advice.judgements:
        yield report.Behind(report.WHY, _judgement_blocks(judgement))
    yield report.Behind(report.WHY, report.bullets(*found.because) if separated else ())


def _made_of(vdev: Vdev) -> str:
    count = len(vdev.members)
    if vdev.kind is VdevKind.STRIPE:
        return f"({ngettext('{count} disk', '{count} disks', count)})"
    return _("{word} of {width}", word=vdev.kind.value, width=count)


def _devices(design: Design, plan: verdicts.RolePlan) -> report.Blocks:
    labels = {disk.key: disk.label for disk in design.disks}
    for part in plan.planned:
        for vdev in part.vdevs:
            named = ((labels[m.disk_key], m.part, binary(m.slice_bytes)) for m in vdev.members)
            members = ", ".join(
                label if part is None else _("{label} partition {part} ({size})", label=label, part=part, size=size)
                for label, part, size in named
            )
            yield _("{role}: {kind} of {members}", role=_(part.role.value), kind=vdev.kind.value, members=members)


def _risks(plan: verdicts.RolePlan) -> list[str]:
    return [f"{_(part.role.value)}: {risk}" for part in plan.planned for risk in part.risks]


def _because(reasons: Sequence[str], missing: Sequence[str]) -> str:
    """Return the first reason, and the options that would settle it."""
    asked = _OPTION.findall(" ".join(missing))
    return " ".join((*reasons[:1], *([_("Answer with {options}.", options=", ".join(asked))] if asked else ())))


_OPTION = re.compile(r"--[a-z-]+")


def _judgement_blocks(judgement: verdicts.RoleJudgement) -> report.Blocks:
    # What follows says on what: the answer under an assumption, and the option that settles it.
    yield f"{_(judgement.role.value)}: {_(judgement.verdict.value)}"
    yield from report.bullets(*judgement.because)
    if judgement.size is not None:
        size, origin = verdicts.estimate_words(judgement.size), judgement.size.origin
        yield report.Bullets(
            items=(report.Words(text=_("size: {size}", size=size), small=_("from {name}", name=origin)),)
        )
    missing = _("missing: {missing}", missing=", ".join(judgement.missing)) if judgement.missing else ""
    yield from report.bullets("" if judgement.gain is None else verdicts.gain_words(judgement.gain), missing)


def _write(args: argparse.Namespace, design: Design, advice: verdicts.RoleAdvice) -> int:
    from poolwright.store.design_file import to_json

    roles = chosen_roles(design) | {_WORDS[word] for word in args.add}
    plan = plan_roles(advice, roles)
    if plan.refused:
        raise Refusal(
            _("The drives cannot carry these roles"),
            todo=_("Choose fewer roles, or more drives."),
            reasons=tuple(f"{_(role.value)}: {reason}" for role, reason in plan.refused),
        )
    if args.output is not None:
        write_output(args.output, to_json(apply_roles(design, advice, roles)), force=args.force)
    added = report.Answer(text=_("Added to {name}:", name=design.name))
    command = "" if args.output else shlex.join(["poolwright", *args.argv, "-w", "FILE"])
    last = (*report.endings(report.SAVED, args.output), *report.endings(report.NEXT, command))
    blocks = (added, *_devices(design, plan), *report.warnings(*_risks(plan)), *last)
    answer(args, lambda: {**document(advice, plan), "file": args.output}, blocks, makes=True)
    return 0


def _choices(args: argparse.Namespace, design: Design) -> verdicts.RoleChoices:
    given = {
        "ingest_seconds": args.ingest_seconds,
        "working_set_bytes": args.working_set,
        "files": None if args.files is None else _file_sizes(args.files),
        "blocks": None if args.blocks is None else read_block_count(_printed(args.blocks)),
        "dedup": None if args.zdb is None else read_dedup_count(_printed(args.zdb)),
    }
    small_blocks = tuple(_small_blocks(text, design) for text in args.small_blocks)
    return replace(verdicts.RoleChoices(small_blocks=small_blocks), **without_none(given))


def _small_blocks(text: str, design: Design) -> tuple[str, int]:
    name, equals, size = text.rpartition("=")  # nothing before it means the root
    if not equals:
        raise unfit(text, "--small-blocks", _("Write {example}.", example="home=32K"))
    name = name.strip("/").removeprefix(f"{design.pool_name}/").removesuffix(design.pool_name)
    known = {dataset.name for dataset in all_datasets(design)} | {""}
    if name not in known:
        raise not_there(name, sorted(known - {""}), where="--small-blocks")
    return name, 0 if size.strip() == "0" else parse_block_size(size)


def _file_sizes(name: str) -> verdicts.FileSizes:
    lines = [(n, line.strip()) for n, line in enumerate(_printed(name).splitlines(), start=1) if line.strip()]
    for number, line in lines:
        if not line.isdigit():
            where = _("{file}, line {line}", file=name, line=number)
            raise UserError(_("This is no size of a file"), where=where, todo=_("One number a line."))
    source = _("sizes of {count} files in {name}", count=len(lines), name=name)
    return verdicts.counted_sizes([int(line) for __, line in lines], Origin(kind=OriginKind.READ, source=source))


def _printed(name: str) -> str:
    """Return what a tool printed; names of files in it may be in any encoding."""
    return read_raw(name, most_bytes=_LARGEST_PRINTED_BYTES).decode("utf-8", errors="replace")
