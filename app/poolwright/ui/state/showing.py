"""A design is opened and brought to the front: an ordinary one at once, a very large one in turns of the window."""

from collections.abc import Generator
from typing import TYPE_CHECKING

from poolwright.domain.design import Design
from poolwright.domain.steps import at_once
from poolwright.jobs.sliced_job import SlicedJob
from poolwright.store.codec import disk_text
from poolwright.texts import tell
from poolwright.ui.state.many import MANY_DISKS

if TYPE_CHECKING:
    from poolwright.ui.state.session import Session


def show_in_turns(session: "Session", design: Design) -> None:
    """Open ``design`` and send ``shown``."""
    steps = _showing(session, design)
    if len(design.disks) < MANY_DISKS:
        at_once(steps)
    else:
        session.jobs.add(SlicedJob(tell("Opening the design"), "design", steps, session))


def _showing(session: "Session", design: Design) -> Generator[None, None, None]:
    if len(design.disks) >= MANY_DISKS:
        # It is saved with whatever changes first; its disks are written by then.
        for disk in design.disks:
            disk_text(disk)
            yield
    session.open_design(design)
    yield
    session.shown.emit()
