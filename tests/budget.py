"""How large the program may be: what stands in budget.toml, which only shrinks.

`python -m tests.budget` writes it anew after lines went or moved between rooms, and refuses where a total would grow:
what is new is paid for with deletions.
"""

import sys
import tomllib
from functools import cache
from pathlib import Path

from tests.texts.extract import of_program

HERE = Path(__file__).parent
APP = HERE.parent / "app" / "poolwright"
BUDGET = HERE / "budget.toml"
_ABOUT = "# The most there may be, of Python lines, files and texts in them. Written by `python -m tests.budget`.\n"

Sizes = dict[str, dict[str, int]]  # table, name: size


@cache
def sizes() -> Sizes:
    """Return the sizes of today: totals, and the lines of each room of app/."""
    files = sorted(APP.rglob("*.py"))
    rooms: dict[str, int] = {}
    for file in files:
        inside = file.relative_to(APP).parts
        room = inside[0] if len(inside) > 1 else "poolwright"
        rooms[room] = rooms.get(room, 0) + _lines(file)
    said = {text for file in files for _, text in of_program(file.read_text(encoding="utf-8"))}
    words = sum(len(" ".join([text] if isinstance(text, str) else text).split()) for text in said)
    total = {
        "lines": sum(rooms.values()),
        "files": len(files),
        "test_lines": sum(map(_lines, HERE.rglob("*.py"))),
        "texts": len(said),
        "words": words,
    }
    return {"total": total, "rooms": rooms}


def allowed() -> Sizes:
    read: Sizes = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    return read


def over(found: Sizes, most: Sizes, *, table: str) -> dict[str, str]:
    """Return what of a table is larger than it may be, each as "found of most"."""
    return {
        name: f"{size} of {most[table].get(name, 0)}"
        for name, size in found[table].items()
        if size > most[table].get(name, 0)
    }


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def _written(found: Sizes) -> str:
    tables = [
        f"[{table}]\n" + "".join(f"{name} = {size}\n" for name, size in of.items()) for table, of in found.items()
    ]
    return _ABOUT + "\n" + "\n".join(tables)


if __name__ == "__main__":
    now = sizes()
    if BUDGET.exists() and (larger := over(now, allowed(), table="total")):
        sys.exit(f"Larger than budget.toml allows: {larger}. Delete as much as is new.")
    BUDGET.write_text(_written(now), encoding="utf-8")
