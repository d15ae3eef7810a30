"""What was open before other disks took its place: the work, and the steps of the Edit menu."""

from dataclasses import dataclass

from poolwright.texts import tell
from poolwright.ui.state.design_step import DesignStep
from poolwright.ui.state.undo_steps import UndoSteps
from poolwright.ui.state.work import Work, ticked_at_first


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Work that can be gone back to; ``steps`` are those to undo and to redo, of which ``taken`` are done."""

    work: Work
    steps: tuple[DesignStep, ...]
    taken: int

    def words(self) -> str:
        """Return the sentence that says that other disks took its place."""
        if self.work.design is not None:
            text = tell("These disks took the place of “{name}”, which stays in the library.")
            return text.format(name=self.work.design.name)
        name = self.work.inventory.name if self.work.inventory is not None else ""
        return tell("These disks took the place of {name} and what you had ticked there.", name=name)


def kept_of(work: Work, done: UndoSteps, *, afresh: bool) -> Kept | None:
    """Return what would be a pity to lose; None when nothing was done with these disks yet.

    ``afresh`` says that nothing was typed of this machine.
    """
    if work.inventory is None:
        return None
    untouched = work.ticked == ticked_at_first(work.inventory)
    if work.design is None and untouched and not work.pools_beside and afresh:
        return None
    return Kept(work=work, steps=done.steps, taken=done.taken)
