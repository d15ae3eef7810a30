"""Everything a design can be written as: what each form is for, its file, and the text itself or why there is none."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from poolwright.domain.action import CreatePool, Creation, PartitionDisk, coming
from poolwright.domain.design import Design, HostAdvice, Setting
from poolwright.domain.errors import not_there
from poolwright.domain.vdev import describe
from poolwright.emit.commands import command, plan_actions, written_path
from poolwright.emit.names import BY_ID, Stamp, comment, comment_line, commented, quote
from poolwright.emit.script import PredictedSpace, guarded_script
from poolwright.shipped import shipped
from poolwright.texts import _, sentence

# A design as its bare commands: what somebody can read who reads all that they run as root.

MOST_LINES = 40
_WIDTHS = tuple(100 << doubled for doubled in range(10))
_A_VDEV_A_LINE = 1000  # in wider lines several vdevs share one

# A line before it is folded: words that belong together; True where a line should begin.
_Words = list[tuple[str, bool]]


def plain_commands(design: Design, stamp: Stamp) -> str:
    """Return the commands of a design in at most forty lines; only very many datasets make it longer.

    Raises as `plan_actions`: Refusal where the design cannot be built or its disks have no names.
    """
    actions = plan_actions(design)
    reasons = _reasons(actions)
    lines: list[str] = []
    for why in (reasons, []):
        for width in _WIDTHS:
            lines = [*_head(design, stamp), *why, *_body(actions, width)]
            if len(lines) <= MOST_LINES:
                return "\n".join([*lines, ""])
    return "\n".join([*lines, ""])


def _head(design: Design, stamp: Stamp) -> list[str]:
    pools = [
        _("{pool}: {layout}; for OpenZFS {version}", pool=p.pool_name, layout=describe(p.layout()), version=p.made_for)
        for p in design.pools()
    ]
    warning = _(
        "These are the bare commands: they stop at the first error, and check no disk. The guarded script "
        "(--format sh) checks serial number, size and emptiness of each."
    )
    return [
        "#!/usr/bin/env bash",  # for machines
        *(comment_line(pool) for pool in pools),
        *commented(f"{stamp.words} {warning}"),
        "set -eu",
    ]


def _reasons(actions: tuple[Creation, ...]) -> list[str]:
    ashift = next(a.ashift for a in actions if isinstance(a, CreatePool))
    why = _("sectors of {bytes} bytes; it can never be changed", bytes=1 << ashift)
    settings = [Setting(name="ashift", value=str(ashift), reason=why)]
    for action in actions:
        if isinstance(action, CreatePool):
            settings += [*action.pool_settings, *action.root_settings]
    return list(dict.fromkeys(comment_line(f"{s.name}={s.value}: {s.why}") for s in settings if s.reason))


def _body(actions: tuple[Creation, ...], width: int) -> Iterator[str]:
    cut = [a for a in actions if isinstance(a, PartitionDisk)]
    made = [a for a in actions if isinstance(a, CreatePool)]
    forced = [a for a in made if a.force is not None]
    # Where zpool itself looks at the disks before it writes, nothing else has to.
    unseen = [written_path(a.device) for a in cut]
    unseen += [path for a in forced for path in map(written_path, coming(a)) if path.startswith(BY_ID)]
    parts = tuple(f"{written_path(a.device)}-part" for a in cut)
    yield from _emptiness([d for d in dict.fromkeys(unseen) if not d.startswith(parts)], width)
    for partitions in cut:
        yield from _folded(_words(partitions), width, "")
    if cut:
        yield comment_line(_("zpool can try only what is there: the partitions come first"))
        yield "udevadm settle"  # for machines
    for action in forced:
        yield comment_line(_("zpool wants -f because {reason}.", reason=action.force or ""))
    names = ["create"] if len(made) == 1 else [f"create_{number}" for number, __ in enumerate(made, 1)]
    for name, action in zip(names, made, strict=True):
        zpool, *rest = _words(action)
        yield f"{name}() {{"
        yield from _folded([(f'{zpool[0]} "$@"', True), *rest], width, "  ")
        yield "}"
    for name in names:
        yield f"{name} -n  # {_('shows what would be made, and writes nothing')}"
    for name in names:
        yield name
    for later in actions:
        if not isinstance(later, PartitionDisk | CreatePool):
            yield from _folded(_words(later), width, "")


def _emptiness(devices: list[str], width: int) -> Iterator[str]:
    if not devices:
        return
    yield comment_line(_("Neither sgdisk nor zpool create -f looks for old data: a disk with any ends this here"))
    *front, last = [(quote(device), False) for device in devices]
    loop = [("for disk in", True), *front, (f"{last[0]}; do", False)]  # for machines
    yield from _folded(loop, width, "")
    yield '  found=$(wipefs --no-act "$disk")'
    yield '  [ -z "$found" ] || { printf "%s\\n" "$disk" "$found" >&2; exit 1; }'  # for machines
    yield "done"


# The command row by row; the pool's name and each vdev begin a line.
def _words(action: Creation) -> _Words:
    words: _Words = []
    named = False
    for row in command(action).rows:
        named = named or (isinstance(action, CreatePool) and row == (action.pool,))
        words.append((" ".join(quote(word) for word in row), named and not row[0].startswith("/")))
    return words


# zpool takes its vdevs in one command; a line for each is what a person compares with the table of disks.
def _folded(words: _Words, width: int, indent: str) -> list[str]:
    lines = [indent + words[0][0]]
    for text, begins in words[1:]:
        if (begins and width < _A_VDEV_A_LINE) or len(lines[-1]) + len(text) > width:
            lines[-1] += " \\"
            lines.append(f"{indent}  {text}")
        else:
            lines[-1] += f" {text}"
    return lines


_ODD_IN_FILES = re.compile(r"[^A-Za-z0-9_.:-]|^[.-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A form of export: the word of the command line, title, what it is for, and its file (``{pool}`` is the name).

    ``title`` and ``purpose`` are told by who shows them.

    ``program`` tells whether the file is to be run; ``paged`` whether it is a page that can be printed;
    ``fixed_part`` is the key in `script.PARTS` where most of the text is the same for every design; ``writer`` is the
    module of `emit` and the function that write it from the design and the stamp alone.
    """

    key: str
    title: str
    purpose: str
    file_name: str
    program: bool = False
    paged: bool = False
    fixed_part: str | None = None
    writer: str = ""

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


EXPORTS = tuple(ExportFormat(**entry) for entry in shipped("exports")["form"])


def export_format(key: str) -> ExportFormat:
    found = next((form for form in EXPORTS if form.key == key), None)
    if found is None:
        raise not_there(key, (one.key for one in EXPORTS), where="format")
    return found


def export_text(key: str, design: Design, context: ExportContext) -> str:
    """Return the design in one form.

    Raises Refusal with every reason where the form cannot express the design, UserError for names that cannot be
    written and for an unknown form.
    """
    form = export_format(key)
    match form.key:
        case "sh":
            return guarded_script(design, context.stamp, predicted=context.predicted)
        case "advice":
            return host_advice_text(tuple(pool.pool_name for pool in design.pools()), context.advice)
        case "json":
            assert context.design_text is not None
            return context.design_text(design)
        case _:
            # One form is asked for: what writes the others stays where it is.
            module, __, writer = form.writer.partition(":")
            text: str = getattr(import_module(f"poolwright.emit.{module}"), writer)(design, context.stamp)
            return text


# Advice for the host as a text beside the script: read by a person, run by nobody.

# The bar keeps words that tools read in comments, such as a directive to shellcheck, from being taken as such.
_BAR = "# | "
_LONGEST = 2000  # nothing that somebody shall copy is cut


def host_advice_text(pools: Sequence[str], advice: Sequence[HostAdvice]) -> str:
    """Return ``advice`` for the host of these pools as comments, so that not even run as a script it does anything."""
    names = comment(", ".join(pools))
    lines = [
        comment_line(_("For the host of {pools}, after the guarded script: what the script does not do.", pools=names)),
        *commented(
            _("Nothing of it is run by itself. Read each piece and type the command after the $ where you agree.")
        ),
    ]
    for piece in advice:
        lines.append("#")
        lines.append(_line(f"{piece.title} ({_(piece.kind)})"))
        reason = piece.reason[:1].upper() + piece.reason[1:]
        lines.extend(commented(" ".join(sentence(text) for text in (reason, piece.why) if text), mark=_BAR))
        if piece.command:
            lines.append(f"#     $ {comment(piece.command, longest=_LONGEST)}")
        if piece.content:
            lines.append(_line(_("In {file}:", file=piece.file)))
            lines.extend(_line(f"    {line}") for line in piece.content.splitlines())
        if piece.sources:
            sources = "; ".join(f"{_(source.kind)} {source.words}" for source in piece.sources)
            lines.extend(commented(_("Source: {sources}", sources=sources), mark=_BAR))
    if not advice:
        lines += ["#", *commented(_("There is no advice for this design."))]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return f"{_BAR}{comment(text, longest=_LONGEST)}"
