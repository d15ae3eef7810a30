"""What an operator does with a design's scripts in the machine: copies them there, runs them, types what is asked."""

from collections.abc import Sequence

from tests.zfs_vm.machine import Ended, Machine

from poolwright.domain.design import Design
from poolwright.emit.names import Stamp
from poolwright.emit.script import guarded_script, undo_script

STAMP = Stamp(generated_at="2026-11-22", program_version="0.1.0")


def created(machine: Machine, design: Design, *options: str, typed: Sequence[str] | None = None) -> Ended:
    """Run the creation script; with ``typed`` lines it is answered by them, else it does not ask for names.

    It looks at every disk once more after an answer, which takes minutes here.
    """
    machine.put(f"/tmp/operator/create-{design.pool_name}.sh", guarded_script(design, STAMP))
    if typed is None:
        options = (*options, *(f"--yes-create {pool.pool_name}" for pool in design.pools()))
    command = f"bash create-{design.pool_name}.sh {' '.join(options)}"
    return machine.run(command, typed=typed or (), check=False)


def undone(machine: Machine, design: Design, *options: str, typed: Sequence[str] | None = None) -> Ended:
    """Run the undo twin; unless told otherwise what it asks for an empty pool is typed for each pool."""
    machine.put(f"/tmp/operator/undo-{design.pool_name}.sh", undo_script(design, STAMP))
    lines = [f"destroy {pool.pool_name}" for pool in design.pools()] if typed is None else typed
    return machine.run(f"bash undo-{design.pool_name}.sh {' '.join(options)}", typed=lines, check=False)
