"""A design as its bare commands: what somebody can read who reads all that they run as root."""

from collections.abc import Iterator

from poolwright.domain.action import CreatePool, Creation, PartitionDisk
from poolwright.domain.design import Design, Setting
from poolwright.domain.vdev import describe
from poolwright.emit.actions import plan_actions
from poolwright.emit.commands import command, written_path
from poolwright.emit.names import BY_ID, comment_line, commented, quote
from poolwright.emit.stamp import Stamp
from poolwright.texts import tell

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
        tell(
            "{pool}: {layout}; for OpenZFS {version}", pool=p.pool_name, layout=describe(p.layout()), version=p.version
        )
        for p in design.pools()
    ]
    warning = tell(
        "These are the bare commands: they stop at the first error, and nobody looks whether a disk is the one that "
        "was meant. The guarded script (--format sh) checks serial number, size and emptiness of each."
    )
    return [
        "#!/usr/bin/env bash",  # for machines
        *(comment_line(pool) for pool in pools),
        *commented(f"{stamp.words} {warning}"),
        "set -eu",
    ]


def _reasons(actions: tuple[Creation, ...]) -> list[str]:
    ashift = next(a.ashift for a in actions if isinstance(a, CreatePool))
    why = tell("sectors of {bytes} bytes; it can never be changed", bytes=1 << ashift)
    settings = [Setting(name="ashift", value=str(ashift), reason=why)]
    for action in actions:
        if isinstance(action, CreatePool):
            settings += [*action.pool_settings, *action.root_settings]
    return list(dict.fromkeys(comment_line(f"{s.name}={s.value}: {s.reason}") for s in settings if s.reason))


def _body(actions: tuple[Creation, ...], width: int) -> Iterator[str]:
    cut = [a for a in actions if isinstance(a, PartitionDisk)]
    made = [a for a in actions if isinstance(a, CreatePool)]
    forced = [a for a in made if a.force is not None]
    # Where zpool itself looks at the disks before it writes, nothing else has to.
    unseen = [written_path(a.device) for a in cut]
    unseen += [
        path
        for a in forced
        for group in a.groups
        for path in map(written_path, group.devices)
        if path.startswith(BY_ID)
    ]
    yield from _emptiness([d for d in dict.fromkeys(unseen) if not _is_part(d, cut)], width)
    for partitions in cut:
        yield from _folded(_words(partitions), width, "")
    if cut:
        yield comment_line(tell("zpool can try only what is there: the partitions come first"))
        yield "udevadm settle"  # for machines
    for action in forced:
        yield comment_line(tell("-f because {reason}", reason=action.force or ""))
    names = ["create"] if len(made) == 1 else [f"create_{number}" for number, _ in enumerate(made, 1)]
    for name, action in zip(names, made, strict=True):
        zpool, *rest = _words(action)
        yield f"{name}() {{"
        yield from _folded([(f'{zpool[0]} "$@"', True), *rest], width, "  ")
        yield "}"
    for name in names:
        yield f"{name} -n  # {tell('shows what would be made, and writes nothing')}"
    for name in names:
        yield name
    for later in actions:
        if not isinstance(later, PartitionDisk | CreatePool):
            yield from _folded(_words(later), width, "")


def _is_part(device: str, cut: list[PartitionDisk]) -> bool:
    return any(device.startswith(f"{written_path(a.device)}-part") for a in cut)


def _emptiness(devices: list[str], width: int) -> Iterator[str]:
    if not devices:
        return
    yield comment_line(tell("Neither sgdisk nor zpool create -f looks for old data: a disk with any ends this here"))
    *front, last = [(quote(device), False) for device in devices]
    loop = [("for disk in", True), *front, (f"{last[0]}; do", False)]  # for machines
    yield from _folded(loop, width, "")
    yield '  found=$(wipefs --no-act "$disk")'
    yield '  [ -z "$found" ] || { printf "%s\\n" "$disk" "$found" >&2; exit 1; }'  # for machines
    yield "done"


def _words(action: Creation) -> _Words:
    """Return the command row by row; the pool's name and each vdev begin a line."""
    words: _Words = []
    named = False
    for row in command(action).rows:
        named = named or (isinstance(action, CreatePool) and row == (action.pool,))
        words.append((" ".join(quote(word) for word in row), named and not row[0].startswith("/")))
    return words


def _folded(words: _Words, width: int, indent: str) -> list[str]:
    lines = [indent + words[0][0]]
    for text, begins in words[1:]:
        if (begins and width < _A_VDEV_A_LINE) or len(lines[-1]) + len(text) > width:
            lines[-1] += " \\"
            lines.append(f"{indent}  {text}")
        else:
            lines[-1] += f" {text}"
    return lines
