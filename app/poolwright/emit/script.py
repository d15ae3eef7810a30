"""The scripts of creation and undo, and how every script is put together: the design, then a part that all have.

The design is a list of disks and of the very commands that are run; the fixed part takes them apart.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import resources

from poolwright.domain.action import CreateDataset, CreatePool, Creation, Line, SetProperty
from poolwright.domain.design import Design, Setting
from poolwright.domain.disk import Disk, is_masked
from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import OriginKind
from poolwright.domain.names import check_pool_name
from poolwright.domain.retention import USUAL_RETENTION
from poolwright.domain.shown import shown_text
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import describe
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.commands import Path, command, plan_actions, script_lines
from poolwright.emit.names import Stamp, comment, comment_line, commented, device_path, head_lines, quote
from poolwright.emit.shell_texts import shell_in_language
from poolwright.shipped import shipped
from poolwright.texts import N_, _, ngettext, per_language

FIXED_PART = "# ==== The fixed part"  # for machines
PARTS = {kind: tuple(f"{part}.sh" for part in parts.split()) for kind, parts in shipped("scripts")["parts"].items()}
_DISKS = N_("The disks: name, bytes, bytes of a logical sector, serial number")
# What shellcheck is told to let pass in every script, and why.
_LINT = {
    "SC1003,SC2016": N_("words of the design stand in single quotes: nothing expands"),
    "SC2317,SC2329": N_("functions are called by their names, and shared with the other script"),
}


# Where a script looks for devices: written into it as constants, so that nothing at run time can change them.
PLACES = {"dev_by_id": "/dev/disk/by-id", "sys_block": "/sys/class/block"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """What is begun and ended together: what a person reads above it, what is checked before it, asked and done."""

    title: str
    reason: str
    lines: tuple[Line, ...]


# What a new, empty pool should show: SIZE of `zpool list -p`, and USED + AVAIL of its root dataset, in bytes.
PredictedSpace = tuple[int | None, int | None]


@per_language
@cache
def shell_part(name: str) -> str:
    return shell_in_language(resources.files("poolwright.emit").joinpath("shell", name).read_text(encoding="utf-8"))


def fixed_part(kind: str) -> str:
    """Return what every script of one ``kind`` (a key of `PARTS`) ends with, the same in all of one language."""
    note = _("the same in every script of its kind that this version of Poolwright writes")
    title = f"{FIXED_PART}: {comment(note)}"
    return "\n".join([title, "", *(shell_part(name) for name in PARTS[kind]), shell_part("90_end.sh").lstrip()])


def fixed_part_sum(kind: str) -> str:
    return sha256(fixed_part(kind).encode()).hexdigest()


def assemble(kind: str, *, head: Sequence[str], constants: dict[str, str], design: Sequence[str]) -> str:
    """Return a whole script: the comments ``head``, the lines that let no other shell run it, the design, the rest."""
    values = constants | {"fixed_part_title": FIXED_PART, "fixed_part_sha256": fixed_part_sum(kind)}
    lines = [
        "#!/usr/bin/env bash",  # for machines
        *head,
        "#",
        *commented(
            _(
                "Below the design follows a part that is the same in every such script of this version. The "
                "script compares it with this sha256; by hand:"
            )
        ),
        f"#   {fixed_part_sum(kind)}",
        f"#   sed -n '/^{FIXED_PART}/,$p' FILE | sha256sum",  # for machines
        *(f"# shellcheck disable={codes} # {comment(_(why))}" for codes, why in _LINT.items()),  # for machines
        shell_part("00_begin.sh"),
        *(f"readonly {name}={quote(value)}" for name, value in values.items()),
        "",
        "design() {",
        *(f"  {line}" if line else "" for line in design),
        "}",
        "",
    ]
    return "\n".join(lines) + "\n" + fixed_part(kind)


def plan_script(
    head: Iterable[str],
    *,
    one_by_one: bool,
    pool: str,
    disks: Iterable[Disk],
    steps: Iterable[PlanStep],
    version: ZfsVersion,
    path: Path | None = None,
) -> str:
    """Return the script (bash 4.2 or newer) that takes a pool through steps, each after its checks.

    With ``one_by_one`` it takes the step that is named, else all of them in their order.
    """
    design = [f"pool_names=({quote(pool)})", comment_line(_(_DISKS)), *dict.fromkeys(map(disk_line, disks))]
    for step in steps:
        design += ["", f"step {quote(step.title)} {quote(step.reason)}"]
        design += [text for line in step.lines for text in script_lines(line, version=version, path=path)]
    constants = {"one_by_one": "yes" if one_by_one else "no"} | PLACES
    return assemble("steps", head=tuple(head), constants=constants, design=design)


def plain_serial(disk: Disk) -> str:
    """Return a serial number without padding, underscores and control characters, by which tools differ.

    One that was masked is none: it would refuse the right disk. What else is odd is compared as it is.
    """
    serial = "" if is_masked(disk.serial or "") else disk.serial or ""
    return "".join(c for c in serial if c != "_" and not c.isspace() and c.isprintable())


def design_lines(
    design: Design, actions: tuple[Creation, ...], *, title: str, predicted: Sequence[PredictedSpace] = ()
) -> tuple[str, ...]:
    """Return the body of the shell function ``design``: the disks, then the commands in order, spaces and spellings.

    ``title`` stands above the commands; ``predicted`` is of each pool in order and may be short.
    Every disk has its by-id name.
    """
    lines = [comment_line(_(_DISKS)), *map(disk_line, design.used_disks()), "", comment_line(title)]
    spaces = iter(predicted)
    for action in actions:
        if isinstance(action, CreatePool) and action.force:
            lines.append(comment_line(_("zpool wants -f because {reason}.", reason=comment(action.force))))
        written = recorded(action) if isinstance(action, CreatePool) else action
        lines += f"write {command(written).text}".split("\n")
        if isinstance(action, CreatePool) and (space := next(spaces, None)) is not None:
            size, available = ("''" if value is None else str(value) for value in space)
            why = _("bytes of SIZE, and of USED + AVAIL, that the pool will show")
            lines.append(f"predicted {size} {available} {comment_line(why)}")
    others = _other_spellings(actions)
    return (*lines, *(("", comment_line(_("How the tools print a value")), *others) if others else ()))


def disk_line(disk: Disk) -> str:
    sector = "" if disk.logical_sector_bytes is None else str(disk.logical_sector_bytes)
    words = (disk.by_id_name or "", str(disk.size_bytes), sector, plain_serial(disk))
    origin = disk.origin_of("by_id")
    derived = _("name derived, not read") if origin is not None and origin.kind is OriginKind.COMPUTED else ""
    remark = ", ".join(part for part in (disk_comment(disk), derived) if part)
    return f"disk {' '.join(quote(word) for word in words)} # {comment(remark)}"


def disk_comment(disk: Disk) -> str:
    """Return by what a person knows a disk: where it sits, its maker and model, its size."""
    return ", ".join(filter(None, (shown_text(disk.place), disk.vendor, disk.model, drive_size(disk.size_bytes))))


def _other_spellings(actions: tuple[Creation, ...]) -> tuple[str, ...]:
    settings = (setting for action in actions for setting in settings_of(action))
    lines = (
        f"also {quote(s.name)} {quote(s.value)} {quote(other)}"
        for s in settings
        for other in spellings(s.name, s.value)[1:]
    )
    return tuple(dict.fromkeys(lines))


def settings_of(action: Creation) -> tuple[Setting, ...]:
    if isinstance(action, CreatePool):
        return (*action.pool_settings, *action.root_settings)
    if isinstance(action, CreateDataset):
        return action.settings
    return (action.setting,) if isinstance(action, SetProperty) else ()


# By what a pool and the record of its creation are known as a script's own: a mark that follows from the design.

# A user property: zfs keeps it with the pool, on whatever machine it is imported.
MARK = "org.poolwright:design"
_MARK_DIGITS = 16  # of sha256: 64 bits, which no two designs of a person share by chance


def pool_mark(create: CreatePool) -> str:
    """Return the mark of a pool: the same for the same name and members in the same places, whatever else is edited."""
    lines = [create.pool]
    for vdev in create.vdevs:
        lines += [f"{vdev.vdev_class.value} {vdev.zpool_word or 'disk'}", *(m.path or "" for m in vdev.members)]
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:_MARK_DIGITS]


def recorded(create: CreatePool) -> CreatePool:
    """Return the creation with its mark as a user property, which comes into being with the pool.

    So a run killed right after `zpool create` leaves a pool that is known as the script's.
    """
    why = _("By this mark a second run and the undo script know the pool")
    mark = Setting(name=MARK, value=pool_mark(create), reason=why)
    return replace(create, root_settings=(*create.root_settings, mark))


# How `zpool get` and `zfs get` may print back a value that was set: exact numbers and canonical words.

_SIZE = re.compile(r"([0-9]+)([KMGTPE])(?:i?B)?\Z", re.IGNORECASE)
_POWER = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}


def spellings(name: str, value: str) -> tuple[str, ...]:
    """Return ``value`` and every other form in which the tools may print it back for the property ``name``."""
    found, known = [value, exact(value)], shipped("scripts")
    if value == "none" and name in known["none_is_zero"].split():
        found.append("0")
    if name.startswith("feature@") and value == "enabled":
        found.append("active")  # enabled, and something uses it
    found.extend(known["aliases"].get(name, {}).get(value, "").split())
    return tuple(dict.fromkeys(found))


def exact(value: str) -> str:
    match = _SIZE.match(value)
    return value if match is None else str(int(match.group(1)) << _POWER[match.group(2).upper()])


# What the declarative exports share: exact values of properties, and refusals of what a format cannot say.


def exact_settings(settings: tuple[Setting, ...]) -> dict[str, str]:
    """Return properties by name, sizes in bytes: how the tools compare them with what is set."""
    return {s.name: exact(s.value) for s in settings}


def refuse(design: Design, form: str, problems: Iterable[str], *, todo: str) -> None:
    if reasons := tuple(problems):
        raise Refusal(
            _("{form} cannot express the design “{design}”", form=form, design=shown_text(design.name)),
            reasons=reasons,
            todo=todo,
        )


def has_partitions(design: Design) -> bool:
    return any(member.slice_bytes is not None for member in design.members())


# The guarded script: checks every disk, lets zpool rehearse, asks, creates, verifies; safe to run twice.

_TITLE = N_("What is written, in this order, after every check and question: these commands and no others")


def guarded_script(design: Design, stamp: Stamp, *, predicted: Sequence[PredictedSpace] = ()) -> str:
    """Return the bash script (4.2 or newer) that builds ``design``.

    It prints what is ``predicted`` of the pools, in their order, beside what it finds. Raises Refusal with all reasons
    when the design cannot be built or its disks not be named, UserError for names and values that cannot be written.
    """
    actions, system = plan_actions(design), design.machine.system
    constants = {"designed_for": design.made_for, "install": system.install if system else ""}
    return assemble(
        "create",
        head=_head(design, stamp),
        constants=constants | PLACES,
        design=design_lines(design, actions, title=_(_TITLE), predicted=predicted or ((None, None),)),
    )


def by_pool(actions: tuple[Creation, ...]) -> list[tuple[Creation, ...]]:
    """Return the actions of each pool, its creation first; partitions belong to no pool."""
    starts = [i for i, action in enumerate(actions) if isinstance(action, CreatePool)]
    return [actions[start:end] for start, end in zip(starts, [*starts[1:], len(actions)], strict=True)]


def _head(design: Design, stamp: Stamp) -> tuple[str, ...]:
    pools = design.pools()
    title = ngettext(
        "Guarded script of the design “{design}”: creates the pool {pools}.",
        "Guarded script of the design “{design}”: creates the pools {pools}.",
        len(pools),
        design=comment(design.name),
        pools=", ".join(pool.pool_name for pool in pools),
    )
    course = _(
        "Try it first with --check, which changes nothing. It checks every disk, lets zpool rehearse, "
        "asks for the name of each pool, and only then runs the commands in the function “design”. It "
        "refuses disks that are not empty: only what you agree to in words is overwritten. A second "
        "run changes nothing."
    )
    described = (comment_line(_described(pool, len(pools))) for pool in pools)
    return (comment_line(title), *described, *commented(stamp.words), "#", *commented(course))


def _described(pool: Design, count: int) -> str:
    layout = describe(pool.layout())
    if count > 1:
        layout = _("{name}: {value}", name=pool.pool_name, value=layout)
    words = {"layout": layout, "ashift": pool.ashift, "version": pool.made_for}
    return _("{layout}; ashift {ashift}; computed for OpenZFS {version}.", **words)


# The undo twin of the guarded script: destroys what that script created, after showing it, and nothing else.


def undo_script(design: Design, stamp: Stamp) -> str:
    """Return the bash script (4.2 or newer) that takes back what the guarded script of the same design creates.

    It compares pools vdev by vdev and label by label with the design, tells what will be lost, refuses when a pool
    holds more than the script put there (unless told otherwise and typed), destroys, and clears labels, partitions
    and partition tables that are its own. Raises as `guarded_script`.
    """
    what = _("What the creation script wrote, in this order; none of it is run here")
    title = _(
        "Undo of the guarded script of the design “{design}”: DESTROYS {pools}.",
        design=comment(design.name),
        pools=", ".join(pool.pool_name for pool in design.pools()),
    )
    course = _(
        "Try it first with --check, which changes nothing. It destroys a pool only when its vdevs are "
        'those of the design, nothing was stored in it, and "destroy NAME" was typed (--with-data: "destroy '
        'NAME with its data"). What it does not recognise it leaves alone. It runs none of the commands in '
        "the function “design”."
    )
    return assemble(
        "undo",
        head=head_lines(title, stamp, course),
        constants=PLACES,
        design=design_lines(design, plan_actions(design), title=what),
    )


# A guarded script that makes zvols for a measurement and removes them again, and touches nothing else.


def volumes_script(pool: str, *, stem: str, count: int, size_bytes: int, block_bytes: int, stamp: Stamp) -> str:
    """Return the bash script (4.2 or newer) that makes ``count`` volumes ``stem-1``, ... of ``size_bytes`` in ``pool``.

    It asks before it writes, marks what it makes, and destroys only what bears the mark. Raises UserError for a name
    that no command may hold.
    """
    check_pool_name(pool, DEFAULT_VERSION)
    values = {"pool": pool, "volume_stem": stem, "volume_count": str(count)}
    sizes = {"volume_bytes": str(size_bytes), "volume_block": str(block_bytes)}
    return assemble(
        "volumes",
        head=head_lines(_("Volumes for a measurement in the pool {pool}: made, and removed again.", pool=pool), stamp),
        constants=values | sizes,
        design=(":",),
    )


def backup_script(design: Design, stamp: Stamp) -> str:
    """Return the script that sets up snapshots, and another machine that fetches them. Raises as `volumes_script`."""
    check_pool_name(design.pool_name, design.version)
    keep = design.budget.keep or USUAL_RETENTION
    kept = {"keep": keep, "keep_there": design.budget.keep_there or keep}
    words = {name: " ".join(f"{period}={count}" for period, count in asdict(of).items()) for name, of in kept.items()}
    places = {"sanoid_conf": "/etc/sanoid/sanoid.conf", "units": "/etc/systemd/system"}
    head = head_lines(f"{design.pool_name}: {keep}", stamp)
    return assemble("backup", head=head, constants={"pool": design.pool_name, **words, **places}, design=(":",))


def burn_in_script(design: Design, stamp: Stamp) -> str:
    """Return the script that tests and reads the free disks of a design, and writes to none. Raises Refusal."""
    used = design.used_keys()
    disks = [disk for disk in design.disks if disk.key in used or (disk.nameable and not disk.refusals())]
    for disk in disks or design.disks[:1]:
        device_path(disk)
    if not disks:
        raise Refusal(_("No disk can be used"))
    head = head_lines(_("Burn-in of the disks of {name}", name=shown_text(design.name)), stamp)
    lines = (comment_line(_(_DISKS)), *map(disk_line, disks))
    return assemble("burn-in", head=head, constants=PLACES, design=lines)
