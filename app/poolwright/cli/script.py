"""`poolwright script`: a design file as the guarded script that builds its pools, or in another form."""

import argparse
import shlex
from datetime import UTC, datetime
from pathlib import Path

from poolwright import __version__
from poolwright.capacity.pool import PoolCapacity, predict_pools
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_options import add_design_arguments, read_given_design, with_retention
from poolwright.cli.options import options
from poolwright.cli.output import check_file, deliver, is_device, say, write_output, wrong_ending
from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.vdev import short_words
from poolwright.texts import N_, _, either

# The keys of emit.exports.EXPORTS: written here so that asking for help stays fast, held equal by a test.
FORMATS = (
    *("sh", "plain", "undo", "rehearsal", "advice", "burn-in", "backup", "sheet", "sheet-html"),
    *("ansible", "disko", "truenas", "fio", "json"),
)
_WORDS = N_(
    "what to write: sh, the guarded script (default); plain, its bare commands in at most forty lines; undo, its twin; "
    "rehearsal, the same on sparse files, with a drill of failures; advice, for the host (with -w it is also written "
    "beside the script); burn-in, self-tests and a read of every disk before; backup, snapshots and a copy elsewhere; "
    "sheet or sheet-html, the recovery sheet; ansible, disko, truenas; fio, jobs fitted to the workload; json, the "
    "design itself"
)


# Whose form a file means by its ending; with another form it is a mistake that is noticed late.
_ENDINGS = {
    ".sh": ("sh", "plain", "undo", "rehearsal", "burn-in", "backup"), ".md": ("sheet",), ".html": ("sheet-html",),
    ".yml": ("ansible",), ".yaml": ("ansible",), ".nix": ("disko",),
    ".json": ("truenas", "json"), ".fio": ("fio",), ".pdf": (),
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    form = {"choices": FORMATS, "help": _WORDS}
    own = "--fixed-part --format:script --keep:snapshots --keep-there -w|--output --force --json"
    options(parser, own, format=form)


def run(args: argparse.Namespace) -> int:
    if args.fixed_part:
        args.format = args.format or FORMATS[0]
        return _print_fixed_part(args)
    from poolwright.emit.exports import ExportContext, export_format, export_text
    from poolwright.emit.names import Stamp
    from poolwright.emit.report import NEXT, SAVED, endings
    from poolwright.store.design_file import to_json
    from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE, advice_path

    _set_format(args)
    design = with_retention(read_given_design(args), args)
    capacities = predict_pools(design)
    advice = _advice(design) if args.format in ("sh", "advice") else ()
    beside: Path | None = None
    if args.format == "sh" and advice and args.output is not None and not is_device(args.output):
        beside = advice_path(Path(args.output))
        check_file(str(beside), force=args.force)
    context = ExportContext(
        stamp=Stamp(generated_at=datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC"), program_version=__version__),
        predicted=tuple((c.pool_size_bytes, c.available_bytes) for c in capacities),
        advice=advice,
        design_text=to_json,
    )
    text = export_text(args.format, design, context)
    if beside is not None:
        write_output(str(beside), export_text("advice", design, context), force=args.force)

    def document() -> dict[str, object]:
        script = args.format == "sh"
        body = {**_script_document(design, capacities, advice), "script": text} if script else {"text": text}
        return {"format": args.format, "pool": design.pool_name, "file": args.output, **body}

    form = export_format(args.format)
    following = [*endings(SAVED, None if beside is None else _("{file} (advice for the host)", file=beside))]
    if args.output is not None and form.fixed_part is not None and args.format not in ("rehearsal", "backup"):
        following += endings(NEXT, f"bash {shlex.quote(args.output)} --check")
    summary = [_("Pool {pool}: {layout}", pool=design.pool_name, layout=short_words(design.layout()))]
    mode = SCRIPT_MODE if form.program else PLAIN_MODE
    deliver(args, text, document, mode=mode, told=summary, following=following)
    return 0


def _set_format(args: argparse.Namespace) -> None:
    """Set the form that is not told: what the ending of the file means. Raises UserError where the two differ."""
    ending = Path(args.output).suffix.lower() if args.output is not None else ""
    meant = _ENDINGS.get(ending)
    if args.format is None and (meant is None or len(meant) == 1 or "sh" in meant):
        args.format = meant[0] if meant else FORMATS[0]
    elif meant is not None and args.format not in meant:
        forms = either([f"--format {form}" for form in meant])
        todo = (
            _("Say {forms}, or name the file otherwise.", forms=forms) if forms else _("poolwright report writes PDF.")
        )
        raise wrong_ending(args.output, ending, args.format or FORMATS[0], todo)


def _print_fixed_part(args: argparse.Namespace) -> int:
    from poolwright.emit.script import fixed_part, fixed_part_sum

    kinds = {"sh": "create"} | {kind: kind for kind in ("undo", "rehearsal", "burn-in", "backup")}
    if args.design is not None or args.layout or args.format not in kinds:
        raise UserError(
            _("--fixed-part goes with --format sh, undo or rehearsal alone"),
            todo=_("Try: poolwright script --fixed-part | sha256sum"),
        )
    kind = kinds[args.format]
    text = fixed_part(kind)
    deliver(args, text, lambda: {"format": args.format, "sha256": fixed_part_sum(kind), "text": text})
    return 0


def _advice(design: Design) -> tuple[HostAdvice, ...]:
    """Return the advice for the host. Rules that cannot be read are told on standard error: the script needs none."""
    from poolwright.rule_library import ADVICE, load_rules
    from poolwright.rules.propose import advise_host

    for with_own in (True, False):
        try:
            book = load_rules(only=(ADVICE,), with_own=with_own)
        except PoolwrightError as error:
            say(f"poolwright: {error.text}")
            say(
                _("poolwright: the script is written without your own rules.")
                if with_own
                else _("poolwright: the script is written without advice for the host.")
            )
        else:
            return tuple(dict.fromkeys(advice for pool in design.pools() for advice in advise_host(book, pool)))
    return ()


def _script_document(
    design: Design, capacities: tuple[PoolCapacity, ...], advice: tuple[HostAdvice, ...]
) -> dict[str, object]:
    from poolwright.cli.as_json import host_advice_document
    from poolwright.emit.commands import commands, plan_actions
    from poolwright.emit.script import fixed_part_sum

    space = "pool_size_bytes available_bytes"  # for machines
    named = zip(design.pools(), capacities, strict=True)
    return {
        "fixed_part_sha256": fixed_part_sum("create"),
        "commands": json_list(commands(plan_actions(design)), "argv reason"),
        **json_of(capacities[0], space),
        "pools": [{"pool": pool.pool_name, **json_of(capacity, space)} for pool, capacity in named],
        "host_advice": host_advice_document(advice),
    }
