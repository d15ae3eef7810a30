"""The undo twin of the guarded script: destroys what that script created, after showing it, and nothing else."""

from poolwright.domain.design import Design
from poolwright.emit.actions import plan_actions
from poolwright.emit.names import comment, comment_line, commented
from poolwright.emit.script_tables import Roots, assemble, design_lines, root_constants
from poolwright.emit.stamp import Stamp
from poolwright.texts import tell


def undo_script(design: Design, *, generated_at: str, program_version: str, roots: Roots | None = None) -> str:
    """Return the bash script (4.2 or newer) that takes back what the guarded script of the same design creates.

    It compares pools vdev by vdev and label by label with the design, tells what will be lost, refuses when a pool
    holds more than the script put there (unless told otherwise and typed), destroys, and clears labels, partitions
    and partition tables that are its own. Raises as `guarded_script`.
    """
    title = tell("What the creation script wrote, in this order; none of it is run here")
    return assemble(
        "undo",
        head=_head(design, generated_at=generated_at, program_version=program_version),
        constants=root_constants(roots or Roots()),
        design=design_lines(design, plan_actions(design), title=title),
    )


def _head(design: Design, *, generated_at: str, program_version: str) -> tuple[str, ...]:
    names = ", ".join(pool.pool_name for pool in design.pools())
    return (
        comment_line(
            tell(
                "Undo of the guarded script of the design “{design}”: DESTROYS {pools}.",
                design=comment(design.name),
                pools=names,
            )
        ),
        *commented(Stamp(generated_at=generated_at, program_version=program_version).words),
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
