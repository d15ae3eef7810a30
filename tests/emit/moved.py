"""Moves of every kind, as people read them and as their scripts take them.

Run ``python -m tests.emit.moved`` from the repository to write the golden files anew, then read the difference.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.changes.migration.machines import SIZE, TB, machine, migration, properties, script_of

from poolwright.changes.migration.values import MigrationAnswer
from poolwright.domain.pool import ExistingDataset
from poolwright.emit.migration_script import migration_parts
from poolwright.emit.report import ALL, WHY, in_sight, terminal_lines

GOLDEN = Path(__file__).parent / "golden" / "moves"


def moves() -> Iterator[tuple[str, MigrationAnswer]]:
    keys = properties({"used": TB, "recordsize": 131072, "encryption": "aes-256-gcm"})
    vault = ExistingDataset(name="tank/vault", kind="filesystem", properties=keys)
    pair = ("mirror", 2)
    logged = machine([pair, ("disk", 1)], 2, sections=["data", "logs"])
    yield "with-a-log", migration(logged, "raidz2:4x4TB")
    yield "fuller", migration(machine([("raidz1", 3)], 1, used=3_500_000_000_000), "2*mirror:2x4TB")
    yield "encrypted", migration(machine([pair] * 2, 0, size=5 * SIZE, datasets=(vault,)), "raidz2:4x20TB")
    yield "beside", migration(machine([("disk", 1)], 3, version="0.8.6"), "raidz1:3x4TB")
    yield "sides", migration(machine([pair, ("disk", 1), ("disk", 1)], 2, pool_values={"guid": 4711}), "3*mirror:2x4TB")
    yield "wider", migration(machine([("raidz2", 4)], 2), "raidz2:6x4TB")
    yield "larger", migration(machine([pair], 2, free_size=2 * SIZE), "mirror:2x8TB")
    yield "unknown", migration(machine([pair], 2, used=None, offline=1), "2*mirror:2x4TB")


def golden_moves() -> dict[str, str]:
    """Return the golden files by name: what is told of a move, then the lines of its script."""
    found = {}
    for name, answer in moves():
        told = terminal_lines(in_sight(migration_parts(answer), frozenset({WHY, ALL})))
        steps = ("\n".join(lines) for lines in script_of(answer.plan))
        found[f"{name}.txt"] = "\n".join(told) + "\n\n" + "\n\n".join(steps) + "\n"
    return found


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in golden_moves().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
