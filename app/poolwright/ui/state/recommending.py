"""From the session to what is asked of a ranking, and to the name of the design that is made of a layout."""

from uuid import uuid4

from poolwright.design.assign import Identity
from poolwright.design.request import Request
from poolwright.drive_library import load_drive_book
from poolwright.texts import _
from poolwright.ui.state.session import Session

POOL_NAME = "tank"


def request_of(session: Session) -> Request | None:
    inventory = session.inventory
    if inventory is None or not session.ticked:
        return None
    disks = tuple(disk for disk in inventory.disks if disk.key in session.ticked)
    return Request(
        disks=disks,
        workload=session.workload,
        budget=session.budget,
        version=session.version,
        ashift=session.ashift,
        host=inventory.host,
        drives=load_drive_book(),
        goal_told=session.work.goal_told,
    )


def free_pool_name(session: Session) -> str:
    """Return a name for a new pool that no pool of the machine has, and none designed beside it."""
    inventory = session.inventory
    taken = {*session.pools_beside, *(pool.name for pool in (inventory.pools if inventory else ()))}
    names = (POOL_NAME, *(f"{POOL_NAME}{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def identity_of(session: Session) -> Identity:
    """Return how the design of a layout is called: a design that is being worked on keeps its names."""
    inventory, before = session.inventory, session.design
    if before is not None:
        return Identity(key=before.key, name=before.name, pool_name=before.pool_name)
    goal = _(session.workload.goal.value)
    name = _("{machine}, {goal}", machine=inventory.name, goal=goal) if inventory else goal
    number = len(session.pools_beside) + 1
    return Identity(
        key=uuid4().hex, name=name if number == 1 else f"{name} {number}", pool_name=free_pool_name(session)
    )
