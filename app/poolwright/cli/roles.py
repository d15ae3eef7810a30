"""`poolwright roles`: what flash drives are worth beside the pool of a design, as which devices, of which size."""

import argparse
from collections.abc import Iterable
from dataclasses import replace

from poolwright.cli.asked import add_asked_options, read_asked
from poolwright.cli.design_source import design_about, read_raw
from poolwright.cli.options import options, unfit
from poolwright.cli.output import all_picked, answer, deliver, picked
from poolwright.design.roles.advice import advised_roles, apply_roles, held_back, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.model import (
    DEFAULT_INGEST_SECONDS,
    FileSizes,
    RoleAdvice,
    RoleChoices,
    RoleJudgement,
    RolePlan,
    Verdict,
    estimate_words,
    gain_words,
)
from poolwright.design.roles.share import Critique, criticise, plan_roles
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.inheritance import all_datasets
from poolwright.domain.units import binary, parse_block_size
from poolwright.emit.report import Blocks, Bullets, Words, bullets
from poolwright.machine.zdb import read_block_count
from poolwright.machine.zdb_dedup import read_dedup_count
from poolwright.texts import marked, tell

_LARGEST_PRINTED_BYTES = 64 << 20
_WORTH = {
    Verdict.HELPS: marked("worth it"),
    Verdict.DOES_NOT_HELP: marked("not worth it"),
    Verdict.CANNOT_TELL: marked("it depends"),
}
_WORDS = {role.value.replace(" ", "-"): role for role in Role}


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked_options(parser)
    options(
        parser,
        "--pool --ingest-seconds --ram --working-set --small-blocks --files --blocks --zdb --add "
        "-o|--output --force --json",
        ingest_seconds={"seconds": DEFAULT_INGEST_SECONDS},
        add={"choices": sorted(_WORDS), "roles": ", ".join(sorted(_WORDS))},
        output={"what": tell("the design that --add makes")},
    )


def run(args: argparse.Namespace) -> int:
    whole = read_asked(args)
    if args.ram is not None:
        whole = replace(whole, budget=replace(whole.budget, ram_bytes=args.ram))
    design = design_about(whole, args.pool)
    if args.add and design is not whole:
        where, todo = f"--pool {args.pool}", tell("Give one of the two.")
        raise UserError(tell("--add means the main pool"), where=where, todo=todo)
    advice = judge_roles(setting_of(design, _choices(args, design)))
    if args.output is not None and not args.add:
        raise UserError(tell("There is nothing to write to a file"), todo=tell("Add a role with --add."))
    if args.add:
        return _write(args, design, advice)
    critiques = criticise(advice, chosen_roles(design))
    plan = plan_roles(advice, advised_roles(advice))
    answer(args, lambda: document(advice, plan, critiques), _blocks(design, advice, plan, critiques))
    return 0


def document(advice: RoleAdvice, plan: RolePlan, critiques: tuple[Critique, ...] = ()) -> dict[str, object]:
    gain = "[what unit before after]"  # for machines
    small = "[dataset bytes=limit_bytes moved_bytes=moved share_of_files:g share_of_bytes:g reason]"  # for machines

    def reasons(told: Iterable[tuple[Role, str]]) -> list[dict[str, object]]:
        return [{"role": role.value, "reason": reason} for role, reason in told]

    return {
        "deduplication": picked(
            judge_deduplication(advice.setting),
            "verdict@ because factor saved_bytes@ table_entries=table.entries table_ram_bytes=table.core "
            f"table_disk_bytes=table.disk share_of_arc:g=arc_share writes{gain} missing",
            verdict=lambda found: _WORTH[found.verdict],
            saved_bytes=lambda found: None if found.saved_bytes is None else round(found.saved_bytes),
        ),
        "roles": all_picked(
            advice.judgements,
            f"role verdict because size_bytes=size gain{gain} least_redundancy wished_redundancy risks missing "
            f"special_small_blocks=small_blocks{small}",
        ),
        "plan": picked(
            plan,
            "devices=planned[role vdevs[kind members[disk=disk_key part slice_bytes]] capacity_bytes risks notes] "
            "refused@ held_back@ idle shared",
            refused=reasons(plan.refused),
            held_back=reasons(held_back(advice)),
        ),
        "critique": all_picked(critiques, "role text better"),
    }


def _blocks(design: Design, advice: RoleAdvice, plan: RolePlan, critiques: tuple[Critique, ...]) -> Blocks:
    for judgement in advice.judgements:
        yield from _judgement_blocks(judgement)
    found = judge_deduplication(advice.setting)
    yield tell("deduplication itself: {worth}", worth=tell(_WORTH[found.verdict]))
    yield from bullets(*found.because)
    yield ""
    labels = {disk.key: disk.label for disk in design.disks}
    for part in plan.planned:
        for vdev in part.vdevs:
            members = ", ".join(_member(labels[m.disk_key], m.part, m.slice_bytes) for m in vdev.members)
            yield tell("{role}: {kind} of {members}", role=tell(part.role.value), kind=vdev.kind.value, members=members)
        yield from bullets(*(tell("risk: {risk}", risk=risk) for risk in part.risks), *part.notes)
    if not plan.planned:
        yield tell("No device is proposed.")
    for role, reason in plan.refused:
        yield tell("{role}: not possible. {reason}", role=tell(role.value), reason=reason)
    for role, reason in held_back(advice):
        yield tell("{role}: left out here. {reason}", role=tell(role.value), reason=reason)
    yield from (tell("In the design now: {text}", text=critique.text) for critique in critiques)


def _judgement_blocks(judgement: RoleJudgement) -> Blocks:
    # What follows says on what: the answer under an assumption, and the option that settles it.
    yield f"{tell(judgement.role.value)}: {tell(judgement.verdict.value)}"
    yield from bullets(*judgement.because)
    if judgement.size is not None:
        size, origin = estimate_words(judgement.size), judgement.size.origin
        yield Bullets(items=(Words(text=tell("size: {size}", size=size), small=tell("from {name}", name=origin)),))
    missing = tell("missing: {missing}", missing=", ".join(judgement.missing)) if judgement.missing else ""
    yield from bullets("" if judgement.gain is None else gain_words(judgement.gain), missing)


def _member(label: str, part: int | None, slice_bytes: int | None) -> str:
    return (
        label
        if part is None
        else tell("{label} partition {part} ({size})", label=label, part=part, size=binary(slice_bytes))
    )


def _write(args: argparse.Namespace, design: Design, advice: RoleAdvice) -> int:
    from poolwright.store.design_file import to_json

    roles = chosen_roles(design) | {_WORDS[word] for word in args.add}
    plan = plan_roles(advice, roles)
    if plan.refused:
        raise Refusal(
            tell("The drives cannot carry these roles"),
            todo=tell("Choose fewer, or more drives."),
            reasons=tuple(f"{tell(role.value)}: {reason}" for role, reason in plan.refused),
        )
    text = to_json(apply_roles(design, advice, roles))
    deliver(args, text, lambda: {**document(advice, plan), "file": args.output})
    return 0


def _choices(args: argparse.Namespace, design: Design) -> RoleChoices:
    choices = RoleChoices(small_blocks=tuple(_small_blocks(text, design) for text in args.small_blocks))
    if args.ingest_seconds is not None:
        choices = replace(choices, ingest_seconds=args.ingest_seconds)
    if args.working_set is not None:
        choices = replace(choices, working_set_bytes=args.working_set)
    if args.files is not None:
        choices = replace(choices, files=_file_sizes(args.files))
    if args.blocks is not None:
        choices = replace(choices, blocks=read_block_count(_printed(args.blocks)))
    if args.zdb is not None:
        choices = replace(choices, dedup=read_dedup_count(_printed(args.zdb)))
    return choices


def _small_blocks(text: str, design: Design) -> tuple[str, int]:
    name, equals, size = text.rpartition("=")  # nothing before it means the root
    if not equals:
        raise unfit(text, "--small-blocks", tell("Write {example}.", example="home=32K"))
    name = name.strip("/").removeprefix(f"{design.pool_name}/").removesuffix(design.pool_name)
    known = {dataset.name for dataset in all_datasets(design)} | {""}
    if name not in known:
        told = ", ".join(sorted(known - {""})) or tell("none below the root")
        raise UserError(
            tell("There is no dataset {name}", name=name),
            where="--small-blocks",
            todo=tell("There is {known}.", known=told),
        )
    return name, 0 if size.strip() == "0" else parse_block_size(size, what="limit")


def _file_sizes(name: str) -> FileSizes:
    from poolwright.design.roles.model import counted_sizes

    sizes = []
    for number, line in enumerate(_printed(name).splitlines(), start=1):
        if line.strip():
            if not line.strip().isdigit():
                raise UserError(
                    tell("This is no size of a file"),
                    where=tell("{file}, line {line}", file=name, line=number),
                    todo=tell("One number a line."),
                )
            sizes.append(int(line))
    return counted_sizes(
        sizes,
        Origin(kind=OriginKind.READ, source=tell("sizes of {count} files in {name}", count=len(sizes), name=name)),
    )


def _printed(name: str) -> str:
    """Return what a tool printed; names of files in it may be in any encoding."""
    return read_raw(name, most_bytes=_LARGEST_PRINTED_BYTES).decode("utf-8", errors="replace")
