"""What may become of pools, as a person read it: growth, improvements, steps into a design, repairs.

The files in `answers` are what somebody looked at; `python -m tests.changes.test_answers_in_words` writes them anew
where an answer is meant to change, and the difference is then read.
"""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from tests.changes.existing_machines import TODAY
from tests.changes.grown_answers import grown_answers
from tests.changes.live_model import ModelPool, design_of, random_pool
from tests.changes.test_against_live import PAIR, compared
from tests.changes.test_improve import DATA, POOLS, improved, ordinary
from tests.changes.test_sick_pools import MOVING, RESILVERING, SCRUBBED, TREES, audit_of
from tests.design.in_words import written
from tests.design.pools_by_hand import machine_with

from poolwright.changes.audit import AuditRequest, audit_machine
from poolwright.domain.finding import Outcome
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.difference_script import guarded_text
from poolwright.emit.remedies import first_steps
from poolwright.rule_library import load_shipped

FOLDER = Path(__file__).with_name("answers")
_STATES = {"unusable": "SUSPENDED", "gaps": "ONLINE"}
_BUSY = Workload(goal=Goal.CONCURRENT, sync_write_percent=70, io_size_bytes=16384, sequential_percent=10)
_WITHOUT = ("setting", "question", "grown", "capacity", "after", "before", "bought", "at_hand")


def improved_answers() -> dict[str, object]:
    found: dict[str, object] = {name: improved(ordinary(name)) for name in POOLS}
    sizes, narrow, broken = ("6 x 8TB CMR SATA", "4 x 4TB CMR SATA"), (DATA, "raidz2", 4), {1: "FAULTED"}
    unequal = machine_with(sizes, ((DATA, "raidz2", 6), narrow), fill=85, more={"bootfs": "tank/root"})
    spared = machine_with(("9 x 8TB CMR SATA",), ((DATA, "raidz2", 8), ("spares", "disk", 1)), states=broken)
    for name, machine in {"unequal": unequal, "with a spare": spared}.items():
        found[name] = improved(machine)
    flash = machine_with(("6 x 4TB CMR SATA", "2 x 400GB NVMe PLP"), ((DATA, "mirror", 2),) * 3)
    found["flash at hand"] = improved(flash, workload=_BUSY)
    for name in ("mirror", "virtual machines", "lone log"):
        found[f"{name}, busy"] = improved(ordinary(name), workload=_BUSY, spend=None)
    return found


def live_answers() -> dict[str, object]:
    plain, marked = ModelPool(tops=[PAIR], datasets={"": {}}), ModelPool(tops=[PAIR], datasets={"": {"org.x:by": "me"}})
    found: dict[str, object] = {"a property of one's own": compared(design_of(marked), plain).differences}
    for seed in range(0, 150, 10):
        random = Random(seed)
        pool, goal = random_pool(random, parity=seed % 20 == 0), random_pool(random, parity=seed % 40 == 0)
        comparison = compared(design_of(goal), pool)
        steps = guarded_text(comparison).partition("\n}\n")[0].splitlines()
        own = [line for line in steps if line.startswith(("  disk ", "  step ", "  guard ", "  write ", "  settle "))]
        found[f"seed {seed}"] = [comparison.before, comparison.barred_by, comparison.differences, *own]
    return found


def sick_answers() -> dict[str, object]:
    expanding = "none requested\nexpand: expansion of raidz2-0 in progress since Sun Nov 29 08:30:16 2026\n"
    scans = {"scrubbed": SCRUBBED, "resilvering": RESILVERING, "moving": MOVING, "expanding": expanding}
    found: dict[str, object] = {}
    with TemporaryDirectory() as folder:
        for name, (scan, ran) in product(TREES, scans.items()):
            audit = audit_of(TREES[name], Path(folder), state=_STATES.get(name, "DEGRADED"), scan=ran)
            noticed = [f"{one.severity.value} {one.text}" for one in audit.findings if one.outcome is Outcome.VIOLATED]
            steps = [[one.finding.rule_id, one.advice, *one.commands] for one in first_steps((audit,))]
            found[f"{name}, {scan}"] = [*noticed, *steps]
    told = {"size": "3985729650688", "allocated": "1985729650688", "free": "2000000000000"}
    plain = machine_with(("2 x 4TB CMR SATA",), ((DATA, "mirror", 2),), more=told)
    (audit,) = audit_machine(load_shipped(), plain, AuditRequest.usual(TODAY))
    return found | {"sizes of disks alone": audit.sizes}


VALUES: dict[str, Callable[[], dict[str, object]]] = {
    "growth": grown_answers,
    "improvements": improved_answers,
    "differences": live_answers,
    "sick": sick_answers,
}


def answer(name: str) -> str:
    return written(VALUES[name](), without=_WITHOUT)


@pytest.mark.parametrize("name", VALUES)
def test_that_an_answer_is_the_one_that_was_read(name: str) -> None:
    assert answer(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for each in VALUES:
        (FOLDER / f"{each}.txt").write_text(answer(each), encoding="utf-8")
