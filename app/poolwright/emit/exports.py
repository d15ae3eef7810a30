"""Everything a design can be written as: what each form is for, its file, and the text itself or why there is none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.errors import UserError
from poolwright.emit.names import comment, comment_line, commented
from poolwright.emit.script import guarded_script
from poolwright.emit.script_tables import PredictedSpace
from poolwright.emit.stamp import Stamp
from poolwright.texts import marked, tell

_ODD_IN_FILES = re.compile(r"[^A-Za-z0-9_.:-]|^[.-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A form of export: the word of the command line, title, what it is for, and its file (``{pool}`` is the name).

    ``title`` and ``purpose`` are told by who shows them.

    ``program`` tells whether the file is to be run; ``paged`` whether it is a page that can be printed;
    ``fixed_part`` is the key in `script_tables.PARTS` where most of the text is the same for every design.
    """

    key: str
    title: str
    purpose: str
    file_name: str
    program: bool = False
    paged: bool = False
    fixed_part: str | None = None

    def name_for(self, design: Design) -> str:
        """Return the proposed file name; what is odd in a name that is yet to be mended becomes an underscore."""
        return self.file_name.format(pool=_ODD_IN_FILES.sub("_", design.pool_name) or "pool")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportContext:
    """What exports say beside the design: when, predicted space of each pool, advice for the host, the design file."""

    stamp: Stamp
    predicted: tuple[PredictedSpace, ...] = ()
    advice: tuple[HostAdvice, ...] = ()
    design_text: Callable[[Design], str] | None = None


def _form(key: str, file_name: str, title: str, **more: Any) -> ExportFormat:
    return ExportFormat(key=key, file_name=file_name, title=title, **more)


# fmt: off
EXPORTS = (
    _form("sh", "create-{pool}.sh", marked("Guarded script"), program=True, fixed_part="create",
          purpose=marked("Checks every disk, rehearses, asks for the pool's name, creates. You run it as root.")),
    _form("plain", "create-{pool}.plain.sh", marked("Plain commands"), program=True,
          purpose=marked("The bare commands in at most forty lines, for people who read all that they run.")),
    _form("undo", "destroy-{pool}.sh", marked("Undo script"), program=True, fixed_part="undo",
          purpose=marked("Takes back exactly what the guarded script created, after showing what would be lost.")),
    _form("rehearsal", "rehearse-{pool}.sh", marked("Rehearsal on files"), program=True, fixed_part="rehearsal",
          purpose=marked("Tries the layout without disks: on sparse files that fail, are replaced and are removed "
                         "again. You run it as root, where OpenZFS is.")),
    _form("advice", "create-{pool}.advice.txt", marked("Advice for the host"),
          purpose=marked("What the scripts leave to you: scrubs, alerts, module options, each with its reason and "
                         "its command.")),
    _form("sheet", "{pool}-recovery.md", marked("Recovery sheet"),
          purpose=marked("For the rack: bay, serial number and vdev of every disk, and what to type when one "
                         "fails.")),
    _form("sheet-html", "{pool}-recovery.html", marked("Recovery sheet to print"), paged=True,
          purpose=marked("The same as a page for the printer.")),
    _form("ansible", "{pool}.yml", marked("Ansible playbook"),
          purpose=marked("Builds the pool with community.general, after asserting size, serial number and "
                         "emptiness.")),
    _form("disko", "{pool}.nix", marked("disko expression"),
          purpose=marked("For NixOS: disks, pools and datasets as disko.devices.")),
    _form("truenas", "{pool}.truenas.json", marked("TrueNAS calls"),
          purpose=marked("pool.create and pool.dataset.create for the API of TrueNAS, disks by serial number.")),
    _form("fio", "{pool}.fio", marked("fio jobs"),
          purpose=marked("Measures the pool with jobs fitted to the workload.")),
    _form("json", "{pool}.design.json", marked("Design file"),
          purpose=marked("The design itself, to open here or elsewhere; its schema: poolwright schema.")),
)
# fmt: on


def export_format(key: str) -> ExportFormat:
    found = next((form for form in EXPORTS if form.key == key), None)
    if found is None:
        keys = ", ".join(f.key for f in EXPORTS)
        raise UserError(tell("There is no format “{key}”", key=key), todo=tell("Formats are {keys}.", keys=keys))
    return found


def export_text(key: str, design: Design, context: ExportContext) -> str:
    """Return the design in one form.

    Raises Refusal with every reason where the form cannot express the design, UserError for names that cannot be
    written and for an unknown form.
    """
    match export_format(key).key:
        case "sh":
            return guarded_script(design, context.stamp, predicted=context.predicted)
        case "advice":
            return host_advice_text(tuple(pool.pool_name for pool in design.pools()), context.advice)
        case "json":
            assert context.design_text is not None
            return context.design_text(design)
        case other:
            # One form is asked for: what writes the others stays where it is.
            module, _, writer = _WRITERS[other].partition(":")
            text: str = getattr(import_module(f"poolwright.emit.{module}"), writer)(design, context.stamp)
            return text


# Module of `emit` and function.
_WRITERS = {
    "plain": "plain:plain_commands",
    "undo": "script:undo_script",
    "rehearsal": "rehearsal:rehearsal_script",
    "sheet": "sheet:sheet_markdown",
    "sheet-html": "sheet:sheet_page",
    "ansible": "ansible:ansible_playbook",
    "disko": "disko:disko_expression",
    "truenas": "truenas:truenas_document",
    "fio": "fio:fio_job_file",
}  # for machines


# Advice for the host as a text beside the script: read by a person, run by nobody.

# The bar keeps words that tools read in comments, such as a directive to shellcheck, from being taken as such.
_BAR = "# | "
_LONGEST = 2000  # nothing that somebody shall copy is cut


def host_advice_text(pools: Sequence[str], advice: Sequence[HostAdvice]) -> str:
    """Return ``advice`` for the host of these pools as comments, so that not even run as a script it does anything."""
    names = comment(", ".join(pools))
    lines = [
        comment_line(
            tell("For the host of {pools}, after the guarded script: what the script does not do.", pools=names)
        ),
        *commented(
            tell("Nothing of it is run by itself. Read each piece and type the command after the $ where you agree.")
        ),
    ]
    for piece in advice:
        lines.append("#")
        lines.append(_line(f"{piece.title} ({piece.kind})"))
        reason = piece.reason[:1].upper() + piece.reason[1:]
        lines.extend(commented(" ".join(_sentence(text) for text in (reason, piece.why) if text), mark=_BAR))
        if piece.command:
            lines.append(f"#     $ {comment(piece.command, longest=_LONGEST)}")
        if piece.content:
            lines.append(_line(tell("In {file}:", file=piece.file)))
            lines.extend(_line(f"    {line}") for line in piece.content.splitlines())
        if piece.sources:
            sources = "; ".join(f"{source.kind} {source.ref}" for source in piece.sources)
            lines.extend(commented(tell("From: {sources}.", sources=sources), mark=_BAR))
    if not advice:
        lines += ["#", *commented(tell("There is no advice for this design."))]
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _line(text: str) -> str:
    return f"{_BAR}{comment(text, longest=_LONGEST)}"
