"""Where the arrows lead: from tile to tile, from vdev to vdev, and into the tray."""

from PySide6.QtCore import QRectF

from poolwright.advise.edits.places import Piece, VdevPlace
from poolwright.ui.design.picture.editing import Editing, Spot
from poolwright.ui.design.picture.geometry import Placed, nearest


def walk(editing: Editing, placed: Placed, step: tuple[int, int]) -> Spot | None:
    """Return what lies next to the current spot in a direction (dx, dy of -1, 0, 1); None at the edge."""
    current = editing.current
    if isinstance(current, VdevPlace):
        here = placed.frames[current].outer if current in placed.frames else QRectF()
        frames = [(place, frame.outer) for place, frame in placed.frames.items() if place != current]
        found = nearest(here, frames, step)
        return found if isinstance(found, VdevPlace) else None
    if current is None or current not in placed.tiles:
        return None
    # The tray is fixed below the pools, however they have scrolled: only the pools' height tells what is above what.
    shift = max(0.0, placed.height - placed.tray.top()) + placed.view_height
    rects = [
        (piece, rect.translated(0, shift) if piece in placed.in_tray else rect) for piece, rect in placed.tiles.items()
    ]
    here = next(rect for piece, rect in rects if piece == current)
    found = nearest(here, [(piece, rect) for piece, rect in rects if piece != current], step)
    return found if isinstance(found, Piece) else None
