"""The guarded script: checks every disk, lets zpool rehearse, asks, creates, verifies; safe to run twice.

What it runs stands in it as the commands themselves, every word quoted by one function; the part that checks them is
the same in every script of one version (the files of ``shell/``)."""

from collections.abc import Sequence

from poolwright.domain.action import CreatePool, Creation
from poolwright.domain.design import Design
from poolwright.domain.names import check_pool_name
from poolwright.domain.vdev import describe
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.actions import plan_actions
from poolwright.emit.names import comment, comment_line, commented
from poolwright.emit.script_tables import MACHINE, PredictedSpace, Roots, assemble, design_lines, root_constants
from poolwright.emit.stamp import Stamp
from poolwright.texts import marked, tell, tell_counted

_TITLE = marked("What is written, in this order, after every check and question: these commands and no others")


def guarded_script(
    design: Design, stamp: Stamp, *, predicted: Sequence[PredictedSpace] = (), roots: Roots = MACHINE
) -> str:
    """Return the bash script (4.2 or newer) that builds ``design``.

    It prints what is ``predicted`` of the pools, in their order, beside what it finds. ``roots`` is for trying the
    script without real disks. Raises Refusal with all reasons when the design cannot be built or its disks not be
    named, UserError for names and values that cannot be written.
    """
    actions = plan_actions(design)
    return assemble(
        "create",
        head=_head(design, stamp),
        constants={"designed_for": str(design.version)} | root_constants(roots),
        design=design_lines(design, actions, title=tell(_TITLE), predicted=predicted or (PredictedSpace(),)),
    )


def by_pool(actions: tuple[Creation, ...]) -> list[tuple[Creation, ...]]:
    """Return the actions of each pool, its creation first; partitions belong to no pool."""
    starts = [i for i, action in enumerate(actions) if isinstance(action, CreatePool)]
    return [actions[start:end] for start, end in zip(starts, [*starts[1:], len(actions)], strict=True)]


def _head(design: Design, stamp: Stamp) -> tuple[str, ...]:
    pools = design.pools()
    title = tell_counted(
        "Guarded script of the design “{design}”: creates the pool {pools}.",
        "Guarded script of the design “{design}”: creates the pools {pools}.",
        len(pools),
        design=comment(design.name),
        pools=", ".join(pool.pool_name for pool in pools),
    )
    return (
        comment_line(title),
        *(comment_line(_described(pool, len(pools))) for pool in pools),
        *commented(stamp.words),
        "#",
        *commented(
            tell(
                "Try it first with --check, which changes nothing. It checks every disk, lets zpool rehearse, asks for "
                "the name of each pool to be typed, and only then runs the commands in the function “design”. It never "
                "erases a disk. A second run changes nothing."
            )
        ),
    )


def _described(pool: Design, count: int) -> str:
    layout = describe(pool.layout())
    if count > 1:
        layout = tell("{pool}: {layout}", pool=pool.pool_name, layout=layout)
    return tell(
        "{layout}; ashift {ashift}; computed for OpenZFS {version}.",
        layout=layout,
        ashift=pool.ashift,
        version=pool.version,
    )


# The undo twin of the guarded script: destroys what that script created, after showing it, and nothing else.


def undo_script(design: Design, stamp: Stamp, *, roots: Roots = MACHINE) -> str:
    """Return the bash script (4.2 or newer) that takes back what the guarded script of the same design creates.

    It compares pools vdev by vdev and label by label with the design, tells what will be lost, refuses when a pool
    holds more than the script put there (unless told otherwise and typed), destroys, and clears labels, partitions
    and partition tables that are its own. Raises as `guarded_script`.
    """
    title = tell("What the creation script wrote, in this order; none of it is run here")
    return assemble(
        "undo",
        head=_undo_head(design, stamp),
        constants=root_constants(roots),
        design=design_lines(design, plan_actions(design), title=title),
    )


def _undo_head(design: Design, stamp: Stamp) -> tuple[str, ...]:
    names = ", ".join(pool.pool_name for pool in design.pools())
    return (
        comment_line(
            tell(
                "Undo of the guarded script of the design “{design}”: DESTROYS {pools}.",
                design=comment(design.name),
                pools=names,
            )
        ),
        *commented(stamp.words),
        "#",
        *commented(
            tell(
                "Try it first with --check, which changes nothing. It destroys a pool only when its vdevs are exactly "
                'those of the design, nothing was stored in it, and "destroy NAME" was typed. What it does not '
                "recognise it leaves alone. The commands in the function “design” are those of the creation script; "
                "this one does not run them."
            )
        ),
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
        head=(
            comment_line(tell("Volumes for a measurement in the pool {pool}: made, and removed again.", pool=pool)),
            *commented(stamp.words),
        ),
        constants=values | sizes,
        design=(":",),
    )
