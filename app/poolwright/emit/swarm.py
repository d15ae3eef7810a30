"""Where the dots of a plot with few x values stand: side by side, so that none hides another. Plain arithmetic."""

from collections.abc import Sequence

BINS = 60  # rows that the height of the plot is divided into
WIDTH = 0.84  # how much of the distance between two x values the dots may take
PITCH = 0.03  # distance of two dots of one row while there is room


def swarm(xs: Sequence[int], ys: Sequence[float]) -> tuple[float, ...]:
    """Return an x for each dot: its own x, moved aside where other dots stand at about the same height.

    The dots of one row keep their order by height and are centred on their x; a full row is drawn closer together.
    """
    top = max(ys, default=0.0) or 1.0
    rows: dict[tuple[int, int], list[int]] = {}
    for number, (x, y) in enumerate(zip(xs, ys, strict=True)):
        rows.setdefault((x, min(BINS - 1, int(y / top * BINS))), []).append(number)
    placed = [float(x) for x in xs]
    for (x, _), members in rows.items():
        members.sort(key=lambda number: ys[number])
        pitch = min(PITCH, WIDTH / len(members))
        # The middle of the row stands on the x itself; the others go out to both sides in turn.
        for place, number in enumerate(members):
            side = (place + 1) // 2 * (1 if place % 2 else -1)
            placed[number] = x + side * pitch
    return tuple(placed)


def pareto(xs: Sequence[float], ys: Sequence[float]) -> tuple[int, ...]:
    """Return the numbers of the points that no other beats in both values, from the least x to the greatest."""
    best: dict[float, int] = {}
    for number, (x, y) in enumerate(zip(xs, ys, strict=True)):
        if x not in best or y > ys[best[x]]:
            best[x] = number
    front: list[int] = []
    highest = float("-inf")
    for x in sorted(best, reverse=True):
        if ys[best[x]] > highest:
            highest = ys[best[x]]
            front.append(best[x])
    return tuple(reversed(front))
